// SPDX-License-Identifier: MIT
// Reading a glTF JSON that may be broken: a missing or mistyped member reads as absent, never as an exception.
#pragma once

#include <cmath>
#include <string>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::preflight {

using gltf::Json;

/// The member, or a null value when `object` is no object or has no such member.
inline const Json& member(const Json& object, const char* key) {
    static const Json absent;
    if (!object.is_object()) return absent;
    const auto found = object.find(key);
    return found == object.end() ? absent : *found;
}

/// The array member, or an empty array.
inline const Json& list(const Json& object, const char* key) {
    static const Json empty = Json::array();
    const Json& found = member(object, key);
    return found.is_array() ? found : empty;
}

/// The element, or a null value when the index is out of range.
inline const Json& element(const Json& array, int index) {
    static const Json absent;
    if (!array.is_array() || index < 0 || static_cast<std::size_t>(index) >= array.size()) return absent;
    return array[static_cast<std::size_t>(index)];
}

/// A non-negative integer below `limit`, or -1.
inline int as_index(const Json& value, std::size_t limit = 0x7fffffff) {
    if (!value.is_number()) return -1;
    const double number = value.get<double>();
    if (!(number >= 0) || number >= static_cast<double>(limit) || std::floor(number) != number) return -1;
    return static_cast<int>(number);
}

inline int index_member(const Json& object, const char* key, std::size_t limit = 0x7fffffff) {
    return as_index(member(object, key), limit);
}

/// A count up to 2^53, or 0.
inline std::size_t count_member(const Json& object, const char* key) {
    const Json& value = member(object, key);
    if (!value.is_number()) return 0;
    const double number = value.get<double>();
    return number > 0 && number <= 9007199254740992.0 ? static_cast<std::size_t>(number) : 0;
}

inline std::string text_member(const Json& object, const char* key) {
    const Json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace helixavatar::preflight
