// SPDX-License-Identifier: MIT
#include "texture/convert_image.hpp"

#include <algorithm>
#include <exception>

#include <helixavatar/gltf/image_header.hpp>

#include "texture/encode.hpp"
#include "texture/ktx2_levels.hpp"

namespace helixavatar::texture {
namespace {

using gltf::ImageFormat;

/// PNG's IHDR holds the bits a sample at byte 24.
bool is_deep_png(const avatar::Image& image, const gltf::ImageHeader& header) {
    return header.format == ImageFormat::png && image.bytes.size() > 24 && image.bytes[24] == 16;
}

void finish(ConvertedImage& out, Bytes bytes, ImageFormat format, Size size, std::string mode) {
    out.image.mime = gltf::mime_type(format);
    out.image.bytes = std::move(bytes);
    out.record.to = {out.image.mime, size.width, size.height, out.image.bytes.size()};
    out.record.mode = std::move(mode);
}

void keep(ConvertedImage& out, const avatar::Image& image, const gltf::ImageHeader& header) {
    finish(out, image.bytes, header.format, {header.width, header.height}, "kept");
}

/// Whether a KTX2 proves to be a normal map upside down, by a level that is quick to unpack. Nobody can look: no.
bool proves_green_down(const avatar::Image& image, const gltf::ImageHeader& header, const ImageUse& use,
                       const Workshop& workshop) {
    constexpr int kLookedAtEdge = 256;  // the grid that pixel_statistics() samples
    if (!header.ktx2 || use.content != Content::normal || !workshop.encoder) return false;
    const auto pixels = decode_ktx2(image.bytes, kLookedAtEdge, workshop.encoder->program, workshop.options.limits);
    return pixels && green_points_down(pixel_statistics(*pixels));
}

/// An existing KTX2 that fits stays as it is: every encoding costs quality.
bool keep_ktx2(ConvertedImage& out, const avatar::Image& image, const gltf::ImageHeader& header, const ImageUse& use,
               const Workshop& workshop, const Goal& goal) {
    if (!header.ktx2 || std::max(header.width, header.height) > goal.max_edge) return false;
    if (!workshop.options.ktx2 && workshop.encoder) return false;  // it can be unpacked
    keep(out, image, header);
    const bool srgb = header.ktx2->transfer == 2;
    if (srgb != (use.content == Content::color))
        out.warning = "the KTX2 image \"" + image.name + "\" is marked " + (srgb ? "sRGB" : "linear") +
                      " but is used as " + avatar::to_string(use.role) +
                      ": its colours will be off; export it again from the source picture";
    else if (!workshop.options.ktx2)
        out.warning = "the KTX2 image \"" + image.name + "\" stays KTX2: unpacking it needs the basisu program";
    return true;
}

/// A KTX2 with mip levels is made smaller without a new encoding.
bool shrink_ktx2(ConvertedImage& out, const avatar::Image& image, const gltf::ImageHeader& header,
                 const Workshop& workshop, const Goal& goal) {
    if (!header.ktx2 || !workshop.options.ktx2) return false;
    const int over = levels_over(header.width, header.height, header.ktx2->levels, goal.max_edge);
    if (over <= 0) return false;
    auto smaller = drop_largest_levels(image.bytes, over);
    if (!smaller) return false;
    finish(out, smaller.take(), ImageFormat::ktx2, {header.width >> over, header.height >> over}, "kept");
    return true;
}

Result<Pixels> pixels_of(const avatar::Image& image, const gltf::ImageHeader& header, const Workshop& workshop,
                         const Goal& goal) {
    if (!header.ktx2) return decode(image.bytes, workshop.options.limits);
    if (workshop.encoder) return decode_ktx2(image.bytes, *workshop.encoder, workshop.options.limits);
    return Error{ErrorKind::unconvertible,
                 "the KTX2 image \"" + image.name + "\" is over " + std::to_string(goal.max_edge) +
                     " pixels, and making it smaller needs the basisu program",
                 "", kEncoderHint};
}

/// Size, alpha and hidden colours as the use wants them.
Pixels fit(Pixels pixels, const ImageUse& use, int max_edge) {
    if (!use.alpha_read && pixels.has_alpha) drop_alpha(pixels);
    bleed_under_alpha(pixels);
    // One colour needs no more than the smallest block.
    const Size size = is_uniform(pixels) ? Size{4, 4} : fitted_size(pixels.width, pixels.height, max_edge);
    if (size == Size{pixels.width, pixels.height}) return pixels;
    return resample(pixels, {}, size.width, size.height, use.content);
}

Result<void> write_ktx2(ConvertedImage& out, const Pixels& pixels, const ImageUse& use, const Workshop& workshop,
                        Form form) {
    const auto cutoff = pixels.has_alpha ? use.cutoff : std::nullopt;
    Ktx2Parameters parameters = parameters_for(use.content, workshop.options.quality, cutoff);
    if (form == Form::uastc) parameters.codec = Codec::uastc;
    if (form == Form::etc1s && !cutoff) parameters.codec = Codec::etc1s;
    std::vector<std::string> recipe = encoder_arguments(parameters);
    if (cutoff) recipe.push_back("coverage at " + std::to_string(*cutoff));
    const std::string key = EncodeCache::key(pixels, recipe, workshop.encoder->version);
    std::optional<Bytes> bytes = workshop.cache.find(key);
    if (bytes && !ktx2_fault(*bytes, pixels.width, pixels.height, parameters).empty()) bytes.reset();
    if (!bytes) {
        auto encoded = encode_ktx2(pixels, parameters, *workshop.encoder);
        if (!encoded) return encoded.error();
        bytes = encoded.take();
        workshop.cache.store(key, *bytes);
    }
    finish(out, std::move(*bytes), ImageFormat::ktx2, {pixels.width, pixels.height},
           parameters.codec == Codec::uastc ? "uastc" : "etc1s");
    return {};
}

/// JPEG only where the source was lossy already or it is asked for, and for colour only: blocks of 8 show in normals
/// and in data.
Result<void> write_plain(ConvertedImage& out, const Pixels& pixels, const ImageUse& use, ImageFormat source,
                         Form form) {
    const bool lossy = source == ImageFormat::jpeg || source == ImageFormat::webp || form == Form::jpeg;
    const bool jpeg = lossy && use.content == Content::color && !pixels.has_alpha && !is_uniform(pixels);
    auto bytes = jpeg ? encode_jpeg(pixels) : encode_png(pixels);
    if (!bytes) return bytes.error();
    finish(out, bytes.take(), jpeg ? ImageFormat::jpeg : ImageFormat::png, {pixels.width, pixels.height},
           jpeg ? "jpeg" : "png");
    if (!jpeg && use.content != Content::data) out.statistics = pixel_statistics(pixels);
    return {};
}

Result<ConvertedImage> convert(const avatar::Image& image, const ImageUse& use, const Workshop& workshop,
                               const Goal& goal) {
    const auto header = gltf::read_image_header(image.bytes);
    if (!header) return header.error();
    ConvertedImage out;
    out.image.name = image.name;
    out.record.name = image.name;
    out.record.role = use.role;
    out.record.from = {gltf::mime_type(header->format), header->width, header->height, image.bytes.size()};
    // Worth an encoding once more: a map that shades wrongly everywhere is worse than one that lost a little.
    const bool proven = proves_green_down(image, *header, use, workshop);
    if (!proven &&
        (keep_ktx2(out, image, *header, use, workshop, goal) || shrink_ktx2(out, image, *header, workshop, goal)))
        return out;

    auto decoded = pixels_of(image, *header, workshop, goal);
    if (!decoded) return decoded.error();
    // Of data nobody asks, and a KTX2 is looked at as it comes out of its encoder.
    const bool looked_at = use.content == Content::normal || (use.content == Content::color && !workshop.makes_ktx2());
    const PixelStatistics statistics = looked_at ? pixel_statistics(*decoded) : PixelStatistics{};
    const bool righted = proven || (use.content == Content::normal && green_points_down(statistics));
    if (righted) {
        invert_green(*decoded);
        out.warning = "the normal texture \"" + image.name +
                      "\" had its green channel upside down (DirectX style): it is inverted now, as glTF has it";
    }
    const Pixels pixels = fit(decoded.take(), use, goal.max_edge);
    const bool same_size = pixels.width == header->width && pixels.height == header->height;
    const bool plain = header->format == ImageFormat::jpeg ||
                       (header->format == ImageFormat::png && !is_deep_png(image, *header) && goal.form != Form::jpeg);
    if (!workshop.makes_ktx2() && same_size && plain && !righted) {
        keep(out, image, *header);
        if (looked_at) out.statistics = statistics;
        return out;
    }
    const auto written = workshop.makes_ktx2() ? write_ktx2(out, pixels, use, workshop, goal.form)
                                               : write_plain(out, pixels, use, header->format, goal.form);
    if (!written) return written.error();
    return out;
}

}  // namespace

Result<ConvertedImage> convert_image(const avatar::Image& image, const ImageUse& use, const Workshop& workshop,
                                     const Goal& goal) {
    try {
        return convert(image, use, workshop, goal);
    } catch (const std::exception& exception) {  // no memory, no temporary folder
        return Error{ErrorKind::internal, std::string("a texture could not be made: ") + exception.what(), "", ""};
    }
}

}  // namespace helixavatar::texture
