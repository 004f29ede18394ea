// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <helixavatar/gltf/document_builder.hpp>
#include <helixavatar/gltf/structure_check.hpp>

#include "sound_document.hpp"

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

using Target = DocumentBuilder::Target;

struct Fault {
    const char* what;
    std::function<void(Document&)> make;
    const char* rule;
    const char* pointer;
    const char* code;
};

std::string all_of(const Findings& findings) {
    std::string text;
    for (const Finding& f : findings)
        text += std::string(to_string(f.severity)) + " " + f.rule + " " + f.where.pointer + " " + f.message + "\n";
    return text;
}

/// Sets the value at a JSON pointer.
std::function<void(Document&)> set(const char* pointer, Json value) {
    return [=](Document& d) { d.json[Json::json_pointer(pointer)] = value; };
}

std::function<void(Document&)> erase(const char* pointer, const char* key) {
    return [=](Document& d) { d.json[Json::json_pointer(pointer)].erase(key); };
}

/// Writes one number into the bytes of an accessor.
template <class T>
std::function<void(Document&)> poke(int accessor, std::size_t element, T value) {
    return [=](Document& d) {
        const Json& view = d.json["bufferViews"][d.json["accessors"][accessor]["bufferView"].get<std::size_t>()];
        std::memcpy(d.buffers[0].data() + view["byteOffset"].get<std::size_t>() + element * sizeof(T), &value,
                    sizeof(T));
    };
}

void check_faults(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) {
        Document document = sound();
        fault.make(document);
        const Findings findings = check_structure(document);
        INFO(fault.what << "\n" << all_of(findings));
        const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
            return f.rule == fault.rule && f.where.pointer == fault.pointer && f.severity == Severity::error &&
                   f.message.find(std::string("[") + fault.code + "]") != std::string::npos;
        });
        CHECK(found != findings.end());
    }
}

}  // namespace

TEST_CASE("a sound document has nothing to say") {
    const Findings findings = check_structure(sound());
    INFO(all_of(findings));
    CHECK(findings.empty());
}

TEST_CASE("faults of the root and its lists are found") {
    check_faults({
        {"no asset", erase("", "asset"), "file-asset", "", "UNDEFINED_PROPERTY"},
        {"glTF 1", set("/asset/version", "1.0"), "file-asset", "/asset/version", "UNKNOWN_ASSET_MAJOR_VERSION"},
        {"odd version", set("/asset/version", "two"), "file-asset", "/asset/version", "PATTERN_MISMATCH"},
        {"list is no list", set("/nodes", 3), "file-node", "/nodes", "TYPE_MISMATCH"},
        {"empty list", set("/animations", Json::array()), "file-animation", "/animations", "EMPTY_ENTITY"},
        {"null element", set("/nodes/1", nullptr), "file-node", "/nodes/1", "TYPE_MISMATCH"},
        {"default scene", set("/scene", 1), "file-scene", "/scene", "UNRESOLVED_REFERENCE"},
        {"undeclared", set("/nodes/0/extensions", {{"ACME_x", Json::object()}}), "file-extension",
         "/nodes/0/extensions/ACME_x", "UNDECLARED_EXTENSION"},
        {"required only", set("/extensionsRequired", {"ACME_x"}), "file-extension", "/extensionsRequired",
         "UNUSED_EXTENSION_REQUIRED"},
        {"quantization", set("/extensionsUsed", {"KHR_mesh_quantization"}), "file-extension", "/extensionsUsed",
         "NON_REQUIRED_EXTENSION"},
    });
}

TEST_CASE("faults of buffers, views and accessors are found") {
    const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
    check_faults({
        {"view past buffer", set("/bufferViews/0/byteLength", 100000), "file-buffer-view", "/bufferViews/0/byteLength",
         "BUFFER_VIEW_TOO_LONG"},
        {"view overflow", set("/bufferViews/0/byteLength", huge), "file-buffer-view", "/bufferViews/0/byteLength",
         "BUFFER_VIEW_TOO_LONG"},
        {"view far off", set("/bufferViews/0/byteOffset", 1ULL << 52), "file-buffer-view", "/bufferViews/0/byteOffset",
         "BUFFER_VIEW_TOO_LONG"},
        {"stride", set("/bufferViews/0/byteStride", 13), "file-buffer-view", "/bufferViews/0/byteStride",
         "VALUE_MULTIPLE_OF"},
        {"no buffer", set("/bufferViews/0/buffer", 4), "file-buffer-view", "/bufferViews/0/buffer",
         "UNRESOLVED_REFERENCE"},
        {"count", set("/accessors/0/count", 5), "file-accessor", "/accessors/0", "ACCESSOR_TOO_LONG"},
        {"count overflow", set("/accessors/0/count", 1ULL << 60), "file-accessor", "/accessors/0", "ACCESSOR_TOO_LONG"},
        {"offset", set("/accessors/0/byteOffset", 2), "file-accessor", "/accessors/0/byteOffset",
         "ACCESSOR_OFFSET_ALIGNMENT"},
        {"negative", set("/accessors/0/count", -4), "file-accessor", "/accessors/0/count", "VALUE_NOT_IN_RANGE"},
        {"fraction", set("/accessors/0/count", 4.5), "file-accessor", "/accessors/0/count", "TYPE_MISMATCH"},
        {"normalized float", set("/accessors/0/normalized", true), "file-accessor", "/accessors/0/normalized",
         "ACCESSOR_NORMALIZED_INVALID"},
        {"no type", erase("/accessors/0", "type"), "file-accessor", "/accessors/0", "UNDEFINED_PROPERTY"},
        {"sparse count", set("/accessors/6/sparse/count", 9), "file-accessor", "/accessors/6/sparse/count",
         "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE"},
    });
}

TEST_CASE("faults of meshes are found") {
    check_faults({
        {"indices", set("/meshes/0/primitives/0/indices", 99), "file-mesh", "/meshes/0/primitives/0/indices",
         "UNRESOLVED_REFERENCE"},
        {"float indices", set("/meshes/0/primitives/0/indices", 8), "file-mesh", "/meshes/0/primitives/0/indices",
         "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT"},
        {"attribute", set("/meshes/0/primitives/0/attributes/POSITION", "x"), "file-mesh",
         "/meshes/0/primitives/0/attributes/POSITION", "TYPE_MISMATCH"},
        {"attribute format", set("/meshes/0/primitives/0/attributes/NORMAL", 4), "file-mesh",
         "/meshes/0/primitives/0/attributes/NORMAL", "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT"},
        {"attribute name", set("/meshes/0/primitives/0/attributes/UV", 2), "file-mesh",
         "/meshes/0/primitives/0/attributes/UV", "MESH_PRIMITIVE_INVALID_ATTRIBUTE"},
        {"unequal counts", set("/accessors/2/count", 3), "file-mesh", "/meshes/0/primitives/0/attributes/TEXCOORD_0",
         "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT"},
        {"no weights", erase("/meshes/0/primitives/0/attributes", "WEIGHTS_0"), "file-mesh",
         "/meshes/0/primitives/0/attributes", "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH"},
        {"no bounds", erase("/accessors/0", "min"), "file-mesh", "/meshes/0/primitives/0/attributes/POSITION",
         "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS"},
        {"no texcoords", erase("/meshes/0/primitives/0/attributes", "TEXCOORD_0"), "file-mesh",
         "/meshes/0/primitives/0/material", "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS"},
        {"morph count", set("/meshes/0/weights", {0, 0}), "file-mesh", "/meshes/0/weights",
         "MESH_INVALID_WEIGHTS_COUNT"},
        {"view for both", set("/accessors/5/bufferView", 0), "file-mesh", "/meshes/0/primitives/0/indices",
         "BUFFER_VIEW_TARGET_OVERRIDE"},
    });
}

TEST_CASE("faults of nodes, scenes and skins are found") {
    check_faults({
        {"loop", set("/nodes/1/children", {0}), "file-node", "/nodes/0", "NODE_LOOP"},
        {"itself", set("/nodes/1/children", {1}), "file-node", "/nodes/1/children/0", "NODE_PARENT_OVERRIDE"},
        {"two parents", set("/nodes/2/children", {1}), "file-node", "/nodes/2/children/0", "NODE_PARENT_OVERRIDE"},
        {"no such child", set("/nodes/0/children", {1, 7}), "file-node", "/nodes/0/children/1", "UNRESOLVED_REFERENCE"},
        {"zero turn", set("/nodes/0/rotation", {0, 0, 0, 0}), "file-node", "/nodes/0/rotation", "ROTATION_NON_UNIT"},
        {"short turn", set("/nodes/0/rotation", {0, 0, 1}), "file-node", "/nodes/0/rotation",
         "ARRAY_LENGTH_NOT_IN_LIST"},
        {"past a float", set("/nodes/0/translation", {1e300, 0, 0}), "file-node", "/nodes/0/translation/0",
         "VALUE_NOT_IN_RANGE"},
        {"shear", set("/nodes/1/matrix", {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), "file-node",
         "/nodes/1/matrix", "NODE_MATRIX_NON_TRS"},
        {"both", set("/nodes/0/matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), "file-node",
         "/nodes/0/matrix", "NODE_MATRIX_TRS"},
        {"no mesh", erase("/nodes/2", "mesh"), "file-node", "/nodes/2/skin", "UNSATISFIED_DEPENDENCY"},
        {"not a root", set("/scenes/0/nodes", {0, 1, 2}), "file-scene", "/scenes/0/nodes/1", "SCENE_NON_ROOT_NODE"},
        {"joints elsewhere", set("/scenes/0/nodes", {2}), "file-node", "/nodes/2", "NODE_SKIN_NO_SCENE"},
        {"few matrices", set("/accessors/7/count", 1), "file-skin", "/skins/0/inverseBindMatrices",
         "INVALID_IBM_ACCESSOR_COUNT"},
        {"other matrices", set("/skins/0/inverseBindMatrices", 0), "file-skin", "/skins/0/inverseBindMatrices",
         "SKIN_IBM_INVALID_FORMAT"},
        {"same joint", set("/skins/0/joints", {1, 1}), "file-skin", "/skins/0/joints/1", "DUPLICATE_ELEMENTS"},
        {"two roots", set("/skins/0/joints", {0, 2}), "file-skin", "/skins/0/joints", "SKIN_NO_COMMON_ROOT"},
        {"skeleton", set("/skins/0/skeleton", 1), "file-skin", "/skins/0/skeleton", "SKIN_SKELETON_INVALID"},
    });
}

TEST_CASE("faults of images, materials, cameras and animations are found") {
    check_faults({
        {"wrong mime", set("/images/0/mimeType", "image/jpeg"), "file-image", "/images/0", "IMAGE_MIME_TYPE_INVALID"},
        {"no source", set("/textures/0/source", 3), "file-texture", "/textures/0/source", "UNRESOLVED_REFERENCE"},
        {"no texture", set("/materials/0/pbrMetallicRoughness/baseColorTexture/index", 1), "file-material",
         "/materials/0/pbrMetallicRoughness/baseColorTexture/index", "UNRESOLVED_REFERENCE"},
        {"metal", set("/materials/0/pbrMetallicRoughness/metallicFactor", 1.5), "file-material",
         "/materials/0/pbrMetallicRoughness/metallicFactor", "VALUE_NOT_IN_RANGE"},
        {"far", set("/cameras/0/perspective/zfar", 0.001), "file-camera", "/cameras/0/perspective",
         "CAMERA_ZFAR_LEQUAL_ZNEAR"},
        {"sampler", set("/animations/0/channels/0/sampler", 1), "file-animation", "/animations/0/channels/0/sampler",
         "UNRESOLVED_REFERENCE"},
        {"path", set("/animations/0/channels/0/target/path", "translation"), "file-animation",
         "/animations/0/channels/0/sampler", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT"},
        {"key count", set("/accessors/9/count", 1), "file-animation", "/animations/0/channels/0/sampler",
         "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT"},
    });
}

TEST_CASE("faulty numbers in the data are found") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    check_faults({
        {"NaN", poke(0, 4, nan), "file-data", "/accessors/0", "ACCESSOR_INVALID_FLOAT"},
        {"infinity", poke(1, 0, std::numeric_limits<float>::infinity()), "file-data", "/accessors/1",
         "ACCESSOR_INVALID_FLOAT"},
        {"index", poke<std::uint16_t>(5, 5, 4), "file-data", "/meshes/0/primitives/0/indices", "ACCESSOR_INDEX_OOB"},
        {"restart", poke<std::uint16_t>(5, 5, 0xFFFF), "file-data", "/meshes/0/primitives/0/indices",
         "ACCESSOR_INDEX_PRIMITIVE_RESTART"},
        {"joint", poke<std::uint16_t>(3, 1, 2), "file-data", "/meshes/0/primitives/0/attributes/JOINTS_0",
         "ACCESSOR_JOINTS_INDEX_OOB"},
        {"weights", poke(4, 0, 0.6F), "file-data", "/meshes/0/primitives/0/attributes/WEIGHTS_0",
         "ACCESSOR_WEIGHTS_NON_NORMALIZED"},
        {"negative weight", poke(4, 2, -0.5F), "file-data", "/meshes/0/primitives/0/attributes/WEIGHTS_0",
         "ACCESSOR_WEIGHTS_NEGATIVE"},
        {"bounds", poke(0, 3, 5.0F), "file-data", "/accessors/0/max/0", "ACCESSOR_MAX_MISMATCH"},
        {"matrix", poke(7, 15, 2.0F), "file-data", "/accessors/7", "ACCESSOR_INVALID_IBM"},
        {"time", poke(8, 1, 0.0F), "file-data", "/accessors/8", "ACCESSOR_ANIMATION_INPUT_NON_INCREASING"},
        {"turn", poke(9, 3, 2.0F), "file-data", "/accessors/9",
         "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION"},
    });
}

TEST_CASE("without accessor values only the structure is looked at") {
    Document document = sound();
    poke(0, 4, std::numeric_limits<float>::quiet_NaN())(document);
    StructureCheckOptions options;
    options.accessor_values = false;
    CHECK(check_structure(document, options).empty());
}

TEST_CASE("rounding in weights and bounds is a warning, and a short normal too") {
    for (const auto& change : {poke(4, 0, 0.5005F), poke(1, 2, 0.9F), set("/accessors/0/max", {1.0000001, 1, 0})}) {
        Document document = sound();
        change(document);
        const Findings findings = check_structure(document);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::warning);
    }
}

TEST_CASE("what rewriting mends does not prevent reading, what is missing does") {
    const auto prevented = [](const std::function<void(Document&)>& make) {
        Document document = sound();
        make(document);
        const Findings findings = check_structure(document);
        CHECK(has_error(findings));
        return std::any_of(findings.begin(), findings.end(), prevents_reading);
    };
    CHECK_FALSE(prevented(poke(4, 0, 0.6F)));
    CHECK_FALSE(prevented(poke(0, 3, 5.0F)));
    CHECK_FALSE(prevented(set("/animations/0/channels/0/sampler", 1)));
    CHECK_FALSE(prevented(set("/images/0/mimeType", "image/jpeg")));
    CHECK_FALSE(prevented(set("/animations/0/name", 5)));
    CHECK_FALSE(prevented(set("/textures/0/source", 9)));
    CHECK(prevented(set("/images/0/name", 5)));
    CHECK(prevented(set("/textures/0/sampler", "repeat")));
    CHECK(prevented(set("/materials/0/normalTexture", {{"index", 0}, {"texCoord", nullptr}})));
    CHECK(prevented(poke(0, 4, std::numeric_limits<float>::quiet_NaN())));
    CHECK(prevented(set("/accessors/0/count", 5)));
    CHECK(prevented(set("/nodes/1/children", {0})));
    CHECK(prevented(set("/skins/0/joints", {0, 9})));
    CHECK(prevented(poke<std::uint16_t>(5, 5, 4)));
}

TEST_CASE("accessors that all lie on the same bytes do not take for ever") {
    DocumentBuilder builder;
    builder.add_floats(std::vector<float>(3000000, 1.0F), "VEC3", Target::vertex);
    Document document = builder.finish();
    const Json one = document.json["accessors"][0];
    for (int i = 0; i < 3000; ++i) document.json["accessors"].push_back(one);
    Limits limits;
    limits.file_bytes = 64U << 20;
    const Findings findings = check_structure(document, {true, limits});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].message.find("overlap") != std::string::npos);
}

TEST_CASE("a million faults become a list that can be held") {
    Document document = sound();
    document.json["nodes"] = Json::array();
    for (int i = 0; i < 100000; ++i) document.json["nodes"].push_back({{"mesh", 77}, {"children", {i + 1}}});
    const Findings findings = check_structure(document);
    CHECK(findings.size() < 3000);
    CHECK(findings.back().message.find("more faults") != std::string::npos);
}
