// SPDX-License-Identifier: MIT
#include "support/field.hpp"

#include <algorithm>
#include <cmath>

namespace helixavatar::test {
namespace {

constexpr float kCell = 0.03f;   // look-up grid
constexpr float kReach = 0.06f;  // no seam is wider, so a solid farther away than this changes nothing

float power_of(float x, float n) {
    return n == 2 ? x * x : std::pow(x, n);
}

/// Signed distance, to first order, of the superellipsoid |local / radii|^n = 1.
float superellipsoid(const Vec3f& local, const Vec3f& radii, float n) {
    const Vec3f q = local.cwiseAbs().cwiseQuotient(radii);
    if (n == 2) {
        const float k = q.norm();
        if (k < 1e-4f) return -radii.minCoeff();
        return k * (k - 1) / q.cwiseQuotient(radii).norm();
    }
    const float k = std::pow(power_of(q.x(), n) + power_of(q.y(), n) + power_of(q.z(), n), 1 / n);
    if (k < 1e-4f) return -radii.minCoeff();
    const Vec3f slope(power_of(q.x() / k, n - 1) / radii.x(), power_of(q.y() / k, n - 1) / radii.y(),
                      power_of(q.z() / k, n - 1) / radii.z());
    return (k - 1) / slope.norm();
}

float hermite(float a, float b, float slope_a, float slope_b, float t) {
    const float t2 = t * t;
    const float t3 = t2 * t;
    return a * (2 * t3 - 3 * t2 + 1) + slope_a * (t3 - 2 * t2 + t) + b * (3 * t2 - 2 * t3) + slope_b * (t3 - t2);
}

/// Cross-section at `at` by a cubic through the stations; the slope at a station is that of its two neighbours.
Station section(const std::vector<Station>& stations, float at) {
    std::size_t i = 1;
    while (i + 1 < stations.size() && stations[i].at < at) ++i;
    const Station& a = stations[i - 1];
    const Station& b = stations[i];
    const float span = b.at - a.at;
    const float t = std::clamp((at - a.at) / span, 0.0f, 1.0f);
    const Station& before = i >= 2 ? stations[i - 2] : a;
    const Station& after = i + 1 < stations.size() ? stations[i + 1] : b;
    const auto value = [&](float Station::*m) {
        const float slope_a = (b.*m - before.*m) / (b.at - before.at) * span;
        const float slope_b = (after.*m - a.*m) / (after.at - a.at) * span;
        return hermite(a.*m, b.*m, slope_a, slope_b, t);
    };
    return {at, value(&Station::side), value(&Station::front), value(&Station::back)};
}

}  // namespace

float soft_min(float a, float b, float width) {
    const float overlap = std::max(width - std::abs(a - b), 0.0f);
    return overlap == 0 ? std::min(a, b) : std::min(a, b) - overlap * overlap / (4 * width);
}

float Solid::distance(const Vec3f& p) const {
    float d = 0;
    if (kind == Kind::cone) {
        const Vec3f axis = b - a;
        const float t = std::clamp((p - a).dot(axis) / std::max(axis.squaredNorm(), 1e-12f), 0.0f, 1.0f);
        d = (p - a - t * axis).norm() - (radius_a + t * (radius_b - radius_a));
    } else {
        const Vec3f local = axes * (p - origin);
        if (kind == Kind::ellipsoid) {
            d = superellipsoid(local, radii, 2);
        } else {
            const float at = std::clamp(local.y(), stations.front().at, stations.back().at);
            const Station s = section(stations, at);
            const float beyond = local.y() - at;
            d = superellipsoid({local.x(), beyond, local.z()},
                               {s.side, beyond < 0 ? cap_low : cap_high, local.z() > 0 ? s.front : s.back}, power);
        }
    }
    if (cut) d = -soft_min(-d, -(cut->normal.dot(p) - cut->offset), 0.002f);
    return d;
}

Eigen::AlignedBox3f Solid::bounds() const {
    Eigen::AlignedBox3f box;
    if (kind == Kind::cone) {
        for (const auto& [at, radius] : {std::pair(a, radius_a), std::pair(b, radius_b)}) {
            box.extend((at - Vec3f::Constant(radius)).eval());
            box.extend((at + Vec3f::Constant(radius)).eval());
        }
        return box;
    }
    Vec3f low = -radii;
    Vec3f high = radii;
    if (kind == Kind::loft) {
        float wide = 0;
        float deep = 0;
        for (const Station& s : stations) {
            wide = std::max(wide, s.side);
            deep = std::max({deep, s.front, s.back});
        }
        // The cubic may swing a little past its stations.
        low = Vec3f(-1.1f * wide, stations.front().at - cap_low, -1.1f * deep);
        high = Vec3f(1.1f * wide, stations.back().at + cap_high, 1.1f * deep);
    }
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3f local(corner & 1 ? high.x() : low.x(), corner & 2 ? high.y() : low.y(),
                          corner & 4 ? high.z() : low.z());
        box.extend((origin + axes.transpose() * local).eval());
    }
    return box;
}

Field::Field(std::vector<Solid> solids) : solids_(std::move(solids)) {
    for (const Solid& solid : solids_)
        if (!solid.carve) bounds_.extend(solid.bounds());
    bounds_.min().x() = 0;
    bounds_.min() -= Vec3f::Constant(kCell);
    bounds_.max() += Vec3f::Constant(kCell);
    for (int c = 0; c < 3; ++c) cells_[c] = static_cast<int>(std::ceil(bounds_.sizes()[c] / kCell));
    buckets_.resize(static_cast<std::size_t>(cells_[0]) * cells_[1] * cells_[2]);
    for (std::size_t s = 0; s < solids_.size(); ++s) {
        const Eigen::AlignedBox3f box = solids_[s].bounds();
        std::array<int, 3> low{};
        std::array<int, 3> high{};
        for (int c = 0; c < 3; ++c) {
            low[c] = std::clamp(static_cast<int>((box.min()[c] - kReach - bounds_.min()[c]) / kCell), 0, cells_[c] - 1);
            high[c] =
                std::clamp(static_cast<int>((box.max()[c] + kReach - bounds_.min()[c]) / kCell), 0, cells_[c] - 1);
        }
        for (int z = low[2]; z <= high[2]; ++z)
            for (int y = low[1]; y <= high[1]; ++y)
                for (int x = low[0]; x <= high[0]; ++x)
                    buckets_[(static_cast<std::size_t>(z) * cells_[1] + y) * cells_[0] + x].push_back(
                        static_cast<std::uint16_t>(s));
    }
}

const std::vector<std::uint16_t>& Field::near(const Vec3f& folded) const {
    std::array<int, 3> at{};
    for (int c = 0; c < 3; ++c) {
        at[c] = static_cast<int>(std::floor((folded[c] - bounds_.min()[c]) / kCell));
        if (at[c] < 0 || at[c] >= cells_[c]) return none_;
    }
    return buckets_[(static_cast<std::size_t>(at[2]) * cells_[1] + at[1]) * cells_[0] + at[0]];
}

template <class Visit>
float Field::evaluate(const Vec3f& folded, std::array<float, kParts>& parts, const Visit& visit) const {
    parts.fill(kFar);
    for (const std::uint16_t s : near(folded)) {
        const Solid& solid = solids_[s];
        const float d = solid.distance(folded);
        float& part = parts[static_cast<std::size_t>(solid.part)];
        if (solid.carve) {
            part = -soft_min(-part, d, solid.soft);
        } else {
            part = soft_min(part, d, solid.soft);
            visit(solid, d);
        }
    }
    const auto part = [&](Part p) { return parts[static_cast<std::size_t>(p)]; };
    const float fingers =
        std::min({part(Part::index), part(Part::middle), part(Part::ring), part(Part::pinky), part(Part::thumb)});
    const float arm = soft_min(part(Part::arm), fingers, 0.007f);
    float d = soft_min(part(Part::trunk), part(Part::head), 0.012f);
    d = soft_min(d, part(Part::hair), 0.002f);
    d = soft_min(d, arm, 0.035f);
    d = soft_min(d, soft_min(part(Part::seat), part(Part::leg), 0.030f), 0.003f);
    return soft_min(d, part(Part::foot), 0.002f);
}

float Field::distance(const Vec3f& p) const {
    std::array<float, kParts> parts;
    return evaluate({std::abs(p.x()), p.y(), p.z()}, parts, [](const Solid&, float) {});
}

Field::Sample Field::sample(const Vec3f& p) const {
    Sample out;
    out.stuffs.fill(kFar);
    out.distance = evaluate({std::abs(p.x()), p.y(), p.z()}, out.parts, [&](const Solid& solid, float d) {
        float& stuff = out.stuffs[static_cast<std::size_t>(solid.stuff)];
        stuff = std::min(stuff, d);
    });
    return out;
}

Vec3f Field::normal(const Vec3f& p, float step) const {
    Vec3f slope;
    for (int c = 0; c < 3; ++c) {
        Vec3f offset = Vec3f::Zero();
        offset[c] = step;
        slope[c] = distance(p + offset) - distance(p - offset);
    }
    const float length = slope.norm();
    return length > 0 ? Vec3f(slope / length) : Vec3f::UnitZ();
}

}  // namespace helixavatar::test
