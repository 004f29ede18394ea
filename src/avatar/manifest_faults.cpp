// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/manifest_faults.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include <helixavatar/gltf/json_pointer.hpp>

namespace helixavatar::avatar {
namespace {

std::string listed(std::span<const std::string> words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

char folded(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

const char* type_text(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_boolean()) return "a boolean";
    if (value.is_number()) return "a number";
    if (value.is_string()) return "a string";
    return value.is_array() ? "an array" : "an object";
}

}  // namespace

ManifestPlace ManifestPlace::at(const std::string& key) const {
    return {&value->at(key), pointer + "/" + gltf::pointer_token(key), name};
}

ManifestPlace ManifestPlace::at(std::size_t index) const {
    return {&(*value)[index], pointer + "/" + std::to_string(index), name};
}

std::string shown(const Json& value) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        const double number = value.get<double>();
        return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
    }
    constexpr std::size_t kShown = 60;
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() <= kShown) return text;
    std::size_t end = kShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole UTF-8 characters only
    return text.substr(0, end) + "...";
}

namespace {

/// The member that a pointer leads to or into: "stiffness" for /chains/0/stiffness and /chains/0/stiffness/1.
std::string key_of(const std::string& pointer) {
    std::size_t end = pointer.size();
    while (true) {
        const std::size_t slash = pointer.rfind('/', end == 0 ? 0 : end - 1);
        if (slash == std::string::npos) return "the value";
        const std::string token = pointer.substr(slash + 1, end - slash - 1);
        if (token.find_first_not_of("0123456789") != std::string::npos) return token;
        if (slash == 0) return "the value";
        end = slash;
    }
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count) {
    constexpr std::size_t kLongest = 128;  // a name beyond this is no typing slip, and the distance costs its square
    const std::string_view wanted = name.substr(0, kLongest);
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wanted, std::string_view(candidate).substr(0, kLongest));
        if (distance * 2 <= std::max(wanted.size(), candidate.size())) ranked.emplace_back(distance, candidate);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> nearest;
    for (const auto& entry : ranked) {
        if (nearest.size() == count) break;
        if (std::find(nearest.begin(), nearest.end(), entry.second) == nearest.end()) nearest.push_back(entry.second);
    }
    return nearest;
}

void ManifestFaults::add(Severity severity, const ManifestPlace& place, std::string measured, std::string limit,
                         std::string message, std::string fix, std::string unit) {
    Finding finding;
    finding.rule = rule_;
    finding.severity = severity;
    finding.where = {place.pointer, place.name, scene_};
    finding.measured = std::move(measured);
    finding.limit = std::move(limit);
    finding.unit = std::move(unit);
    finding.message = (place.name.empty() ? "" : "\"" + place.name + "\": ") + std::move(message);
    finding.fix = std::move(fix);
    findings_.push_back(std::move(finding));
}

void ManifestFaults::add(Severity severity, const ManifestPlace& place, std::string limit, std::string message,
                         std::string fix) {
    add(severity, place, shown(*place.value), std::move(limit), std::move(message), std::move(fix));
}

bool ManifestFaults::object(const ManifestPlace& place, std::span<const std::string> allowed) {
    if (!place.value->is_object()) {
        add(Severity::error, place, "an object", std::string("this is ") + type_text(*place.value) + ", not an object",
            "write an object with the keys " + listed(allowed));
        return false;
    }
    for (const auto& [key, value] : place.value->items()) {
        if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
        const std::vector<std::string> nearest = nearest_names(key, allowed, 1);
        const std::string fix = nearest.empty() ? "remove the key" : "remove the key, or write \"" + nearest[0] + "\"";
        const ManifestPlace at{&value, place.pointer + "/" + gltf::pointer_token(key), place.name};
        add(Severity::error, at, shown(Json(key)), listed(allowed), "unknown key " + shown(Json(key)), fix);
    }
    return true;
}

bool ManifestFaults::array(const ManifestPlace& place, const char* of) {
    if (place.value->is_array()) return true;
    add(Severity::error, place, std::string("an array of ") + of,
        std::string("this is ") + type_text(*place.value) + ", not an array of " + of,
        std::string("write an array of ") + of);
    return false;
}

std::optional<ManifestPlace> ManifestFaults::member(const ManifestPlace& object, const std::string& key) {
    if (!object.value->is_object() || !object.value->contains(key)) return {};
    return object.at(key);
}

std::optional<ManifestPlace> ManifestFaults::required(const ManifestPlace& object, const std::string& key,
                                                      const std::string& fix) {
    auto found = member(object, key);
    if (!found) add(Severity::error, object, "absent", "present", "`" + key + "` is missing", fix);
    return found;
}

std::optional<double> ManifestFaults::number(const ManifestPlace& place, const NumberRange& range) {
    const std::string fix =
        std::string("write a number ") + range.text + (*range.unit ? std::string(" ") + range.unit : "");
    if (!place.value->is_number()) {
        add(Severity::error, place, shown(*place.value), range.text,
            std::string("this is ") + type_text(*place.value) + ", not a number", fix, range.unit);
        return {};
    }
    const double value = place.value->get<double>();
    const bool inside =
        std::isfinite(value) && value <= range.high && (range.above_low ? value > range.low : value >= range.low);
    if (!inside) {
        add(Severity::error, place, shown(*place.value), range.text,
            key_of(place.pointer) + " is " + shown(*place.value) + ", allowed is " + range.text, fix, range.unit);
        return {};
    }
    return value;
}

std::optional<bool> ManifestFaults::boolean(const ManifestPlace& place) {
    if (place.value->is_boolean()) return place.value->get<bool>();
    add(Severity::error, place, "true or false", std::string("this is ") + type_text(*place.value) + ", not a boolean",
        "write true or false");
    return {};
}

std::optional<std::string> ManifestFaults::text(const ManifestPlace& place) {
    if (place.value->is_string() && !place.value->get_ref<const std::string&>().empty())
        return place.value->get<std::string>();
    const char* what = place.value->is_string() ? "an empty string" : type_text(*place.value);
    add(Severity::error, place, "a string", std::string("this is ") + what + ", not a name",
        "write a string that is not empty");
    return {};
}

std::optional<std::string> ManifestFaults::one_of(const ManifestPlace& place, std::span<const std::string> allowed) {
    if (place.value->is_string()) {
        auto text = place.value->get<std::string>();
        if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
    }
    add(Severity::error, place, listed(allowed), shown(*place.value) + " is none of " + listed(allowed),
        "write one of " + listed(allowed));
    return {};
}

std::optional<Vec3> ManifestFaults::vector(const ManifestPlace& place) {
    const auto finite = [](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()); };
    if (place.value->is_array() && place.value->size() == 3 &&
        std::all_of(place.value->begin(), place.value->end(), finite))
        return Vec3((*place.value)[0].get<double>(), (*place.value)[1].get<double>(), (*place.value)[2].get<double>());
    add(Severity::error, place, "[x, y, z]", shown(*place.value) + " is not a vector of three finite numbers",
        "write [x, y, z]");
    return {};
}

}  // namespace helixavatar::avatar
