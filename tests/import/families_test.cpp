// SPDX-License-Identifier: MIT
// One person on every rig family, in every pose and every way of writing a file, is one avatar. The table of how nearly
// is docs/FAMILIES.md.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/import/import.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

struct Variant {
    std::string name;
    double surface_mm;  ///< limit of the 99th percentile
    void (*change)(HumanoidOptions&);
};

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = {
        {"as the reference", 1, [](HumanoidOptions&) {}},
        {"T", 5, [](HumanoidOptions& o) { o.pose = BodyPose::t; }},
        {"A 30°", 5, [](HumanoidOptions& o) { o.pose = BodyPose::a30; }},
        {"A 45°", 5, [](HumanoidOptions& o) { o.pose = BodyPose::a45; }},
        {"A 60°", 5, [](HumanoidOptions& o) { o.pose = BodyPose::a60; }},
        {"arms down", 40, [](HumanoidOptions& o) { o.pose = BodyPose::arms_down; }},
        {"centimetres", 1, [](HumanoidOptions& o) { o.units = Units::centimetres; }},
        {"Z up", 1, [](HumanoidOptions& o) { o.up = UpAxis::z; }},
        {"turned 37°", 1, [](HumanoidOptions& o) { o.yaw_degrees = 37; }},
        {"turned 90°", 1, [](HumanoidOptions& o) { o.yaw_degrees = 90; }},
        {"turned 180°", 1, [](HumanoidOptions& o) { o.yaw_degrees = 180; }},
        {"turned 270°", 1, [](HumanoidOptions& o) { o.yaw_degrees = 270; }},
        {"mirrored node", 1, [](HumanoidOptions& o) { o.mirrored_node = true; }},
        {"three skins", 1, [](HumanoidOptions& o) { o.skins = 3; }},
        {"nodes posed", 1, [](HumanoidOptions& o) { o.node_pose = BodyPose::lopsided; }},
    };
    return all;
}

struct Body {
    avatar::Avatar avatar;
    avatar::BoneMap map;
    conform::ConformReport report;
};

Result<Body> body_of(const HumanoidOptions& options) {
    Result<import::Understood> understood = import::understand(build_humanoid(options), {});
    if (!understood) return understood.error();
    const rig::Recognition& found = understood->recognition;
    Result<conform::ConformOutput> out =
        conform::conform(std::move(understood->source.avatar), found.map, {found.frame.up, found.frame.forward},
                         skeleton::helix_humanoid());
    if (!out) return out.error();
    return Body{std::move(out->avatar), found.map, std::move(out->report)};
}

HumanoidOptions options_of(const std::string& family) {
    HumanoidOptions options;
    options.family = family;
    options.pose = BodyPose::canonical;
    options.triangles = 3000;
    options.texture_size = 0;
    return options;
}

bool of_hand(const std::string& joint) {
    static const char* const kWords[] = {"hand_", "thumb_", "index_", "middle_", "ring_", "pinky_"};
    return std::any_of(std::begin(kWords), std::end(kWords), [&](const char* w) { return joint.starts_with(w); });
}

bool has_all_fingers(const avatar::BoneMap& map) {
    for (const char* name : {"thumb_01_l", "index_01_l", "middle_01_l", "ring_01_l", "pinky_01_l"})
        if (map.source(name) < 0) return false;
    return true;
}

struct Agreement {
    double joints_mm = 0, degrees = 0, surface_mm = 0;
};

/// Of the joints that the rig has, and of every vertex, or all but the hands' on a rig without all fingers.
Agreement compare(const Body& body, const avatar::Avatar& reference) {
    Agreement out;
    for (const avatar::Joint& joint : body.avatar.joints)
        for (const avatar::Joint& wanted : reference.joints) {
            if (joint.name != wanted.name || body.map.source(joint.name) < 0) continue;
            out.joints_mm = std::max(out.joints_mm, 1000 * (joint.rest.translation - wanted.rest.translation).norm());
            out.degrees = std::max(out.degrees, degrees(joint.rest.rotation.angularDistance(wanted.rest.rotation)));
        }
    std::vector<Vec3f> cloud;
    for (const avatar::Surface& surface : body.avatar.levels[0].surfaces)
        cloud.insert(cloud.end(), surface.positions.begin(), surface.positions.end());
    const bool hands = has_all_fingers(body.map);
    std::size_t total = 0;
    for (const avatar::Surface& surface : reference.levels[0].surfaces) total += surface.positions.size();
    const bool same_order = total == cloud.size() && body.avatar.levels[0].surfaces.size() == 1;
    std::vector<double> distances;
    std::size_t at = 0;
    for (const avatar::Surface& surface : reference.levels[0].surfaces)
        for (std::size_t v = 0; v < surface.positions.size(); ++v, ++at) {
            if (!hands && of_hand(reference.joints[surface.influences[v][0].joint].name)) continue;
            float best = std::numeric_limits<float>::max();
            if (same_order)
                best = (cloud[at] - surface.positions[v]).squaredNorm();
            else
                for (const Vec3f& p : cloud) best = std::min(best, (p - surface.positions[v]).squaredNorm());
            distances.push_back(1000 * std::sqrt(static_cast<double>(best)));
        }
    std::sort(distances.begin(), distances.end());
    out.surface_mm = distances.empty() ? 0 : distances[distances.size() * 99 / 100];
    return out;
}

std::string cell_of(const Agreement& a, const Variant& variant) {
    const bool holds = a.joints_mm <= 1 && a.degrees <= 0.5 && a.surface_mm <= variant.surface_mm;
    char text[64];
    std::snprintf(text, sizeof text, "%.1f / %.1f", a.joints_mm, a.surface_mm);
    return holds ? text : "**" + std::string(text) + "**";
}

std::string table() {
    std::ostringstream page;
    page
        << "# Every rig family, every pose\n\n"
           "One built person of 3000 triangles, written on each family in each way, imported and compared with the "
           "import of\nthe same person on `helix-humanoid@1` itself. A cell is the largest distance of a joint / the "
           "99th percentile of the\ndistance of a vertex, both in millimetres. Joints that the rig lacks do not count, "
           "nor do hands on rigs without all\nfive fingers. **Bold** is over the limit: joints 1 mm and 0.5°, surface "
           "1 mm in the same pose, 5 mm from another,\n40 mm from hanging arms. What a rig does not tell is taken as "
           "it "
           "is at the canonical rest: the palm of a hand\nwithout knuckles (its twist from the elbow's bend), how far "
           "its "
           "fingers are curled, the way a foot without toes\npoints (a sole says it within 3°). Written by "
           "`tests/import/"
           "families_test.cpp` (`HELIXAVATAR_BLESS=1` rewrites it).\n\n| family |";
    for (const Variant& variant : variants()) page << ' ' << variant.name << " |";
    page << "\n|---|";
    for (std::size_t i = 0; i < variants().size(); ++i) page << "---|";
    page << '\n';
    const Result<Body> reference = body_of(options_of("helix"));
    REQUIRE(reference);
    std::string refusals;
    for (const std::string& family : rig_families()) {
        page << "| " << family << " |";
        std::string refusal;
        for (const Variant& variant : variants()) {
            HumanoidOptions options = options_of(family);
            variant.change(options);
            const Result<Body> body = body_of(options);
            page << ' ' << (body ? cell_of(compare(*body, reference->avatar), variant) : "refused") << " |";
            if (!body && refusal.find(body.error().message) == std::string::npos)
                refusal += (refusal.empty() ? "" : "; ") + body.error().message;
        }
        page << '\n';
        if (!refusal.empty()) refusals += "- " + family + ": " + refusal + ".\n";
    }
    page << "\nRefused:\n\n" << refusals;
    return page.str();
}

}  // namespace

TEST_CASE("one person on every rig family is one avatar, as docs/FAMILIES.md says") {
    const std::string path = HELIXAVATAR_SOURCE_DIR "/docs/FAMILIES.md";
    const std::string found = table();
    if (std::getenv("HELIXAVATAR_BLESS")) std::ofstream(path, std::ios::binary) << found;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream written;
    written << file.rdbuf();
    INFO("run the test with HELIXAVATAR_BLESS=1 to rewrite docs/FAMILIES.md");
    CHECK(written.str() == found);
}

TEST_CASE("the poses of the families table are as far apart as their names say") {
    const std::pair<BodyPose, double> poses[] = {
        {BodyPose::t, 90}, {BodyPose::a30, 60}, {BodyPose::a45, 45}, {BodyPose::a60, 30}, {BodyPose::arms_down, 7}};
    for (const auto& [pose, arm_degrees] : poses) {
        HumanoidOptions options = options_of("mixamo");
        options.pose = pose;
        const Result<Body> body = body_of(options);
        REQUIRE(body);
        CHECK(body->report.source_arm_degrees[0] == Approx(arm_degrees).margin(2));
        CHECK(body->report.source_arm_degrees[1] == Approx(arm_degrees).margin(2));
    }
}

TEST_CASE("on every rig each joint that holds skin is mapped or listed, with all its weight") {
    for (const std::string& family : rig_families()) {
        CAPTURE(family);
        HumanoidOptions options = options_of(family);
        options.triangles = 1000;
        options.long_hair = true;
        const gltf::Document document = build_humanoid(options);
        const Result<import::Understood> understood = import::understand(document, {});
        const Result<Body> body = body_of(options);
        CHECK(static_cast<bool>(understood) == static_cast<bool>(body));
        if (!understood) continue;
        const avatar::Avatar& source = understood->source.avatar;
        std::vector<double> weight(source.joints.size(), 0);
        double total = 0;
        for (const avatar::Surface& surface : source.levels[0].surfaces)
            for (const avatar::Influences& influences : surface.influences)
                for (const avatar::Influence& influence : influences) {
                    weight[influence.joint] += static_cast<double>(influence.weight);
                    total += static_cast<double>(influence.weight);
                }
        std::set<int> mapped;
        for (const avatar::BoneMatch& match : body->map.matches) mapped.insert(match.source);
        std::map<std::string, double> listed;
        for (const auto& entry : body->report.unmapped) listed[entry.source] += entry.weight_share;
        for (std::size_t j = 0; j < weight.size(); ++j) {
            if (weight[j] <= 0 || mapped.count(static_cast<int>(j))) continue;
            CAPTURE(source.joints[j].name);
            CHECK(listed[source.joints[j].name] == Approx(weight[j] / total).margin(1e-6));
        }
        for (const std::string& control : body->report.controls) CHECK(listed.count(control) == 0);
    }
}

TEST_CASE("what a viewer would show or play and an avatar does not carry is said") {
    gltf::Document document = build_humanoid(options_of("mixamo"));
    const auto warnings = [&] {
        const Result<import::Understood> understood = import::understand(document, {});
        REQUIRE(understood);
        return understood->source.warnings;
    };
    CHECK(warnings().empty());
    document.json["animations"] = {
        {{"name", "Jump"}, {"channels", gltf::Json::array()}, {"samplers", gltf::Json::array()}}};
    document.json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 1}, {"znear", 0.1}}}}};
    document.json["extensionsUsed"] = {"KHR_lights_punctual", "VENDOR_smoke", "KHR_materials_unlit"};
    const std::vector<std::string> said = warnings();
    for (const char* part : {"1 animation(s) were left out (Jump)", "1 camera(s) were left out",
                             "KHR_lights_punctual was left out", "VENDOR_smoke was left out"}) {
        CAPTURE(part);
        CHECK(std::any_of(said.begin(), said.end(),
                          [&](const std::string& w) { return w.find(part) != std::string::npos; }));
    }
    CHECK(said.size() == 4);
}

TEST_CASE("a conformed file conforms to itself, joint by joint") {
    for (const char* family : {"mixamo", "meshy", "ue5_mannequin"}) {
        CAPTURE(family);
        HumanoidOptions options = options_of(family);
        options.pose = BodyPose::t;
        const Result<import::Conformed> once = import::conform_only(build_humanoid(options), {});
        REQUIRE(once);
        const Result<gltf::Document> file =
            gltf::parse_document(gltf::write_glb(avatar::write_avatar(once->avatar, {"test"})), "");
        REQUIRE(file);
        const Result<import::Understood> understood = import::understand(*file, {});
        REQUIRE(understood);
        for (const avatar::BoneMatch& match : understood->recognition.map.matches) {
            REQUIRE(match.source >= 0);
            CHECK(understood->source.avatar.joints[match.source].name == match.canonical);
        }
        const Result<import::Conformed> twice = import::conform_only(*file, {});
        REQUIRE(twice);
        CHECK(twice->report.aimed.empty());
        REQUIRE(twice->avatar.levels[0].surfaces.size() == once->avatar.levels[0].surfaces.size());
        for (std::size_t s = 0; s < once->avatar.levels[0].surfaces.size(); ++s) {
            const auto& a = once->avatar.levels[0].surfaces[s].positions;
            const auto& b = twice->avatar.levels[0].surfaces[s].positions;
            REQUIRE(a.size() == b.size());
            float most = 0;
            for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
            CHECK(most < 1e-5F);
        }
    }
}

TEST_CASE("a rig whose names say nothing maps every required joint right, in every pose and way of writing") {
    for (const char* family : {"mixamo", "ue5_mannequin", "rigify_deform", "vrm1", "3ds_max_biped"}) {
        for (const Variant& variant : variants()) {
            INFO(family << ", " << variant.name);
            HumanoidOptions options;
            options.family = family;
            options.triangles = 3000;
            variant.change(options);
            const Result<import::Understood> named = import::understand(build_humanoid(options), {});
            options.opaque_names = true;
            const Result<import::Understood> nameless = import::understand(build_humanoid(options), {});
            REQUIRE(named);
            REQUIRE(nameless);
            for (const std::string& joint : rig::required_joints()) {
                INFO(joint);
                CHECK(named->recognition.map.source(joint) >= 0);
                CHECK(nameless->recognition.map.source(joint) == named->recognition.map.source(joint));
            }
        }
    }
}
