// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace helixavatar::gltf {

/// A member's name as a token of a JSON pointer: `~` and `/` escaped (RFC 6901).
std::string pointer_token(std::string_view name);

}  // namespace helixavatar::gltf
