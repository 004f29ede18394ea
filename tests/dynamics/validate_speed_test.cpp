// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <ctime>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

#include "reference_manifest.hpp"

namespace helixavatar::dynamics {
namespace {

using gltf::Json;

TEST_CASE("four hundred chains in files of sixty-four are validated in the time of a parse") {
    std::vector<std::string> files;
    for (int left = 400; left > 0; left -= 64) {
        Json manifest = reference_manifest();
        const Json chain = manifest["chains"][0];
        manifest["chains"] = Json::array();
        for (int i = 0; i < std::min(left, 64); ++i) {
            Json copy = chain;
            copy["id"] = copy["root"] = std::string("c").append(std::to_string(i));
            manifest["chains"].push_back(copy);
        }
        files.push_back(manifest.dump(2));
    }
    REQUIRE(files.size() == 7);
    constexpr int kTimes = 20;
    const auto seconds = [](std::clock_t from) { return static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC; };
    std::clock_t start = std::clock();
    std::vector<Json> parsed;
    for (int i = 0; i < kTimes; ++i) {
        parsed.clear();
        for (const std::string& file : files) parsed.push_back(gltf::parse_json(file).take());
    }
    const double parsing = seconds(start);
    start = std::clock();
    std::size_t chains = 0;
    for (int i = 0; i < kTimes; ++i)
        for (const Json& manifest : parsed) {
            REQUIRE_FALSE(has_error(check_manifest(manifest, "/scenes/0/extras/helixDynamics")));
            chains += manifest["chains"].size();
        }
    const double checking = seconds(start);
    INFO("parsing " << parsing / kTimes * 1e3 << " ms, validating " << checking / kTimes * 1e3 << " ms");
    CHECK(chains == 400 * kTimes);
    CHECK(checking < parsing);
}

}  // namespace
}  // namespace helixavatar::dynamics
