// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>

#include "fixture_avatar.hpp"

namespace helixavatar::test {
namespace {

std::uint32_t crc32(const Bytes& bytes, std::size_t from) {
    std::uint32_t crc = 0xffffffffu;
    for (std::size_t i = from; i < bytes.size(); ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    }
    return ~crc;
}

void big_endian(Bytes& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void chunk(Bytes& out, const char* type, const Bytes& data) {
    big_endian(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t from = out.size();
    out.insert(out.end(), type, type + 4);
    out.insert(out.end(), data.begin(), data.end());
    big_endian(out, crc32(out, from));
}

/// zlib with stored blocks.
Bytes stored(const Bytes& data) {
    Bytes out = {0x78, 0x01};
    for (std::size_t at = 0; at < data.size(); at += 65535) {
        const std::size_t length = std::min<std::size_t>(65535, data.size() - at);
        out.push_back(at + length == data.size());
        out.push_back(static_cast<std::uint8_t>(length & 255));
        out.push_back(static_cast<std::uint8_t>(length >> 8));
        out.push_back(static_cast<std::uint8_t>(~length & 255));
        out.push_back(static_cast<std::uint8_t>((~length >> 8) & 255));
        out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                   data.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    std::uint32_t a = 1, b = 0;
    for (const std::uint8_t byte : data) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    big_endian(out, b << 16 | a);
    return out;
}

std::uint8_t level(double value) {
    return static_cast<std::uint8_t>(std::lround(255 * std::min(1.0, std::max(0.0, value))));
}

}  // namespace

Bytes png(int edge, const std::vector<std::uint8_t>& rgb) {
    Bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    Bytes header;
    big_endian(header, static_cast<std::uint32_t>(edge));
    big_endian(header, static_cast<std::uint32_t>(edge));
    header.insert(header.end(), {8, 2, 0, 0, 0});
    chunk(out, "IHDR", header);
    Bytes rows;
    const std::size_t row = 3 * static_cast<std::size_t>(edge);
    for (std::size_t y = 0; y < static_cast<std::size_t>(edge); ++y) {
        rows.push_back(0);
        rows.insert(rows.end(), rgb.begin() + static_cast<std::ptrdiff_t>(y * row),
                    rgb.begin() + static_cast<std::ptrdiff_t>((y + 1) * row));
    }
    chunk(out, "IDAT", stored(rows));
    chunk(out, "IEND", {});
    return out;
}

std::vector<std::uint8_t> color_picture(int edge) {
    std::vector<std::uint8_t> rgb;
    for (int y = 0; y < edge; ++y) {
        for (int x = 0; x < edge; ++x) {
            rgb.push_back(static_cast<std::uint8_t>(200 + (x * 7 + y * 3) % 40));
            rgb.push_back(static_cast<std::uint8_t>(140 + (x * 5 + y * 11) % 30));
            rgb.push_back(static_cast<std::uint8_t>(110 + (x * 3 + y * 5) % 30));
        }
    }
    return rgb;
}

std::vector<std::uint8_t> normal_picture(int edge, double green) {
    std::vector<std::uint8_t> rgb;
    for (int y = 0; y < edge; ++y) {
        for (int x = 0; x < edge; ++x) {
            // The height field sin(x/5) sin(y/4), rows running down, green up.
            const double slope_x = 0.2 * std::cos(x / 5.0) * std::sin(y / 4.0);
            const double slope_y = 0.25 * std::sin(x / 5.0) * std::cos(y / 4.0);
            const Vec3 normal = Vec3(-slope_x, green * slope_y, 1).normalized();
            for (int c = 0; c < 3; ++c) rgb.push_back(level(0.5 + 0.5 * normal[c]));
        }
    }
    return rgb;
}

}  // namespace helixavatar::test
