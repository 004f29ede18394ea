// SPDX-License-Identifier: MIT
// Reading members of a JSON value that nobody has checked: nothing here throws, whatever the types are.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <helixavatar/gltf/document.hpp>

namespace helixavatar::gltf {

/// The member of an object; null when `object` is none or has none.
inline const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(key);
    return at == object.end() ? nullptr : &*at;
}

/// A non-negative whole number. `3.0` counts: JSON does not tell it from `3`.
inline std::optional<std::size_t> whole_number(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::size_t>();
    if (value.is_number_integer()) {
        const auto number = value.get<std::int64_t>();
        return number < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(number));
    }
    if (!value.is_number_float()) return std::nullopt;
    const double number = value.get<double>();
    if (!(number >= 0) || number > 9007199254740992.0 || number != std::floor(number)) return std::nullopt;
    return static_cast<std::size_t>(number);
}

inline std::optional<std::size_t> whole_member(const Json& object, const char* key) {
    const Json* value = member(object, key);
    return value ? whole_number(*value) : std::nullopt;
}

/// The whole number of a member, `fallback` when it is missing or is none.
inline std::size_t whole_member_or(const Json& object, const char* key, std::size_t fallback) {
    return whole_member(object, key).value_or(fallback);
}

/// The text of a string member; empty when it is missing or no string.
inline std::string_view text_member(const Json& object, const char* key) {
    const Json* value = member(object, key);
    return value && value->is_string() ? std::string_view(value->get_ref<const std::string&>()) : std::string_view{};
}

/// Element `index` of an array member; null when there is none.
inline const Json* element(const Json& object, const char* array, std::size_t index) {
    const Json* list = member(object, array);
    return list && list->is_array() && index < list->size() ? &(*list)[index] : nullptr;
}

/// Elements of an array member; 0 when it is missing or no array.
inline std::size_t element_count(const Json& object, const char* array) {
    const Json* list = member(object, array);
    return list && list->is_array() ? list->size() : 0;
}

/// An extension object of `object`, or null.
inline const Json* extension(const Json& object, const char* name) {
    const Json* extensions = member(object, "extensions");
    const Json* found = extensions ? member(*extensions, name) : nullptr;
    return found && found->is_object() ? found : nullptr;
}

}  // namespace helixavatar::gltf
