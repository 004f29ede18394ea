// SPDX-License-Identifier: MIT
// What a batch remembers of each file, beside the outputs: DIR/.helixavatar/<digest of the place>.json,
// `helix/batch-record@1`. No time and no path of this machine: the same work gives the same bytes. It is what --resume
// goes by and what `summarize` adds up; removing the folder costs no more than doing the work again.
#pragma once

#include <helixavatar/batch/outcome.hpp>
#include <helixavatar/batch/plan.hpp>

namespace helixavatar::batch {

struct Record {
    std::string command;
    std::string options;            ///< digest of everything that shapes the output, see Recipe::options
    std::string tool_version;       ///< of the helixavatar that did it
    std::string source;             ///< the input's place, printable
    std::vector<FileTrace> inputs;  ///< all that was read for it: the source first, then what it refers to
    Outcome outcome;
};

inline constexpr const char* kRecordFolder = ".helixavatar";

/// Where the record of the input of that place lies below an output folder.
std::filesystem::path record_path(const std::filesystem::path& below);

/// Errors: unwritable.
Result<void> write_record(const std::filesystem::path& folder, const std::filesystem::path& below,
                          const Record& record);
/// Errors: unreadable, malformed.
Result<Record> read_record(const std::filesystem::path& file);

/// Every record below an output folder, by the source's place; what is no record is passed over.
std::vector<Record> read_records(const std::filesystem::path& folder);

/// True when doing the job again would give what is there: it ended well with this command, options and version, all
/// that was read is unchanged, and the outputs are what was written.
bool still_right(const Record& record, const Job& job, const std::string& command, const std::string& options,
                 const std::filesystem::path& folder);

}  // namespace helixavatar::batch
