// SPDX-License-Identifier: MIT
// Strict reading of the manifests that ride in scene extras: every value with its place, every fault with its reason.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/base/finding.hpp>
#include <helixavatar/base/geometry.hpp>
#include <helixavatar/gltf/document.hpp>

namespace helixavatar::avatar {

using gltf::Json;

/// One value of a manifest, where it stands, and what a creator calls the thing that it belongs to.
struct ManifestPlace {
    const Json* value = nullptr;  ///< never null in a place that is passed on
    std::string pointer;          ///< JSON pointer in the file
    std::string name;             ///< chain id, collider id, channel name; or empty

    ManifestPlace at(const std::string& key) const;  ///< requires an object that has the key
    ManifestPlace at(std::size_t index) const;       ///< requires an array that is long enough
};

/// What a number may be; NaN and infinities never are.
struct NumberRange {
    double low, high;
    bool above_low = false;  ///< `low` itself is refused
    const char* text;        ///< "0..1", "> 0"
    const char* unit = "";
};

/// The JSON text of a value, shortened to about 60 characters; non-finite numbers by name.
std::string shown(const Json& value);

/// Up to `count` of `candidates` that are closest to `name` by edit distance without case, nearest first, none further
/// than half the name.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count = 3);

/// Collects the faults of one manifest. The readers return nothing after they reported why.
class ManifestFaults {
public:
    ManifestFaults(std::string rule, std::optional<int> scene) : rule_(std::move(rule)), scene_(scene) {}

    void add(Severity severity, const ManifestPlace& place, std::string measured, std::string limit,
             std::string message, std::string fix, std::string unit = {});
    /// The same with the value itself as what was measured.
    void add(Severity severity, const ManifestPlace& place, std::string limit, std::string message, std::string fix);

    /// An object with no key outside `allowed`; unknown keys are reported with the nearest allowed one.
    bool object(const ManifestPlace& place, std::span<const std::string> allowed);
    bool array(const ManifestPlace& place, const char* of);
    /// The member, when it is there; with `required`, its absence is reported with that fix.
    std::optional<ManifestPlace> member(const ManifestPlace& object, const std::string& key);
    std::optional<ManifestPlace> required(const ManifestPlace& object, const std::string& key, const std::string& fix);

    std::optional<double> number(const ManifestPlace& place, const NumberRange& range);
    std::optional<bool> boolean(const ManifestPlace& place);
    std::optional<std::string> text(const ManifestPlace& place);  ///< not empty
    std::optional<std::string> one_of(const ManifestPlace& place, std::span<const std::string> allowed);
    std::optional<Vec3> vector(const ManifestPlace& place);

    Findings take() { return std::move(findings_); }

private:
    std::string rule_;
    std::optional<int> scene_;
    Findings findings_;
};

}  // namespace helixavatar::avatar
