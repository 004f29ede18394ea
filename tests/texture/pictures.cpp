// SPDX-License-Identifier: MIT
#include "texture/pictures.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <helixavatar/base/file_io.hpp>

namespace pictures {
namespace {

void big_endian(Bytes& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint32_t crc(const Bytes& bytes) {
    std::uint32_t c = 0xFFFFFFFFU;
    for (const std::uint8_t byte : bytes) {
        c ^= byte;
        for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
    }
    return c ^ 0xFFFFFFFFU;
}

void chunk(Bytes& out, const char* type, const Bytes& data) {
    big_endian(out, static_cast<std::uint32_t>(data.size()));
    Bytes body(type, type + 4);
    body.insert(body.end(), data.begin(), data.end());
    out.insert(out.end(), body.begin(), body.end());
    big_endian(out, crc(body));
}

/// zlib with stored blocks only.
Bytes stored_zlib(const Bytes& data) {
    Bytes out{0x78, 0x01};
    for (std::size_t at = 0; at < data.size() || at == 0;) {
        const std::size_t length = std::min<std::size_t>(data.size() - at, 65535);
        const bool last = at + length == data.size();
        out.push_back(last ? 1 : 0);
        for (const std::size_t n : {length, ~length}) {
            out.push_back(static_cast<std::uint8_t>(n & 0xFF));
            out.push_back(static_cast<std::uint8_t>(n >> 8 & 0xFF));
        }
        out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                   data.begin() + static_cast<std::ptrdiff_t>(at + length));
        at += length;
        if (last) break;
    }
    std::uint32_t a = 1, b = 0;
    for (const std::uint8_t byte : data) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    big_endian(out, b << 16U | a);
    return out;
}

}  // namespace

Bytes png(int width, int height, const std::function<Rgba(int x, int y)>& pixel, const PngOptions& options) {
    Bytes out{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    Bytes header;
    big_endian(header, static_cast<std::uint32_t>(width));
    big_endian(header, static_cast<std::uint32_t>(height));
    for (const int value : {options.bits, options.color_type, 0, 0, 0})
        header.push_back(static_cast<std::uint8_t>(value));
    chunk(out, "IHDR", header);
    if (!options.palette.empty()) {
        Bytes colors, alphas;
        for (const Rgba& entry : options.palette) {
            for (std::size_t c = 0; c < 3; ++c) colors.push_back(static_cast<std::uint8_t>(entry[c]));
            alphas.push_back(static_cast<std::uint8_t>(entry[3]));
        }
        chunk(out, "PLTE", colors);
        chunk(out, "tRNS", alphas);
    }
    const std::size_t channels = options.color_type == 6 ? 4 : options.color_type == 2 ? 3 : 1;
    Bytes rows;
    for (int y = 0; y < height; ++y) {
        rows.push_back(0);
        for (int x = 0; x < width; ++x) {
            const Rgba p = pixel(x, y);
            for (std::size_t c = 0; c < channels; ++c) {
                if (options.bits == 16) rows.push_back(static_cast<std::uint8_t>(p[c] >> 8));
                rows.push_back(static_cast<std::uint8_t>(p[c] & 0xFF));
            }
        }
    }
    chunk(out, "IDAT", stored_zlib(rows));
    chunk(out, "IEND", {});
    return out;
}

Bytes round_bumps(int edge, int up) {
    return png(edge, edge, [up](int x, int y) {
        const double dx = -std::sin(x * 0.4) * std::cos(y * 0.3) * 0.5,
                     dy = -std::cos(x * 0.4) * std::sin(y * 0.3) * 0.4;
        const double length = std::sqrt(dx * dx + dy * dy + 1);
        const auto code = [&](double v) { return static_cast<int>(std::lround((v / length + 1) * 127.5)); };
        return Rgba{code(-dx), code(up * dy), code(1), 255};
    });
}

Bytes fixture(const std::string& name) {
    return helixavatar::read_file(std::filesystem::path(HELIXAVATAR_SOURCE_DIR) / "fixtures" / "texture" / name).take();
}

Rgba at(const Pixels& pixels, int x, int y) {
    const std::size_t first = (static_cast<std::size_t>(y) * pixels.width + static_cast<std::size_t>(x)) * 4;
    return {pixels.rgba[first], pixels.rgba[first + 1], pixels.rgba[first + 2], pixels.rgba[first + 3]};
}

double psnr(const Pixels& a, const Pixels& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rgba.size(); ++i)
        if (i % 4 != 3) sum += std::pow(a.rgba[i] - b.rgba[i], 2);
    const double mean = sum / (static_cast<double>(a.rgba.size()) * 0.75);
    return mean > 0 ? 10 * std::log10(255.0 * 255.0 / mean) : 99;
}

int Scene::image(Bytes bytes, std::string mime, std::string name) {
    avatar.images.push_back({std::move(name), std::move(mime), std::move(bytes)});
    return static_cast<int>(avatar.images.size()) - 1;
}

int Scene::texture(int image) {
    avatar.textures.push_back({"", image, std::nullopt});
    return static_cast<int>(avatar.textures.size()) - 1;
}

int Scene::material(const std::vector<std::pair<std::string, int>>& slots, helixavatar::avatar::Json json) {
    helixavatar::avatar::Material material{json.is_null() ? helixavatar::avatar::Json::object() : std::move(json), {}};
    for (const auto& [pointer, texture] : slots) {
        material.json[helixavatar::avatar::Json::json_pointer(pointer)]["index"] = texture;
        material.slots.push_back({pointer, texture});
    }
    avatar.materials.push_back(std::move(material));
    helixavatar::avatar::Surface surface;
    surface.name = "part" + std::to_string(avatar.materials.size());
    surface.material = static_cast<int>(avatar.materials.size()) - 1;
    surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    surface.normals.assign(3, {0, 0, 1});
    surface.uvs = {{{0, 0}, {1, 0}, {0, 1}}};
    surface.influences.assign(3, {{{0, 1.0F}}});
    surface.body = {0, 1, 2};
    avatar.levels.front().surfaces.push_back(std::move(surface));
    return static_cast<int>(avatar.materials.size()) - 1;
}

ScopedVariable::ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value)
        ::setenv(name, value, 1);
    else
        ::unsetenv(name);
}

ScopedVariable::~ScopedVariable() {
    if (before_)
        ::setenv(name_.c_str(), before_->c_str(), 1);
    else
        ::unsetenv(name_.c_str());
}

std::filesystem::path script(const std::filesystem::path& folder, const std::string& name, const std::string& body) {
    const auto path = folder / name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

std::filesystem::path encoder_or_skip() {
    auto encoder = helixavatar::texture::find_encoder({});
    if (encoder.empty()) std::cout << "skipped: no KTX2 encoder (set HELIXAVATAR_BASISU)\n";
    return encoder;
}

}  // namespace pictures
