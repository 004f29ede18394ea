// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::test {

/// What three.js shows of a document's first animation (tests/readback/play.mjs); nothing without node and three, said
/// on standard output. Throws std::runtime_error with node's words when it does not play.
std::optional<gltf::Json> played(const gltf::Document& document);

}  // namespace helixavatar::test
