// SPDX-License-Identifier: MIT
#include <helixavatar/texture/atlas.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <tuple>

#include <helixavatar/base/parallel.hpp>

#include "texture/bake_atlas.hpp"
#include "texture/encode.hpp"

namespace helixavatar::texture {
namespace {

using avatar::Json;

/// A drawn material with everything that lies on it.
struct Member {
    int material = -1;
    MaterialLook look;
    std::vector<avatar::Surface*> surfaces;
    std::size_t triangles = 0;
    bool inside_out = false;  ///< a one-sided shell that faces inwards: a toon outline
    std::vector<Patch> patches;
    std::vector<SurfacePatches> maps;
};

/// What must be equal for two materials to be drawn as one.
using DrawKey = std::tuple<AlphaMode, bool, bool>;

/// Differences that are given up one after the other.
enum class Tolerance { none, sidedness, lighting, masking };

DrawKey draw_key(const MaterialLook& look, Tolerance tolerance) {
    const AlphaMode alpha =
        tolerance >= Tolerance::masking && look.alpha == AlphaMode::mask ? AlphaMode::opaque : look.alpha;
    return {alpha, tolerance < Tolerance::sidedness && look.double_sided,
            tolerance < Tolerance::lighting && look.unlit};
}

/// Signed volume against that of the box: a closed shell whose faces point inwards is clearly negative.
bool faces_inwards(const std::vector<avatar::Surface*>& surfaces) {
    double volume = 0;
    Eigen::AlignedBox3d box;
    for (const avatar::Surface* surface : surfaces)
        for (const Vec3f& p : surface->positions) box.extend(p.cast<double>());
    if (box.isEmpty()) return false;
    const Vec3 centre = box.center();
    for (const avatar::Surface* surface : surfaces)
        for (const auto* list : {&surface->body, &surface->face})
            for (std::size_t i = 0; i + 2 < list->size(); i += 3) {
                const auto at = [&](std::size_t k) {
                    return Vec3(surface->positions[(*list)[i + k]].cast<double>() - centre);
                };
                volume += at(0).dot(at(1).cross(at(2))) / 6;
            }
    return volume < -0.02 * box.volume();
}

std::vector<Member> members_of(avatar::Avatar& avatar) {
    std::map<int, Member> by_material;
    for (avatar::Level& level : avatar.levels)
        for (avatar::Surface& surface : level.surfaces) {
            Member& member = by_material[surface.material];
            member.material = surface.material;
            member.surfaces.push_back(&surface);
            member.triangles += surface.triangles();
        }
    std::vector<Member> members;
    for (auto& [material, member] : by_material) {
        member.look = look_of(avatar, material);
        member.inside_out = !member.look.double_sided && faces_inwards(member.surfaces);
        members.push_back(std::move(member));
    }
    return members;
}

/// The size in texels that 0..1 has: that of the colour and normal pictures, which show detail most; else the largest
/// of the rest.
Result<Size> reference_size(const MaterialLook& look, const ImageStore& store) {
    const bool detailed = look.layer(Layer::base).image >= 0 || look.layer(Layer::normal).image >= 0;
    Size reference{1, 1};
    for (std::size_t i = 0; i < kLayers; ++i) {
        const bool shows_detail =
            i == static_cast<std::size_t>(Layer::base) || i == static_cast<std::size_t>(Layer::normal);
        if (look.layers[i].image < 0 || (detailed && !shows_detail)) continue;
        const auto size = store.size(look.layers[i].image);
        if (!size) return size.error();
        reference = {std::max(reference.width, size->width), std::max(reference.height, size->height)};
    }
    return reference;
}

/// Finds the patches of every member; those that cannot be baked move to `left_out`.
Result<void> find_all_patches(std::vector<Member>& members, const AtlasOptions& options, ImageStore& store,
                              std::vector<LeftOut>& left_out) {
    std::vector<Member> bakable;
    for (Member& member : members) {
        const auto reference = reference_size(member.look, store);
        if (!reference) return reference.error();
        std::string reason = member.look.unbakable;
        if (reason.empty())
            reason = find_patches(member.look, 0, *reference, member.surfaces, {options.max_repeats}, member.patches,
                                  member.maps);
        if (!reason.empty())
            left_out.push_back({member.look.name, reason});
        else
            bakable.push_back(std::move(member));
    }
    members = std::move(bakable);
    return {};
}

using Groups = std::map<DrawKey, std::vector<Member>>;

Groups group_members(std::vector<Member> members, const AtlasOptions& options, std::vector<LeftOut>& left_out) {
    Tolerance tolerance = Tolerance::none;
    for (const Tolerance tried : {Tolerance::none, Tolerance::sidedness, Tolerance::lighting, Tolerance::masking}) {
        tolerance = tried;
        std::map<DrawKey, int> keys;
        for (const Member& member : members) ++keys[draw_key(member.look, tried)];
        if (keys.size() + left_out.size() <= static_cast<std::size_t>(std::max(1, options.max_materials))) break;
    }
    Groups groups;
    for (Member& member : members) groups[draw_key(member.look, tolerance)].push_back(std::move(member));
    for (auto& [key, group] : groups) {
        const bool two_sided =
            std::any_of(group.begin(), group.end(), [](const Member& m) { return m.look.double_sided; });
        if (!two_sided) continue;
        for (const Member& member : group)
            if (member.inside_out)
                left_out.push_back({member.look.name,
                                    "its faces point inwards (an outline shell), which drawing both sides would show"});
        std::erase_if(group, [](const Member& member) { return member.inside_out; });
    }
    return groups;
}

struct AtlasStyle {
    std::string name;
    AlphaMode alpha = AlphaMode::opaque;
    bool double_sided = false, unlit = false, nearest = false;
};

AtlasStyle style_of(const std::vector<Member>& group, std::vector<std::string>& warnings) {
    AtlasStyle style;
    std::size_t lit = 0, unlit = 0, textured = 0, nearest = 0;
    for (const Member& member : group) {
        style.alpha = std::max(style.alpha, member.look.alpha);
        style.double_sided |= member.look.double_sided;
        (member.look.unlit ? unlit : lit) += member.triangles;
        const LayerTexture& base = member.look.layer(Layer::base);
        textured += base.image >= 0 ? 1U : 0U;
        nearest += base.image >= 0 && base.nearest ? 1U : 0U;
    }
    style.unlit = unlit > lit;
    style.nearest = textured > 0 && nearest == textured;
    style.name = style.alpha == AlphaMode::opaque ? "Atlas"
                 : style.alpha == AlphaMode::mask ? "AtlasMasked"
                                                  : "AtlasBlended";
    for (const Member& member : group) {
        if (member.look.unlit != style.unlit)
            warnings.push_back("material \"" + member.look.name + "\" is drawn " + (style.unlit ? "without" : "with") +
                               " lighting now, as most of the atlas is");
        if (member.look.lost.empty()) continue;
        std::string lost;
        for (const std::string& what : member.look.lost) lost += (lost.empty() ? "" : ", ") + what;
        warnings.push_back("material \"" + member.look.name + "\" loses in the atlas: " + lost);
    }
    return style;
}

Result<void> add_texture(avatar::Avatar& avatar, avatar::Material& material, const std::string& pointer,
                         const Bytes& png, const std::string& name, bool nearest) {
    avatar.images.push_back({name, "image/png", png});
    const int filter = nearest ? 9728 : 9729;
    Json sampler{{"magFilter", filter}, {"minFilter", nearest ? 9984 : 9987}, {"wrapS", 33071}, {"wrapT", 33071}};
    avatar.textures.push_back({name, static_cast<int>(avatar.images.size()) - 1, std::move(sampler)});
    const int texture = static_cast<int>(avatar.textures.size()) - 1;
    material.json[Json::json_pointer(pointer)] = Json{{"index", texture}};
    material.slots.push_back({pointer, texture});
    return {};
}

avatar::Material material_for(const BakedAtlas& baked, const AtlasStyle& style) {
    avatar::Material material{Json::object(), {}};
    Json& json = material.json;
    json["name"] = style.name;
    Json& pbr = json["pbrMetallicRoughness"] = Json::object();
    const Vec4f& base = baked.base_factor;
    if (base != Vec4f::Ones()) pbr["baseColorFactor"] = {base[0], base[1], base[2], base[3]};
    if (!baked.orm) {
        pbr["metallicFactor"] = baked.metallic;
        pbr["roughnessFactor"] = baked.roughness;
    }
    const Vec3f& glow = baked.emissive_factor;
    if (!glow.isZero()) json["emissiveFactor"] = {glow[0], glow[1], glow[2]};
    if (style.alpha == AlphaMode::mask) {
        json["alphaMode"] = "MASK";
        json["alphaCutoff"] = 0.5;
    } else if (style.alpha == AlphaMode::blend) {
        json["alphaMode"] = "BLEND";
    }
    if (style.double_sided) json["doubleSided"] = true;
    if (style.unlit) json["extensions"]["KHR_materials_unlit"] = Json::object();
    if (baked.emissive_strength > 1)
        json["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"] = baked.emissive_strength;
    return material;
}

/// Adds the material with its pictures; returns its index.
Result<int> add_material(avatar::Avatar& avatar, const BakedAtlas& baked, const AtlasStyle& style) {
    struct Picture {
        const char* pointer;
        const char* name;
        const std::optional<Pixels>* pixels;
    };
    const std::array<Picture, 4> pictures{
        {{"/pbrMetallicRoughness/baseColorTexture", "base color", &baked.base},
         {"/normalTexture", "normal", &baked.normal},
         {"/pbrMetallicRoughness/metallicRoughnessTexture", "occlusion roughness metallic", &baked.orm},
         {"/emissiveTexture", "emissive", &baked.emissive}}};
    std::array<std::optional<Result<Bytes>>, 4> encoded;
    parallel_for(pictures.size(), [&](std::size_t i) {
        if (*pictures[i].pixels) encoded[i] = encode_png(**pictures[i].pixels);
    });
    avatar::Material material = material_for(baked, style);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        if (!encoded[i]) continue;
        if (!*encoded[i]) return encoded[i]->error();
        if (auto added = add_texture(avatar, material, pictures[i].pointer, encoded[i]->value(),
                                     style.name + " " + pictures[i].name, style.nearest);
            !added)
            return added.error();
    }
    if (baked.orm && baked.has_occlusion) {
        const int texture = material.texture("/pbrMetallicRoughness/metallicRoughnessTexture");
        material.json["occlusionTexture"] = Json{{"index", texture}};
        material.slots.push_back({"/occlusionTexture", texture});
    }
    avatar.materials.push_back(std::move(material));
    return static_cast<int>(avatar.materials.size()) - 1;
}

/// Moves the UVs of a surface into the atlas.
void move_uvs(const SurfacePatches& map, const std::vector<Patch>& patches, const PackedSize& packed) {
    std::vector<Vec2f> moved(map.uv.size(), Vec2f::Zero());
    for (std::size_t v = 0; v < moved.size(); ++v) {
        if (map.patch[v] < 0) continue;
        const Patch& patch = patches[static_cast<std::size_t>(map.patch[v])];
        const double s = (map.uv[v].x() - patch.uv.u0) / (patch.uv.u1 - patch.uv.u0);
        const double t = (map.uv[v].y() - patch.uv.v0) / (patch.uv.v1 - patch.uv.v0);
        moved[v] = Vec2((patch.x + packed.padding + s * patch.core_width) / packed.size.width,
                        (patch.y + packed.padding + t * patch.core_height) / packed.size.height)
                       .cast<float>();
    }
    map.surface->uvs.assign(1, std::move(moved));
}

/// One group as one material.
Result<void> build(AtlasOutput& out, std::vector<Member>& group, const AtlasOptions& options, ImageStore& store) {
    std::vector<Patch> patches;
    std::vector<SurfacePatches> maps;
    std::vector<MaterialLook> looks;
    for (Member& member : group) {
        for (SurfacePatches& map : member.maps) {
            for (int& patch : map.patch)
                if (patch >= 0) patch += static_cast<int>(patches.size());
            maps.push_back(std::move(map));
        }
        for (Patch& patch : member.patches) {
            patch.member = looks.size();
            patches.push_back(patch);
        }
        looks.push_back(member.look);
    }
    if (auto found = find_flat_patches(patches, looks, store); !found) return found.error();
    PackedSize packed;
    if (!pack_patches(patches, options.max_edge, packed)) {
        for (const Member& member : group)
            out.left_out.push_back({member.look.name, "its many UV islands do not fit one picture"});
        return {};
    }
    AtlasStyle style = style_of(group, out.warnings);
    const auto same_name = [&](const AtlasRecord& record) { return record.material == style.name; };
    for (int number = 2; std::any_of(out.atlases.begin(), out.atlases.end(), same_name); ++number)
        style.name = style.name.substr(0, style.name.find_last_not_of("0123456789") + 1) + std::to_string(number);
    const auto baked = bake_atlas(patches, packed, looks, style.alpha, store);
    if (!baked) return baked.error();
    const auto material = add_material(out.avatar, *baked, style);
    if (!material) return material.error();

    const bool textured = baked->base || baked->normal || baked->orm || baked->emissive;
    for (const SurfacePatches& map : maps) {
        map.surface->material = *material;
        if (textured)
            move_uvs(map, patches, packed);
        else
            map.surface->uvs.clear();
        if (!baked->normal) map.surface->tangents.clear();
    }
    AtlasRecord record{
        style.name, {}, textured ? packed.size.width : 0, textured ? packed.size.height : 0, packed.scale};
    for (const Member& member : group) record.from.push_back(member.look.name);
    out.atlases.push_back(std::move(record));
    return {};
}

/// Materials that no surface names go.
void drop_undrawn(avatar::Avatar& avatar) {
    std::map<int, int> kept;
    for (const avatar::Level& level : avatar.levels)
        for (const avatar::Surface& surface : level.surfaces)
            if (surface.material >= 0 && static_cast<std::size_t>(surface.material) < avatar.materials.size())
                kept[surface.material] = 0;
    std::vector<avatar::Material> materials;
    for (auto& [material, index] : kept) {
        index = static_cast<int>(materials.size());
        materials.push_back(std::move(avatar.materials[static_cast<std::size_t>(material)]));
    }
    for (avatar::Level& level : avatar.levels)
        for (avatar::Surface& surface : level.surfaces) {
            const auto found = kept.find(surface.material);
            surface.material = found == kept.end() ? -1 : found->second;
        }
    avatar.materials = std::move(materials);
}

}  // namespace

Result<AtlasOutput> atlas(avatar::Avatar avatar, const AtlasOptions& options) {
    AtlasOutput out;
    out.avatar = std::move(avatar);
    // The atlases' own pictures are added to the avatar while the sources are still read.
    const std::vector<avatar::Image> images = out.avatar.images;
    ImageStore store(images, std::max(4, options.max_edge), options.encoder, options.limits);
    try {
        std::vector<Member> members = members_of(out.avatar);
        if (auto found = find_all_patches(members, options, store, out.left_out); !found) return found.error();
        Groups groups = group_members(std::move(members), options, out.left_out);
        for (auto& [key, group] : groups) {
            if (group.size() < 2) continue;  // it is one material already
            if (auto built = build(out, group, options, store); !built) return built.error();
        }
    } catch (const std::exception& exception) {  // no memory, no temporary folder
        return Error{ErrorKind::internal, std::string("the atlas could not be made: ") + exception.what(), "", ""};
    }
    for (const int image : store.righted())
        out.warnings.push_back("the normal texture \"" + images[static_cast<std::size_t>(image)].name +
                               "\" had its green channel upside down (DirectX style): it is inverted in the atlas");
    drop_undrawn(out.avatar);
    return out;
}

}  // namespace helixavatar::texture
