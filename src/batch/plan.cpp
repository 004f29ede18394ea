// SPDX-License-Identifier: MIT
#include <helixavatar/batch/plan.hpp>

#include <charconv>
#include <climits>
#include <map>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/printable.hpp>

namespace helixavatar::batch {
namespace {

namespace fs = std::filesystem;

std::string key_of(const fs::path& path) {
    return fs::absolute(path).lexically_normal().native();
}

/// Why no file system would take the name, or nothing. An output's name is often longer than its input's.
std::optional<Error> name_fault(const fs::path& output) {
    for (const fs::path& part : output)
        if (part.native().size() > NAME_MAX)
            return Error{ErrorKind::unwritable,
                         "the output's name would have " + std::to_string(part.native().size()) +
                             " bytes, and a file's name can have " + std::to_string(NAME_MAX),
                         output.string(), "give the source a shorter name"};
    return std::nullopt;
}

Error two_for_one(const fs::path& first, const fs::path& second, const fs::path& output) {
    return {ErrorKind::usage,
            "two inputs would become one file: " + printable(first.native()) + " and " + printable(second.native()),
            output.string(), "rename one of them, or give them an output folder each"};
}

}  // namespace

Result<std::vector<Job>> plan(std::vector<Input> inputs, const fs::path& folder, const Naming& naming) {
    std::vector<Job> jobs;
    std::map<std::string, std::size_t> owner;  // of an output's full path
    for (Input& input : inputs) {
        Job job{std::move(input), {}};
        if (!folder.empty() && !job.input.fault) job.outputs = naming(job.input.below);
        for (const fs::path& output : job.outputs) {
            const auto [taken, fresh] = owner.emplace(key_of(folder / output), jobs.size());
            if (!fresh) return two_for_one(jobs[taken->second].input.path, job.input.path, folder / output);
            if (!job.input.fault) job.input.fault = name_fault(folder / output);
        }
        jobs.push_back(std::move(job));
    }
    for (const Job& job : jobs) {
        const auto taken = owner.find(key_of(job.input.path));
        if (taken != owner.end())
            return Error{ErrorKind::usage,
                         "the output of " + printable(jobs[taken->second].input.path.native()) +
                             " would take the place of an input; an input is never overwritten",
                         job.input.path.string(), "give -o another folder"};
    }
    return jobs;
}

bool Shard::holds(const fs::path& below) const {
    // The first 60 bits are spread evenly enough over any number of machines.
    const std::string digest = sha256_hex(as_bytes(below.generic_string())).substr(0, 15);
    std::uint64_t value = 0;
    std::from_chars(digest.data(), digest.data() + digest.size(), value, 16);
    return value % count == index - 1;
}

Result<Shard> parse_shard(std::string_view text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, shard.index);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
        const auto second = std::from_chars(first.ptr + 1, end, shard.count);
        if (second.ec == std::errc() && second.ptr == end && shard.index >= 1 && shard.index <= shard.count)
            return shard;
    }
    return Error{ErrorKind::usage, "no share of the inputs: \"" + printable(text) + "\"", "--shard",
                 "give it as I/N with I from 1 to N, for example --shard 2/8"};
}

}  // namespace helixavatar::batch
