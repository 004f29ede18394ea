// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/manifest.hpp>

#include "reference_manifest.hpp"

namespace helixavatar::dynamics {
namespace {

using gltf::Json;

struct Mutation {
    const char* what;
    std::function<void(Json&)> apply;
    Severity severity;
    const char* pointer;
};

Json& chain(Json& m) {
    return m["chains"][0];
}
Json& sphere(Json& m) {
    return m["colliders"][0];
}
Json& capsule(Json& m) {
    return m["colliders"][1];
}

void make_plane(Json& m) {
    sphere(m) = {{"id", "head"}, {"bone", "head"}, {"shape", "plane"}, {"normal", {1, 0, 0}}};
}
void make_hinge(Json& m) {
    chain(m)["limit"] = {{"kind", "hinge"}, {"maxDegrees", 24}, {"axis", {0, 0, 1}}};
}

/// Exactly the findings of one severity, as pointers.
std::vector<std::string> pointers(const Findings& findings, Severity severity) {
    std::vector<std::string> found;
    for (const Finding& finding : findings)
        if (finding.severity == severity) found.push_back(finding.where.pointer);
    return found;
}

constexpr Severity E = Severity::error, W = Severity::warning, I = Severity::info;
const double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<Mutation>& mutations() {
    static const std::vector<Mutation> all{
        {"unknown key at the top", [](Json& m) { m["bones"] = 1; }, E, "/bones"},
        {"unknown key in a chain", [](Json& m) { chain(m)["stifness"] = 1; }, E, "/chains/0/stifness"},
        {"unknown key in a limit", [](Json& m) { chain(m)["limit"]["min"] = 1; }, E, "/chains/0/limit/min"},
        {"unknown key in a collider", [](Json& m) { sphere(m)["height"] = 1; }, E, "/colliders/0/height"},
        {"unknown key in lod", [](Json& m) { m["lod"]["max"] = 1; }, E, "/lod/max"},
        {"a key with a slash is escaped", [](Json& m) { m["a/b~"] = 1; }, E, "/a~1b~0"},
        {"no contract", [](Json& m) { m.erase("contract"); }, E, ""},
        {"another contract", [](Json& m) { m["contract"] = "helix/dynamics@2"; }, E, "/contract"},
        {"contract of another type", [](Json& m) { m["contract"] = 1; }, E, "/contract"},
        {"chains missing", [](Json& m) { m.erase("chains"); }, E, ""},
        {"chains not an array", [](Json& m) { m["chains"] = Json::object(); }, E, "/chains"},
        {"chain not an object", [](Json& m) { m["chains"][0] = "hair"; }, E, "/chains/0"},
        {"no chain id", [](Json& m) { chain(m).erase("id"); }, E, "/chains/0"},
        {"empty chain id", [](Json& m) { chain(m)["id"] = ""; }, E, "/chains/0/id"},
        {"chain id with a space", [](Json& m) { chain(m)["id"] = "long hair"; }, E, "/chains/0/id"},
        {"chain id with a non-ASCII letter", [](Json& m) { chain(m)["id"] = "h\xC3\xA4r"; }, E, "/chains/0/id"},
        {"chain id of 65 characters", [](Json& m) { chain(m)["id"] = std::string(65, 'a'); }, E, "/chains/0/id"},
        {"chain id a number", [](Json& m) { chain(m)["id"] = 7; }, E, "/chains/0/id"},
        {"two chains of one id",
         [](Json& m) {
             m["chains"].push_back(chain(m));
             m["chains"][1]["root"] = "other";
         },
         E, "/chains/1/id"},
        {"two chains of one root",
         [](Json& m) {
             m["chains"].push_back(chain(m));
             m["chains"][1]["id"] = "other";
         },
         E, "/chains/1/root"},
        {"no root", [](Json& m) { chain(m).erase("root"); }, E, "/chains/0"},
        {"root null", [](Json& m) { chain(m)["root"] = nullptr; }, E, "/chains/0/root"},
        {"no importance", [](Json& m) { chain(m).erase("importance"); }, E, "/chains/0"},
        {"importance in capitals", [](Json& m) { chain(m)["importance"] = "High"; }, E, "/chains/0/importance"},
        {"no stiffness", [](Json& m) { chain(m).erase("stiffness"); }, E, "/chains/0"},
        {"no damping", [](Json& m) { chain(m).erase("damping"); }, E, "/chains/0"},
        {"stiffness over 1", [](Json& m) { chain(m)["stiffness"] = 1.01; }, E, "/chains/0/stiffness"},
        {"stiffness below 0 in a stop",
         [](Json& m) {
             chain(m)["stiffness"] = {0.5, -0.1};
         },
         E, "/chains/0/stiffness/1"},
        {"stiffness a string", [](Json& m) { chain(m)["stiffness"] = "0.5"; }, E, "/chains/0/stiffness"},
        {"stiffness a boolean", [](Json& m) { chain(m)["stiffness"] = true; }, E, "/chains/0/stiffness"},
        {"stiffness NaN", [](Json& m) { chain(m)["stiffness"] = kNan; }, E, "/chains/0/stiffness"},
        {"damping over 1", [](Json& m) { chain(m)["damping"] = 2; }, E, "/chains/0/damping"},
        {"inertia below 0", [](Json& m) { chain(m)["inertia"] = -0.5; }, E, "/chains/0/inertia"},
        {"inertia null", [](Json& m) { chain(m)["inertia"] = nullptr; }, E, "/chains/0/inertia"},
        {"curve without stops", [](Json& m) { chain(m)["inertia"] = Json::array(); }, E, "/chains/0/inertia"},
        {"curve of nine stops", [](Json& m) { chain(m)["inertia"] = std::vector<double>(9, 0.5); }, E,
         "/chains/0/inertia"},
        {"gravity over 8", [](Json& m) { chain(m)["gravity"] = 8.1; }, E, "/chains/0/gravity"},
        {"gravity below -8", [](Json& m) { chain(m)["gravity"] = -9.81; }, E, "/chains/0/gravity"},
        {"gravity as a curve",
         [](Json& m) {
             chain(m)["gravity"] = {0, 1};
         },
         E, "/chains/0/gravity"},
        {"gravity direction zero",
         [](Json& m) {
             chain(m)["gravityDir"] = {0, 0, 0};
         },
         E, "/chains/0/gravityDir"},
        {"gravity direction of two numbers",
         [](Json& m) {
             chain(m)["gravityDir"] = {0, -1};
         },
         E, "/chains/0/gravityDir"},
        {"limit of an unknown kind", [](Json& m) { chain(m)["limit"]["kind"] = "polar"; }, E, "/chains/0/limit/kind"},
        {"limit without a kind", [](Json& m) { chain(m)["limit"].erase("kind"); }, E, "/chains/0/limit"},
        {"limit without degrees", [](Json& m) { chain(m)["limit"].erase("maxDegrees"); }, E, "/chains/0/limit"},
        {"degrees over 180", [](Json& m) { chain(m)["limit"]["maxDegrees"] = 181; }, E, "/chains/0/limit/maxDegrees"},
        {"limit null", [](Json& m) { chain(m)["limit"] = nullptr; }, E, "/chains/0/limit"},
        {"hinge without an axis",
         [](Json& m) {
             make_hinge(m);
             chain(m)["limit"].erase("axis");
         },
         E, "/chains/0/limit"},
        {"hinge with a zero axis",
         [](Json& m) {
             make_hinge(m);
             chain(m)["limit"]["axis"] = {0, 0, 0};
         },
         E, "/chains/0/limit/axis"},
        {"cone with an axis",
         [](Json& m) {
             chain(m)["limit"]["axis"] = {0, 0, 1};
         },
         W, "/chains/0/limit/axis"},
        {"cone with an axis of another type", [](Json& m) { chain(m)["limit"]["axis"] = "x"; }, E,
         "/chains/0/limit/axis"},
        {"chain radius below 0", [](Json& m) { chain(m)["radius"] = -0.01; }, E, "/chains/0/radius"},
        {"colliders without a radius", [](Json& m) { chain(m).erase("radius"); }, E, "/chains/0/colliders"},
        {"undeclared collider", [](Json& m) { chain(m)["colliders"].push_back("hips"); }, E, "/chains/0/colliders/2"},
        {"collider name of another type", [](Json& m) { chain(m)["colliders"].push_back(3); }, E,
         "/chains/0/colliders/2"},
        {"collider named twice", [](Json& m) { chain(m)["colliders"].push_back("head"); }, W, "/chains/0/colliders/2"},
        {"colliders of a chain null", [](Json& m) { chain(m)["colliders"] = nullptr; }, E, "/chains/0/colliders"},
        {"endpoint null", [](Json& m) { chain(m)["endpoint"] = nullptr; }, E, "/chains/0/endpoint"},
        {"endpoint with a NaN",
         [](Json& m) {
             chain(m)["endpoint"] = {kNan, 0, 0};
         },
         E, "/chains/0/endpoint"},
        {"no endpoint", [](Json& m) { chain(m).erase("endpoint"); }, W, "/chains/0"},
        {"zero endpoint",
         [](Json& m) {
             chain(m)["endpoint"] = {0, 0, 0};
         },
         W, "/chains/0/endpoint"},
        {"exclude not an array", [](Json& m) { chain(m)["exclude"] = "bone"; }, E, "/chains/0/exclude"},
        {"exclude with a number", [](Json& m) { chain(m)["exclude"] = {1}; }, E, "/chains/0/exclude/0"},
        {"colliders not an array",
         [](Json& m) {
             m["colliders"] = "none";
             chain(m).erase("colliders");
         },
         E, "/colliders"},
        {"colliders null",
         [](Json& m) {
             m["colliders"] = nullptr;
             chain(m).erase("colliders");
         },
         E, "/colliders"},
        {"no collider bone", [](Json& m) { sphere(m).erase("bone"); }, E, "/colliders/0"},
        {"no collider shape", [](Json& m) { sphere(m).erase("shape"); }, E, "/colliders/0"},
        {"unknown shape", [](Json& m) { sphere(m)["shape"] = "box"; }, E, "/colliders/0/shape"},
        {"two colliders of one id", [](Json& m) { m["colliders"].push_back(sphere(m)); }, E, "/colliders/2/id"},
        {"collider id outside the pattern",
         [](Json& m) {
             sphere(m)["id"] = "the head";
             chain(m)["colliders"][0] = "the head";
         },
         W, "/colliders/0/id"},
        {"a chain and a collider of one name", [](Json& m) { chain(m)["id"] = "head"; }, W, "/chains/0/id"},
        {"sphere without radius", [](Json& m) { sphere(m).erase("radius"); }, E, "/colliders/0"},
        {"collider radius 0", [](Json& m) { sphere(m)["radius"] = 0; }, E, "/colliders/0/radius"},
        {"collider radius a curve",
         [](Json& m) {
             sphere(m)["radius"] = {0.1, 0.2};
         },
         E, "/colliders/0/radius"},
        {"sphere with a tail",
         [](Json& m) {
             sphere(m)["tail"] = {0, 0, 1};
         },
         E, "/colliders/0/tail"},
        {"sphere with a normal",
         [](Json& m) {
             sphere(m)["normal"] = {0, 0, 1};
         },
         E, "/colliders/0/normal"},
        {"capsule without a tail", [](Json& m) { capsule(m).erase("tail"); }, E, "/colliders/1"},
        {"capsule with a normal",
         [](Json& m) {
             capsule(m)["normal"] = {0, 0, 1};
         },
         E, "/colliders/1/normal"},
        {"capsule without a radius", [](Json& m) { capsule(m).erase("radius"); }, E, "/colliders/1"},
        {"plane without a normal",
         [](Json& m) {
             make_plane(m);
             sphere(m).erase("normal");
         },
         E, "/colliders/0"},
        {"plane with a zero normal",
         [](Json& m) {
             make_plane(m);
             sphere(m)["normal"] = {0, 0, 0};
         },
         E, "/colliders/0/normal"},
        {"plane with a radius",
         [](Json& m) {
             make_plane(m);
             sphere(m)["radius"] = 0.1;
         },
         E, "/colliders/0/radius"},
        {"plane with a tail",
         [](Json& m) {
             make_plane(m);
             sphere(m)["tail"] = {0, 0, 1};
         },
         E, "/colliders/0/tail"},
        {"inside a number", [](Json& m) { sphere(m)["inside"] = 1; }, E, "/colliders/0/inside"},
        {"offset null", [](Json& m) { sphere(m)["offset"] = nullptr; }, E, "/colliders/0/offset"},
        {"a collider that no chain uses", [](Json& m) { chain(m)["colliders"].erase(1); }, W, "/colliders/1"},
        {"lod not an object", [](Json& m) { m["lod"] = 14; }, E, "/lod"},
        {"minPixels a string", [](Json& m) { m["lod"]["minPixels"] = "14"; }, E, "/lod/minPixels"},
        {"minPixels not 14", [](Json& m) { m["lod"]["minPixels"] = 20; }, I, "/lod/minPixels"},
        {"no chain at all",
         [](Json& m) {
             m["chains"] = Json::array();
             m.erase("colliders");
         },
         W, "/chains"},
        {"65 chains",
         [](Json& m) {
             for (int i = 1; i < 65; ++i) {
                 m["chains"].push_back(chain(m));
                 m["chains"].back()["id"] = std::string("c").append(std::to_string(i));
                 m["chains"].back()["root"] = std::string("r").append(std::to_string(i));
             }
         },
         E, "/chains"},
        {"nine colliders of a chain",
         [](Json& m) {
             for (int i = 0; i < 7; ++i) {
                 m["colliders"].push_back(sphere(m));
                 m["colliders"].back()["id"] = std::string("s").append(std::to_string(i));
                 chain(m)["colliders"].push_back(std::string("s").append(std::to_string(i)));
             }
         },
         E, "/chains/0/colliders"},
    };
    return all;
}

TEST_CASE("the reference's example manifest has nothing to say") {
    CHECK(check_manifest(reference_manifest(), "").empty());
    CHECK(read_manifest(reference_manifest()).has_value());
}

TEST_CASE("each single fault is found at its place, alone, and decides the verdict") {
    for (const Mutation& mutation : mutations()) {
        INFO(mutation.what);
        Json manifest = reference_manifest();
        mutation.apply(manifest);
        const Findings findings = check_manifest(manifest, "");
        REQUIRE_FALSE(findings.empty());
        for (const Severity severity : {E, W, I}) {
            const auto expected =
                severity == mutation.severity ? std::vector<std::string>{mutation.pointer} : std::vector<std::string>{};
            // Taking a collider away from its chain may leave it unused: that is a fault of its own.
            auto found = pointers(findings, severity);
            if (severity == W && mutation.severity != W) found.clear();
            CHECK(found == expected);
        }
        CHECK(read_manifest(manifest).has_value() == (mutation.severity != E));
        for (const Finding& finding : findings) {
            CHECK(finding.rule == "dynamics");
            CHECK_FALSE(finding.message.empty());
            CHECK_FALSE(finding.fix.empty());
            CHECK_FALSE(finding.limit.empty());
            CHECK_FALSE(finding.measured.empty());
        }
    }
}

TEST_CASE("what the text allows is accepted") {
    const std::vector<std::pair<const char*, std::function<void(Json&)>>> allowed{
        {"a scalar in place of a curve", [](Json& m) { chain(m)["stiffness"] = 1; }},
        {"eight stops", [](Json& m) { chain(m)["inertia"] = std::vector<double>(8, 0.5); }},
        {"the ends of the ranges",
         [](Json& m) {
             chain(m)["gravity"] = -8;
             chain(m)["limit"]["maxDegrees"] = {0, 180};
         }},
        {"a chain radius of 0",
         [](Json& m) {
             chain(m)["radius"] = {0, 0.01};
         }},
        {"no inertia, gravity, limit",
         [](Json& m) {
             for (const char* k : {"inertia", "gravity", "limit"}) chain(m).erase(k);
         }},
        {"no colliders and no lod",
         [](Json& m) {
             m.erase("colliders");
             m.erase("lod");
             chain(m).erase("colliders");
             chain(m).erase("radius");
         }},
        {"an empty list of colliders without radius",
         [](Json& m) {
             m.erase("colliders");
             chain(m)["colliders"] = Json::array();
             chain(m).erase("radius");
         }},
        {"a hinge with an axis", make_hinge},
        {"a plane", make_plane},
        {"a sphere without offset, inside",
         [](Json& m) {
             sphere(m).erase("offset");
             sphere(m)["inside"] = true;
         }},
        {"an id of 64 characters of every kind", [](Json& m) { chain(m)["id"] = "A-z_0.9" + std::string(57, 'x'); }},
        {"an empty lod", [](Json& m) { m["lod"] = Json::object(); }},
    };
    for (const auto& [what, apply] : allowed) {
        INFO(what);
        Json manifest = reference_manifest();
        apply(manifest);
        CHECK(check_manifest(manifest, "").empty());
    }
}

TEST_CASE("every fault of a manifest is said at once, under the pointer of its own place and scene") {
    Json manifest = reference_manifest();
    chain(manifest)["stiffness"] = 2;
    chain(manifest)["colour"] = 1;
    capsule(manifest).erase("tail");
    manifest["contract"] = "x";
    const Findings findings = check_manifest(manifest, "/scenes/1/extras/helixDynamics", 1);
    CHECK(pointers(findings, E) == std::vector<std::string>{"/scenes/1/extras/helixDynamics/contract",
                                                            "/scenes/1/extras/helixDynamics/chains/0/colour",
                                                            "/scenes/1/extras/helixDynamics/chains/0/stiffness",
                                                            "/scenes/1/extras/helixDynamics/colliders/1"});
    for (const Finding& finding : findings) CHECK(finding.where.scene == 1);
    CHECK(findings[2].measured == "2");
    CHECK(findings[2].limit == "0..1");
    CHECK(findings[2].where.name == "hair-long-l");
}

TEST_CASE("a mistyped key or collider is told what it was meant to be") {
    Json manifest = reference_manifest();
    chain(manifest)["stifness"] = 0.5;
    chain(manifest)["colliders"][1] = "shoulder";
    const Findings findings = check_manifest(manifest, "");
    REQUIRE(findings.size() >= 2);
    CHECK(findings[0].fix.find("\"stiffness\"") != std::string::npos);
    CHECK(findings[1].fix.find("\"shoulders\"") != std::string::npos);
}

TEST_CASE("a manifest of another type than an object is one fault") {
    for (const Json& manifest : {Json(), Json(1), Json("x"), Json::array({1}), Json(true)}) {
        const Findings findings = check_manifest(manifest, "/m");
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].where.pointer == "/m");
        CHECK(findings[0].severity == E);
    }
}

TEST_CASE("any value in any place is judged without a crash") {
    const std::vector<Json> values{Json(),
                                   Json(1e308),
                                   Json(-1),
                                   Json(kNan),
                                   Json("\xff"),
                                   Json(std::string(5000, 'x')),
                                   Json::array(),
                                   Json::object(),
                                   Json::array({Json::array(), nullptr}),
                                   Json::object({{"id", 1}}),
                                   Json(false)};
    const Json flat = reference_manifest().flatten();
    for (const auto& [pointer, unused] : flat.items()) {
        for (const Json& value : values) {
            Json manifest = reference_manifest();
            for (Json::json_pointer at(pointer);; at.pop_back()) {
                manifest[at] = value;
                const Findings findings = check_manifest(manifest, "");
                CHECK(read_manifest(manifest).has_value() == !has_error(findings));
                if (at.empty()) break;
            }
        }
    }
}

TEST_CASE("a manifest comes back from its typed form value for value") {
    Json manifest = reference_manifest();
    make_hinge(manifest);
    chain(manifest)["gravityDir"] = {0.5, -1, 0};
    chain(manifest)["exclude"] = {"a", "b"};
    Json plane = {{"id", "floor"},       {"bone", "root"},      {"shape", "plane"},
                  {"offset", {0, 0, 0}}, {"normal", {0, 1, 0}}, {"inside", true}};
    manifest["colliders"].push_back(plane);
    CHECK(nlohmann::json(to_json(*read_manifest(manifest))) == nlohmann::json(manifest));
}

}  // namespace
}  // namespace helixavatar::dynamics
