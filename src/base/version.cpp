// SPDX-License-Identifier: MIT
#include <helixavatar/base/version.hpp>

#include <version.hpp>

namespace helixavatar {
std::string_view version() {
    return kConfiguredVersion;
}
}  // namespace helixavatar
