// SPDX-License-Identifier: MIT
#include "texture/workshop.hpp"

#include <algorithm>
#include <cstdlib>

namespace helixavatar::texture {
namespace {

std::string count_of_images(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " texture" : " textures");
}

Error no_encoder(const TextureOptions& options) {
    std::string named = options.encoder.string();
    if (named.empty())
        if (const char* variable = std::getenv("HELIXAVATAR_BASISU")) named = variable;
    if (!named.empty())
        return Error{ErrorKind::unconvertible, "the KTX2 encoder cannot be run: it is no executable file", named,
                     kEncoderHint};
    return Error{ErrorKind::unconvertible, "no KTX2 encoder (basisu) was found", "", kEncoderHint};
}

}  // namespace

Result<Workshop> open_workshop(const avatar::Avatar& avatar, const ImageUses& uses, const TextureOptions& options,
                               std::vector<std::string>& warnings) {
    Workshop workshop{options, {}, EncodeCache(options.cache)};
    const bool unpacks = std::any_of(uses.uses.begin(), uses.uses.end(), [&](const ImageUse& use) {
        return avatar.images[static_cast<std::size_t>(use.image)].mime == "image/ktx2";
    });
    if (uses.uses.empty() || (!options.ktx2 && !unpacks)) return workshop;
    const auto program = find_encoder(options.encoder);
    if (program.empty()) {
        const Error error = no_encoder(options);
        if (options.ktx2 && options.ktx2_required) return error;
        if (options.ktx2)
            warnings.push_back(error.message + (error.where.empty() ? "" : " (" + error.where + ")") + ": " +
                               count_of_images(uses.uses.size()) + (uses.uses.size() == 1 ? " stays" : " stay") +
                               " PNG or JPEG, which take four to eight times the GPU memory and make a larger file. " +
                               error.hint);
        return workshop;
    }
    auto encoder = open_encoder(program);
    if (!encoder) return encoder.error();
    workshop.encoder = encoder.take();
    return workshop;
}

Error in_image(Error error, const avatar::Avatar& avatar, int image) {
    const std::string& name = avatar.images[static_cast<std::size_t>(image)].name;
    const std::string place = "/images/" + std::to_string(image) + (name.empty() ? "" : " (" + name + ")");
    error.where = error.where.empty() ? place : place + ", " + error.where;
    return error;
}

void rewire(avatar::Avatar& avatar, const ImageUses& uses) {
    std::map<std::pair<int, Content>, int> renumbered;
    for (std::size_t m = 0; m < avatar.materials.size(); ++m)
        for (const avatar::TextureSlot& slot : avatar.materials[m].slots)
            if (uses.material_used[m] && texture_at(avatar, slot.texture))
                renumbered.emplace(std::pair(slot.texture, content_of(avatar::role_of(slot.pointer))), 0);
    std::vector<avatar::Texture> textures;
    for (auto& [key, index] : renumbered) {
        avatar::Texture texture = avatar.textures[static_cast<std::size_t>(key.first)];
        texture.image = static_cast<int>(uses.index.at({texture.image, key.second}));
        index = static_cast<int>(textures.size());
        textures.push_back(std::move(texture));
    }
    for (avatar::Material& material : avatar.materials)
        for (avatar::TextureSlot& slot : material.slots) {
            const auto found = renumbered.find({slot.texture, content_of(avatar::role_of(slot.pointer))});
            slot.texture = found == renumbered.end() ? -1 : found->second;
        }
    avatar.textures = std::move(textures);
}

}  // namespace helixavatar::texture
