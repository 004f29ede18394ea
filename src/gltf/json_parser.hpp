// SPDX-License-Identifier: MIT
#pragma once

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// parse_json() that also counts the members that their object holds twice; the last one wins.
Result<Json> parse_json(std::string_view text, const Limits& limits, std::size_t& repeated_members);

}  // namespace helixavatar::gltf
