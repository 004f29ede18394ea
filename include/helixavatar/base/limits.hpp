// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace helixavatar {

/// What a file may ask for before it is refused; checked before anything is allocated from a number in the file.
struct Limits {
    std::size_t file_bytes = std::size_t{512} << 20;
    std::size_t vertices = std::size_t{64} << 20;
    std::size_t image_edge = 16384;
    int json_depth = 64;
};

}  // namespace helixavatar
