// SPDX-License-Identifier: MIT
#include "texture/encode_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include <helixavatar/base/file_io.hpp>

namespace helixavatar::texture {
namespace {

/// An entry is the digest of its payload, in hexadecimal, then the payload.
constexpr std::size_t kDigestLength = 64;

std::filesystem::path cache_home() {
    // The XDG specification: a relative path is as good as none.
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/') return xdg;
    if (const char* home = std::getenv("HOME"); home && *home == '/') return std::filesystem::path(home) / ".cache";
    return {};
}

}  // namespace

EncodeCache::EncodeCache(bool enabled, std::size_t most_bytes) : most_bytes_(most_bytes) {
    const auto home = enabled ? cache_home() : std::filesystem::path{};
    if (!home.empty()) folder_ = home / "helixavatar" / "textures";
}

std::string EncodeCache::key(const Pixels& pixels, const std::vector<std::string>& arguments,
                             const std::string& encoder_version) {
    std::string recipe = "ktx2 " + std::to_string(pixels.width) + "x" + std::to_string(pixels.height) +
                         (pixels.has_alpha ? " alpha " : " opaque ") + sha256_hex(pixels.rgba) + "\n" + encoder_version;
    for (const std::string& argument : arguments) recipe += "\n" + argument;
    return sha256_hex(as_bytes(recipe));
}

std::filesystem::path EncodeCache::entry(const std::string& key) const {
    return folder_ / key.substr(0, 2) / key.substr(2);
}

std::optional<Bytes> EncodeCache::find(const std::string& key) const {
    if (folder_.empty()) return std::nullopt;
    const auto stored = read_own_file(entry(key));
    if (!stored || stored->size() <= kDigestLength) return std::nullopt;
    const ByteView payload = ByteView(*stored).subspan(kDigestLength);
    const std::string digest = sha256_hex(payload);
    if (!std::equal(digest.begin(), digest.end(), stored->begin())) return std::nullopt;
    std::error_code ignored;  // the time of its last use, by which the cache is trimmed
    std::filesystem::last_write_time(entry(key), std::filesystem::file_time_type::clock::now(), ignored);
    return Bytes(payload.begin(), payload.end());
}

void EncodeCache::trim() const {
    namespace fs = std::filesystem;
    struct Entry {
        fs::file_time_type used;
        fs::path path;
        std::size_t bytes;
        bool operator<(const Entry& other) const { return std::tie(used, path) < std::tie(other.used, other.path); }
    };
    std::vector<Entry> entries;
    std::size_t total = 0;
    std::error_code error;  // another process may trim at the same time
    for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;
        if (!it->is_regular_file(gone)) continue;
        const auto bytes = static_cast<std::size_t>(it->file_size(gone));
        const auto used = it->last_write_time(gone);
        if (gone) continue;
        entries.push_back({used, it->path(), bytes});
        total += bytes;
    }
    if (total <= most_bytes_) return;
    std::sort(entries.begin(), entries.end());
    for (const Entry& old : entries) {
        if (total <= most_bytes_) break;
        std::error_code ignored;
        fs::remove(old.path, ignored);
        total -= old.bytes;
    }
}

void EncodeCache::store(const std::string& key, ByteView bytes) const {
    if (folder_.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(entry(key).parent_path(), error);
    if (error) return;
    const std::string digest = sha256_hex(bytes);
    Bytes stored(digest.begin(), digest.end());
    stored.insert(stored.end(), bytes.begin(), bytes.end());
    // A full disk or a read-only home only costs the next run its time.
    static_cast<void>(write_file_atomically(entry(key), stored));
    trim();
}

}  // namespace helixavatar::texture
