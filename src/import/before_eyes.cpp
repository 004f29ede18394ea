// SPDX-License-Identifier: MIT
#include <helixavatar/import/before_eyes.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace helixavatar::import {
namespace {

// Shares of the head joint's height over the ground, of an adult.
constexpr double kEyeUp = 0.062;     // eyes over the head joint
constexpr double kEyeAside = 0.020;  // from the middle
constexpr double kReach = 0.30;      // farther off, a thing is part of the world
constexpr double kLid = 0.007;       // nearer than this, a thing is the eye's own: lids, lashes
constexpr std::size_t kLeastRays = 3;
// Degrees.
constexpr double kMostAzimuth = 30, kMostUp = 30, kMostDown = 10;
constexpr std::array kAzimuths = {-kMostAzimuth, -15.0, 0.0, 15.0, kMostAzimuth};
constexpr std::array kElevations = {-kMostDown, 0.0, 15.0, kMostUp};

struct Triangle {
    std::array<Vec3, 3> corners;
    std::size_t surface = 0;
    bool on_head = false;
};

struct Hit {
    double distance = 0;
    std::size_t surface = 0;
    bool on_head = false;
};

std::vector<bool> below_head(const avatar::Avatar& avatar, int head) {
    std::vector<bool> of_head(avatar.joints.size(), false);
    for (std::size_t j = 0; j < of_head.size(); ++j) {
        const int parent = avatar.joints[j].parent;
        of_head[j] = static_cast<int>(j) == head || (parent >= 0 && of_head[static_cast<std::size_t>(parent)]);
    }
    return of_head;
}

bool mostly_on(const avatar::Influences& influences, const std::vector<bool>& of_head) {
    double on = 0, total = 0;
    for (const avatar::Influence& influence : influences) {
        total += static_cast<double>(influence.weight);
        if (influence.joint < of_head.size() && of_head[influence.joint]) on += static_cast<double>(influence.weight);
    }
    return on > total / 2;
}

std::optional<Vec3> eye_joints(const avatar::Avatar& avatar, const std::vector<bool>& of_head) {
    Vec3 sum = Vec3::Zero();
    double count = 0;
    for (std::size_t j = 0; j < avatar.joints.size(); ++j) {
        std::string name = avatar.joints[j].name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
        if (!of_head[j] || !has("eye") || has("brow") || has("lid") || has("lash")) continue;
        sum += avatar.joints[j].rest.translation;
        ++count;
    }
    if (count != 2) return {};  // a pair, or it is something else
    return Vec3(sum / count);
}

/// Möller and Trumbore's test, from both sides; infinity for a miss.
double meet(const Triangle& triangle, const Vec3& from, const Vec3& direction) {
    constexpr double kMiss = std::numeric_limits<double>::infinity();
    const Vec3 e1 = triangle.corners[1] - triangle.corners[0], e2 = triangle.corners[2] - triangle.corners[0];
    const Vec3 p = direction.cross(e2);
    const double determinant = e1.dot(p);
    if (std::abs(determinant) < 1e-15) return kMiss;
    const Vec3 t = from - triangle.corners[0], q = t.cross(e1);
    const double u = t.dot(p) / determinant, v = direction.dot(q) / determinant, far = e2.dot(q) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && far > 0 ? far : kMiss;
}

/// Where the rays are: a box before the eyes, a little larger than what they reach.
class View {
public:
    View(const Vec3& middle, const Vec3& up, const Vec3& forward, double height)
        : middle_(middle), reach_(kReach * height) {
        axes_.row(0) = up.cross(forward);
        axes_.row(1) = up;
        axes_.row(2) = forward;
        const double slack = 0.01 * reach_, aside = std::sin(radians(kMostAzimuth)) * reach_ + kEyeAside * height;
        low_ = Vec3(-aside, -std::sin(radians(kMostDown)) * reach_, 0) - Vec3::Constant(slack);
        high_ = Vec3(aside, std::sin(radians(kMostUp)) * reach_, reach_) + Vec3::Constant(slack);
    }

    /// The sides of the box that a place lies beyond, a bit each. What lies beyond one side with all its corners is not
    /// in the box.
    unsigned beyond(const Vec3f& place) const {
        const Vec3 at = axes_ * (place.cast<double>() - middle_);
        unsigned sides = 0;
        for (int i = 0; i < 3; ++i) sides |= (at[i] < low_[i] ? 1U : 0U) << i | (at[i] > high_[i] ? 8U : 0U) << i;
        return sides;
    }

    /// Whether a thing with these corners is near enough to count.
    bool near(const std::array<Vec3, 3>& corners) const {
        double closest = std::numeric_limits<double>::infinity();
        for (const Vec3& corner : corners) closest = std::min(closest, (corner - middle_).squaredNorm());
        return closest < 4 * reach_ * reach_;
    }

private:
    Vec3 middle_, low_, high_;
    Mat3 axes_;
    double reach_;
};

std::vector<Triangle> in_view(const std::vector<avatar::Surface>& surfaces, const std::vector<bool>& of_head,
                              const View& view) {
    std::vector<Triangle> shown;
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
        std::vector<unsigned> beyond;
        beyond.reserve(surfaces[s].positions.size());
        for (const Vec3f& place : surfaces[s].positions) beyond.push_back(view.beyond(place));
        for (const auto* list : {&surfaces[s].body, &surfaces[s].face})
            for (std::size_t t = 0; t + 2 < list->size(); t += 3) {
                if (beyond[(*list)[t]] & beyond[(*list)[t + 1]] & beyond[(*list)[t + 2]]) continue;
                Triangle triangle;
                triangle.surface = s;
                for (std::size_t c = 0; c < 3; ++c)
                    triangle.corners[c] = surfaces[s].positions[(*list)[t + c]].cast<double>();
                if (!view.near(triangle.corners)) continue;
                triangle.on_head = true;
                for (std::size_t c = 0; c < 3; ++c)
                    triangle.on_head = triangle.on_head && mostly_on(surfaces[s].influences[(*list)[t + c]], of_head);
                shown.push_back(triangle);
            }
    }
    return shown;
}

/// Where a triangle stands before an eye, in the plane one unit ahead of it: no ray outside this meets it.
struct Shadow {
    Eigen::Vector2d low, high;
};

Shadow shadow_of(const Triangle& triangle, const Vec3& eye, const Mat3& axes) {
    constexpr double kSlack = 1e-6, kEverywhere = std::numeric_limits<double>::infinity();
    Shadow shadow{Eigen::Vector2d::Constant(kEverywhere), Eigen::Vector2d::Constant(-kEverywhere)};
    for (const Vec3& corner : triangle.corners) {
        const Vec3 at = axes * (corner - eye);
        // Beside or behind the eye there is no such place: the triangle has to be tried.
        if (!(at.z() > kSlack * at.norm()))
            return {Eigen::Vector2d::Constant(-kEverywhere), Eigen::Vector2d::Constant(kEverywhere)};
        const Eigen::Vector2d place = at.head<2>() / at.z();
        shadow.low = shadow.low.cwiseMin(place);
        shadow.high = shadow.high.cwiseMax(place);
    }
    const double slack = kSlack * (1 + shadow.high.cwiseAbs().maxCoeff() + shadow.low.cwiseAbs().maxCoeff());
    return {shadow.low - Eigen::Vector2d::Constant(slack), shadow.high + Eigen::Vector2d::Constant(slack)};
}

/// What each ray meets, nearest first.
std::vector<std::vector<Hit>> cast(const std::vector<Triangle>& near, const Vec3& middle, const Vec3& up,
                                   const Vec3& forward, double height) {
    std::vector<std::vector<Hit>> rays;
    const Vec3 left = up.cross(forward);
    Mat3 axes;
    axes << left.transpose(), up.transpose(), forward.transpose();
    for (const double side : {kEyeAside, -kEyeAside}) {
        const Vec3 eye = middle + side * height * left;
        std::vector<Shadow> shadows;
        shadows.reserve(near.size());
        for (const Triangle& triangle : near) shadows.push_back(shadow_of(triangle, eye, axes));
        for (const double azimuth : kAzimuths)
            for (const double elevation : kElevations) {
                const double a = radians(azimuth), e = radians(elevation);
                const Vec3 direction = std::cos(e) * (std::cos(a) * forward + std::sin(a) * left) + std::sin(e) * up;
                std::vector<Hit> hits;
                const Vec3 ahead = axes * direction;
                const Eigen::Vector2d place = ahead.head<2>() / ahead.z();
                for (std::size_t i = 0; i < near.size(); ++i) {
                    const Shadow& shadow = shadows[i];
                    if (place.x() < shadow.low.x() || place.x() > shadow.high.x() || place.y() < shadow.low.y() ||
                        place.y() > shadow.high.y())
                        continue;
                    if (const double far = meet(near[i], eye, direction); far < kReach * height)
                        hits.push_back({far, near[i].surface, near[i].on_head});
                }
                std::sort(hits.begin(), hits.end(), [](const Hit& x, const Hit& y) { return x.distance < y.distance; });
                rays.push_back(std::move(hits));
            }
    }
    return rays;
}

/// The face is the nearest surface of the head that half of the rays go through; eyeballs fill fewer.
std::optional<std::size_t> face_surface(const std::vector<std::vector<Hit>>& rays) {
    std::map<std::size_t, std::pair<std::size_t, double>> met;  // surface → rays, sum of first distances
    for (const std::vector<Hit>& hits : rays) {
        std::set<std::size_t> seen;
        for (const Hit& hit : hits)
            if (hit.on_head && seen.insert(hit.surface).second) {
                ++met[hit.surface].first;
                met[hit.surface].second += hit.distance;
            }
    }
    std::optional<std::size_t> face;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& [surface, entry] : met) {
        const double mean = entry.second / static_cast<double>(entry.first);
        if (entry.first * 2 < rays.size() || mean >= nearest) continue;
        nearest = mean;
        face = surface;
    }
    return face;
}

}  // namespace

std::vector<BeforeEyes> before_eyes(const avatar::Avatar& avatar, int head, const Vec3& up, const Vec3& forward) {
    if (avatar.levels.empty() || head < 0) return {};
    const std::vector<bool> of_head = below_head(avatar, head);
    const std::vector<avatar::Surface>& surfaces = avatar.levels[0].surfaces;
    double ground = std::numeric_limits<double>::infinity();
    for (const avatar::Surface& surface : surfaces)
        for (const Vec3f& p : surface.positions) ground = std::min(ground, p.cast<double>().dot(up));
    const Vec3& joint = avatar.joints[static_cast<std::size_t>(head)].rest.translation;
    const double height = joint.dot(up) - ground;
    if (!(height > 0) || !std::isfinite(height)) return {};
    // Inside the head, at the eyes' height: whatever a ray meets first is the face itself.
    Vec3 middle = joint + kEyeUp * height * up;
    if (const auto eyes = eye_joints(avatar, of_head)) middle += ((*eyes - middle).dot(up)) * up;

    const std::vector<std::vector<Hit>> rays =
        cast(in_view(surfaces, of_head, View(middle, up, forward, height)), middle, up, forward, height);
    const std::optional<std::size_t> face = face_surface(rays);
    std::map<std::pair<std::size_t, bool>, BeforeEyes> found;
    for (const std::vector<Hit>& hits : rays) {
        const auto skin = std::find_if(hits.begin(), hits.end(),
                                       [&](const Hit& hit) { return !face || (hit.on_head && hit.surface == *face); });
        if (skin == hits.end()) continue;
        std::map<std::pair<std::size_t, bool>, double> met;  // by thing, once a ray
        for (auto hit = skin + 1; hit != hits.end(); ++hit) {
            const double gap = hit->distance - skin->distance;
            if (gap > kLid * height && !(hit->on_head && hit->surface == skin->surface))
                met.try_emplace({hit->surface, hit->on_head}, gap);
        }
        for (const auto& [thing, gap] : met) {
            const BeforeEyes fresh{surfaces[thing.first].name, 0, gap, thing.second};
            BeforeEyes& entry = found.try_emplace(thing, fresh).first->second;
            ++entry.rays;
            entry.distance = std::min(entry.distance, gap);
        }
    }
    std::vector<BeforeEyes> out;
    for (auto& [thing, entry] : found)
        if (entry.rays >= kLeastRays) out.push_back(std::move(entry));
    std::stable_sort(out.begin(), out.end(), [](const BeforeEyes& a, const BeforeEyes& b) { return a.rays > b.rays; });
    return out;
}

}  // namespace helixavatar::import
