// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/limits.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar {

/// Reads a regular file whole. Errors: unreadable (missing, a folder, a FIFO or device, no permission, over
/// `limits.file_bytes`, changed by another program meanwhile), each with the path in `where`.
Result<Bytes> read_file(const std::filesystem::path& path, const Limits& limits = {});

/// The same for a file that this program wrote itself (a cache, an encoder's output): no input, and not observed.
Result<Bytes> read_own_file(const std::filesystem::path& path, const Limits& limits = {});

/// From here on read_file() shows everything it read to `seen`, one call at a time; an empty function ends that.
void observe_reads(std::function<void(const std::filesystem::path&, ByteView)> seen);

/// Writes all of `bytes` to a file beside `path` that has no name yet, flushes it to the disk and gives it the name, so
/// that `path` holds either what it held before or all of the new bytes, and a killed program leaves nothing behind.
/// Two cases need a name for a moment, ".helixavatar-...": an older file that is replaced, and a file system that knows
/// no nameless files. Errors: unwritable.
Result<void> write_file_atomically(const std::filesystem::path& path, ByteView bytes);

/// Removes the named temporary files that writers killed in that moment left in a folder; those of living writers,
/// which hold a lock, stay.
void remove_leftovers(const std::filesystem::path& folder);

/// True when both name one existing file (hard and symbolic links seen through).
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace helixavatar
