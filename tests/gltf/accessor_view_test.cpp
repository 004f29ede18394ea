// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/document_builder.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

/// One accessor over `bytes`, shaped by the JSON given.
Document with_accessor(const Bytes& bytes, Json view, Json accessor) {
    Document document;
    document.buffers = {bytes};
    view["buffer"] = 0;
    if (!view.contains("byteLength")) view["byteLength"] = bytes.size();
    accessor["bufferView"] = 0;
    document.json = {{"asset", {{"version", "2.0"}}},
                     {"buffers", {{{"byteLength", bytes.size()}}}},
                     {"bufferViews", Json::array({view})},
                     {"accessors", Json::array({accessor})}};
    return document;
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::vector<float> floats_of(const Document& document, std::size_t accessor = 0) {
    const auto view = AccessorView::open(document, accessor);
    REQUIRE(view);
    return view->floats();
}

std::string why_not(const Document& document, std::size_t accessor = 0) {
    const auto view = AccessorView::open(document, accessor);
    REQUIRE_FALSE(view);
    CHECK(view.error().kind == ErrorKind::malformed);
    return view.error().message;
}

}  // namespace

TEST_CASE("tight floats come back as they were written") {
    DocumentBuilder builder;
    const std::vector<float> values = {1, -2, 3.5F, 4, 5, -0.0F};
    builder.add_floats(values, "VEC3", DocumentBuilder::Target::vertex);
    const Document document = builder.finish();
    const auto view = AccessorView::open(document, 0);
    REQUIRE(view);
    CHECK(view->count() == 2);
    CHECK(view->components() == 3);
    CHECK(view->floats() == values);
}

TEST_CASE("interleaved elements are read at their stride and offsets") {
    const Bytes bytes = bytes_of<float>({9, 1, 2, 9, 9, 3, 4, 9});
    const Document document = with_accessor(
        bytes, {{"byteStride", 16}}, {{"componentType", 5126}, {"type", "VEC2"}, {"count", 2}, {"byteOffset", 4}});
    CHECK(floats_of(document) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("normalised integers become the specification's fractions") {
    const auto scalar = [](auto values, int type) {
        return floats_of(with_accessor(
            bytes_of(values), Json::object(),
            {{"componentType", type}, {"type", "SCALAR"}, {"count", values.size()}, {"normalized", true}}));
    };
    CHECK(scalar(std::vector<std::uint8_t>{0, 51, 255}, 5121) == std::vector<float>{0, 0.2F, 1});
    CHECK(scalar(std::vector<std::uint16_t>{0, 65535}, 5123) == std::vector<float>{0, 1});
    CHECK(scalar(std::vector<std::int8_t>{-128, -127, 127}, 5120) == std::vector<float>{-1, -1, 1});
    CHECK(scalar(std::vector<std::int16_t>{-32768, -32767, 32767}, 5122) == std::vector<float>{-1, -1, 1});
}

TEST_CASE("integers that are not normalised keep their value") {
    const Document shorts = with_accessor(bytes_of<std::int16_t>({-5, 300}), Json::object(),
                                          {{"componentType", 5122}, {"type", "SCALAR"}, {"count", 2}});
    CHECK(floats_of(shorts) == std::vector<float>{-5, 300});
    const Document ints = with_accessor(bytes_of<std::uint32_t>({7, 4000000000U}), Json::object(),
                                        {{"componentType", 5125}, {"type", "SCALAR"}, {"count", 2}});
    CHECK(AccessorView::open(ints, 0)->unsigned_integers() == std::vector<std::uint32_t>{7, 4000000000U});
}

TEST_CASE("what is no unsigned integer reads as one past every range") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Document floats = with_accessor(bytes_of<float>({-1, 0.5F, nan, 1e20F, 3}), Json::object(),
                                          {{"componentType", 5126}, {"type", "SCALAR"}, {"count", 5}});
    const std::uint32_t none = 0xFFFFFFFFU;
    CHECK(AccessorView::open(floats, 0)->unsigned_integers() == std::vector<std::uint32_t>{none, none, none, none, 3});
}

TEST_CASE("columns of small matrices start at multiples of four bytes") {
    const Bytes mat3 = {1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9, 99};
    const Document document =
        with_accessor(mat3, Json::object(), {{"componentType", 5121}, {"type", "MAT3"}, {"count", 1}});
    CHECK(floats_of(document) == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("sparse values replace elements, also of an accessor without data") {
    DocumentBuilder builder;
    std::vector<float> deltas(300, 0.0F);
    deltas[3 * 42 + 1] = 2.5F;
    builder.add_morph_deltas(deltas, true);
    builder.add_morph_deltas(std::vector<float>(30, 0.0F), true);
    const Document document = builder.finish();
    REQUIRE(document.json["accessors"][0].contains("sparse"));
    CHECK(floats_of(document, 0) == deltas);
    CHECK(floats_of(document, 1) == std::vector<float>(30, 0.0F));
}

TEST_CASE("a sparse index past the count changes nothing") {
    Bytes bytes = {200, 0, 0, 0};
    const Bytes value = bytes_of<float>({1});
    bytes.insert(bytes.end(), value.begin(), value.end());
    Document document =
        with_accessor(bytes, Json::object(), {{"componentType", 5126}, {"type", "SCALAR"}, {"count", 3}});
    document.json["accessors"][0].erase("bufferView");
    document.json["accessors"][0]["sparse"] = {{"count", 1},
                                               {"indices", {{"bufferView", 0}, {"componentType", 5121}}},
                                               {"values", {{"bufferView", 0}, {"byteOffset", 4}}}};
    CHECK(floats_of(document) == std::vector<float>{0, 0, 0});
}

TEST_CASE("numbers that lie about sizes are refused without reading or allocating") {
    const Bytes bytes(16, 0);
    const Json floats = {{"componentType", 5126}, {"type", "SCALAR"}, {"count", 4}};
    const auto changed = [&](const char* key, Json value, Json view = Json::object()) {
        Json accessor = floats;
        accessor[key] = std::move(value);
        return why_not(with_accessor(bytes, std::move(view), accessor));
    };
    const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
    CHECK(changed("count", 5).find("past the end of its bufferView") != std::string::npos);
    CHECK(changed("count", huge).find("past the end") != std::string::npos);
    CHECK(changed("count", huge / 4 + 2).find("past the end") != std::string::npos);
    CHECK(changed("byteOffset", huge).find("past the end") != std::string::npos);
    CHECK(changed("byteOffset", 4).find("past the end") != std::string::npos);
    CHECK(changed("count", 0).find("zero") != std::string::npos);
    CHECK(changed("count", -1).find("zero") != std::string::npos);
    CHECK(changed("count", "4").find("zero") != std::string::npos);
    CHECK(changed("type", "VEC9").find("unknown") != std::string::npos);
    CHECK(changed("componentType", 5124).find("unknown") != std::string::npos);
    CHECK(changed("count", 2, {{"byteStride", 2}}).find("byteStride") != std::string::npos);
    CHECK(changed("count", 2, {{"byteStride", huge}}).find("past the end") != std::string::npos);
    CHECK(changed("count", 1, {{"byteOffset", huge}}).find("past the end of its buffer") != std::string::npos);
    CHECK(changed("count", 1, {{"byteLength", 17}}).find("past the end of its buffer") != std::string::npos);
    CHECK(changed("count", 1, {{"byteOffset", 8}, {"byteLength", huge - 4}}).find("past the end of its buffer") !=
          std::string::npos);
}

TEST_CASE("an accessor without data may not claim more elements than the limit") {
    Document document;
    document.json = {{"accessors", {{{"componentType", 5126}, {"type", "MAT4"}, {"count", 1000000000000ULL}}}}};
    CHECK(why_not(document).find("claims 1000000000000 elements") != std::string::npos);
}

TEST_CASE("references that lead nowhere are refused") {
    Document document =
        with_accessor(Bytes(4, 0), Json::object(), {{"componentType", 5126}, {"type", "SCALAR"}, {"count", 1}});
    CHECK(why_not(document, 1) == "the accessor does not exist");
    document.json["bufferViews"][0]["buffer"] = 1;
    CHECK(why_not(document).find("buffer that does not exist") != std::string::npos);
    document.json["accessors"][0]["bufferView"] = "0";
    CHECK(why_not(document).find("bufferView that does not exist") != std::string::npos);
    document.json["accessors"] = 3;
    CHECK(why_not(document) == "the accessor does not exist");
}

TEST_CASE("compressed accessors are refused with the way out") {
    Document document =
        with_accessor(Bytes(4, 0), Json::object(), {{"componentType", 5126}, {"type", "SCALAR"}, {"count", 1}});
    document.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = Json::object();
    CHECK(why_not(document).find("decompress the document first") != std::string::npos);

    Document draco;
    draco.json = Json::parse(R"({"extensionsUsed":["KHR_draco_mesh_compression"],
        "accessors":[{"componentType":5126,"type":"VEC3","count":3},{"componentType":5126,"type":"VEC3","count":3}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":1},
            "extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}}]}]})");
    CHECK(why_not(draco, 0).find("Draco") != std::string::npos);
    CHECK(floats_of(draco, 1) == std::vector<float>(9, 0.0F));
}
