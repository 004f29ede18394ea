// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/avatar/vrm_meta.hpp>

namespace helixavatar::avatar {
namespace {

VrmFacts facts(int version, const char* extension) {
    VrmFacts vrm;
    vrm.version = version;
    vrm.extension = Json::parse(extension);
    return vrm;
}

bool has(const std::vector<std::string>& lines, const std::string& part) {
    for (const std::string& line : lines)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

TEST_CASE("whom meshes are hidden from is said by mesh in VRM 0 and by node in VRM 1") {
    const auto zero =
        vrm_first_person(facts(0, R"({"firstPerson":{"meshAnnotations":[{"mesh":0,"firstPersonFlag":"ThirdPersonOnly"},
        {"mesh":1,"firstPersonFlag":"FirstPersonOnly"},{"mesh":2,"firstPersonFlag":"Auto"},{"mesh":9,"firstPersonFlag":"ThirdPersonOnly"},{"mesh":-1},7]}})"),
                         {-1, 0, 1, 2});
    CHECK(zero.third_person_only == std::set<int>{0});
    CHECK(zero.first_person_only == std::set<int>{1});
    const auto one = vrm_first_person(
        facts(
            1,
            R"({"firstPerson":{"meshAnnotations":[{"node":1,"type":"thirdPersonOnly"},{"node":0,"type":"auto"},{"node":2,"type":"thirdPersonOnly"},{"node":7,"type":"thirdPersonOnly"}]}})"),
        {2, 0, -1});
    CHECK(one.third_person_only == std::set<int>{0});
    CHECK(one.first_person_only.empty());
    CHECK(vrm_first_person(facts(0, "{}"), {}).third_person_only.empty());
}

TEST_CASE("the licence of a VRM 0 becomes provenance, and what it forbids is said by field") {
    const auto free = vrm_licence(facts(
        0, R"({"meta":{"licenseName":"CC_BY","author":"A","title":"T","version":"1","reference":"https://example.org/x",
        "allowedUserName":"Everyone","commercialUssageName":"Allow"}})"));
    CHECK(free.warnings.empty());
    CHECK(
        free.provenance ==
        Json::parse(
            R"({"sourceUrl":"https://example.org/x","license":"CC-BY-4.0","licenseUrl":"https://creativecommons.org/licenses/by/4.0/",
        "author":"A","model":"T","version":"1"})"));
    CHECK(has(vrm_licence(facts(0, R"({"meta":{"licenseName":"Redistribution_Prohibited"}})")).warnings,
              "licenseName: Redistribution_Prohibited"));
    CHECK(has(vrm_licence(facts(0, R"({"meta":{"licenseName":"CC_BY_NC_ND"}})")).warnings, "forbids modified copies"));
    CHECK(has(vrm_licence(
                  facts(0, R"({"meta":{"licenseName":"Other","otherLicenseUrl":"https://x/?modification=disallow"}})"))
                  .warnings,
              "modification=disallow"));
    CHECK(has(vrm_licence(facts(0, R"({"meta":{"allowedUserName":"OnlyAuthor"}})")).warnings, "allowedUserName"));
}

TEST_CASE("a VRM 1 gives what its meta grants and nothing by silence") {
    const auto free = vrm_licence(facts(
        1,
        R"({"meta":{"name":"N","authors":["A","B"],"licenseUrl":"https://vrm.dev/licenses/1.0/","avatarPermission":"everyone",
        "allowRedistribution":true,"modification":"allowModificationRedistribution","commercialUsage":"corporation"}})"));
    CHECK(free.warnings.empty());
    CHECK(free.provenance["license"] == "LicenseRef-VRM-1.0");
    CHECK(free.provenance["author"] == "A, B");
    const auto silent = vrm_licence(facts(1, R"({"meta":{}})"));
    for (const char* field : {"modification", "allowRedistribution", "avatarPermission", "commercialUsage"})
        CHECK(has(silent.warnings, field));
    CHECK(vrm_licence(facts(1, "3")).warnings.size() == 4);
}

}  // namespace
}  // namespace helixavatar::avatar
