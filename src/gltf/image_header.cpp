// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/image_header.hpp>

#include <algorithm>
#include <bit>
#include <climits>
#include <string_view>

namespace helixavatar::gltf {
namespace {

Error malformed(std::string message) {
    return {ErrorKind::malformed, std::move(message), "", ""};
}

std::uint32_t big16(ByteView b, std::size_t at) {
    return b[at] << 8U | b[at + 1];
}
std::uint32_t big32(ByteView b, std::size_t at) {
    return big16(b, at) << 16U | big16(b, at + 2);
}
std::uint32_t little16(ByteView b, std::size_t at) {
    return b[at] | b[at + 1] << 8U;
}
std::uint32_t little24(ByteView b, std::size_t at) {
    return little16(b, at) | static_cast<std::uint32_t>(b[at + 2]) << 16U;
}
std::uint32_t little32(ByteView b, std::size_t at) {
    return little16(b, at) | little16(b, at + 2) << 16U;
}
std::uint64_t little64(ByteView b, std::size_t at) {
    return little32(b, at) | static_cast<std::uint64_t>(little32(b, at + 4)) << 32U;
}

bool holds(ByteView bytes, std::size_t at, std::string_view text) {
    if (bytes.size() < at || bytes.size() - at < text.size()) return false;
    return std::equal(text.begin(), text.end(), bytes.begin() + at,
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

Result<ImageHeader> sized(ImageFormat format, std::uint32_t width, std::uint32_t height) {
    if (width == 0 || height == 0 || width > INT_MAX || height > INT_MAX)
        return malformed("the image claims a size of " + std::to_string(width) + " x " + std::to_string(height) +
                         " pixels");
    ImageHeader header;
    header.format = format;
    header.width = static_cast<int>(width);
    header.height = static_cast<int>(height);
    return header;
}

constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1a\n", 8};
constexpr std::string_view kKtx2Signature{"\xABKTX 20\xBB\r\n\x1A\n", 12};

/// PNG, third edition, 11.2.1: IHDR comes first, with 13 bytes.
Result<ImageHeader> read_png(ByteView b) {
    if (b.size() < 33 || big32(b, 8) != 13 || !holds(b, 12, "IHDR"))
        return malformed("the PNG has no whole IHDR chunk");
    const unsigned depth = b[24];
    const unsigned color = b[25];
    const bool depth_fits = color == 3 ? depth <= 8 : color == 0 || depth >= 8;
    if (!std::has_single_bit(depth) || depth > 16 ||
        (color != 0 && color != 2 && color != 3 && color != 4 && color != 6) || !depth_fits || b[26] != 0 ||
        b[27] != 0 || b[28] > 1)
        return malformed("the PNG's IHDR holds values that PNG does not know");
    return sized(ImageFormat::png, big32(b, 16), big32(b, 20));
}

/// JPEG (ITU T.81, B.1.1.3): segments follow each other until a start-of-frame, whose size is read.
Result<ImageHeader> read_jpeg(ByteView b) {
    std::size_t at = 2;
    while (at + 4 <= b.size()) {
        if (b[at] != 0xFF) return malformed("the JPEG's segments are broken");
        const std::uint8_t marker = b[at + 1];
        if (marker == 0xFF) {  // fill byte
            ++at;
            continue;
        }
        if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {  // without a length
            at += 2;
            continue;
        }
        const std::size_t length = big16(b, at + 2);
        const bool start_of_frame =
            marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (start_of_frame) {
            if (length < 8 || at + 9 > b.size()) break;
            return sized(ImageFormat::jpeg, big16(b, at + 7), big16(b, at + 5));
        }
        if (marker == 0xD9 || marker == 0xDA || length < 2) break;
        at += 2 + length;
    }
    return malformed("the JPEG has no start-of-frame segment");
}

/// WebP container: RFC 9649, 2.5 to 2.7.
Result<ImageHeader> read_webp(ByteView b) {
    if (b.size() < 30 && !(b.size() >= 25 && holds(b, 12, "VP8L"))) return malformed("the WebP ends inside its header");
    if (holds(b, 12, "VP8X")) return sized(ImageFormat::webp, little24(b, 24) + 1, little24(b, 27) + 1);
    if (holds(b, 12, "VP8L")) {
        if (b[20] != 0x2F) return malformed("the WebP's lossless signature is missing");
        const std::uint32_t bits = little32(b, 21);
        return sized(ImageFormat::webp, (bits & 0x3FFFU) + 1, (bits >> 14U & 0x3FFFU) + 1);
    }
    if (holds(b, 12, "VP8 ")) {
        if ((b[20] & 1U) != 0 || b[23] != 0x9D || b[24] != 0x01 || b[25] != 0x2A)
            return malformed("the WebP does not begin with a key frame");
        return sized(ImageFormat::webp, little16(b, 26) & 0x3FFFU, little16(b, 28) & 0x3FFFU);
    }
    return malformed("the WebP holds no picture in its first chunk");
}

bool inside(ByteView b, std::uint64_t offset, std::uint64_t length) {
    return offset <= b.size() && length <= b.size() - offset;
}

/// Basis formats tell alpha by the channel of their samples (Khronos Data Format 1.3, 13.9 and 13.10).
bool ktx2_alpha(ByteView descriptor, unsigned color_model) {
    for (std::size_t sample = 28; sample + 16 <= descriptor.size(); sample += 16) {
        const unsigned channel = descriptor[sample + 3] & 15U;
        if (color_model == 166 ? channel == 3 || channel == 5 : channel == 15) return true;
    }
    return false;
}

/// KTX 2.0: 80 bytes of header and index, then the level index.
Result<ImageHeader> read_ktx2(ByteView b) {
    if (b.size() < 80) return malformed("the KTX2 ends inside its header");
    auto header = sized(ImageFormat::ktx2, little32(b, 20), little32(b, 24));
    if (!header) return header;
    if (little32(b, 28) != 0 || little32(b, 32) > 1 || little32(b, 36) != 1)
        return malformed("the KTX2 is no plain 2D picture");
    const std::uint32_t levels = std::max(1U, little32(b, 40));
    const auto edge = static_cast<unsigned>(std::max(header->width, header->height));
    if (levels > static_cast<std::uint32_t>(std::bit_width(edge)))
        return malformed("the KTX2 claims " + std::to_string(levels) + " mip levels, more than its size has");
    if (b.size() < 80 + std::size_t{24} * levels) return malformed("the KTX2 ends inside its level index");
    for (std::size_t level = 0; level < levels; ++level) {
        const std::size_t at = 80 + 24 * level;
        if (little64(b, at + 8) == 0 || !inside(b, little64(b, at), little64(b, at + 8)))
            return malformed("mip level " + std::to_string(level) + " of the KTX2 lies outside the file");
    }
    const std::uint32_t descriptor_at = little32(b, 48);
    const std::uint32_t descriptor_bytes = little32(b, 52);
    if (descriptor_bytes < 44 || !inside(b, descriptor_at, descriptor_bytes))
        return malformed("the KTX2's data format descriptor lies outside the file");
    if (little64(b, 72) != 0 && !inside(b, little64(b, 64), little64(b, 72)))
        return malformed("the KTX2's supercompression data lie outside the file");
    const ByteView descriptor = b.subspan(descriptor_at, descriptor_bytes);
    Ktx2Info info;
    info.levels = static_cast<int>(levels);
    info.supercompression = static_cast<int>(std::min<std::uint32_t>(little32(b, 44), INT_MAX));
    info.color_model = descriptor[12];
    info.transfer = descriptor[14];
    info.has_alpha = ktx2_alpha(descriptor, descriptor[12]);
    header->ktx2 = info;
    return header;
}

/// "89 50 4E 47": what the bytes begin with.
std::string first_bytes(ByteView bytes) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string text;
    for (const std::uint8_t byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
        if (!text.empty()) text += ' ';
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace

const char* mime_type(ImageFormat format) {
    switch (format) {
        case ImageFormat::png:
            return "image/png";
        case ImageFormat::jpeg:
            return "image/jpeg";
        case ImageFormat::webp:
            return "image/webp";
        case ImageFormat::ktx2:
            return "image/ktx2";
    }
    return "";
}

std::optional<ImageFormat> recognise_image(ByteView bytes) {
    if (holds(bytes, 0, kPngSignature)) return ImageFormat::png;
    if (holds(bytes, 0, "\xFF\xD8\xFF")) return ImageFormat::jpeg;
    if (holds(bytes, 0, "RIFF") && holds(bytes, 8, "WEBP")) return ImageFormat::webp;
    if (holds(bytes, 0, kKtx2Signature)) return ImageFormat::ktx2;
    return std::nullopt;
}

Result<ImageHeader> read_image_header(ByteView bytes) {
    if (bytes.empty()) return malformed("the image has no bytes");
    const auto format = recognise_image(bytes);
    if (!format) return malformed("the image is no PNG, JPEG, WebP or KTX2; it begins with " + first_bytes(bytes));
    switch (*format) {
        case ImageFormat::png:
            return read_png(bytes);
        case ImageFormat::jpeg:
            return read_jpeg(bytes);
        case ImageFormat::webp:
            return read_webp(bytes);
        case ImageFormat::ktx2:
            return read_ktx2(bytes);
    }
    return malformed("the image's format is unknown");
}

}  // namespace helixavatar::gltf
