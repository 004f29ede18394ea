// SPDX-License-Identifier: MIT
// Which bytes of the buffers something refers to.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::preflight {

struct BufferUse {
    std::size_t total_bytes = 0;
    std::size_t unused_bytes = 0;                    ///< in runs of four bytes or more: shorter ones are alignment
    std::vector<std::pair<int, std::size_t>> views;  ///< bufferView → unused bytes in it, largest first
    std::size_t outside_views = 0;                   ///< unused bytes in no bufferView
    std::vector<std::pair<int, std::size_t>> unused_accessors;  ///< accessor → its bytes
    std::set<int> other_images;  ///< images that something other than a material shows (a VRM thumbnail...)

    std::string where_text() const;  ///< " (bufferView 3: 12.0 KiB, ...)", or empty
};

/// Requires a document without structure errors.
BufferUse measure_buffer_use(const gltf::Document& document);

}  // namespace helixavatar::preflight
