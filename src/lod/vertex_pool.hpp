// SPDX-License-Identifier: MIT
// Choosing vertices of a surface without changing any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

/// A surface of the same name and material whose vertex i is `vertices[i]` of `surface`; both triangle lists are empty.
avatar::Surface gather(const avatar::Surface& surface, std::span<const std::uint32_t> vertices);

/// Body and face triangles of `surface` over the vertices that they use, in the order of the old pool.
avatar::Surface drop_unused_vertices(const avatar::Surface& surface);

}  // namespace helixavatar::lod
