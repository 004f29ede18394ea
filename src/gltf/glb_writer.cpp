// SPDX-License-Identifier: MIT
#include <cstring>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {
namespace {

void append_u32(Bytes& out, std::size_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(narrow >> shift));
}

std::size_t append_aligned(Bytes& bin, const Bytes& bytes) {
    bin.resize((bin.size() + 3) / 4 * 4, 0);
    const std::size_t at = bin.size();
    bin.insert(bin.end(), bytes.begin(), bytes.end());
    return at;
}

/// All buffers as one, the views rebased; image files become bufferViews at the end.
Bytes join_buffers(const Document& document, Json& json) {
    Bytes bin;
    std::vector<std::size_t> base;
    for (const Bytes& buffer : document.buffers) base.push_back(append_aligned(bin, buffer));
    if (document.buffers.size() > 1) {
        for (Json& view : json["bufferViews"]) {
            const std::size_t at =
                view.value("byteOffset", std::size_t{0}) + base.at(view.at("buffer").get<std::size_t>());
            view["buffer"] = 0;
            view["byteOffset"] = at;
        }
    }
    for (std::size_t i = 0; i < document.image_files.size(); ++i) {
        if (document.image_files[i].empty()) continue;
        Json& image = json["images"][i];
        image.erase("uri");
        const std::size_t at = append_aligned(bin, document.image_files[i]);
        json["bufferViews"].push_back(
            {{"buffer", 0}, {"byteOffset", at}, {"byteLength", document.image_files[i].size()}});
        image["bufferView"] = json["bufferViews"].size() - 1;
    }
    return bin;
}

}  // namespace

Bytes write_glb(const Document& document) {
    Json json = document.json;
    Bytes bin = join_buffers(document, json);
    if (bin.empty()) {
        json.erase("buffers");
    } else {
        Json buffer = json.contains("buffers") && !json["buffers"].empty() ? json["buffers"][0] : Json::object();
        buffer.erase("uri");
        buffer["byteLength"] = bin.size();
        json["buffers"] = Json::array({std::move(buffer)});
    }
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    bin.resize((bin.size() + 3) / 4 * 4, 0);

    Bytes out;
    out.reserve(12 + 8 + text.size() + 8 + bin.size());
    append_u32(out, 0x46546C67);  // "glTF"
    append_u32(out, 2);
    append_u32(out, 12 + 8 + text.size() + (bin.empty() ? 0 : 8 + bin.size()));
    append_u32(out, text.size());
    append_u32(out, 0x4E4F534A);  // "JSON"
    out.insert(out.end(), text.begin(), text.end());
    if (!bin.empty()) {
        append_u32(out, bin.size());
        append_u32(out, 0x004E4942);  // "BIN\0"
        out.insert(out.end(), bin.begin(), bin.end());
    }
    return out;
}

}  // namespace helixavatar::gltf
