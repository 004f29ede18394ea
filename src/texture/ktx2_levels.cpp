// SPDX-License-Identifier: MIT
#include "texture/ktx2_levels.hpp"

#include <algorithm>

#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::texture {
namespace {

// KTX 2.0, section 3: the header's fields that change, and the sizes of its tables, in bytes.
constexpr std::size_t kWidth = 20, kHeight = 24, kLevelCount = 40, kSupercompression = 44, kDescriptor = 48,
                      kKeyValues = 56, kGlobalData = 64;
constexpr std::size_t kHeaderBytes = 80, kLevelEntryBytes = 24;
/// BasisLZ global data: a header, then one description for each image (here: level), largest first, then the codebooks.
constexpr std::size_t kBasisHeaderBytes = 20, kBasisImageBytes = 20;
constexpr int kBasisLz = 1, kZstandard = 2;

std::uint64_t little(ByteView bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8U | bytes[at + i];
    return value;
}

void put(Bytes& out, std::size_t at, std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

std::size_t append(Bytes& out, ByteView part, std::size_t alignment) {
    out.resize((out.size() + alignment - 1) / alignment * alignment, 0);
    const std::size_t at = out.size();
    out.insert(out.end(), part.begin(), part.end());
    return at;
}

Error refuse(ErrorKind kind, const char* message) {
    return Error{kind, message, "", "export the texture again from its source picture"};
}

/// A part of the file, or nothing where it does not lie inside.
ByteView part_of(ByteView file, std::uint64_t offset, std::uint64_t length) {
    if (offset > file.size() || length > file.size() - offset) return {};
    return file.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

/// BasisLZ's global data without the descriptions of the dropped images.
Result<Bytes> shortened_global_data(ByteView file, std::size_t dropped, int supercompression) {
    const ByteView global = part_of(file, little(file, kGlobalData, 8), little(file, kGlobalData + 8, 8));
    if (supercompression != kBasisLz) return Bytes(global.begin(), global.end());
    const std::size_t cut = kBasisHeaderBytes + dropped * kBasisImageBytes;
    if (global.size() < cut) return refuse(ErrorKind::malformed, "the KTX2's global data are too short");
    Bytes out(global.begin(), global.begin() + kBasisHeaderBytes);
    out.insert(out.end(), global.begin() + static_cast<std::ptrdiff_t>(cut), global.end());
    return out;
}

}  // namespace

int levels_over(int width, int height, int levels, int max_edge) {
    int over = 0;
    while (over < levels && std::max(width, height) >> over > max_edge) ++over;
    return over < levels ? over : -1;
}

Result<Bytes> drop_largest_levels(ByteView ktx2, int count) {
    const auto header = gltf::read_image_header(ktx2);
    if (!header) return header.error();
    if (!header->ktx2) return refuse(ErrorKind::malformed, "this is no KTX2 texture");
    if (count <= 0) return Bytes(ktx2.begin(), ktx2.end());
    const int kept = header->ktx2->levels - count;
    const bool halves = count < 16 && header->width % (1 << count) == 0 && header->height % (1 << count) == 0;
    if (kept < 1 || !halves || header->ktx2->supercompression > kZstandard)
        return refuse(ErrorKind::unconvertible, "the KTX2's mip levels cannot be taken apart");
    const auto dropped = static_cast<std::size_t>(count);
    const auto global = shortened_global_data(ktx2, dropped, header->ktx2->supercompression);
    if (!global) return global.error();
    const auto section = [&](std::size_t field) {
        return part_of(ktx2, little(ktx2, field, 4), little(ktx2, field + 4, 4));
    };

    Bytes out(ktx2.begin(), ktx2.begin() + kHeaderBytes);
    put(out, kWidth, static_cast<std::uint64_t>(header->width >> count), 4);
    put(out, kHeight, static_cast<std::uint64_t>(header->height >> count), 4);
    put(out, kLevelCount, static_cast<std::uint64_t>(kept), 4);
    out.resize(kHeaderBytes + static_cast<std::size_t>(kept) * kLevelEntryBytes);
    for (const std::size_t field : {kDescriptor, kKeyValues}) {
        const ByteView bytes = section(field);
        put(out, field, bytes.empty() ? 0 : append(out, bytes, 4), 4);
        put(out, field + 4, bytes.size(), 4);
    }
    put(out, kGlobalData, global->empty() ? 0 : append(out, *global, 8), 8);
    put(out, kGlobalData + 8, global->size(), 8);
    // Smallest level first; blocks of 16 bytes are aligned where they are not supercompressed.
    const std::size_t alignment = header->ktx2->supercompression == 0 ? 16 : 1;
    for (auto level = static_cast<std::size_t>(kept); level-- > 0;) {
        const std::size_t from = kHeaderBytes + (level + dropped) * kLevelEntryBytes,
                          to = kHeaderBytes + level * kLevelEntryBytes;
        const ByteView bytes = part_of(ktx2, little(ktx2, from, 8), little(ktx2, from + 8, 8));
        put(out, to, append(out, bytes, alignment), 8);
        put(out, to + 8, bytes.size(), 8);
        put(out, to + 16, little(ktx2, from + 16, 8), 8);
    }
    return out;
}

Result<Bytes> stack_levels(const std::vector<Bytes>& levels) {
    const auto sections = [](ByteView file, std::size_t field) {
        return part_of(file, little(file, field, 4), little(file, field + 4, 4));
    };
    if (levels.empty()) return refuse(ErrorKind::malformed, "there are no levels to put together");
    for (const Bytes& level : levels) {
        const auto header = gltf::read_image_header(level);
        if (!header) return header.error();
        if (!header->ktx2 || header->ktx2->levels != 1 || header->ktx2->supercompression == kBasisLz)
            return refuse(ErrorKind::unconvertible, "these KTX2 files cannot be put together");
        const ByteView own = sections(level, kDescriptor), first = sections(levels.front(), kDescriptor);
        if (!std::equal(own.begin(), own.end(), first.begin(), first.end()) ||
            little(level, kSupercompression, 4) != little(levels.front(), kSupercompression, 4))
            return refuse(ErrorKind::unconvertible, "the levels of a KTX2 differ in more than their size");
    }
    const Bytes& base = levels.front();
    Bytes out(base.begin(), base.begin() + kHeaderBytes);
    put(out, kLevelCount, levels.size(), 4);
    out.resize(kHeaderBytes + levels.size() * kLevelEntryBytes);
    for (const std::size_t field : {kDescriptor, kKeyValues}) {
        const ByteView bytes = sections(base, field);
        put(out, field, bytes.empty() ? 0 : append(out, bytes, 4), 4);
        put(out, field + 4, bytes.size(), 4);
    }
    const std::size_t alignment = little(base, kSupercompression, 4) == 0 ? 16 : 1;
    for (std::size_t level = levels.size(); level-- > 0;) {  // smallest first
        const Bytes& file = levels[level];
        const ByteView bytes = part_of(file, little(file, kHeaderBytes, 8), little(file, kHeaderBytes + 8, 8));
        const std::size_t entry = kHeaderBytes + level * kLevelEntryBytes;
        put(out, entry, append(out, bytes, alignment), 8);
        put(out, entry + 8, bytes.size(), 8);
        put(out, entry + 16, little(file, kHeaderBytes + 16, 8), 8);
    }
    return out;
}

}  // namespace helixavatar::texture
