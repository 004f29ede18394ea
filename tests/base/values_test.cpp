// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <helixavatar/base/exit_code.hpp>
#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/geometry.hpp>
#include <helixavatar/base/parallel.hpp>
#include <helixavatar/base/version.hpp>

using namespace helixavatar;

namespace {

Finding finding(const char* rule, const char* pointer, const char* message, std::optional<int> scene = {}) {
    Finding out;
    out.rule = rule;
    out.where = {pointer, "", scene};
    out.message = message;
    return out;
}

}  // namespace

TEST_CASE("findings that say the same are folded into one with a count and the first places") {
    Findings many;
    for (int i = 0; i < 100; ++i) many.push_back(finding("file-node", ("/nodes/" + std::to_string(i)).c_str(), "loop"));
    many.insert(many.begin() + 50, finding("file-skin", "/skins/0", "loop"));
    const Findings folded = fold_repeats(many, 3);
    REQUIRE(folded.size() == 2);
    CHECK(folded[0].rule == "file-node");
    CHECK(folded[0].count == 100);
    CHECK(folded[0].where.pointer == "/nodes/0");
    REQUIRE(folded[0].more.size() == 3);
    CHECK(folded[0].more[2].pointer == "/nodes/3");
    CHECK(folded[1].count == 1);
}

TEST_CASE("findings that differ in rule, severity, scene or message stay apart, in their order") {
    Findings different = {finding("a", "/0", "x"), finding("b", "/0", "x"), finding("a", "/0", "y"),
                          finding("a", "/0", "x", 1), finding("a", "/0", "x")};
    different[4].severity = Severity::warning;
    const Findings folded = fold_repeats(different);
    REQUIRE(folded.size() == 5);
    CHECK(folded[1].rule == "b");
    CHECK(folded[3].where.scene == 1);
}

TEST_CASE("folding twice keeps the count") {
    const Findings once = fold_repeats({finding("a", "/0", "x"), finding("a", "/1", "x")});
    const Findings again = fold_repeats({once[0], finding("a", "/2", "x")});
    REQUIRE(again.size() == 1);
    CHECK(again[0].count == 3);
}

TEST_CASE("only errors count as errors") {
    Findings findings = {finding("a", "", "x")};
    for (const Severity mild : {Severity::info, Severity::warning, Severity::not_measured}) {
        findings[0].severity = mild;
        CHECK_FALSE(has_error(findings));
    }
    findings[0].severity = Severity::error;
    CHECK(has_error(findings));
}

TEST_CASE("the exit code of many inputs is the highest-ranking of 70, 5, 3, 4, 2, 1, 0") {
    const ExitCode ranked[] = {ExitCode::internal, ExitCode::unwritable, ExitCode::bad_input, ExitCode::unconvertible,
                               ExitCode::usage,    ExitCode::judged_bad, ExitCode::ok};
    for (std::size_t i = 0; i < std::size(ranked); ++i) {
        for (std::size_t j = i; j < std::size(ranked); ++j) {
            CHECK(worse(ranked[i], ranked[j]) == ranked[i]);
            CHECK(worse(ranked[j], ranked[i]) == ranked[i]);
        }
    }
}

TEST_CASE("errors have the exit codes that scripts rely on") {
    CHECK(static_cast<int>(exit_code_for(ErrorKind::usage)) == 2);
    CHECK(static_cast<int>(exit_code_for(ErrorKind::unreadable)) == 3);
    CHECK(static_cast<int>(exit_code_for(ErrorKind::malformed)) == 3);
    CHECK(static_cast<int>(exit_code_for(ErrorKind::unconvertible)) == 4);
    CHECK(static_cast<int>(exit_code_for(ErrorKind::unwritable)) == 5);
    CHECK(static_cast<int>(exit_code_for(ErrorKind::internal)) == 70);
}

TEST_CASE("every index is worked on once, whatever the number of threads") {
    for (const unsigned threads : {0U, 1U, 2U, 7U, 64U}) {
        std::vector<std::atomic<int>> seen(1000);
        parallel_for(
            seen.size(), [&](std::size_t i) { ++seen[i]; }, threads);
        CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
    }
    parallel_for(0, [](std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("an exception in the work comes out after all threads have stopped") {
    for (const unsigned threads : {1U, 4U}) {
        std::atomic<int> running{0};
        CHECK_THROWS_AS(parallel_for(
                            100,
                            [&](std::size_t i) {
                                ++running;
                                if (i == 10) {
                                    --running;
                                    throw std::runtime_error("ten");
                                }
                                --running;
                            },
                            threads),
                        std::runtime_error);
        CHECK(running == 0);
    }
}

TEST_CASE("poses compose and invert") {
    const Pose pose{{1, 2, 3}, Quat(Eigen::AngleAxisd(0.7, Vec3(1, 1, 0).normalized()))};
    const Pose identity = pose * pose.inverse();
    CHECK(identity.translation.norm() < 1e-12);
    CHECK(angle_degrees(identity.rotation, Quat::Identity()) < 1e-6);
    CHECK(((pose.matrix() * Vec4(1, 0, 0, 1)).head<3>() - pose * Vec3(1, 0, 0)).norm() < 1e-12);
}

TEST_CASE("angles are right at their ends and harmless without a direction") {
    CHECK(angle_degrees(Vec3(1, 0, 0), Vec3(0, 2, 0)) == Approx(90));
    CHECK(angle_degrees(Vec3(1, 0, 0), Vec3(-3, 0, 0)) == Approx(180));
    CHECK(angle_degrees(Vec3(1, 1e-9, 0), Vec3(1, 0, 0)) == Approx(0).margin(1e-6));
    CHECK(angle_degrees(Vec3::Zero(), Vec3(1, 0, 0)) == 0);
    const Quat half(Eigen::AngleAxisd(kPi, Vec3::UnitY()));
    CHECK(angle_degrees(half, Quat::Identity()) == Approx(180));
    const Quat same(-half.w(), -half.x(), -half.y(), -half.z());
    CHECK(angle_degrees(half, same) == Approx(0).margin(1e-6));
}

TEST_CASE("the version is the project's") {
    CHECK(version().find('.') != std::string_view::npos);
}
