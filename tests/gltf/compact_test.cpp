// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/compact.hpp>
#include <helixavatar/gltf/document_builder.hpp>

using namespace helixavatar;
using gltf::Json;

TEST_CASE("compacting drops what nothing refers to and keeps what something does") {
    gltf::DocumentBuilder builder;
    const auto none = gltf::DocumentBuilder::Target::none;
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    builder.add_floats(numbers, "VEC3", none);  // nobody's
    const std::size_t position = builder.add_floats(numbers, "VEC3", none);
    const std::size_t delta = builder.add_floats(numbers, "VEC3", none);
    const std::size_t outline = builder.add_u16(std::vector<std::uint16_t>{7, 8}, "SCALAR", none);
    const std::size_t input = builder.add_floats(std::vector<float>{0, 1}, "SCALAR", none);
    builder.add_view(Bytes{9, 9, 9, 9}, none);  // nobody's
    builder.add_image(Bytes{1, 2, 3, 4}, "image/png", "picture");
    builder.add("meshes", {{"extras", {{"indices", 1000}}},
                           {"primitives",
                            {{{"attributes", {{"POSITION", position}}},
                              {"targets", {{{"POSITION", delta}}}},
                              {"extensions", {{"CESIUM_primitive_outline", {{"indices", outline}}}}}}}}});
    builder.add("animations", {{"samplers", {{{"input", input}, {"output", position}}}}});
    gltf::Document document = builder.finish();
    REQUIRE(document.json["accessors"].size() == 5);
    gltf::compact(document);
    CHECK(document.json["accessors"].size() == 4);
    CHECK(document.json["bufferViews"].size() == 5);
    const Json& primitive = document.json["meshes"][0]["primitives"][0];
    CHECK(primitive["attributes"]["POSITION"] == 0);
    CHECK(document.json["animations"][0]["samplers"][0]["output"] == 0);
    CHECK(document.json["meshes"][0]["extras"]["indices"] == 1000);
    CHECK(gltf::AccessorView::open(document, 0)->floats() == numbers);
    const auto kept = primitive["extensions"]["CESIUM_primitive_outline"]["indices"].get<std::size_t>();
    CHECK(gltf::AccessorView::open(document, kept)->unsigned_integers() == std::vector<std::uint32_t>{7, 8});
    CHECK((*gltf::image_bytes(document, 0))[3] == 4);
    CHECK(document.buffers[0].size() == document.json["buffers"][0]["byteLength"]);
}

TEST_CASE("a document without data compacts to one without buffers") {
    gltf::DocumentBuilder builder;
    builder.add_floats(std::vector<float>{1, 2, 3}, "VEC3", gltf::DocumentBuilder::Target::none);
    gltf::Document document = builder.finish();
    gltf::compact(document);
    CHECK(document.buffers.empty());
    CHECK_FALSE(document.json.contains("buffers"));
    CHECK_FALSE(document.json.contains("accessors"));
}
