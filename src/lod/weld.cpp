// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include <helixavatar/avatar/vertices.hpp>
#include <helixavatar/lod/levels.hpp>

namespace helixavatar::lod {

using avatar::Influence;
using avatar::MorphTarget;
using avatar::Surface;

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

template <class T>
bool same(const std::vector<T>& values, std::uint32_t a, std::uint32_t b) {
    return values.empty() || values[a] == values[b];
}

bool same_vertex(const Surface& s, std::uint32_t a, std::uint32_t b) {
    if (!same(s.positions, a, b) || !same(s.normals, a, b) || !same(s.tangents, a, b) || !same(s.colors, a, b))
        return false;
    for (const auto& uv : s.uvs)
        if (!same(uv, a, b)) return false;
    if (!s.influences.empty()) {
        for (std::size_t i = 0; i < avatar::kMaxInfluences; ++i) {
            const Influence &x = s.influences[a][i], &y = s.influences[b][i];
            if (x.weight != y.weight || (x.weight != 0 && x.joint != y.joint)) return false;
        }
    }
    for (const MorphTarget& m : s.morphs)
        if (!same(m.positions, a, b) || !same(m.normals, a, b)) return false;
    return true;
}

std::uint64_t mix(std::uint64_t hash, float value) {
    const float without_sign_of_zero = value + 0.0F;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &without_sign_of_zero, sizeof bits);
    return (hash ^ bits) * 0x9E3779B97F4A7C15ULL + (hash >> 29);
}

/// Equal vertices have equal hashes; position and first UV tell nearly all others apart.
std::uint64_t vertex_hash(const Surface& s, std::uint32_t v) {
    std::uint64_t hash = 0x51ED270B;
    for (int i = 0; i < 3; ++i) hash = mix(hash, s.positions[v][i]);
    if (!s.uvs.empty() && !s.uvs[0].empty())
        for (int i = 0; i < 2; ++i) hash = mix(hash, s.uvs[0][v][i]);
    return hash ^ (hash >> 32);
}

/// For each vertex the first one that equals it.
std::vector<std::uint32_t> first_equal(const Surface& s) {
    const std::size_t count = s.positions.size();
    std::size_t buckets = 16;
    while (buckets < count * 2) buckets *= 2;
    std::vector<std::uint32_t> head(buckets, kNone), next(count, kNone), first(count);
    for (std::uint32_t v = 0; v < count; ++v) {
        std::uint32_t& bucket = head[vertex_hash(s, v) & (buckets - 1)];
        std::uint32_t found = bucket;
        while (found != kNone && !same_vertex(s, found, v)) found = next[found];
        first[v] = found == kNone ? v : found;
        if (found == kNone) {
            next[v] = bucket;
            bucket = v;
        }
    }
    return first;
}

bool has_area(const Surface& s, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto &p = s.positions[a], &q = s.positions[b], &r = s.positions[c];
    return p != q && q != r && r != p;
}

/// The triangles of a list over the representatives, without those that lost their area or never had vertices.
std::vector<std::uint32_t> mend(const Surface& s, const std::vector<std::uint32_t>& list,
                                const std::vector<std::uint32_t>& first) {
    std::vector<std::uint32_t> kept;
    kept.reserve(list.size());
    const std::size_t count = s.positions.size();
    for (std::size_t i = 0; i + 2 < list.size(); i += 3) {
        if (list[i] >= count || list[i + 1] >= count || list[i + 2] >= count) continue;
        const std::uint32_t a = first[list[i]], b = first[list[i + 1]], c = first[list[i + 2]];
        if (has_area(s, a, b, c)) kept.insert(kept.end(), {a, b, c});
    }
    return kept;
}

}  // namespace

Surface weld(const Surface& surface) {
    const std::vector<std::uint32_t> first = first_equal(surface);
    Surface joined = surface;
    joined.body = mend(surface, surface.body, first);
    joined.face = mend(surface, surface.face, first);
    return avatar::keep_vertices(joined, avatar::used_vertices(joined));
}

}  // namespace helixavatar::lod
