// SPDX-License-Identifier: MIT
// Cutting one mip level out of a KTX2 file, so that transcoding it costs milliseconds (KTX 2.0 specification, sections
// 3 to 5).
#include <algorithm>
#include <cstring>

#include <helixavatar/gltf/image_header.hpp>

#include "preflight/image_pixels.hpp"

namespace helixavatar::preflight {
namespace {

constexpr std::size_t kHeader = 80, kLevelEntry = 24, kGlobalHeader = 20, kImageEntry = 20;
constexpr std::uint32_t kNone = 0, kBasisLz = 1, kZstandard = 2;

template <class T>
T load(ByteView bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

template <class T>
void store(Bytes& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

Error broken(const char* what) {
    return {ErrorKind::malformed, std::string("the KTX2 image is broken: ") + what, {}, {}};
}

/// A part of the file, or an empty view when it reaches outside.
ByteView part(ByteView bytes, std::uint64_t offset, std::uint64_t length) {
    if (offset > bytes.size() || length > bytes.size() - offset) return {};
    return bytes.subspan(offset, length);
}

void align(Bytes& bytes, std::size_t to) {
    bytes.resize((bytes.size() + to - 1) / to * to, 0);
}

/// The supercompression global data with the one image description that belongs to `level`.
Result<Bytes> global_data(ByteView data, std::uint32_t levels, std::uint32_t level) {
    const std::size_t entries = kGlobalHeader + kImageEntry * static_cast<std::size_t>(levels);
    if (data.size() < entries) return broken("its codebook is too short");
    Bytes out(data.begin(), data.begin() + kGlobalHeader);
    const std::size_t entry = kGlobalHeader + kImageEntry * static_cast<std::size_t>(level);
    out.insert(out.end(), data.begin() + entry, data.begin() + entry + kImageEntry);
    out.insert(out.end(), data.begin() + entries, data.end());
    return out;
}

}  // namespace

Result<Bytes> single_level_ktx2(ByteView ktx2, int edge) {
    const Result<gltf::ImageHeader> header = gltf::read_image_header(ktx2);
    if (!header) return header.error();
    if (!header->ktx2) return broken("it is no KTX2");
    if (ktx2.size() < kHeader) return broken("it ends inside its header");
    const auto width = load<std::uint32_t>(ktx2, 20), height = load<std::uint32_t>(ktx2, 24);
    const auto depth = load<std::uint32_t>(ktx2, 28), layers = load<std::uint32_t>(ktx2, 32),
               faces = load<std::uint32_t>(ktx2, 36);
    const std::uint32_t levels = std::max<std::uint32_t>(1, load<std::uint32_t>(ktx2, 40));
    const auto scheme = load<std::uint32_t>(ktx2, 44);
    if (depth > 1 || layers > 1 || faces > 1) {
        return Error{ErrorKind::unconvertible, "a KTX2 array, cube map or volume cannot be looked at", {}, {}};
    }
    if (scheme != kNone && scheme != kBasisLz && scheme != kZstandard) {
        return Error{ErrorKind::unconvertible,
                     "KTX2 supercompression " + std::to_string(scheme) + " cannot be looked at",
                     {},
                     {}};
    }
    if (levels > 32 || part(ktx2, kHeader, levels * kLevelEntry).empty())
        return broken("its level index reaches past the end");
    std::uint32_t level = 0;
    while (level + 1 < levels && static_cast<int>(std::max(width >> level, height >> level)) > edge) ++level;

    const std::size_t entry = kHeader + kLevelEntry * level;
    const ByteView pixels = part(ktx2, load<std::uint64_t>(ktx2, entry), load<std::uint64_t>(ktx2, entry + 8));
    const ByteView format = part(ktx2, load<std::uint32_t>(ktx2, 48), load<std::uint32_t>(ktx2, 52));
    if (pixels.empty() || format.empty()) return broken("a level or its format descriptor reaches past the end");
    Bytes global;
    if (scheme == kBasisLz) {
        Result<Bytes> cut =
            global_data(part(ktx2, load<std::uint64_t>(ktx2, 64), load<std::uint64_t>(ktx2, 72)), levels, level);
        if (!cut) return cut.error();
        global = cut.take();
    }

    Bytes out(ktx2.begin(), ktx2.begin() + kHeader);
    out.resize(kHeader + kLevelEntry, 0);
    store(out, 20, std::max<std::uint32_t>(1, width >> level));
    store(out, 24, std::max<std::uint32_t>(1, height >> level));
    store<std::uint32_t>(out, 40, 1);
    store(out, 48, static_cast<std::uint32_t>(out.size()));
    out.insert(out.end(), format.begin(), format.end());
    store<std::uint64_t>(out, 56, 0);  // no key/value data
    align(out, 8);
    store<std::uint64_t>(out, 64, global.empty() ? 0 : out.size());
    store<std::uint64_t>(out, 72, global.size());
    out.insert(out.end(), global.begin(), global.end());
    align(out, 16);
    store<std::uint64_t>(out, kHeader, out.size());
    store<std::uint64_t>(out, kHeader + 8, pixels.size());
    store<std::uint64_t>(out, kHeader + 16, load<std::uint64_t>(ktx2, entry + 16));
    out.insert(out.end(), pixels.begin(), pixels.end());
    return out;
}

}  // namespace helixavatar::preflight
