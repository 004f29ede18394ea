// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <helixavatar/base/finding.hpp>

namespace helixavatar::gltf {

/// A finding of the file family. `code`: the Khronos validator's name for the same fault, put in brackets at the end;
/// may be empty.
inline Finding file_finding(std::string rule, Severity severity, std::string pointer, std::string message,
                            std::string_view code = {}, std::string measured = {}, std::string limit = {},
                            std::string unit = {}) {
    Finding finding;
    finding.rule = std::move(rule);
    finding.severity = severity;
    finding.where.pointer = std::move(pointer);
    finding.message = std::move(message);
    if (!code.empty()) finding.message.append(" [").append(code).append("]");
    finding.measured = std::move(measured);
    finding.limit = std::move(limit);
    finding.unit = std::move(unit);
    return finding;
}

}  // namespace helixavatar::gltf
