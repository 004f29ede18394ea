// SPDX-License-Identifier: MIT
// Choosing vertices of a surface without changing any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::avatar {

/// Vertices that a body or face triangle uses, in rising order. Every index must be a vertex.
std::vector<std::uint32_t> used_vertices(const Surface& surface);

/// A surface of the same name and material whose vertex i is `vertices[i]` of `surface`; both triangle lists are empty.
/// An attribute that has fewer values than there are vertices keeps those that it has.
Surface gather(const Surface& surface, std::span<const std::uint32_t> vertices);

/// The surface over these of its vertices alone, which must be all that its triangles use.
Surface keep_vertices(const Surface& surface, std::span<const std::uint32_t> vertices);

}  // namespace helixavatar::avatar
