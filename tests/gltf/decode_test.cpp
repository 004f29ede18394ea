// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstring>

#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#include <meshoptimizer.h>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/document_builder.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// A document of one bufferView compressed by meshopt, over a placeholder buffer, and one accessor on it.
Document meshopt_document(const Bytes& coded, std::size_t count, std::size_t stride, const char* mode,
                          const char* filter, Json accessor) {
    Document document;
    Json coding = {{"buffer", 0},          {"byteOffset", 0}, {"byteLength", coded.size()},
                   {"byteStride", stride}, {"count", count},  {"mode", mode}};
    if (*filter) coding["filter"] = filter;
    Json view = {{"buffer", 1}, {"byteOffset", 0}, {"byteLength", count * stride}};
    view["extensions"]["EXT_meshopt_compression"] = coding;
    accessor["bufferView"] = 0;
    accessor["count"] = count;
    Json fallback = {{"byteLength", count * stride}};
    fallback["extensions"]["EXT_meshopt_compression"]["fallback"] = true;
    document.json["asset"]["version"] = "2.0";
    document.json["extensionsUsed"] = {"EXT_meshopt_compression", "KHR_mesh_quantization"};
    document.json["extensionsRequired"] = {"EXT_meshopt_compression"};
    document.json["buffers"] = Json::array({Json{{"byteLength", coded.size()}}, fallback});
    document.json["bufferViews"] = Json::array({view});
    document.json["accessors"] = Json::array({accessor});
    document.buffers = {coded, {}};
    return document;
}

Bytes encode_vertices(const Bytes& vertices, std::size_t stride) {
    meshopt_encodeVertexVersion(0);
    const std::size_t count = vertices.size() / stride;
    Bytes coded(meshopt_encodeVertexBufferBound(count, stride));
    coded.resize(meshopt_encodeVertexBuffer(coded.data(), coded.size(), vertices.data(), count, stride));
    return coded;
}

const Json kFloats = {{"componentType", 5126}, {"type", "VEC3"}};

std::string why_not(const Document& document, ErrorKind kind) {
    const auto plain = decompress(document);
    REQUIRE_FALSE(plain);
    CHECK(plain.error().kind == kind);
    CHECK_FALSE(plain.error().where.empty());
    return plain.error().message;
}

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

struct DracoQuad {
    Document document;
    int position_id = 0;
    int joints_id = 0;
};

/// Two triangles with POSITION and JOINTS_0 in a Draco stream, and a COLOR_0 and a morph target outside of it.
DracoQuad draco_quad() {
    const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::uint8_t joints[4][4] = {{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}, {250, 0, 0, 0}};
    const int faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    draco::TriangleSoupMeshBuilder soup;
    soup.Start(2);
    const int position = soup.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
    const int joint = soup.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT8);
    for (int f = 0; f < 2; ++f) {
        const auto face = draco::FaceIndex(static_cast<std::uint32_t>(f));
        soup.SetAttributeValuesForFace(position, face, corners[faces[f][0]], corners[faces[f][1]],
                                       corners[faces[f][2]]);
        soup.SetAttributeValuesForFace(joint, face, joints[faces[f][0]], joints[faces[f][1]], joints[faces[f][2]]);
    }
    const auto mesh = soup.Finalize();
    draco::Encoder encoder;
    encoder.SetEncodingMethod(draco::MESH_EDGEBREAKER_ENCODING);
    draco::EncoderBuffer coded;
    REQUIRE(encoder.EncodeMeshToBuffer(*mesh, &coded).ok());

    DracoQuad quad;
    quad.position_id = static_cast<int>(mesh->attribute(position)->unique_id());
    quad.joints_id = static_cast<int>(mesh->attribute(joint)->unique_id());
    DocumentBuilder builder;
    builder.add_view({reinterpret_cast<const std::uint8_t*>(coded.data()), coded.size()},
                     DocumentBuilder::Target::none);
    builder.json() = Json::parse(R"({"asset":{"version":"2.0"},
        "extensionsUsed":["KHR_draco_mesh_compression"],"extensionsRequired":["KHR_draco_mesh_compression"],
        "bufferViews":[],
        "accessors":[{"componentType":5123,"type":"SCALAR","count":6},{"componentType":5126,"type":"VEC3","count":4},
            {"componentType":5121,"type":"VEC4","count":4},{"componentType":5126,"type":"VEC3","count":4}],
        "meshes":[{"primitives":[{"indices":0,"attributes":{"POSITION":1,"JOINTS_0":2,"COLOR_0":3},"targets":[{"POSITION":3}],
            "extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{}}}}]}]})");
    builder.json()["bufferViews"].push_back({{"buffer", 0}, {"byteLength", coded.size()}});
    Json& ids = builder.json()["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"];
    ids = {{"POSITION", quad.position_id}, {"JOINTS_0", quad.joints_id}};
    quad.document = builder.finish();
    return quad;
}

}  // namespace

TEST_CASE("meshopt vertices decode into a plain bufferView and the extension goes") {
    std::vector<float> values;
    for (int i = 0; i < 300; ++i) values.push_back(static_cast<float>(i) * 0.25F);
    const Document document =
        meshopt_document(encode_vertices(bytes_of(values), 12), 100, 12, "ATTRIBUTES", "", kFloats);
    const auto plain = decompress(document);
    REQUIRE(plain);
    CHECK(AccessorView::open(*plain, 0)->floats() == values);
    CHECK_FALSE(plain->json.contains("extensionsRequired"));
    CHECK(plain->json["extensionsUsed"] == Json::array({"KHR_mesh_quantization"}));
    CHECK_FALSE(plain->json["bufferViews"][0].contains("extensions"));
    CHECK_FALSE(plain->json["buffers"][1].contains("extensions"));
    CHECK(plain->json["buffers"][1]["byteLength"] == plain->buffers[1].size());
    CHECK(decompress(*plain)->json == plain->json);
}

TEST_CASE("meshopt triangles and index sequences decode") {
    const std::vector<std::uint32_t> indices = {0, 1, 2, 2, 1, 3, 3, 1, 4};
    Bytes triangles(meshopt_encodeIndexBufferBound(indices.size(), 5));
    triangles.resize(meshopt_encodeIndexBuffer(triangles.data(), triangles.size(), indices.data(), indices.size()));
    Bytes sequence(meshopt_encodeIndexSequenceBound(indices.size(), 5));
    sequence.resize(meshopt_encodeIndexSequence(sequence.data(), sequence.size(), indices.data(), indices.size()));
    const Json scalar = {{"componentType", 5123}, {"type", "SCALAR"}};
    const auto list = decompress(meshopt_document(triangles, indices.size(), 2, "TRIANGLES", "", scalar));
    REQUIRE(list);
    // The triangle codec may turn a triangle: its corners keep their order around it.
    const auto turned = AccessorView::open(*list, 0)->unsigned_integers();
    for (std::size_t t = 0; t < indices.size(); t += 3) {
        const std::vector<std::uint32_t> wanted(indices.begin() + t, indices.begin() + t + 3);
        std::vector<std::uint32_t> got(turned.begin() + t, turned.begin() + t + 3);
        for (int turn = 0; turn < 3 && got != wanted; ++turn) std::rotate(got.begin(), got.begin() + 1, got.end());
        CHECK(got == wanted);
    }
    const auto lines = decompress(meshopt_document(sequence, indices.size(), 2, "INDICES", "", scalar));
    REQUIRE(lines);
    CHECK(AccessorView::open(*lines, 0)->unsigned_integers() == indices);
}

TEST_CASE("the three meshopt filters are undone") {
    const std::vector<float> normals = {0, 0, 1, 0, 0.6F, 0, -0.8F, 0};
    Bytes coded(2 * 4);
    meshopt_encodeFilterOct(coded.data(), 2, 4, 8, normals.data());
    const auto oct = decompress(meshopt_document(encode_vertices(coded, 4), 2, 4, "ATTRIBUTES", "OCTAHEDRAL",
                                                 {{"componentType", 5120}, {"type", "VEC4"}, {"normalized", true}}));
    REQUIRE(oct);
    const auto directions = AccessorView::open(*oct, 0)->floats();
    for (const int i : {0, 1, 2, 4, 5, 6}) CHECK(directions[i] == Approx(normals[i]).margin(0.02));

    const std::vector<float> turns = {0, 0, 0, 1, 0.5F, 0.5F, 0.5F, 0.5F};
    Bytes quaternions(2 * 8);
    meshopt_encodeFilterQuat(quaternions.data(), 2, 8, 16, turns.data());
    const auto quat = decompress(meshopt_document(encode_vertices(quaternions, 8), 2, 8, "ATTRIBUTES", "QUATERNION",
                                                  {{"componentType", 5122}, {"type", "VEC4"}, {"normalized", true}}));
    REQUIRE(quat);
    const auto rotations = AccessorView::open(*quat, 0)->floats();
    for (std::size_t i = 0; i < turns.size(); ++i) CHECK(std::abs(rotations[i]) == Approx(turns[i]).margin(0.001));

    const std::vector<float> values = {1.5F, -2.25F, 1000};
    Bytes exponential(12);
    meshopt_encodeFilterExp(exponential.data(), 1, 12, 20, values.data());
    const auto exp =
        decompress(meshopt_document(encode_vertices(exponential, 12), 1, 12, "ATTRIBUTES", "EXPONENTIAL", kFloats));
    REQUIRE(exp);
    const auto numbers = AccessorView::open(*exp, 0)->floats();
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(numbers[i] == Approx(values[i]).epsilon(0.01));
}

TEST_CASE("meshopt streams that lie are refused before anything is allocated") {
    const Bytes coded = encode_vertices(Bytes(1200, 7), 12);
    const auto changed = [&](const char* key, Json value) {
        Document document = meshopt_document(coded, 100, 12, "ATTRIBUTES", "", kFloats);
        document.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"][key] = std::move(value);
        return why_not(document, ErrorKind::malformed);
    };
    CHECK(says(changed("count", 0), "count"));
    CHECK(says(changed("count", 1000000000000ULL), "too short"));
    CHECK(says(changed("count", 99), "byteLength of the bufferView"));
    CHECK(says(changed("byteStride", 0), "byteStride"));
    CHECK(says(changed("byteStride", 13), "byteStride"));
    CHECK(says(changed("byteStride", 260), "byteStride"));
    CHECK(says(changed("mode", "POINTS"), "mode"));
    CHECK(says(changed("mode", "TRIANGLES"), "byteStride of indices"));
    CHECK(says(changed("filter", "OCTAHEDRAL"), "filter"));
    CHECK(says(changed("buffer", 7), "buffer that does not exist"));
    CHECK(says(changed("byteOffset", 1), "past the end"));
    CHECK(says(changed("byteLength", coded.size() - 1), "does not decode"));
}

TEST_CASE("codecs of a later version are refused by name") {
    Bytes coded = encode_vertices(Bytes(1200, 7), 12);
    coded[0] = 0xA1;
    CHECK(says(why_not(meshopt_document(coded, 100, 12, "ATTRIBUTES", "", kFloats), ErrorKind::unconvertible),
               "version 1"));

    Document newer = meshopt_document(coded, 100, 12, "ATTRIBUTES", "", kFloats);
    Json& view = newer.json["bufferViews"][0];
    view["extensions"]["KHR_meshopt_compression"] = view["extensions"]["EXT_meshopt_compression"];
    view["extensions"].erase("EXT_meshopt_compression");
    CHECK(says(why_not(newer, ErrorKind::unconvertible), "KHR_meshopt_compression"));
    newer.buffers[1] = Bytes(1200, 0);
    CHECK(decompress(newer));
}

TEST_CASE("required extensions that cannot be read are refused by name") {
    Document document;
    document.json = Json::parse(R"({"asset":{"version":"2.0"},"extensionsUsed":["ACME_holograms"],
        "extensionsRequired":["KHR_texture_transform","VRMC_vrm","ACME_holograms"]})");
    CHECK(says(why_not(document, ErrorKind::unconvertible), "ACME_holograms"));
    document.json["extensionsRequired"].erase(2);
    CHECK(decompress(document));
}

TEST_CASE("a Draco primitive becomes plain accessors by unique id, and what is outside of it stays") {
    const DracoQuad quad = draco_quad();
    const auto plain = decompress(quad.document);
    REQUIRE(plain);
    const Json& primitive = plain->json["meshes"][0]["primitives"][0];
    CHECK_FALSE(primitive.contains("extensions"));
    CHECK_FALSE(plain->json.contains("extensionsRequired"));
    CHECK(plain->json["accessors"][3] == quad.document.json["accessors"][3]);
    const auto indices = AccessorView::open(*plain, 0)->unsigned_integers();
    const auto positions = AccessorView::open(*plain, 1)->floats();
    const auto joints = AccessorView::open(*plain, 2)->unsigned_integers();
    REQUIRE(indices.size() == 6);
    // Vertices may come in another order: a corner is told by its joint.
    std::vector<std::uint32_t> seen;
    for (std::size_t v = 0; v < 4; ++v) {
        const std::uint32_t joint = joints[4 * v];
        seen.push_back(joint);
        CHECK(positions[3 * v] == Approx(joint == 2 || joint == 3 ? 1.0F : 0.0F).margin(1e-3));
        CHECK(positions[3 * v + 1] == Approx(joint == 3 || joint == 250 ? 1.0F : 0.0F).margin(1e-3));
    }
    std::sort(seen.begin(), seen.end());
    CHECK(seen == std::vector<std::uint32_t>{1, 2, 3, 250});
    CHECK(AccessorView::open(*plain, 3)->floats() == std::vector<float>(12, 0.0F));
}

TEST_CASE("a Draco stream that is not what its accessors say is an error") {
    const DracoQuad quad = draco_quad();
    const auto changed = [&](auto change) {
        Document document = quad.document;
        change(document);
        return why_not(document, ErrorKind::malformed);
    };
    const auto accessor = [&](int index, const char* key, Json value) {
        return changed([&](Document& d) { d.json["accessors"][index][key] = value; });
    };
    CHECK(says(accessor(0, "count", 9), "6 indices"));
    CHECK(says(accessor(1, "count", 5), "4 vertices"));
    CHECK(says(accessor(1, "count", 1000000000000ULL), "wild count"));
    CHECK(says(accessor(1, "type", "VEC2"), "components"));
    CHECK(says(accessor(2, "componentType", 5120), "do not fit"));
    CHECK(says(
        changed([](Document& d) {
            d.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]["POSITION"] =
                77;
        }),
        "no attribute 77"));
    CHECK(says(changed([](Document& d) { d.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 9; }),
               "does not exist"));
    CHECK(says(changed([](Document& d) { d.json["meshes"][0]["primitives"][0].erase("indices"); }), "does not exist"));
    CHECK(says(changed([](Document& d) { d.json["bufferViews"][0]["byteLength"] = 20; }), "does not decode"));
}

TEST_CASE("a Draco header that claims a billion faces is refused before it is decoded") {
    DracoQuad quad = draco_quad();
    // Magic, version 2.2, triangular mesh, edgebreaker, no flags, standard traversal, then two varints of 2^30.
    quad.document.buffers[0] = {'D', 'R',  'A',  'C',  'O',  2, 2,    1,    1,    0,    0,
                                0,   0x80, 0x80, 0x80, 0x80, 4, 0x80, 0x80, 0x80, 0x80, 4};
    quad.document.json["bufferViews"][0]["byteLength"] = quad.document.buffers[0].size();
    CHECK(says(why_not(quad.document, ErrorKind::malformed), "limit on vertices"));
}

TEST_CASE("damaged Draco and meshopt streams never crash the decoders") {
    const DracoQuad quad = draco_quad();
    for (std::size_t i = 0; i < quad.document.buffers[0].size(); ++i) {
        for (const int change : {0x01, 0x80, 0xFF}) {
            Document damaged = quad.document;
            damaged.buffers[0][i] ^= static_cast<std::uint8_t>(change);
            if (const auto plain = decompress(damaged)) CHECK(AccessorView::open(*plain, 1));
        }
    }
    std::vector<float> values(300);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17);
    const Document meshopt =
        meshopt_document(encode_vertices(bytes_of(values), 12), 100, 12, "ATTRIBUTES", "", kFloats);
    for (std::size_t i = 0; i < meshopt.buffers[0].size(); ++i) {
        Document damaged = meshopt;
        damaged.buffers[0][i] ^= 0xFF;
        if (const auto plain = decompress(damaged)) CHECK(AccessorView::open(*plain, 0)->count() == 100);
    }
}
