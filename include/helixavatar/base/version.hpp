// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace helixavatar {

/// This build's version, "0.1.0".
std::string_view version();

}  // namespace helixavatar
