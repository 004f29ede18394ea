// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/batch/summary.hpp>

using namespace helixavatar;

namespace {

batch::Summary mixed() {
    batch::Outcome good;
    good.outputs = {{"a.web.glb", 10, std::string(64, 'a')}};
    batch::Outcome kept = good;
    kept.state = batch::State::kept;
    batch::Outcome over = good;
    over.code = ExitCode::judged_bad;
    over.errors = 1;
    over.faults = {"triangles: 70000 of 60000"};
    batch::Outcome failed;
    failed.code = ExitCode::bad_input;
    failed.error = Error{ErrorKind::malformed, "the file | ends \"early\", <b>\nhere", "in/x.glb", "download it again"};
    batch::Outcome left;
    left.state = batch::State::not_run;
    return {"import", {{"a.glb", good}, {"=b.glb", kept}, {"c.glb", over}, {"d.glb", failed}, {"e.glb", left}}};
}

}  // namespace

TEST_CASE("every file is counted once") {
    CHECK(batch::counts_text(batch::count(mixed().lines)) ==
          "5 files: 2 done, 1 over a gate, 1 failed, 1 not run; 1 kept from an earlier run");
}

TEST_CASE("a JSON summary says what became of each file") {
    const auto json = batch::Json::parse(batch::print_summary(mixed(), batch::SummaryFormat::json));
    CHECK(json["contract"] == "helix/batch-summary@1");
    CHECK(json["exit"] == 3);
    CHECK(json["counts"]["failed"] == 1);
    CHECK(json["files"][2]["status"] == "over");
    CHECK(json["files"][3]["hint"] == "download it again");
    CHECK(json["files"][4]["status"] == "not run");
}

TEST_CASE("in a CSV nothing of a name or message makes a cell, a line or a formula") {
    const std::string csv = batch::print_summary(mixed(), batch::SummaryFormat::csv);
    CHECK_THAT(csv, Catch::Contains("\"'=b.glb\",kept,0,"));
    CHECK_THAT(csv, Catch::Contains("\"the file | ends \"\"early\"\", <b>\nhere\""));
    CHECK(csv.find("\r\n") != std::string::npos);
}

TEST_CASE("in Markdown nothing of a name or message makes a column, a tag or a line") {
    const std::string page = batch::print_summary(mixed(), batch::SummaryFormat::markdown);
    CHECK_THAT(page, Catch::Contains("| d.glb | failed |  | the file \\| ends \"early\", \\<b\\> here |\n"));
    CHECK_THAT(page, Catch::Contains("5 files: 2 done"));
}

TEST_CASE("the ending of its name is the format of a summary") {
    CHECK(*batch::summary_format("a/b.md") == batch::SummaryFormat::markdown);
    CHECK_FALSE(batch::summary_format("a/b.txt"));
}
