// SPDX-License-Identifier: MIT
// The uris of buffers and images: data URIs and relative paths (RFC 3986, RFC 2397).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <helixavatar/base/bytes.hpp>
#include <helixavatar/base/result.hpp>

namespace helixavatar::gltf {

/// "http" of "http://example.com/a"; empty when the uri is relative.
std::string_view uri_scheme(std::string_view uri);

struct DataUri {
    std::string mime;  ///< lower case, without parameters; may be empty
    Bytes bytes;
};

/// Decodes "data:[mime][;parameters][;base64],data". Nothing when it is not well formed.
std::optional<DataUri> decode_data_uri(std::string_view uri);

/// The mime of a data URI, in lower case, without decoding the rest; may be empty.
std::string data_uri_mime(std::string_view uri);

/// Standard or URL-safe alphabet; padding may be missing. Nothing on any other character.
std::optional<Bytes> decode_base64(std::string_view text);

/// %41 to A. Nothing when a percent sign is not followed by two hexadecimal digits.
std::optional<std::string> decode_percent(std::string_view text);

/// The file that a relative uri names. Errors: malformed when it is absolute, has a scheme, or leaves `folder` (also
/// through a symbolic link).
Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& folder);

}  // namespace helixavatar::gltf
