// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/gltf/document_builder.hpp>

namespace helixavatar::gltf {

/// A skinned, textured, animated quad with a morph target; nothing is wrong with it.
/// Accessors: 0 POSITION, 1 NORMAL, 2 TEXCOORD_0, 3 JOINTS_0, 4 WEIGHTS_0, 5 indices, 6 morph, 7 matrices, 8 times, 9
/// turns.
inline Document sound() {
    using Target = DocumentBuilder::Target;
    DocumentBuilder b;
    b.add_floats(std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, "VEC3", Target::vertex, true);
    b.add_floats(std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3", Target::vertex);
    b.add_floats(std::vector<float>{0, 0, 1, 0, 1, 1, 0, 1}, "VEC2", Target::vertex);
    b.add_u16(std::vector<std::uint16_t>{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, "VEC4", Target::vertex);
    b.add_floats(std::vector<float>{0.5F, 0.5F, 0, 0, 1, 0, 0, 0, 0.25F, 0.75F, 0, 0, 1, 0, 0, 0}, "VEC4",
                 Target::vertex);
    b.add_indices(std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3});
    b.add_morph_deltas(std::vector<float>{0, 0, 0, 0, 0, 0.5F, 0, 0, 0, 0, 0, 0}, true);
    std::vector<float> matrices;
    for (int joint = 0; joint < 2; ++joint)
        for (int i = 0; i < 16; ++i) matrices.push_back(i % 5 == 0 ? 1.0F : 0.0F);
    b.add_floats(matrices, "MAT4", Target::none);
    b.add_floats(std::vector<float>{0, 1}, "SCALAR", Target::none, true);
    b.add_floats(std::vector<float>{0, 0, 0, 1, 0, 1, 0, 0}, "VEC4", Target::none);
    const Bytes png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0,
                       0,    0,   4,   0,   0,    0,    4,    8,    6, 0, 0, 0,  0,   0,   0,   0};
    b.add_image(png, "image/png", "skin");
    Document document = b.finish();
    const Json rest = Json::parse(R"({"scene":0,"scenes":[{"nodes":[0,2]}],
        "nodes":[{"name":"root","children":[1],"rotation":[0,0,0,1]},{"name":"tip"},{"name":"body","mesh":0,"skin":0}],
        "skins":[{"joints":[0,1],"inverseBindMatrices":7,"skeleton":0}],
        "meshes":[{"weights":[0],"primitives":[{"indices":5,"material":0,"targets":[{"POSITION":6}],
            "attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"JOINTS_0":3,"WEIGHTS_0":4}}]}],
        "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0},"metallicFactor":0}}],
        "textures":[{"source":0,"sampler":0}],"samplers":[{"wrapS":10497}],
        "cameras":[{"type":"perspective","perspective":{"yfov":0.7,"znear":0.01,"zfar":10}}],
        "animations":[{"samplers":[{"input":8,"output":9}],"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}]}]})");
    for (const auto& [key, value] : rest.items()) document.json[key] = value;
    return document;
}

}  // namespace helixavatar::gltf
