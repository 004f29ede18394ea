// SPDX-License-Identifier: MIT
// Textures in work beside the levels: nothing of it shows in what is written.
#include <catch2/catch.hpp>

#include <helixavatar/base/parallel.hpp>
#include <helixavatar/import/import.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
using namespace helixavatar::test;

namespace {

Result<import::ImportOutput> import_with(unsigned threads, const gltf::Document& document) {
    share_cores(threads);
    import::ImportOptions options;
    options.textures.ktx2 = false;
    options.lod_triangles = {2000, 1000, 300};
    Result<import::ImportOutput> out = import::import_avatar(document, {}, "avatar.web.glb", options);
    share_cores(0);
    return out;
}

HumanoidOptions character() {
    HumanoidOptions options;
    options.triangles = 4000;
    options.texture_size = 128;
    return options;
}

}  // namespace

TEST_CASE("An import on one thread and one on several write the same file and the same receipt") {
    const gltf::Document document = build_humanoid(character());
    const auto one = import_with(1, document), several = import_with(3, document);
    REQUIRE(one);
    REQUIRE(several);
    CHECK(one->glb == several->glb);
    CHECK(one->receipt == several->receipt);
}

TEST_CASE("A texture that does not decode refuses the file with the same words on one thread and on several") {
    gltf::Document document = build_humanoid(character());
    const gltf::Json& view = document.json["bufferViews"][document.json["images"][0]["bufferView"].get<std::size_t>()];
    const auto at = view["byteOffset"].get<std::size_t>(), length = view["byteLength"].get<std::size_t>();
    for (std::size_t i = length / 2; i < length; ++i) document.buffers[0][at + i] = 0;
    const auto one = import_with(1, document), several = import_with(3, document);
    REQUIRE_FALSE(one);
    REQUIRE_FALSE(several);
    CHECK(one.error().message == several.error().message);
    CHECK(one.error().where == several.error().where);
    CHECK(one.error().where.find("/images/0") != std::string::npos);
}
