// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/import/import.hpp>

using namespace helixavatar::import;

TEST_CASE("SPDX expressions are told from other words") {
    for (const char* good : {"MIT", "CC-BY-4.0", "CC0-1.0", "MIT OR Apache-2.0", "(MIT AND BSD-3-Clause) OR ISC", "GPL-2.0-or-later WITH Classpath-exception-2.0",
                             "LicenseRef-VRM-Public-1.0", "Apache-2.0+"}) {
        INFO(good);
        CHECK(is_spdx_expression(good));
    }
    for (const char* bad : {"", "CC BY 4.0", "free", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT WITH", "MIT WITH Nothing", "MIT Apache-2.0", "LicenseRef-"}) {
        INFO(bad);
        CHECK(!is_spdx_expression(bad));
    }
    CHECK(!is_spdx_expression(std::string(5000, '(')));
}

TEST_CASE("a provenance file names its faults by key") {
    const auto message = [](const char* text) {
        const auto parsed = parse_provenance(text);
        return parsed ? std::string() : parsed.error().message;
    };
    CHECK(message(R"({"sourceUrl":"https://a.example/x","license":"CC-BY-4.0","licenseUrl":"https://b.example","author":"Ada"})").empty());
    CHECK(message(R"({"license":"MIT","licenseUrl":"https://b.example"})").find("sourceUrl") != std::string::npos);
    CHECK(message(R"({"sourceUrl":"https://a.example","license":"mine","licenseUrl":"https://b.example"})").find("mine") != std::string::npos);
    CHECK(message(R"({"sourceUrl":"https://a.example","license":"MIT","licenseUrl":"https://b.example","licence":"MIT"})").find("licence") != std::string::npos);
    CHECK(message(R"({"sourceUrl":"ftp://a.example","license":"MIT","licenseUrl":"https://b.example"})").find("sourceUrl") != std::string::npos);
    CHECK(message(R"({"sourceUrl":7,"license":"MIT","licenseUrl":"https://b.example"})").find("sourceUrl") != std::string::npos);
    CHECK(message("[]").find("object") != std::string::npos);
    CHECK(parse_provenance("{").error().kind == helixavatar::ErrorKind::usage);
}
