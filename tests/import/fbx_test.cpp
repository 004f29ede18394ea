// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include <helixavatar/avatar/read_fbx.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/import/import.hpp>

#include "support/fbx.hpp"
#include "support/humanoid.hpp"
#include "support/real_avatars.hpp"

using namespace helixavatar;

namespace {

struct Soup {
    std::vector<Vec3f> vertices;
    std::vector<std::array<Vec3f, 3>> triangles;
};

Soup conformed(const std::filesystem::path& file) {
    const Result<import::Readable> readable = import::read_for_conversion(file, {});
    REQUIRE(readable);
    const Result<import::Conformed> out = import::conform_only(readable->document, {});
    REQUIRE(out);
    Soup soup;
    for (const avatar::Surface& surface : out->avatar.levels[0].surfaces) {
        const auto& at = surface.positions;
        soup.vertices.insert(soup.vertices.end(), at.begin(), at.end());
        for (std::size_t i = 0; i + 2 < surface.body.size(); i += 3)
            soup.triangles.push_back({at[surface.body[i]], at[surface.body[i + 1]], at[surface.body[i + 2]]});
    }
    return soup;
}

float distance_to_segment(const Vec3f& p, const Vec3f& a, const Vec3f& b) {
    const Vec3f ab = b - a;
    const float length = ab.squaredNorm();
    const float t = length > 0 ? std::clamp((p - a).dot(ab) / length, 0.0F, 1.0F) : 0.0F;
    return (p - a - t * ab).norm();
}

float distance_to_triangle(const Vec3f& p, const std::array<Vec3f, 3>& t) {
    const Vec3f normal = (t[1] - t[0]).cross(t[2] - t[0]);
    const float edge = std::min(
        {distance_to_segment(p, t[0], t[1]), distance_to_segment(p, t[1], t[2]), distance_to_segment(p, t[2], t[0])});
    if (normal.squaredNorm() <= 0) return edge;
    for (std::size_t i = 0; i < 3; ++i)
        if (normal.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) < 0) return edge;
    return std::abs((p - t[0]).dot(normal.normalized()));
}

/// 99th percentile and largest distance of a vertex of `a` from the surface of `b`, metres. A vertex within 0.1 mm of
/// another vertex is near enough not to be measured against every triangle.
std::pair<double, double> distance(const Soup& a, const Soup& b) {
    std::vector<double> all;
    for (const Vec3f& p : a.vertices) {
        float best = std::numeric_limits<float>::max();
        for (const Vec3f& q : b.vertices) best = std::min(best, (p - q).norm());
        if (best > 1e-4F)
            for (const auto& t : b.triangles) best = std::min(best, distance_to_triangle(p, t));
        all.push_back(static_cast<double>(best));
    }
    std::sort(all.begin(), all.end());
    return {all[all.size() * 99 / 100], all.back()};
}

}  // namespace

TEST_CASE("FBX is told by its first bytes") {
    CHECK(avatar::is_fbx(as_bytes("Kaydara FBX Binary  ")));
    CHECK(avatar::is_fbx(as_bytes("; FBX 7.4.0 project file\n")));
    CHECK_FALSE(avatar::is_fbx(as_bytes("glTF")));
    CHECK_FALSE(avatar::is_fbx({}));
}

TEST_CASE("a broken FBX file is an error, not a crash") {
    CHECK(avatar::read_fbx(as_bytes("Kaydara FBX Binary  "), "").error().kind != ErrorKind::internal);
    CHECK_FALSE(avatar::read_fbx(as_bytes("; FBX 7.4.0 project file\nObjects: {"), ""));
    Limits small;
    small.file_bytes = 4;
    CHECK(avatar::read_fbx(as_bytes("; FBX 7.4.0 project file\n"), "", small).error().kind == ErrorKind::unconvertible);
}

namespace {

/// The built person in the canonical pose, one surface; with a morph set when asked.
avatar::Avatar person(const std::string& face = "none") {
    test::HumanoidOptions options;
    options.pose = test::BodyPose::canonical;
    options.triangles = 1500;
    options.face = face;
    return test::humanoid_avatar(options);
}

/// Whether this build reads FBX; one that does not says what to do.
bool reads_fbx() {
    const Result<avatar::Fbx> read = avatar::read_fbx(as_bytes(test::fbx_text(person(), {})), "");
    if (read) return true;
    CHECK(read.error().kind == ErrorKind::unconvertible);
    CHECK(read.error().message == "this helixavatar was built without FBX");
    CHECK(read.error().hint.find("HELIXAVATAR_WITH_FBX=ON") != std::string::npos);
    return false;
}

Result<import::Conformed> conformed_fbx(const avatar::Avatar& body, const test::FbxSpace& space) {
    const Result<avatar::Fbx> read = avatar::read_fbx(as_bytes(test::fbx_text(body, space)), "");
    if (!read) return read.error();
    return import::conform_only(read->document, {});
}

}  // namespace

TEST_CASE("a person in any axes and unit of FBX is the same avatar") {
    if (!reads_fbx()) return;
    const avatar::Avatar body = person();
    const Result<import::Conformed> reference = conformed_fbx(body, {});
    REQUIRE(reference);
    const auto& wanted = reference->avatar;
    CHECK(reference->report.height == Approx(1.82).margin(0.03));
    // Maya, Blender and 3ds Max, mirrored Unity-like, one that lies on its side, one upside down.
    const test::FbxSpace spaces[] = {{{0, 1, 2}, {1, 1, 1}, 1},  {{0, 2, 1}, {1, 1, -1}, 1},
                                     {{0, 1, 2}, {-1, 1, 1}, 1}, {{1, 0, 2}, {-1, 1, 1}, 1},
                                     {{2, 1, 0}, {-1, 1, 1}, 1}, {{0, 1, 2}, {1, -1, -1}, 1}};
    for (test::FbxSpace space : spaces)
        for (const double centimetres : {1.0, 100.0, 2.54, 0.1}) {
            space.centimetres = centimetres;
            CAPTURE(space.axis[1], space.sign[0], space.sign[1], centimetres);
            const Result<import::Conformed> out = conformed_fbx(body, space);
            REQUIRE(out);
            CHECK(out->report.height == Approx(reference->report.height).margin(1e-3));
            for (std::size_t j = 0; j < wanted.joints.size(); ++j)
                CHECK((out->avatar.joints[j].rest.translation - wanted.joints[j].rest.translation).norm() < 1e-3);
            const auto &a = out->avatar.levels[0].surfaces[0].positions, &b = wanted.levels[0].surfaces[0].positions;
            REQUIRE(a.size() == b.size());
            double outside = 0;
            for (std::size_t v = 0; v < a.size(); ++v) {
                double best = 1;
                for (std::size_t w = 0; w < b.size(); ++w)
                    best = std::min(best, static_cast<double>((a[v] - b[w]).norm()));
                outside = std::max(outside, best);
            }
            CHECK(outside < 1e-3);
        }
}

TEST_CASE("blend shapes of an FBX are morph targets, and an embedded picture is its material's") {
    if (!reads_fbx()) return;
    const avatar::Avatar body = person("arkit");
    test::HumanoidOptions options;
    options.triangles = 1000;
    const gltf::Document other = test::build_humanoid(options);
    const ByteView png = *gltf::image_bytes(other, 0);
    const Bytes picture(png.begin(), png.end());
    const Result<avatar::Fbx> read =
        avatar::read_fbx(as_bytes(test::fbx_text(body, {{0, 2, 1}, {1, 1, -1}, 100}, picture)), "");
    REQUIRE(read);
    REQUIRE(read->document.json["images"].size() == 1);
    const ByteView image = *gltf::image_bytes(read->document, 0);
    CHECK(Bytes(image.begin(), image.end()) == picture);
    CHECK(read->document.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] == 0);

    const Result<import::Conformed> out = import::conform_only(read->document, {});
    REQUIRE(out);
    const avatar::Surface& surface = out->avatar.levels[0].surfaces[0];
    REQUIRE(surface.morphs.size() == body.levels[0].surfaces[0].morphs.size());
    for (const avatar::MorphTarget& wanted : body.levels[0].surfaces[0].morphs) {
        CAPTURE(wanted.name);
        const auto found = std::find_if(surface.morphs.begin(), surface.morphs.end(),
                                        [&](const avatar::MorphTarget& m) { return m.name == wanted.name; });
        REQUIRE(found != surface.morphs.end());
        const auto most = [](const avatar::MorphTarget& morph) {
            float length = 0;
            Vec3f way = Vec3f::Zero();
            for (const Vec3f& delta : morph.positions)
                if (delta.norm() > length) {
                    length = delta.norm();
                    way = delta;
                }
            return way;
        };
        CHECK((most(*found) - most(wanted)).norm() < 1e-4F);
    }
}

TEST_CASE("the same character as FBX and as GLB is the same avatar") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    const auto fbx = conformed(*folder / "quaternius-superhero-female.fbx");
    const auto glb = conformed(*folder / "quaternius-superhero-female.glb");
    const auto there = distance(fbx, glb);
    const auto back = distance(glb, fbx);
    CAPTURE(there.first, there.second, back.first, back.second);
    CHECK(there.second < 1e-3);
    CHECK(back.second < 1e-3);
}

TEST_CASE("an FBX file cut anywhere, or with a byte turned, is read or refused") {
    const auto folder = test::folder_from("HELIXAVATAR_REAL_AVATARS");
    if (!folder) return;
    const Result<Bytes> whole = read_file(*folder / "assimp-huesitos.fbx");
    REQUIRE(whole);
    std::size_t refused = 0;
    for (std::size_t k = 1; k < 24; ++k) {
        const Bytes cut(whole->begin(), whole->begin() + static_cast<std::ptrdiff_t>(whole->size() * k / 24));
        refused += avatar::read_fbx(cut, "") ? 0 : 1;
        Bytes turned = *whole;
        turned[whole->size() * k / 24] ^= 0xFF;
        const Result<avatar::Fbx> read = avatar::read_fbx(turned, "");
        if (!read) CHECK(read.error().kind == ErrorKind::malformed);
    }
    CHECK(refused > 15);
}
