// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/gltf/image_header.hpp>

#include "glb_container.hpp"
#include "json_read.hpp"

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

/// True for a buffer without data that stands for decompressed bytes: nothing of it is in the file.
bool is_placeholder(const Document& document, std::size_t buffer) {
    const Json* json = element(document.json, "buffers", buffer);
    return document.buffers[buffer].empty() && json && !member(*json, "uri");
}

/// Points a bufferView, or the compressed source within it, at the joined buffer.
void rebase(Json& holder, const std::vector<std::size_t>& base, const std::vector<std::size_t>& renumbered) {
    const auto buffer = whole_member(holder, "buffer");
    if (!buffer || *buffer >= base.size()) return;
    const std::size_t at = whole_member_or(holder, "byteOffset", 0) + base[*buffer];
    holder["buffer"] = renumbered[*buffer];
    if (at != 0 || holder.contains("byteOffset")) holder["byteOffset"] = at;
}

/// All buffers as one, the views rebased. Placeholder buffers keep a place of their own behind it.
Bytes join_buffers(const Document& document, Json& json) {
    Bytes bin;
    Json joined = Json::array();
    std::vector<std::size_t> base;
    std::vector<std::size_t> renumbered;
    bool first = true;
    for (std::size_t i = 0; i < document.buffers.size(); ++i) {
        Json buffer = i < element_count(document.json, "buffers") ? document.json["buffers"][i] : Json::object();
        if (!buffer.is_object()) buffer = Json::object();
        if (document.buffers.size() > 1 && is_placeholder(document, i)) {
            base.push_back(0);
            renumbered.push_back(joined.empty() ? 1 : joined.size());
            if (joined.empty()) joined.push_back(Json::object());
            joined.push_back(std::move(buffer));
            continue;
        }
        base.push_back(append_aligned(bin, document.buffers[i]));
        renumbered.push_back(0);
        buffer.erase("uri");
        if (joined.empty())
            joined.push_back(std::move(buffer));
        else if (first)
            joined[0] = std::move(buffer);
        first = false;
    }
    Json* views = document.buffers.size() > 1 && element_count(json, "bufferViews") ? &json["bufferViews"] : nullptr;
    if (views) {
        for (Json& view : *views) {
            if (!view.is_object()) continue;
            rebase(view, base, renumbered);
            for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"})
                if (extension(view, name)) rebase(view["extensions"][name], base, renumbered);
        }
    }
    if (joined.empty())
        json.erase("buffers");
    else
        json["buffers"] = std::move(joined);
    return bin;
}

/// Image files become bufferViews behind the data.
void embed_images(const Document& document, Json& json, Bytes& bin) {
    const std::size_t count = std::min(document.image_files.size(), element_count(json, "images"));
    // Before any reference is taken: a new member moves all others of an ordered object.
    if (count && !element_count(json, "bufferViews")) json["bufferViews"] = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        Json& image = json["images"][i];
        if (document.image_files[i].empty() || !image.is_object()) continue;
        image.erase("uri");
        const std::size_t at = append_aligned(bin, document.image_files[i]);
        json["bufferViews"].push_back(
            {{"buffer", 0}, {"byteOffset", at}, {"byteLength", document.image_files[i].size()}});
        image["bufferView"] = json["bufferViews"].size() - 1;
        // A bufferView has no file name to guess the format from: mimeType is required there.
        const auto format = recognise_image(document.image_files[i]);
        if (format && !image.contains("mimeType")) image["mimeType"] = mime_type(*format);
    }
}

}  // namespace

Bytes write_glb(const Document& document) {
    Json json = document.json.is_object() ? document.json : Json::object();
    Bytes bin = join_buffers(document, json);
    embed_images(document, json, bin);
    if (json.contains("bufferViews") && json["bufferViews"].empty()) json.erase("bufferViews");
    if (!bin.empty()) {
        if (!element_count(json, "buffers")) {
            json["buffers"] = Json::array();
            json["buffers"].push_back(Json::object());
        }
        json["buffers"][0]["byteLength"] = bin.size();
    }
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    bin.resize((bin.size() + 3) / 4 * 4, 0);

    Bytes out;
    out.reserve(12 + 8 + text.size() + 8 + bin.size());
    append_u32(out, kGlbMagic);
    append_u32(out, 2);
    append_u32(out, 12 + 8 + text.size() + (bin.empty() ? 0 : 8 + bin.size()));
    append_u32(out, text.size());
    append_u32(out, kJsonChunkType);
    out.insert(out.end(), text.begin(), text.end());
    if (!bin.empty()) {
        append_u32(out, bin.size());
        append_u32(out, kBinChunkType);
        out.insert(out.end(), bin.begin(), bin.end());
    }
    return out;
}

}  // namespace helixavatar::gltf
