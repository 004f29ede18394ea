// SPDX-License-Identifier: MIT
#include "texture/image_use.hpp"

#include <algorithm>

namespace helixavatar::texture {
namespace {

bool reads_alpha(const avatar::Material& material, avatar::TextureRole role) {
    using avatar::TextureRole;
    // Core glTF reads alpha from the base colour only, and not from that when the material is opaque.
    if (role == TextureRole::base_color) return alpha_mode(material) != "OPAQUE";
    return role == TextureRole::other_color || role == TextureRole::other_data;
}

double cutoff_of(const avatar::Material& material) {
    const auto cutoff = material.json.find("alphaCutoff");
    return cutoff != material.json.end() && cutoff->is_number() ? cutoff->get<double>() : 0.5;
}

}  // namespace

std::string alpha_mode(const avatar::Material& material) {
    const auto mode = material.json.find("alphaMode");
    return mode != material.json.end() && mode->is_string() ? mode->get<std::string>() : "OPAQUE";
}

const avatar::Texture* texture_at(const avatar::Avatar& avatar, int texture) {
    if (texture < 0 || static_cast<std::size_t>(texture) >= avatar.textures.size()) return nullptr;
    const avatar::Texture& found = avatar.textures[static_cast<std::size_t>(texture)];
    const bool has_image = found.image >= 0 && static_cast<std::size_t>(found.image) < avatar.images.size();
    return has_image ? &found : nullptr;
}

ImageUses gather_image_uses(const avatar::Avatar& avatar) {
    ImageUses out;
    out.material_used.assign(avatar.materials.size(), false);
    for (const avatar::Level& level : avatar.levels)
        for (const avatar::Surface& surface : level.surfaces)
            if (surface.material >= 0 && static_cast<std::size_t>(surface.material) < avatar.materials.size())
                out.material_used[static_cast<std::size_t>(surface.material)] = true;

    std::map<std::pair<int, Content>, ImageUse> uses;
    for (std::size_t m = 0; m < avatar.materials.size(); ++m) {
        if (!out.material_used[m]) continue;
        for (const avatar::TextureSlot& slot : avatar.materials[m].slots) {
            const avatar::Texture* texture = texture_at(avatar, slot.texture);
            if (!texture) continue;
            const avatar::TextureRole role = avatar::role_of(slot.pointer);
            const Content content = content_of(role);
            const auto [at, added] =
                uses.try_emplace({texture->image, content}, ImageUse{texture->image, content, role, false, {}});
            at->second.role = std::min(at->second.role, role);
            at->second.alpha_read |= reads_alpha(avatar.materials[m], role);
            if (role == avatar::TextureRole::base_color && alpha_mode(avatar.materials[m]) == "MASK")
                at->second.cutoff = cutoff_of(avatar.materials[m]);
        }
    }
    for (const auto& [key, use] : uses) {
        out.index.emplace(key, out.uses.size());
        out.uses.push_back(use);
    }
    return out;
}

}  // namespace helixavatar::texture
