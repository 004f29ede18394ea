// SPDX-License-Identifier: MIT
#include "texture/encode.hpp"

#include <stb_image_write.h>

namespace helixavatar::texture {
namespace {

/// Above 90 stb keeps colour at full resolution, which textures with hard seams need.
constexpr int kJpegQuality = 92;

void append(void* context, void* data, int size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    static_cast<Bytes*>(context)->insert(static_cast<Bytes*>(context)->end(), bytes, bytes + size);
}

Bytes rgb_of(const Pixels& pixels) {
    Bytes rgb;
    rgb.reserve(pixels.rgba.size() / 4 * 3);
    for (std::size_t i = 0; i < pixels.rgba.size(); i += 4) rgb.insert(rgb.end(), &pixels.rgba[i], &pixels.rgba[i] + 3);
    return rgb;
}

}  // namespace

Result<Bytes> encode_png(const Pixels& pixels) {
    Bytes out;
    const Bytes rgb = pixels.has_alpha ? Bytes{} : rgb_of(pixels);
    const int channels = pixels.has_alpha ? 4 : 3;
    const std::uint8_t* data = pixels.has_alpha ? pixels.rgba.data() : rgb.data();
    if (!stbi_write_png_to_func(append, &out, pixels.width, pixels.height, channels, data, pixels.width * channels) ||
        out.empty())
        return Error{ErrorKind::internal, "the PNG encoder gave up", "", ""};
    return out;
}

Result<Bytes> encode_jpeg(const Pixels& pixels) {
    Bytes out;
    if (!stbi_write_jpg_to_func(append, &out, pixels.width, pixels.height, 4, pixels.rgba.data(), kJpegQuality) ||
        out.empty())
        return Error{ErrorKind::internal, "the JPEG encoder gave up", "", ""};
    return out;
}

Bytes encode_tga(const Pixels& pixels) {
    const auto low = [](int value) { return static_cast<std::uint8_t>(value & 0xFF); };
    const auto high = [](int value) { return static_cast<std::uint8_t>(value >> 8 & 0xFF); };
    const std::uint8_t alpha_bits = pixels.has_alpha ? 8 : 0;
    Bytes out{0,
              0,
              2,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              low(pixels.width),
              high(pixels.width),
              low(pixels.height),
              high(pixels.height),
              static_cast<std::uint8_t>(24 + alpha_bits),
              static_cast<std::uint8_t>(0x20 | alpha_bits)};
    out.reserve(out.size() + pixels.rgba.size());
    for (std::size_t i = 0; i < pixels.rgba.size(); i += 4) {
        out.push_back(pixels.rgba[i + 2]);
        out.push_back(pixels.rgba[i + 1]);
        out.push_back(pixels.rgba[i]);
        if (pixels.has_alpha) out.push_back(pixels.rgba[i + 3]);
    }
    return out;
}

}  // namespace helixavatar::texture
