// SPDX-License-Identifier: MIT
#include "texture/bake_atlas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace helixavatar::texture {
namespace {

float srgb_to_linear(float s) {
    return s <= 0.04045F ? s / 12.92F : std::pow((s + 0.055F) / 1.055F, 2.4F);
}
float linear_to_srgb(float l) {
    return l <= 0.0031308F ? l * 12.92F : 1.055F * std::pow(l, 1 / 2.4F) - 0.055F;
}

float unit(std::uint8_t byte) {
    return static_cast<float>(byte) / 255;
}
std::uint8_t byte(float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
}

Content content_of(Layer layer) {
    if (layer == Layer::normal) return Content::normal;
    return layer == Layer::base || layer == Layer::emissive ? Content::color : Content::data;
}

bool keeps_alpha(const MaterialLook& look, Layer layer) {
    return layer == Layer::base && look.alpha != AlphaMode::opaque;
}

/// A masked material's cutoff moves to the middle, where all of the atlas is cut.
float moved_cutoff(float alpha, float cutoff) {
    if (cutoff <= 0) return 1;
    if (cutoff >= 1) return alpha * 0.5F / cutoff;
    return alpha < cutoff ? alpha / cutoff * 0.5F : 0.5F + (alpha - cutoff) / (1 - cutoff) * 0.5F;
}

/// One picture of the atlas, at 1 / 2^halvings of its layout.
struct Canvas {
    Pixels pixels;
    int halvings = 0;
};

using Texel = std::uint8_t*;
/// Writes one texel of the atlas from one of the source; null: the material has no texture in this layer.
using WriteTexel = std::function<void(const MaterialLook&, const std::uint8_t*, Texel)>;

struct Bake {
    const std::vector<Patch>& patches;
    const PackedSize& packed;
    const std::vector<MaterialLook>& looks;
    ImageStore& store;
};

/// Whether any of the materials has a texture in the layer.
bool any_texture(const std::vector<MaterialLook>& looks, Layer layer) {
    return std::any_of(looks.begin(), looks.end(),
                       [&](const MaterialLook& look) { return look.layer(layer).image >= 0; });
}

/// How often the channel may be halved before it loses detail that its sources have.
Result<int> halvings_for(const Bake& bake, std::initializer_list<Layer> layers) {
    double finest = 0;  // source texels a texel of the layout
    for (const Layer layer : layers)
        for (const Patch& patch : bake.patches) {
            const LayerTexture& texture = bake.looks[patch.member].layer(layer);
            if (texture.image < 0 || patch.flat) continue;
            const auto size = bake.store.size(texture.image);
            if (!size) return size.error();
            finest = std::max({finest, (patch.uv.u1 - patch.uv.u0) * size->width / patch.core_width,
                               (patch.uv.v1 - patch.uv.v0) * size->height / patch.core_height});
        }
    int halvings = 0;
    while (halvings < kMaxHalvings && finest * 1.5 < 1.0 / (1 << halvings)) ++halvings;
    const bool halvable = std::max(bake.packed.size.width, bake.packed.size.height) >= kHalvableEdge;
    return halvable ? halvings : 0;
}

Result<Canvas> canvas_for(const Bake& bake, std::initializer_list<Layer> layers) {
    const auto halvings = halvings_for(bake, layers);
    if (!halvings) return halvings.error();
    Canvas canvas;
    canvas.halvings = *halvings;
    canvas.pixels.width = bake.packed.size.width >> *halvings;
    canvas.pixels.height = bake.packed.size.height >> *halvings;
    canvas.pixels.rgba.assign(static_cast<std::size_t>(canvas.pixels.width) * canvas.pixels.height * 4, 255);
    return canvas;
}

/// The UV rectangle under a whole patch, padding included; the middle of a patch of one colour, clear of its
/// neighbours.
Region padded_region(const Patch& patch, int padding) {
    if (patch.flat) {
        const double u = (patch.uv.u0 + patch.uv.u1) / 2, v = (patch.uv.v0 + patch.uv.v1) / 2;
        return {u, v, u, v};
    }
    const double du = (patch.uv.u1 - patch.uv.u0) / patch.core_width,
                 dv = (patch.uv.v1 - patch.uv.v0) / patch.core_height;
    const double u0 = patch.uv.u0 - padding * du, v0 = patch.uv.v0 - padding * dv;
    return {u0, v0, u0 + patch.width * du, v0 + patch.height * dv};
}

Result<void> paint_patch(const Bake& bake, const Patch& patch, Layer layer, const WriteTexel& write, Canvas& canvas) {
    const MaterialLook& look = bake.looks[patch.member];
    const LayerTexture& texture = look.layer(layer);
    const int width = patch.width >> canvas.halvings, height = patch.height >> canvas.halvings;
    Pixels part;
    if (texture.image >= 0) {
        const auto source = bake.store.get(texture.image, content_of(layer), keeps_alpha(look, layer));
        if (!source) return source.error();
        part = resample(**source, padded_region(patch, bake.packed.padding), width, height, content_of(layer),
                        texture.wrap_u, texture.wrap_v);
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const auto at = (static_cast<std::size_t>((patch.y >> canvas.halvings) + y) * canvas.pixels.width +
                             static_cast<std::size_t>((patch.x >> canvas.halvings) + x)) *
                            4;
            const std::uint8_t* from =
                part.rgba.empty() ? nullptr
                                  : &part.rgba[(static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)) * 4];
            write(look, from, &canvas.pixels.rgba[at]);
        }
    return {};
}

Result<void> paint(const Bake& bake, Layer layer, const WriteTexel& write, Canvas& canvas) {
    // Image by image, so that each is decoded once.
    std::vector<const Patch*> order;
    for (const Patch& patch : bake.patches) order.push_back(&patch);
    std::stable_sort(order.begin(), order.end(), [&](const Patch* a, const Patch* b) {
        return bake.looks[a->member].layer(layer).image < bake.looks[b->member].layer(layer).image;
    });
    for (const Patch* patch : order)
        if (auto painted = paint_patch(bake, *patch, layer, write, canvas); !painted) return painted;
    return {};
}

/// Gives the gaps between the patches the colours around them: farther mip levels mix them in.
Pixels finished(const Bake& bake, Canvas canvas, bool with_alpha) {
    std::vector<bool> covered(canvas.pixels.rgba.size() / 4, false);
    for (const Patch& patch : bake.patches)
        for (int y = patch.y >> canvas.halvings; y < (patch.y + patch.height) >> canvas.halvings; ++y) {
            const auto first = covered.begin() + static_cast<std::ptrdiff_t>(y) * canvas.pixels.width;
            std::fill(first + (patch.x >> canvas.halvings), first + ((patch.x + patch.width) >> canvas.halvings), true);
        }
    fill_uncovered(canvas.pixels, covered, with_alpha);
    find_alpha(canvas.pixels);
    return std::move(canvas.pixels);
}

template <class Value>
bool all_equal(const std::vector<MaterialLook>& looks, Value value) {
    return std::all_of(looks.begin(), looks.end(),
                       [&](const MaterialLook& look) { return value(look) == value(looks.front()); });
}

Result<void> bake_base(const Bake& bake, AlphaMode alpha, BakedAtlas& out) {
    if (!any_texture(bake.looks, Layer::base) && all_equal(bake.looks, [](const MaterialLook& l) { return l.base; }) &&
        all_equal(bake.looks, [](const MaterialLook& l) { return l.alpha; })) {
        out.base_factor = bake.looks.front().base;
        return {};
    }
    auto canvas = canvas_for(bake, {Layer::base});
    if (!canvas) return canvas.error();
    const WriteTexel write = [&](const MaterialLook& look, const std::uint8_t* from, Texel to) {
        for (int c = 0; c < 3; ++c) {
            const bool as_it_is = from && look.base[c] == 1;
            const float light = (from ? srgb_to_linear(unit(from[c])) : 1) * look.base[c];
            to[c] = as_it_is ? from[c] : byte(linear_to_srgb(light));
        }
        const float opacity = (from ? unit(from[3]) : 1) * look.base[3];
        if (look.alpha == AlphaMode::opaque)
            to[3] = 255;
        else
            to[3] = byte(look.alpha == AlphaMode::mask && alpha == AlphaMode::mask
                             ? moved_cutoff(opacity, look.alpha_cutoff)
                             : opacity);
    };
    if (auto painted = paint(bake, Layer::base, write, *canvas); !painted) return painted;
    out.base = finished(bake, canvas.take(), alpha != AlphaMode::opaque);
    return {};
}

Result<void> bake_normal(const Bake& bake, BakedAtlas& out) {
    if (!any_texture(bake.looks, Layer::normal)) return {};
    auto canvas = canvas_for(bake, {Layer::normal});
    if (!canvas) return canvas.error();
    const WriteTexel write = [](const MaterialLook& look, const std::uint8_t* from, Texel to) {
        Vec3f n = from ? Vec3f(unit(from[0]) * 2 - 1, unit(from[1]) * 2 - 1, unit(from[2]) * 2 - 1) : Vec3f(0, 0, 1);
        if (from && look.normal_scale == 1) {
            std::copy_n(from, 3, to);
            return;
        }
        n.head<2>() *= look.normal_scale;
        n = n.norm() > 1e-6F ? Vec3f(n.normalized()) : Vec3f(0, 0, 1);
        for (int c = 0; c < 3; ++c) to[c] = byte(n[c] * 0.5F + 0.5F);
    };
    if (auto painted = paint(bake, Layer::normal, write, *canvas); !painted) return painted;
    out.normal = finished(bake, canvas.take(), false);
    return {};
}

Result<void> bake_orm(const Bake& bake, BakedAtlas& out) {
    out.has_occlusion = any_texture(bake.looks, Layer::occlusion);
    if (!out.has_occlusion && !any_texture(bake.looks, Layer::rough_metal) &&
        all_equal(bake.looks, [](const MaterialLook& l) { return std::pair(l.metallic, l.roughness); })) {
        out.metallic = bake.looks.front().metallic;
        out.roughness = bake.looks.front().roughness;
        return {};
    }
    auto canvas = canvas_for(bake, {Layer::rough_metal, Layer::occlusion});
    if (!canvas) return canvas.error();
    const WriteTexel rough_metal = [](const MaterialLook& look, const std::uint8_t* from, Texel to) {
        to[1] = byte((from ? unit(from[1]) : 1) * look.roughness);
        to[2] = byte((from ? unit(from[2]) : 1) * look.metallic);
    };
    const WriteTexel occlusion = [](const MaterialLook& look, const std::uint8_t* from, Texel to) {
        to[0] = byte(1 + look.occlusion_strength * ((from ? unit(from[0]) : 1) - 1));
    };
    if (auto painted = paint(bake, Layer::rough_metal, rough_metal, *canvas); !painted) return painted;
    if (auto painted = paint(bake, Layer::occlusion, occlusion, *canvas); !painted) return painted;
    out.orm = finished(bake, canvas.take(), false);
    return {};
}

Result<void> bake_emissive(const Bake& bake, BakedAtlas& out) {
    float strongest = 0;
    for (const MaterialLook& look : bake.looks) strongest = std::max(strongest, look.emissive.maxCoeff());
    if (strongest <= 0) return {};
    out.emissive_strength = std::max(1.0F, strongest);
    if (!any_texture(bake.looks, Layer::emissive) &&
        all_equal(bake.looks, [](const MaterialLook& l) { return l.emissive; })) {
        out.emissive_factor = bake.looks.front().emissive / out.emissive_strength;
        return {};
    }
    out.emissive_factor = Vec3f::Ones();
    auto canvas = canvas_for(bake, {Layer::emissive});
    if (!canvas) return canvas.error();
    const float strength = out.emissive_strength;
    const WriteTexel write = [strength](const MaterialLook& look, const std::uint8_t* from, Texel to) {
        for (int c = 0; c < 3; ++c)
            to[c] = byte(linear_to_srgb((from ? srgb_to_linear(unit(from[c])) : 1) * look.emissive[c] / strength));
    };
    if (auto painted = paint(bake, Layer::emissive, write, *canvas); !painted) return painted;
    out.emissive = finished(bake, canvas.take(), false);
    return {};
}

/// True when the texels under the region, and two around it (what the filter reaches), are equal.
bool is_flat(const Pixels& pixels, const Region& region, const LayerTexture& texture) {
    const auto from = [](double uv, int size) { return static_cast<int>(std::floor(uv * size)) - 2; };
    const auto count = [](double a, double b, int size) {
        return static_cast<int>(std::ceil(b * size) - std::floor(a * size)) + 4;
    };
    const int x0 = from(region.u0, pixels.width), y0 = from(region.v0, pixels.height);
    const int width = count(region.u0, region.u1, pixels.width), height = count(region.v0, region.v1, pixels.height);
    const Region exact{static_cast<double>(x0) / pixels.width, static_cast<double>(y0) / pixels.height,
                       static_cast<double>(x0 + width) / pixels.width,
                       static_cast<double>(y0 + height) / pixels.height};
    return is_uniform(resample(pixels, exact, width, height, Content::data, texture.wrap_u, texture.wrap_v));
}

}  // namespace

Result<void> find_flat_patches(std::vector<Patch>& patches, const std::vector<MaterialLook>& looks, ImageStore& store) {
    std::vector<bool> flat(patches.size(), true);
    for (std::size_t l = 0; l < kLayers; ++l)
        for (std::size_t p = 0; p < patches.size(); ++p) {
            const LayerTexture& texture = looks[patches[p].member].layers[l];
            if (texture.image < 0 || patches[p].flat || !flat[p]) continue;
            const auto pixels = store.get(texture.image, content_of(static_cast<Layer>(l)),
                                          keeps_alpha(looks[patches[p].member], static_cast<Layer>(l)));
            if (!pixels) return pixels.error();
            flat[p] = is_flat(**pixels, patches[p].uv, texture);
        }
    for (std::size_t p = 0; p < patches.size(); ++p) patches[p].flat |= flat[p];
    return {};
}

Result<BakedAtlas> bake_atlas(const std::vector<Patch>& patches, const PackedSize& packed,
                              const std::vector<MaterialLook>& looks, AlphaMode alpha, ImageStore& store) {
    const Bake bake{patches, packed, looks, store};
    BakedAtlas out;
    if (auto done = bake_base(bake, alpha, out); !done) return done.error();
    if (auto done = bake_normal(bake, out); !done) return done.error();
    if (auto done = bake_orm(bake, out); !done) return done.error();
    if (auto done = bake_emissive(bake, out); !done) return done.error();
    return out;
}

}  // namespace helixavatar::texture
