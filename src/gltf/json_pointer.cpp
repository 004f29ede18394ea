// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/json_pointer.hpp>

namespace helixavatar::gltf {

std::string pointer_token(std::string_view name) {
    std::string token;
    for (const char c : name) {
        if (c == '~')
            token += "~0";
        else if (c == '/')
            token += "~1";
        else
            token += c;
    }
    return token;
}

}  // namespace helixavatar::gltf
