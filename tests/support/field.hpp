// SPDX-License-Identifier: MIT
// A figure as an implicit surface: rounded solids joined with soft seams. Metres. The field is symmetric about X = 0:
// only the character's left half (x >= 0) is described, and a point is looked up by its |x|.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::test {

/// The chain of joints that carries a solid; solids of one part melt into each other before the parts are joined.
enum class Part : std::uint8_t { trunk, seat, head, arm, thumb, index, middle, ring, pinky, leg, foot, hair };
inline constexpr std::size_t kParts = 12;

/// What the surface is made of.
enum class Stuff : std::uint8_t { skin, hair, shirt, trousers, shoe, sole, eye };
inline constexpr std::size_t kStuffs = 7;

/// Half extents of a cross-section, `at` metres along the loft's axis.
struct Station {
    float at = 0;
    float side = 0;   ///< along ±u
    float front = 0;  ///< along +v
    float back = 0;   ///< along -v
};

struct Solid {
    enum class Kind : std::uint8_t { loft, cone, ellipsoid } kind = Kind::cone;
    Part part = Part::trunk;
    Stuff stuff = Stuff::skin;
    bool carve = false;  ///< taken away instead of added
    float soft = 0.01f;  ///< width of the seam with what came before it in the part, metres

    // loft, ellipsoid: local = axes * (p - origin), rows u (side), w (axis), v (front)
    Vec3f origin = Vec3f::Zero();
    Eigen::Matrix3f axes = Eigen::Matrix3f::Identity();
    std::vector<Station> stations;            ///< loft
    float cap_low = 0.01f, cap_high = 0.01f;  ///< loft: how far the round ends stand out
    float power = 2;                          ///< loft: 2 an ellipse, more is boxier
    Vec3f radii = Vec3f::Ones();              ///< ellipsoid, along u w v

    // cone: round cone from a to b
    Vec3f a = Vec3f::Zero(), b = Vec3f::Zero();
    float radius_a = 0, radius_b = 0;

    /// Only where normal·p <= offset.
    struct Cut {
        Vec3f normal;
        float offset;
    };
    std::optional<Cut> cut;

    float distance(const Vec3f& p) const;  ///< about metres near the surface, negative inside
    Eigen::AlignedBox3f bounds() const;    ///< contains the solid
};

class Field {
public:
    explicit Field(std::vector<Solid> solids);

    struct Sample {
        float distance = 0;
        std::array<float, kParts> parts{};    ///< distance to each part, kFar when out of reach
        std::array<float, kStuffs> stuffs{};  ///< distance to the nearest solid of each stuff
    };
    static constexpr float kFar = 1.0f;  ///< what is farther than the reach counts as a metre away

    float distance(const Vec3f& p) const;
    Sample sample(const Vec3f& p) const;
    /// Unit gradient by central differences of `step` metres; +Z where the field is flat.
    Vec3f normal(const Vec3f& p, float step) const;
    const Eigen::AlignedBox3f& bounds() const { return bounds_; }

private:
    const std::vector<std::uint16_t>& near(const Vec3f& folded) const;
    template <class Visit>
    float evaluate(const Vec3f& folded, std::array<float, kParts>& parts, const Visit& visit) const;

    std::vector<Solid> solids_;
    Eigen::AlignedBox3f bounds_;  ///< of the half with x >= 0
    std::array<int, 3> cells_{};
    std::vector<std::vector<std::uint16_t>> buckets_;  ///< solids within reach of each cell, ascending
    std::vector<std::uint16_t> none_;
};

/// Smooth minimum: at most width/4 below the smaller one, equal to it where they differ by more than `width`.
float soft_min(float a, float b, float width);

}  // namespace helixavatar::test
