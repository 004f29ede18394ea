// SPDX-License-Identifier: MIT
#include "worked_hair.hpp"

#include <catch2/catch.hpp>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/import/import.hpp>
#include <helixavatar/texture/process.hpp>

#include "support/humanoid.hpp"

namespace helixavatar::dynamics {

const LongHaired& long_haired() {
    static const LongHaired made = [] {
        test::HumanoidOptions options;
        options.family = "meshy";
        options.long_hair = true;
        options.triangles = 12000;
        options.texture_size = 512;
        import::ImportOptions choices;
        choices.lod_triangles = {9000, 4000, 1500};
        choices.textures.ktx2 = false;
        Result<import::ImportOutput> out =
            import::import_avatar(test::build_humanoid(options), {}, "hair.web.glb", choices);
        REQUIRE(out);
        LongHaired hair;
        hair.glb = out->glb;
        hair.document = gltf::parse_document(hair.glb, {}).take();
        hair.avatar = avatar::read_avatar(hair.document).take();
        return hair;
    }();
    return made;
}

gltf::Json worked_hair_spec() {
    using gltf::Json;
    // The text's places: columns at x = -0.065, 0 and 0.065, joints on the hair's midline, the tip at its end; dark
    // hair below the occiput, no face.
    const Json select = {{"mask",
                          {{"maxLuminance", 0.30},
                           {"exclude", {{{"low", {-0.09, 1.5, 0.0}}, {"high", {0.09, 1.75, 0.2}}}}},
                           {"height", {1.2, 1.66}},
                           {"neighbourMajority", 0.5}}}};
    Json spec = {{"contract", "helixavatar/dynamics-spec@1"}, {"chains", Json::array()}};
    for (const auto& [id, x] :
         {std::pair<const char*, double>{"hair-back-l", 0.065}, {"hair-back-c", 0.0}, {"hair-back-r", -0.065}})
        spec["chains"].push_back({{"id", id},
                                  {"preset", "back-hair-fused"},
                                  {"anchor", "spine_05"},
                                  {"joints", {{x, 1.60, -0.105}, {x, 1.49, -0.135}}},
                                  {"tip", {x, 1.36, -0.165}},
                                  {"colliders", {"upper-back"}},
                                  {"select", select}});
    spec["colliders"] = {{{"id", "upper-back"},
                          {"bone", "spine_05"},
                          {"shape", "capsule"},
                          {"offset", {0, 1.30, -0.02}},
                          {"tail", {0, 1.47, -0.02}},
                          {"radius", 0.10}}};
    return spec;
}

PictureSource pictures_of(const avatar::Avatar& avatar) {
    return [&avatar](int image) -> std::optional<Picture> {
        Result<texture::Pixels> pixels = texture::decode(avatar.images[static_cast<std::size_t>(image)].bytes);
        if (!pixels) return {};
        return Picture{pixels->width, pixels->height, std::move(pixels->rgba)};
    };
}

}  // namespace helixavatar::dynamics
