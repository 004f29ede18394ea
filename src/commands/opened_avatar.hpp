// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <helixavatar/avatar/avatar.hpp>
#include <helixavatar/base/result.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::commands {

/// The avatar of a GLB with its document.
struct OpenedAvatar {
    gltf::Document document;  ///< decompressed
    avatar::Avatar avatar;
};

/// Errors: malformed, unconvertible; `where` is a JSON pointer.
Result<OpenedAvatar> open_avatar(ByteView bytes, const std::filesystem::path& folder);

/// The same of a file. Errors: also unreadable; `where` begins with the path.
Result<OpenedAvatar> open_avatar(const std::filesystem::path& path);

}  // namespace helixavatar::commands
