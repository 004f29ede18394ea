// SPDX-License-Identifier: MIT
#include "support/real_avatars.hpp"

#include <cstdlib>
#include <iostream>

namespace helixavatar::test {

std::optional<std::filesystem::path> folder_from(const char* variable) {
    const char* value = std::getenv(variable);
    if (value && std::filesystem::is_directory(value)) return std::filesystem::path(value);
    std::cout << "skipped: " << variable << " names no folder\n";
    return std::nullopt;
}

std::optional<std::filesystem::path> node_modules() { return folder_from("HELIXAVATAR_NODE_MODULES"); }

}  // namespace helixavatar::test
