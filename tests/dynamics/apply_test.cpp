// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/dynamics/apply.hpp>
#include <helixavatar/dynamics/check.hpp>
#include <helixavatar/dynamics/presets.hpp>
#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/edit.hpp>
#include <helixavatar/gltf/structure_check.hpp>

#include "worked_hair.hpp"

namespace helixavatar::dynamics {
namespace {

using gltf::Json;

Applied applied(const Json& spec_json, const gltf::Document& document, const avatar::Avatar& avatar) {
    const ParsedSpec parsed = parse_spec(spec_json);
    for (const Finding& finding : parsed.findings) INFO(finding.where.pointer << ": " << finding.message);
    REQUIRE_FALSE(has_error(parsed.findings));
    Result<Applied> out = apply(document, avatar, parsed.spec, pictures_of(long_haired().avatar));
    if (!out) FAIL(out.error().message << " at " << out.error().where);
    return out.take();
}

const Applied& worked() {
    static const Applied made = applied(worked_hair_spec(), long_haired().document, long_haired().avatar);
    return made;
}

std::string refusal(const Json& spec_json, const gltf::Document& document = long_haired().document,
                    const avatar::Avatar& avatar = long_haired().avatar) {
    const ParsedSpec parsed = parse_spec(spec_json);
    REQUIRE_FALSE(has_error(parsed.findings));
    const Result<Applied> out = apply(document, avatar, parsed.spec, pictures_of(long_haired().avatar));
    REQUIRE_FALSE(out);
    CHECK(out.error().kind == ErrorKind::unconvertible);
    CHECK_FALSE(out.error().hint.empty());
    return out.error().message;
}

/// The accessors that weights are written into, and those of inverse bind matrices.
std::set<std::size_t> edited(const Json& json) {
    std::set<std::size_t> accessors;
    for (const Json& mesh : json["meshes"])
        for (const Json& primitive : mesh["primitives"])
            for (const char* key : {"JOINTS_0", "WEIGHTS_0"})
                accessors.insert(primitive["attributes"][key].get<std::size_t>());
    for (const Json& skin : json["skins"]) accessors.insert(skin["inverseBindMatrices"].get<std::size_t>());
    return accessors;
}

TEST_CASE("the worked hair of the reference text arrives with the values of its row, in the bones' own frames") {
    const Applied& out = worked();
    CHECK_FALSE(has_error(gltf::check_structure(out.document)));
    CHECK_FALSE(has_error(check_manifest(out.manifest, "")));
    REQUIRE(out.manifest["chains"].size() == 3);
    const Chain& row = find_preset("back-hair-fused")->feel;
    const auto manifest = read_manifest(out.manifest);
    REQUIRE(manifest);
    const Pose spine =
        out.document.json.is_object()
            ? long_haired().avatar.joints[static_cast<std::size_t>(long_haired().avatar.find_joint("spine_05"))].rest
            : Pose{};
    for (const Chain& chain : manifest->chains) {
        CHECK(chain.stiffness.stops == row.stiffness.stops);
        CHECK(chain.damping.stops == row.damping.stops);
        CHECK(chain.inertia.stops == row.inertia.stops);
        CHECK(chain.gravity == 0.02);
        CHECK(chain.limit->max_degrees.stops == std::vector<double>{7, 9});
        CHECK(chain.radius->stops == std::vector<double>{0.012});
        CHECK(chain.colliders == std::vector<std::string>{"upper-back"});
        // Down is about -X on this skeleton; the last bone falls 13 cm and goes 3 cm back.
        const Vec3 down = spine.rotation * *chain.endpoint;
        CHECK((down - Vec3(0, -0.13, -0.03)).norm() < 1e-5);
    }
    const Collider& back = manifest->colliders.front();
    CHECK((spine * back.offset - Vec3(0, 1.30, -0.02)).norm() < 1e-5);
    CHECK((spine * back.tail - Vec3(0, 1.47, -0.02)).norm() < 1e-5);
    for (const Finding& finding : out.findings) {
        INFO(finding.where.pointer << ": " << finding.message);
        CHECK(finding.severity == Severity::info);
    }
}

TEST_CASE("the worked hair is on every level alike: joints, binds, manifest, and vertices taken") {
    const Applied& out = worked();
    const Json& json = out.document.json;
    for (const Json& scene : json["scenes"]) CHECK(scene["extras"]["helixDynamics"] == out.manifest);
    std::vector<std::string> first;
    for (const Json& skin : json["skins"]) {
        std::vector<std::string> names;
        for (const Json& joint : skin["joints"]) names.push_back(json["nodes"][joint.get<std::size_t>()]["name"]);
        if (first.empty()) first = names;
        CHECK(names == first);
        CHECK(names[names.size() - 6] == "hair_back_l_1");
    }
    for (const TakenVertices& taken : out.taken) {
        REQUIRE(taken.vertices.size() == 3);
        for (const std::size_t vertices : taken.vertices) CHECK(vertices > 5);
    }
    const Result<avatar::Avatar> after = avatar::read_avatar(out.document);
    REQUIRE(after);
    const int root = after->find_joint("hair_back_c_1");
    REQUIRE(root >= 0);
    CHECK((after->joints[static_cast<std::size_t>(root)].rest.translation - Vec3(0, 1.60, -0.105)).norm() < 1e-5);
    const Quat spine = after->joints[static_cast<std::size_t>(after->find_joint("spine_05"))].rest.rotation;
    CHECK(angle_degrees(after->joints[static_cast<std::size_t>(root)].rest.rotation, spine) < 1e-3);
}

TEST_CASE("weights stay four at most with sum 1, and only hair moved") {
    const Result<avatar::Avatar> after = avatar::read_avatar(worked().document);
    REQUIRE(after);
    for (std::size_t l = 0; l < after->levels.size(); ++l) {
        const avatar::Surface& now = after->levels[l].surfaces[0];
        const avatar::Surface& was = long_haired().avatar.levels[l].surfaces[0];
        REQUIRE(now.positions.size() == was.positions.size());
        for (std::size_t v = 0; v < now.positions.size(); ++v)
            if (!((now.positions[v] - was.positions[v]).norm() < 1e-5F)) FAIL("vertex " << v << " moved at rest");
        for (std::size_t v = 0; v < now.influences.size(); ++v) {
            double sum = 0, hair = 0;
            std::size_t used = 0;
            for (const avatar::Influence& influence : now.influences[v]) {
                sum += influence.weight;
                used += influence.weight > 0 ? 1 : 0;
                if (influence.weight > 0 && after->joints[influence.joint].name.starts_with("hair_back"))
                    hair += influence.weight;
            }
            CHECK(used <= 4);
            CHECK(sum == Approx(1).margin(1e-5));
            // Nothing below the chest, nothing of the face, no hand: what is eased in there is under a millimetre of
            // motion.
            const Vec3f& p = now.positions[v];
            if (hair > 0.03 && (p.y() < 1.15F || p.z() > 0.08F || std::abs(p.x()) > 0.22F))
                FAIL("weight " << hair << " at " << p.transpose());
        }
    }
}

TEST_CASE("no byte but weights and joints changes, and the file grows by joints and manifest alone") {
    const gltf::Document& before = long_haired().document;
    const Applied& out = worked();
    const std::set<std::size_t> touched = edited(before.json);
    CHECK(out.document.json["accessors"].size() == before.json["accessors"].size());
    for (std::size_t a = 0; a < before.json["accessors"].size(); ++a) {
        if (touched.count(a) > 0) continue;
        const auto was = gltf::place_of(before, a), now = gltf::place_of(out.document, a);
        if (!was) continue;  // sparse or without bytes
        REQUIRE(now);
        const auto bytes = [](const gltf::Document& document, const gltf::AccessorPlace& place) {
            const Bytes& buffer = document.buffers[place.buffer];
            const auto from = buffer.begin() + static_cast<std::ptrdiff_t>(place.offset);
            return Bytes(from, from + static_cast<std::ptrdiff_t>(place.stride * place.count));
        };
        CHECK(bytes(before, *was) == bytes(out.document, *now));
    }
    for (std::size_t i = 0; i < before.json["images"].size(); ++i) {
        const auto was = gltf::image_bytes(before, i), now = gltf::image_bytes(out.document, i);
        REQUIRE((was && now));
        CHECK(std::equal(was->begin(), was->end(), now->begin(), now->end()));
    }
    // One matrix a joint: the three skins share their inverse bind matrices.
    CHECK(out.document.buffers[0].size() == before.buffers[0].size() + 6 * 64);
}

TEST_CASE("a spec applied twice gives the file of once, and a changed feel only changes the manifest") {
    const Bytes once = gltf::write_glb(worked().document);
    const gltf::Document again = gltf::parse_document(once, {}).take();
    const avatar::Avatar avatar = avatar::read_avatar(again).take();
    CHECK(gltf::write_glb(applied(worked_hair_spec(), again, avatar).document) == once);
    Json softer = worked_hair_spec();
    softer["chains"][0]["stiffness"] = 0.5;
    const Applied tuned = applied(softer, again, avatar);
    CHECK(tuned.document.buffers == again.buffers);
    CHECK(tuned.manifest["chains"][0]["stiffness"] == 0.5);
    CHECK(tuned.manifest["chains"].size() == 3);
    Json elsewhere = worked_hair_spec();
    elsewhere["chains"][0]["joints"][0][0] = 0.08;
    CHECK_THAT(refusal(elsewhere, again, avatar), Catch::Contains("hair_back"));
}

TEST_CASE("spheres take their share from the bones that they may, and from nothing else") {
    const Json spec = Json::parse(R"({"chains": [
        {"id": "breast-l", "preset": "breast", "joints": [[0.07, 1.33, 0.06]], "tip": [0.07, 1.33, 0.15]},
        {"id": "breast-r", "preset": "breast", "joints": [[-0.07, 1.33, 0.06]], "tip": [-0.07, 1.33, 0.15]}]})");
    const Applied out = applied(spec, long_haired().document, long_haired().avatar);
    const avatar::Avatar after = avatar::read_avatar(out.document).take();
    const avatar::Avatar& before = long_haired().avatar;
    const std::set<std::string> givers{"spine_01", "spine_03", "spine_04", "spine_05", "clavicle_l"};
    const int bone = after.find_joint("breast_l_1");
    std::size_t taken = 0;
    const auto weight = [](const avatar::Surface& surface, std::size_t v, int joint) {
        double sum = 0;
        for (const avatar::Influence& i : surface.influences[v])
            if (i.weight > 0 && i.joint == joint) sum += i.weight;
        return sum;
    };
    const avatar::Surface& now = after.levels[0].surfaces[0];
    const avatar::Surface& was = before.levels[0].surfaces[0];
    for (std::size_t v = 0; v < now.influences.size(); ++v) {
        const double own = weight(now, v, bone);
        if (!(own > 0)) continue;
        ++taken;
        double available = 0;
        for (const std::string& giver : givers) available += weight(was, v, before.find_joint(giver));
        CHECK(own <= 0.45 * available + 1e-4);
        CHECK((was.positions[v].cast<double>() - Vec3(0.07, 1.33, 0.105)).norm() < 0.09);
        const double arm = weight(was, v, before.find_joint("upperarm_l"));
        CHECK(weight(now, v, after.find_joint("upperarm_l")) >= arm - 1e-4);
    }
    CHECK(taken > 10);
    CHECK(out.taken[0].vertices[0] == taken);
    CHECK(out.manifest["chains"][0]["limit"] == Json({{"kind", "cone"}, {"maxDegrees", 7}}));
    CHECK_FALSE(out.manifest["chains"][0].contains("radius"));
}

TEST_CASE("a panel's hinge turns about its own tangent") {
    const Json spec = Json::parse(R"({"chains": [{"id": "panel", "preset": "skirt-panel",
        "joints": [[0, 0.95, 0.12], [0, 0.85, 0.13], [0, 0.75, 0.14]], "tip": [0, 0.65, 0.15],
        "select": {"sphere": {"radius": 0.1, "maxWeight": 0.5, "stealFrom": ["pelvis", "thigh_l", "thigh_r"]}}}]})");
    const Applied out = applied(spec, long_haired().document, long_haired().avatar);
    const Json& limit = out.manifest["chains"][0]["limit"];
    const Quat pelvis =
        long_haired().avatar.joints[static_cast<std::size_t>(long_haired().avatar.find_joint("pelvis"))].rest.rotation;
    const Vec3 axis = pelvis * Vec3(limit["axis"][0], limit["axis"][1], limit["axis"][2]);
    CHECK(std::abs(axis.x()) > 0.999);
    CHECK(limit["maxDegrees"] == 24);
}

TEST_CASE("what cannot be authored is refused with the chain, the reason and what to do") {
    Json spec = worked_hair_spec();
    spec["chains"][0]["anchor"] = "spine_06";
    CHECK_THAT(refusal(spec), Catch::Contains("spine_06"));
    spec = worked_hair_spec();
    for (Json& chain : spec["chains"]) chain["select"]["mask"]["height"] = {3.0, 4.0};
    CHECK_THAT(refusal(spec), Catch::Contains("no vertex"));
    spec = worked_hair_spec();
    spec["chains"][0]["stiffness"] = 2;
    CHECK_THAT(refusal(spec), Catch::Contains("0..1"));
    spec = worked_hair_spec();
    spec["chains"][0]["colliders"] = {"shoulders"};
    CHECK_THAT(refusal(spec), Catch::Contains("shoulders"));
    spec = worked_hair_spec();
    spec["chains"][1]["id"] = "hair.back.l";
    CHECK_THAT(refusal(spec), Catch::Contains("hair_back_l_1"));
    // Two writers on one bone: clips and twists drive the body's, channels the face's.
    for (const char* bone : {"head", "upperarm_twist_01_l", "spine_03"}) {
        spec = {{"chains", {{{"id", "c"}, {"preset", "bob"}, {"bones", {bone}}, {"tip", {0, 2, 0}}}}}};
        CHECK_THAT(refusal(spec), Catch::Contains(bone));
    }
    avatar::Avatar faced = avatar::read_avatar(worked().document).take();
    faced.face = Json{{"channels", {{{"name", "jawOpen"}, {"bone", {{"joint", "hair_back_c_1"}}}}}}};
    gltf::Document document = worked().document;
    for (Json& scene : document.json["scenes"]) scene["extras"]["helixFace"] = *faced.face;
    spec = {{"chains",
             {{{"id", "c"},
               {"preset", "bob"},
               {"bones", {"hair_back_c_1", "hair_back_c_2"}},
               {"tip", {0, 1.36, -0.165}}}}}};
    faced.dynamics.reset();
    CHECK_THAT(refusal(spec, document, faced), Catch::Contains("face"));
}

TEST_CASE("a spec's faults are all said at once, under their pointers") {
    Json spec = worked_hair_spec();
    spec["chains"][0]["select"]["mask"]["height"] = {2.0, 1.0};
    spec["chains"][1]["joints"] = Json::array();
    spec["chains"][2]["presett"] = "bob";
    spec["chains"][2].erase("tip");
    std::set<std::string> at;
    for (const Finding& finding : parse_spec(spec).findings) at.insert(finding.where.pointer);
    CHECK(at ==
          std::set<std::string>{"/chains/0/select/mask/height", "/chains/1/joints", "/chains/2", "/chains/2/presett"});
    CHECK(has_error(parse_spec(Json::array()).findings));
    spec = worked_hair_spec();
    spec["chains"][0].erase("joints");
    spec["chains"][0]["bones"] = {"hair_01"};
    REQUIRE(parse_spec(spec).findings.size() == 1);
    CHECK(parse_spec(spec).findings[0].where.pointer == "/chains/0/select");
    const std::vector<Json> values{Json(),        Json(-1), Json(1e300), Json("x"), Json::array({1, "x", nullptr}),
                                   Json::object()};
    const Json flat = worked_hair_spec().flatten();
    for (const auto& entry : flat.items())
        for (const Json& value : values) {
            Json changed = worked_hair_spec();
            changed[Json::json_pointer(entry.key())] = value;
            const ParsedSpec parsed = parse_spec(changed);  // judged without a crash
            CHECK((has_error(parsed.findings) || parsed.spec.chains.size() == 3));
        }
}

TEST_CASE("auxiliary joints that came along are proposed as chains, and the proposal can be applied") {
    // The worked hair without its manifest is an avatar with six auxiliary joints and nothing that moves them.
    gltf::Document document = worked().document;
    for (Json& scene : document.json["scenes"]) scene["extras"].erase("helixDynamics");
    const avatar::Avatar avatar = avatar::read_avatar(document).take();
    const Suggestion suggestion = suggest(avatar);
    REQUIRE(suggestion.spec["chains"].size() == 3);
    CHECK(suggestion.reasons.size() == 3);
    CHECK(suggestion.spec["chains"][0]["bones"] == Json({"hair_back_l_1", "hair_back_l_2"}));
    CHECK(suggestion.spec["chains"][0]["preset"] == "back-hair-fused");
    const Applied out = applied(suggestion.spec, document, avatar);
    CHECK(out.document.buffers == document.buffers);
    CHECK(out.manifest["chains"].size() == 3);
    CHECK(suggest(avatar::read_avatar(out.document).take()).spec["chains"].empty());
}

}  // namespace
}  // namespace helixavatar::dynamics
