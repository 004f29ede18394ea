// SPDX-License-Identifier: MIT
// Every value of a document replaced by every kind of nonsense, and every function of this layer run on the outcome.
#include <catch2/catch.hpp>

#include <limits>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/model_view.hpp>
#include <helixavatar/gltf/structure_check.hpp>

#include "sound_document.hpp"

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

/// Runs everything; answers how many accessors could be read. A crash, a hang or an exception fails the test.
std::size_t run_everything(const Document& document) {
    const Findings findings = check_structure(document);
    const auto plain = decompress(document);
    const Document& readable = plain ? *plain : document;
    const auto model = view_model(readable);
    std::size_t read = 0;
    for (std::size_t a = 0; a < 12; ++a) {
        const auto view = AccessorView::open(readable, a);
        if (!view) continue;
        ++read;
        CHECK(view->floats().size() == view->count() * static_cast<std::size_t>(view->components()));
        CHECK(view->unsigned_integers().size() == view->count() * static_cast<std::size_t>(view->components()));
    }
    (void)image_bytes(readable, 0);
    CHECK(parse_document(write_glb(readable), {}));
    if (findings.empty() && model) CHECK(read > 0);
    return read;
}

std::vector<Json> nonsense() {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return {nullptr,
            true,
            -1,
            0,
            1,
            7,
            4294967295U,
            most,
            most / 2 + 1,
            1e300,
            -0.5,
            3.0,
            "",
            "x",
            "data:,",
            Json::array(),
            Json::array({Json()}),
            Json::array({0, 0}),
            Json::object(),
            Json{{"extensions", 3}}};
}

/// Pointers of all values, containers too.
void pointers(const Json& value, const std::string& at, std::vector<std::string>& out) {
    if (!at.empty()) out.push_back(at);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) pointers(value[i], at + "/" + std::to_string(i), out);
    if (value.is_object())
        for (const auto& [key, child] : value.items()) pointers(child, at + "/" + key, out);
}

/// Returns how many broken documents were run.
std::size_t replace_everywhere(const Document& document) {
    std::size_t tried = 0;
    std::vector<std::string> places;
    pointers(document.json, "", places);
    for (const std::string& place : places) {
        for (const Json& value : nonsense()) {
            Document broken = document;
            broken.json[Json::json_pointer(place)] = value;
            INFO(place << " := " << value.dump());
            REQUIRE_NOTHROW(run_everything(broken));
            ++tried;
        }
        Document without = document;
        const std::size_t slash = place.rfind('/');
        Json& parent = without.json[Json::json_pointer(place.substr(0, slash))];
        if (parent.is_object())
            parent.erase(place.substr(slash + 1));
        else
            parent.erase(std::stoul(place.substr(slash + 1)));
        INFO("without " << place);
        REQUIRE_NOTHROW(run_everything(without));
        ++tried;
    }
    return tried;
}

}  // namespace

TEST_CASE("no value in any place makes the layer crash, throw or allocate without measure") {
    CHECK(replace_everywhere(sound()) > 1000);
}

TEST_CASE("compressed documents are as robust") {
    Document document = sound();
    // The vertex stream of one view, as meshopt says it, over bytes that are none.
    document.json["extensionsUsed"] = {"EXT_meshopt_compression", "KHR_draco_mesh_compression"};
    document.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = {
        {"buffer", 0}, {"byteOffset", 0}, {"byteLength", 48}, {"byteStride", 12}, {"count", 4}, {"mode", "ATTRIBUTES"}};
    document.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] = {
        {"bufferView", 1}, {"attributes", {{"NORMAL", 0}}}};
    std::vector<std::string> places;
    pointers(document.json, "", places);
    for (const std::string& place : places) {
        if (place.find("compression") == std::string::npos) continue;
        for (const Json& value : nonsense()) {
            Document broken = document;
            broken.json[Json::json_pointer(place)] = value;
            INFO(place << " := " << value.dump());
            REQUIRE_NOTHROW(run_everything(broken));
        }
    }
}

TEST_CASE("buffers that are shorter than the document says are never read past their end") {
    const Document document = sound();
    for (std::size_t size = 0; size < document.buffers[0].size(); size += 3) {
        Document cut = document;
        cut.buffers[0].resize(size);
        INFO(size);
        CHECK(has_error(check_structure(cut)));
        const std::size_t read = run_everything(cut);
        // The picture lies behind the accessors.
        if (size + 40 < document.buffers[0].size()) CHECK(read < 10);
    }
    Document none = document;
    none.buffers.clear();
    CHECK(has_error(check_structure(none)));
    CHECK(run_everything(none) == 0);
}
