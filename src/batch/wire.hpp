// SPDX-License-Identifier: MIT
// Pieces that outcomes and records share in JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/batch/outcome.hpp>

namespace helixavatar::batch {

/// Bytes that are no UTF-8 escaped, everything else as it is: a message may have lines.
std::string valid(std::string_view text);

Json traces_json(const std::vector<FileTrace>& traces);
/// Throws Json::exception.
std::vector<FileTrace> traces_from(const Json& json);

}  // namespace helixavatar::batch
