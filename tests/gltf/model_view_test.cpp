// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/gltf/model_view.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

Document document_of(const char* json) {
    Document document;
    document.json = Json::parse(json);
    document.buffers.resize(document.json.value("buffers", Json::array()).size());
    document.image_files.resize(document.json.value("images", Json::array()).size());
    return document;
}

}  // namespace

TEST_CASE("the view shows what the document says, index by index") {
    const Document document = document_of(R"({"asset":{"version":"2.0"},"scene":0,
        "buffers":[{"byteLength":96,"name":"data"}],
        "bufferViews":[{"buffer":0,"byteLength":96}],
        "accessors":[{"componentType":5126,"type":"VEC3","count":3},
                     {"componentType":5126.0,"type":"VEC3","count":3.0,"bufferView":0,"min":[0,0,0],"max":[1,1,1]},
                     {"componentType":5123,"type":"SCALAR","count":3}],
        "meshes":[{"name":"body","primitives":[{"attributes":{"POSITION":1},"indices":2,"targets":[{"POSITION":0}]}]}],
        "images":[{"uri":"skin.png","name":"skin"},{"bufferView":0,"mimeType":"image/ktx2"}],
        "textures":[{"source":1}],
        "materials":[{"name":"cloth","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
        "nodes":[{},{"name":"root","children":[0],"translation":[0,1.0,2]}],
        "scenes":[{"nodes":[1]}]})");
    const auto model = view_model(document);
    REQUIRE(model);
    REQUIRE(model->accessors.size() == 3);
    CHECK(model->accessors[0].bufferView == -1);
    CHECK(model->accessors[1].bufferView == 0);
    CHECK(model->accessors[1].count == 3);
    CHECK(model->accessors[2].bufferView == -1);
    REQUIRE(model->bufferViews.size() == 1);
    CHECK(model->bufferViews[0].target == 0);
    REQUIRE(model->buffers.size() == 1);
    CHECK(model->buffers[0].data.empty());
    REQUIRE(model->images.size() == 2);
    CHECK(model->images[0].uri == "skin.png");
    CHECK(model->images[1].bufferView == 0);
    CHECK(model->images[1].image.empty());
    CHECK(model->meshes[0].primitives[0].indices == 2);
    CHECK(model->materials[0].pbrMetallicRoughness.baseColorTexture.index == 0);
    CHECK(model->nodes[1].children == std::vector<int>{0});
    CHECK(model->nodes[1].translation == std::vector<double>{0, 1, 2});
}

TEST_CASE("animations without channels and channels without a node keep their places") {
    const Document document = document_of(R"({"asset":{"version":"2.0"},"nodes":[{}],
        "accessors":[{"componentType":5126,"type":"SCALAR","count":2},{"componentType":5126,"type":"VEC3","count":2}],
        "animations":[{"name":"empty","channels":[],"samplers":[]},
            {"name":"walk","samplers":[{"input":0,"output":1}],
             "channels":[{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/a"}}}},
                         {"sampler":0,"target":{"node":0,"path":"translation"}}]}]})");
    const auto model = view_model(document);
    REQUIRE(model);
    REQUIRE(model->animations.size() == 2);
    CHECK(model->animations[1].name == "walk");
    REQUIRE(model->animations[1].channels.size() == 2);
    CHECK(model->animations[1].channels[0].target_node == -1);
    CHECK(model->animations[1].channels[1].target_node == 0);
}

TEST_CASE("files that the document names are never opened by the view") {
    const Document document = document_of(R"({"asset":{"version":"2.0"},
        "buffers":[{"byteLength":4,"uri":"/etc/hostname"},{"byteLength":0}],"images":[{"uri":"../../../../etc/hostname"}]})");
    const auto model = view_model(document);
    REQUIRE(model);
    CHECK(model->buffers[0].data.empty());
    CHECK(model->images[0].image.empty());
}

TEST_CASE("what tinygltf cannot read is an error, never an exception") {
    for (const char* json :
         {R"({"asset":{"version":"2.0"},"accessors":[{}]})", R"({"asset":{"version":"2.0"},"nodes":[null]})",
          R"({"asset":{"version":"2.0"},"bufferViews":[{"buffer":0,"byteLength":1,"byteStride":3}]})",
          R"({"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":"x"}}]}]})",
          R"({"asset":{"version":"2.0"},"accessors":5,"meshes":[{"primitives":[{"attributes":{},"indices":0}]}]})"}) {
        INFO(json);
        const auto model = view_model(document_of(json));
        REQUIRE_FALSE(model);
        CHECK(model.error().kind == ErrorKind::malformed);
    }
    Document none;
    CHECK_FALSE(view_model(none));
}
