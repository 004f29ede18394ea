// SPDX-License-Identifier: MIT
// Finished encodes, kept by content under the user's cache folder. A cache never fails a run: what cannot be read or
// written is as if it were not there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <helixavatar/texture/process.hpp>

namespace helixavatar::texture {

/// Named in the help of --no-cache.
inline constexpr std::size_t kCacheBytes = std::size_t{1} << 30;

class EncodeCache {
public:
    /// $XDG_CACHE_HOME/helixavatar/textures, else ~/.cache/helixavatar/textures; without either, and when not
    /// `enabled`, it holds nothing.
    /// Over `most_bytes` the entries that were used longest ago go.
    explicit EncodeCache(bool enabled, std::size_t most_bytes = kCacheBytes);

    /// Digest of the pixels, the encoder's arguments and its version.
    static std::string key(const Pixels& pixels, const std::vector<std::string>& arguments,
                           const std::string& encoder_version);

    /// The bytes stored under the key, if they are still those that were stored.
    std::optional<Bytes> find(const std::string& key) const;
    void store(const std::string& key, ByteView bytes) const;

private:
    std::filesystem::path entry(const std::string& key) const;
    void trim() const;

    std::filesystem::path folder_;
    std::size_t most_bytes_;
};

}  // namespace helixavatar::texture
