// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar {

/// Reads a regular file whole. Errors: unreadable (missing, a folder, a FIFO or device, no permission, over
/// `limits.file_bytes`), each with the path in `where`.
Result<Bytes> read_file(const std::filesystem::path& path, const Limits& limits = {});

/// Writes all of `bytes` to a temporary file beside `path`, flushes it to the disk and renames it over `path`, so that
/// `path` holds either what it held before or all of the new bytes. Errors: unwritable.
Result<void> write_file_atomically(const std::filesystem::path& path, ByteView bytes);

/// True when both name one existing file (hard and symbolic links seen through).
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace helixavatar
