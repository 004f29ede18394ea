// SPDX-License-Identifier: MIT
// The numbers in the accessors. Each accessor is read once, whatever the number of its uses.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <helixavatar/gltf/accessor_view.hpp>

#include "check_context.hpp"
#include "file_finding.hpp"
#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kData = "file-data";

/// The platform's own tolerance on weight sums; the validator's is rounding alone, and what lies between is a warning.
constexpr double kWeightTolerance = 2e-3;
constexpr double kWeightRounding = 2e-7;
/// Bounds that are off by less than this share of the extent were rounded in printing.
constexpr double kBoundsTolerance = 1e-3;
/// How far unit vectors and quaternions may be off: what 8-bit quantised components bring about.
constexpr double kUnitTolerance = 0.00769;

std::string text(double value) {
    return std::isfinite(value) ? Json(value).dump() : std::isnan(value) ? "NaN" : "infinity";
}

/// What has to hold of an accessor because of how it is used.
struct Uses {
    bool normal = false;
    bool tangent = false;
    bool color = false;
    bool inverse_bind = false;
    bool times = false;
    bool quaternions = false;
    bool spline = false;  ///< quaternions of a cubic spline: every second of three is a value
};

class ValueCheck {
public:
    explicit ValueCheck(CheckContext& context)
        : context_(context),
          count_(element_count(context.json, "accessors")),
          uses_(count_),
          greatest_(count_),
          budget_(context.options.limits.file_bytes * 4) {}

    void run() {
        collect_mesh_uses();
        collect_animation_uses();
        for (std::size_t s = 0; s < element_count(context_.json, "skins"); ++s)
            if (Uses* uses = uses_of(context_.json["skins"][s], "inverseBindMatrices")) uses->inverse_bind = true;
        for (std::size_t a = 0; a < count_; ++a) check_accessor(a);
        check_primitives();
        if (budget_spent_)
            context_.warning(kData, "/accessors", "the accessors overlap so much that not all values were read", "");
    }

private:
    Uses* uses_of(const Json& holder, const char* name) {
        const auto index = whole_member(holder, name);
        return index && *index < count_ ? &uses_[*index] : nullptr;
    }

    void collect_mesh_uses() {
        for (std::size_t m = 0; m < element_count(context_.json, "meshes"); ++m) {
            const Json& mesh = context_.json["meshes"][m];
            for (std::size_t p = 0; p < element_count(mesh, "primitives"); ++p) {
                const Json* attributes = member(mesh["primitives"][p], "attributes");
                if (!attributes || !attributes->is_object()) continue;
                if (Uses* uses = uses_of(*attributes, "NORMAL")) uses->normal = true;
                if (Uses* uses = uses_of(*attributes, "TANGENT")) uses->tangent = true;
                if (Uses* uses = uses_of(*attributes, "COLOR_0")) uses->color = true;
            }
        }
    }

    void collect_animation_uses() {
        for (std::size_t a = 0; a < element_count(context_.json, "animations"); ++a) {
            const Json& animation = context_.json["animations"][a];
            for (std::size_t s = 0; s < element_count(animation, "samplers"); ++s)
                if (Uses* uses = uses_of(animation["samplers"][s], "input")) uses->times = true;
            for (std::size_t c = 0; c < element_count(animation, "channels"); ++c) {
                const Json& channel = animation["channels"][c];
                const Json* target = member(channel, "target");
                const auto index = whole_member(channel, "sampler");
                const Json* sampler = index ? element(animation, "samplers", *index) : nullptr;
                if (!target || !sampler || text_member(*target, "path") != "rotation") continue;
                Uses* uses = uses_of(*sampler, "output");
                if (!uses) continue;
                uses->quaternions = true;
                uses->spline = text_member(*sampler, "interpolation") == "CUBICSPLINE";
            }
        }
    }

    /// The view of an accessor that has values to read; nothing when it has none, is faulty, or the budget is spent.
    std::optional<AccessorView> open(std::size_t accessor) {
        const Json* json = element(context_.json, "accessors", accessor);
        if (!json || !json->is_object() || (!json->contains("bufferView") && !json->contains("sparse")))
            return std::nullopt;
        auto view = AccessorView::open(context_.document, accessor, context_.options.limits);
        if (!view) return std::nullopt;
        const std::size_t bytes = view->count() * static_cast<std::size_t>(view->components()) * sizeof(float);
        if (bytes > budget_) {
            budget_spent_ = true;
            return std::nullopt;
        }
        budget_ -= bytes;
        return view.take();
    }

    void check_accessor(std::size_t accessor) {
        const auto view = open(accessor);
        if (!view) return;
        const std::string at = "/accessors/" + std::to_string(accessor);
        const auto components = static_cast<std::size_t>(view->components());
        if (view->component_type() == 5125) {
            const auto values = view->unsigned_integers();
            greatest_[accessor] = *std::max_element(values.begin(), values.end());
            check_bounds(accessor, values, components, at);
            return;
        }
        auto values = view->stored_values();
        if (view->component_type() == 5126 && !check_finite(values, components, at)) return;
        check_bounds(accessor, values, components, at);
        if (view->component_type() == 5121 || view->component_type() == 5123)
            greatest_[accessor] = static_cast<std::uint32_t>(*std::max_element(values.begin(), values.end()));
        const Uses& uses = uses_[accessor];
        if (view->normalized() && (uses.normal || uses.tangent || uses.color || uses.quaternions))
            values = view->floats();
        check_uses(uses, values, components, at);
    }

    bool check_finite(const std::vector<float>& values, std::size_t components, const std::string& at) {
        std::size_t bad = 0;
        std::size_t first = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if ((std::bit_cast<std::uint32_t>(values[i]) & 0x7F800000U) != 0x7F800000U) continue;
            if (bad++ == 0) first = i;
        }
        if (bad)
            context_.error(kData, at,
                           "numbers are not finite, the first in element " + std::to_string(first / components),
                           "ACCESSOR_INVALID_FLOAT", std::to_string(bad), "0", "numbers");
        return bad == 0;
    }

    template <class T>
    void check_bounds(std::size_t accessor, const std::vector<T>& values, std::size_t components,
                      const std::string& at) {
        const Json& json = context_.json["accessors"][accessor];
        const bool has_min = element_count(json, "min") == components;
        const bool has_max = element_count(json, "max") == components;
        if (!has_min && !has_max) return;
        std::vector<T> low(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(components));
        std::vector<T> high = low;
        for (std::size_t i = 0; i < values.size(); i += components) {
            for (std::size_t c = 0; c < components; ++c) {
                low[c] = std::min(low[c], values[i + c]);
                high[c] = std::max(high[c], values[i + c]);
            }
        }
        for (std::size_t c = 0; c < components; ++c) {
            const double extent = static_cast<double>(high[c]) - static_cast<double>(low[c]);
            if (has_min) compare_bound<T>(json["min"][c], low[c], extent, at + "/min/" + std::to_string(c), "MIN");
            if (has_max) compare_bound<T>(json["max"][c], high[c], extent, at + "/max/" + std::to_string(c), "MAX");
        }
    }

    template <class T>
    void compare_bound(const Json& said, T actual, double extent, const std::string& at, const std::string& which) {
        if (!said.is_number()) return;
        const double bound = said.get<double>();
        if (std::is_same_v<T, float> && static_cast<float>(bound) == static_cast<float>(actual)) return;
        const double off = std::abs(bound - static_cast<double>(actual));
        if (off == 0) return;
        const bool outside = which == "MIN" ? static_cast<double>(actual) < bound : static_cast<double>(actual) > bound;
        const std::string message = outside ? "values lie outside of the bounds that the accessor gives"
                                            : "the accessor's bounds are not the least and greatest of its values";
        const std::string code = outside
                                     ? "ACCESSOR_ELEMENT_OUT_OF_" + which + "_BOUND] [ACCESSOR_" + which + "_MISMATCH"
                                     : "ACCESSOR_" + which + "_MISMATCH";
        if (off > kBoundsTolerance * (extent + std::abs(static_cast<double>(actual)) * 1e-3 + 1e-9))
            context_.error(kData, at, message, code, text(static_cast<double>(actual)), said.dump());
        else
            context_.warning(kData, at, message + ", by rounding", code, text(static_cast<double>(actual)),
                             said.dump());
    }

    void check_uses(const Uses& uses, const std::vector<float>& v, std::size_t components, const std::string& at) {
        if ((uses.normal || uses.tangent) && components >= 3) check_unit_vectors(v, components, at);
        if (uses.tangent && components == 4)
            count_faults(v, 4, at, "tangents have a sign that is neither 1 nor -1", "ACCESSOR_INVALID_SIGN", false,
                         [](const float* t) { return t[3] != 1.0F && t[3] != -1.0F; });
        if (uses.color)
            count_faults(v, 1, at, "vertex colours lie outside of 0 to 1", "ACCESSOR_NON_CLAMPED", false,
                         [](const float* c) { return *c < 0.0F || *c > 1.0F; });
        if (uses.inverse_bind && components == 16)
            count_faults(v, 16, at, "inverse bind matrices have a last row other than 0 0 0 1", "ACCESSOR_INVALID_IBM",
                         false,
                         [](const float* m) { return m[3] != 0.0F || m[7] != 0.0F || m[11] != 0.0F || m[15] != 1.0F; });
        if (uses.times && components == 1) {
            count_faults(v, 1, at, "times are negative", "ACCESSOR_ANIMATION_INPUT_NEGATIVE", false,
                         [](const float* t) { return *t < 0.0F; });
            const float* begin = v.data();
            count_faults(v, 1, at, "times do not grow from key to key", "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
                         false, [&](const float* t) { return t != begin && !(*t > t[-1]); });
        }
        if (uses.quaternions && components == 4) {
            const std::size_t step = uses.spline ? 12 : 4;
            const std::size_t skip = uses.spline ? 4 : 0;
            count_faults(v, step, at, "rotation keys are no unit quaternions",
                         "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", false, [&](const float* q) {
                             q += skip;
                             const float squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
                             return std::abs(std::sqrt(squared) - 1.0F) > kUnitTolerance;
                         });
        }
    }

    /// Shading forgives a short normal, a loader never notices it: a warning, where the validator has an error.
    void check_unit_vectors(const std::vector<float>& v, std::size_t components, const std::string& at) {
        count_faults(v, components, at, "normals or tangents are not of length 1: they are shaded wrong",
                     "ACCESSOR_VECTOR3_NON_UNIT", true, [](const float* n) {
                         return std::abs(std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - 1.0F) > kUnitTolerance;
                     });
    }

    template <class Faulty>
    void count_faults(const std::vector<float>& v, std::size_t step, const std::string& at, const char* message,
                      const char* code, bool warning, Faulty faulty) {
        std::size_t bad = 0;
        for (std::size_t i = 0; i + step <= v.size(); i += step) bad += faulty(v.data() + i) ? 1U : 0U;
        if (bad == 0) return;
        if (warning)
            context_.warning(kData, at, message, code, std::to_string(bad), "0", "elements");
        else
            context_.error(kData, at, message, code, std::to_string(bad), "0", "elements");
    }

    /// Of each mesh: the fewest joints of any skin that it is drawn with.
    std::vector<std::size_t> joint_limits() const {
        std::vector<std::size_t> limits(element_count(context_.json, "meshes"), SIZE_MAX);
        for (std::size_t n = 0; n < element_count(context_.json, "nodes"); ++n) {
            const Json& node = context_.json["nodes"][n];
            const auto mesh = whole_member(node, "mesh");
            const auto skin = whole_member(node, "skin");
            const Json* json = skin ? element(context_.json, "skins", *skin) : nullptr;
            if (mesh && *mesh < limits.size() && json)
                limits[*mesh] = std::min(limits[*mesh], element_count(*json, "joints"));
        }
        return limits;
    }

    void check_primitives() {
        const std::vector<std::size_t> limits = joint_limits();
        for (std::size_t m = 0; m < limits.size(); ++m) {
            const Json& mesh = context_.json["meshes"][m];
            for (std::size_t p = 0; p < element_count(mesh, "primitives"); ++p) {
                const std::string at = "/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p);
                const Json& primitive = mesh["primitives"][p];
                const Json* attributes = member(primitive, "attributes");
                if (!attributes || !attributes->is_object()) continue;
                check_indices(primitive, *attributes, at);
                check_joints(*attributes, limits[m], at + "/attributes");
                check_weights(*attributes, at + "/attributes");
            }
        }
    }

    void check_indices(const Json& primitive, const Json& attributes, const std::string& at) {
        const auto indices = whole_member(primitive, "indices");
        const auto positions = whole_member(attributes, "POSITION");
        const Json* vertices = positions ? element(context_.json, "accessors", *positions) : nullptr;
        if (!indices || *indices >= count_ || !greatest_[*indices] || !vertices) return;
        const std::uint32_t greatest = *greatest_[*indices];
        const std::size_t count = whole_member_or(*vertices, "count", 0);
        const std::size_t type = whole_member_or(context_.json["accessors"][*indices], "componentType", 0);
        const std::uint32_t restart = type == 5121 ? 0xFFU : type == 5123 ? 0xFFFFU : 0xFFFFFFFFU;
        if (greatest == restart)
            context_.error(kData, at + "/indices", "an index is the primitive restart value, which glTF forbids",
                           "ACCESSOR_INDEX_PRIMITIVE_RESTART", std::to_string(greatest), std::to_string(count),
                           "vertices");
        if (greatest >= count)
            context_.error(kData, at + "/indices", "an index is past the last vertex",
                           greatest == restart ? "" : "ACCESSOR_INDEX_OOB", std::to_string(greatest),
                           std::to_string(count), "vertices");
    }

    void check_joints(const Json& attributes, std::size_t limit, const std::string& at) {
        if (limit == SIZE_MAX) return;
        for (int set = 0; set < 64; ++set) {
            const std::string name = "JOINTS_" + std::to_string(set);
            const auto joints = whole_member(attributes, name.c_str());
            if (!joints) return;
            if (*joints >= count_ || !greatest_[*joints] || *greatest_[*joints] < limit) continue;
            context_.error(kData, at + "/" + name, "a vertex hangs on a joint that the skin does not have",
                           "ACCESSOR_JOINTS_INDEX_OOB", std::to_string(*greatest_[*joints]), std::to_string(limit),
                           "joints");
        }
    }

    void check_weights(const Json& attributes, const std::string& at) {
        std::vector<std::size_t> sets;
        for (int set = 0; set < 64; ++set) {
            const auto weights = whole_member(attributes, ("WEIGHTS_" + std::to_string(set)).c_str());
            if (!weights || *weights >= count_) break;
            sets.push_back(*weights);
        }
        if (sets.empty() || !weight_sets_.emplace(sets, true).second) return;
        std::vector<double> sums;
        std::size_t negative = 0;
        for (const std::size_t accessor : sets) {
            const auto view = open(accessor);
            if (!view || view->components() != 4 || (!sums.empty() && view->count() != sums.size())) return;
            const auto values = view->floats();
            sums.resize(view->count(), 0.0);
            for (std::size_t i = 0; i < values.size(); ++i) {
                sums[i / 4] += static_cast<double>(values[i]);
                negative += values[i] < 0.0F ? 1U : 0U;
            }
        }
        const std::string place = at + "/WEIGHTS_0";
        if (negative)
            context_.error(kData, place, "weights are negative", "ACCESSOR_WEIGHTS_NEGATIVE", std::to_string(negative),
                           "0", "weights");
        double worst = 0;
        std::size_t off = 0;
        const double rounding = kWeightRounding * 4 * static_cast<double>(sets.size());
        for (const double sum : sums) {
            const double error = std::abs(sum - 1);
            if (!std::isfinite(error)) return;  // check_finite has said so
            worst = std::max(worst, error);
            off += error > rounding ? 1U : 0U;
        }
        if (worst > kWeightTolerance)
            context_.error(
                kData, place,
                "weights do not add up to 1 at " + std::to_string(off) + (off == 1 ? " vertex" : " vertices"),
                "ACCESSOR_WEIGHTS_NON_NORMALIZED", text(worst), text(kWeightTolerance));
        else if (off)
            context_.warning(
                kData, place,
                "weights add up to nearly 1 at " + std::to_string(off) + (off == 1 ? " vertex" : " vertices"),
                "ACCESSOR_WEIGHTS_NON_NORMALIZED", text(worst), text(rounding));
    }

    CheckContext& context_;
    std::size_t count_;
    std::vector<Uses> uses_;
    std::vector<std::optional<std::uint32_t>> greatest_;  ///< of each accessor of unsigned integers that has been read
    std::map<std::vector<std::size_t>, bool> weight_sets_;
    std::size_t budget_;  ///< bytes that may still be read: accessors may all lie on the same bytes
    bool budget_spent_ = false;
};

}  // namespace

void check_values(CheckContext& context) {
    ValueCheck(context).run();
}

}  // namespace helixavatar::gltf
