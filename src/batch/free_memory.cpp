// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include <helixavatar/batch/run.hpp>

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> number_in(const fs::path& file) {
    std::ifstream in(file);
    std::string word;
    std::size_t value = 0;
    if (!(in >> word)) return std::nullopt;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    return read.ec == std::errc() ? std::optional(value) : std::nullopt;  // "max": no limit
}

std::size_t of_machine() {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string name;
        std::size_t kibibytes = 0;
        if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
    }
    return std::numeric_limits<std::size_t>::max();
}

/// What the control group (version 2) and every one above it leave.
std::size_t of_control_group() {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("0::", 0) != 0) continue;
        const fs::path top = "/sys/fs/cgroup";
        for (fs::path group = fs::path(line.substr(3)).relative_path();; group = group.parent_path()) {
            const auto limit = number_in(top / group / "memory.max"), used = number_in(top / group / "memory.current");
            if (limit) least = std::min(least, *limit - std::min(*limit, used.value_or(0)));
            if (group.empty()) break;
        }
    }
    return least;
}

}  // namespace

std::size_t free_memory() {
    return std::min(of_machine(), of_control_group());
}

}  // namespace helixavatar::batch
