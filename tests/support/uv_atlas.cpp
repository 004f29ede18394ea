// SPDX-License-Identifier: MIT
// Unfolds the body into charts: the face and the back of the head as discs, limbs and fingers as tubes slit along one
// side, the torso as two half tubes, palms and soles flat. Then packs them under a skyline.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "support/body.hpp"
#include "support/reference_pose.hpp"

namespace helixavatar::test {
namespace {

constexpr float kTau = 6.28318530718f;
constexpr float kGutter = 0.004f;  // of the texture's width, between charts

enum class Shape { disc, tube, flat };

/// How a piece of surface is laid out. All lengths in metres.
struct Layout {
    Shape shape = Shape::flat;
    float density = 1;                           ///< texels a metre, against the body's
    Vec3f a = Vec3f::Zero(), b = Vec3f::Zero();  ///< disc: a its centre; tube: ends of the axis; flat: a the origin
    Vec3f right = Vec3f::Zero(),
          up = Vec3f::Zero();       ///< flat: the two directions; disc: right and up as seen from outside
    Vec3f middle = Vec3f::UnitZ();  ///< disc: outward; tube: the side opposite to the slit
    float radius = 0.05f;           ///< disc, tube: metres of chart a radian

    /// Chart place of p; tubes: the angle is kept near `angle` so that a triangle is never torn.
    Vec2f place(const Vec3f& p, std::optional<float> angle, float* angle_out) const {
        if (shape == Shape::flat) return {right.dot(p - a), up.dot(p - a)};
        if (shape == Shape::disc) {
            const Vec3f d = (p - a).normalized();
            const Vec2f flat_part(right.dot(d), up.dot(d));
            const float turn = std::acos(std::clamp(middle.dot(d), -1.0f, 1.0f));
            const float length = flat_part.norm();
            return length < 1e-6f ? Vec2f::Zero() : Vec2f(flat_part * (turn * radius / length));
        }
        const Vec3f axis = (b - a).normalized();
        const float length = (b - a).norm();
        const float t = axis.dot(p - a);
        const float held = std::clamp(t, 0.0f, length);
        const Vec3f off = p - a - held * axis;
        const Vec3f front = (middle - middle.dot(axis) * axis).normalized();
        float around = std::atan2(axis.cross(front).dot(off), front.dot(off));
        if (angle) around += kTau * std::round((*angle - around) / kTau);
        if (angle_out) *angle_out = around;
        // Past an end the surface closes like a ball: go on by the angle, not by the height.
        const float rise = axis.dot(off);
        const float beyond = std::atan2(rise, std::sqrt(std::max(off.squaredNorm() - rise * rise, 0.0f))) * radius;
        return {around * radius, held + beyond};
    }
};

Vec3f at(const std::string& joint) {
    return reference_position(joint).cast<float>();
}

Vec3f flipped(Vec3f v) {
    v.x() = -v.x();
    return v;
}

enum ChartId : std::uint16_t { face, back_of_head, neck, torso_front, torso_back, first_sided };
enum SidedChart : std::uint16_t {
    upper_arm,
    forearm,
    palm,
    hand_back,
    thumb,
    index,
    middle,
    ring,
    pinky,
    leg,
    shoe,
    sole,
    sided_count
};

Layout tube(const Vec3f& a, const Vec3f& b, const Vec3f& middle_side, float radius, float density = 1) {
    return {Shape::tube, density, a, b, Vec3f::Zero(), Vec3f::Zero(), middle_side, radius};
}

const Vec3f none = Vec3f::Zero();

std::vector<Layout> left_layouts() {
    std::vector<Layout> out(sided_count);
    const Quat turn = reference_joints()[reference_index("hand_l")].world.rotation;
    const Vec3f along = (turn * Vec3::UnitX()).cast<float>();
    const Vec3f across = (turn * Vec3::UnitY()).cast<float>();
    const Vec3f out_of_back = (turn * Vec3::UnitZ()).cast<float>();
    out[upper_arm] = tube(at("upperarm_l"), at("lowerarm_l"), {0.8f, 0.6f, 0.1f}, 0.055f);
    out[forearm] = tube(at("lowerarm_l"), at("hand_l"), {0.5f, 0.6f, -0.6f}, 0.038f);
    out[palm] = {Shape::flat, 1.5f, at("hand_l"), none, across, along, none, 0};
    out[hand_back] = {Shape::flat, 1.5f, at("hand_l"), none, -across, along, none, 0};
    const std::array<std::pair<SidedChart, const char*>, 5> fingers = {
        {{thumb, "thumb"}, {index, "index"}, {middle, "middle"}, {ring, "ring"}, {pinky, "pinky"}}};
    for (const auto& [chart, name] : fingers) {
        const std::string stem = name;
        const Vec3f c = at(stem + "_03_l");
        out[chart] = tube(at(stem + "_01_l"), c + 0.8f * (c - at(stem + "_02_l")), out_of_back, 0.0085f, 1.5f);
    }
    out[leg] = tube(at("thigh_l"), at("foot_l"), {1, 0, 0.2f}, 0.065f);
    Vec3f toes = at("ball_l") - at("foot_l");
    toes.y() = 0;
    toes.normalize();
    const Vec3f ground(at("foot_l").x(), 0.020f, at("foot_l").z());
    out[shoe] = tube(ground - 0.04f * toes, ground + 0.19f * toes, {0, 1, 0}, 0.045f);
    out[sole] = {Shape::flat, 0.7f, ground, none, Vec3f(0, 1, 0).cross(toes), toes, none, 0};
    return out;
}

std::vector<Layout> layouts() {
    std::vector<Layout> out(first_sided);
    const Vec3f skull = head_place({0, 1.683f, 0.010f});
    out[face] = {Shape::disc, 2.0f, skull, none, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, 0.095f};
    out[back_of_head] = {Shape::disc, 1.0f, skull, none, {-1, 0, 0}, {0, 1, 0}, {0, 0, -1}, 0.095f};
    out[neck] = tube({0, 1.46f, -0.030f}, {0, 1.60f, 0.0f}, {0, 0, 1}, 0.060f);
    out[torso_front] = tube({0, 0.79f, 0}, {0, 1.42f, -0.02f}, {0, 0, 1}, 0.150f);
    out[torso_back] = tube({0, 0.79f, 0}, {0, 1.42f, -0.02f}, {0, 0, -1}, 0.150f);
    for (const Layout& left : left_layouts()) {
        out.push_back(left);
        Layout right = left;
        for (Vec3f* v : {&right.a, &right.b, &right.right, &right.up, &right.middle}) *v = flipped(*v);
        right.right = -right.right;  // seen from outside, right stays right
        out.push_back(right);
    }
    return out;
}

bool beyond_elbow(Vec3f p) {
    static const Vec3f elbow = at("lowerarm_l");
    static const Vec3f along = (at("hand_l") - elbow).normalized() + (elbow - at("upperarm_l")).normalized();
    p.x() = std::abs(p.x());
    return along.dot(p - elbow) > 0;
}

std::uint16_t chart_of(const HumanoidBody& body, std::size_t triangle) {
    Vec3f centre = Vec3f::Zero();
    Vec3f normal = Vec3f::Zero();
    for (int k = 0; k < 3; ++k) {
        centre += body.positions[body.triangles[3 * triangle + k]] / 3;
        normal += body.normals[body.triangles[3 * triangle + k]];
    }
    const bool right = centre.x() < 0;
    const auto sided = [&](SidedChart chart) {
        return static_cast<std::uint16_t>(first_sided + 2 * chart + (right ? 1 : 0));
    };
    static const Vec3f skull = head_place({0, 1.683f, 0.010f});
    static const Pose wrist = reference_joints()[reference_index("hand_l")].world;
    switch (body.parts[triangle]) {
        case Part::head:
        case Part::hair:
            return centre.z() > skull.z() - 0.015f ? face : back_of_head;
        case Part::trunk:
            if (body.stuffs[triangle] == Stuff::skin) return neck;
            return centre.z() > -0.005f ? torso_front : torso_back;
        case Part::seat:
            return centre.z() > -0.005f ? torso_front : torso_back;
        case Part::arm: {
            const Vec3 local = wrist.inverse() * Vec3(std::abs(centre.x()), centre.y(), centre.z());
            if (local.x() < -0.002) return sided(beyond_elbow(centre) ? forearm : upper_arm);
            const Vec3 facing =
                wrist.rotation.conjugate() * Vec3(right ? -normal.x() : normal.x(), normal.y(), normal.z());
            return sided(facing.z() > 0 ? hand_back : palm);
        }
        case Part::thumb:
            return sided(thumb);
        case Part::index:
            return sided(index);
        case Part::middle:
            return sided(middle);
        case Part::ring:
            return sided(ring);
        case Part::pinky:
            return sided(pinky);
        case Part::leg:
            return sided(leg);
        case Part::foot:
            return normal.normalized().y() < -0.7f ? sided(sole) : sided(shoe);
    }
    return face;
}

struct Rectangle {
    Vec2f low = Vec2f::Constant(1e9f), high = Vec2f::Constant(-1e9f);
    Vec2f corner = Vec2f::Zero();  ///< where it went, in the texture
    Vec2f size(float scale) const { return Vec2f(((high - low) * scale).array() + kGutter); }
};

/// Places the rectangles, tallest first, each where its top comes lowest on the skyline of those before it; false when
/// one sticks out of the unit square.
bool pack(std::vector<Rectangle>& rectangles, const std::vector<std::size_t>& tallest_first, float scale) {
    constexpr std::size_t kColumns = 1024;
    std::vector<float> skyline(kColumns, 0.0f);
    for (const std::size_t i : tallest_first) {
        const Vec2f size = rectangles[i].size(scale);
        const auto columns = static_cast<std::size_t>(std::ceil(size.x() * kColumns));
        if (columns > kColumns) return false;
        std::size_t best = 0;
        float lowest = 2;
        for (std::size_t x = 0; x + columns <= kColumns; ++x) {
            const float top = *std::max_element(skyline.begin() + x, skyline.begin() + x + columns);
            if (top < lowest - 1e-6f) {
                lowest = top;
                best = x;
            }
        }
        if (lowest + size.y() > 1) return false;
        std::fill(skyline.begin() + best, skyline.begin() + best + columns, lowest + size.y());
        rectangles[i].corner = {static_cast<float>(best) / kColumns + kGutter / 2, lowest + kGutter / 2};
    }
    return true;
}

float pack_largest(std::vector<Rectangle>& rectangles) {
    std::vector<std::size_t> order(rectangles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return rectangles[a].high.y() - rectangles[a].low.y() > rectangles[b].high.y() - rectangles[b].low.y();
    });
    float fits = 0.05f;
    float too_large = 4.0f;
    for (int i = 0; i < 14; ++i) {
        const float half = 0.5f * (fits + too_large);
        (pack(rectangles, order, half) ? fits : too_large) = half;
    }
    pack(rectangles, order, fits);
    return fits;
}

template <class T>
void append_copy(std::vector<T>& list, std::size_t i) {
    const T value = list[i];
    list.push_back(value);
}

}  // namespace

void unfold(HumanoidBody& body) {
    const std::vector<Layout> charts = layouts();
    const std::size_t original = body.positions.size();
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> made;  // vertex, chart, times round the tube
    std::vector<bool> used(original, false);
    std::vector<Vec2f> places(original, Vec2f::Zero());
    body.charts.assign(original, 0);
    std::vector<Rectangle> rectangles(charts.size());
    for (std::size_t t = 0; t < body.triangles.size() / 3; ++t) {
        const std::uint16_t chart = chart_of(body, t);
        const Layout& layout = charts[chart];
        std::optional<float> angle;
        for (int k = 0; k < 3; ++k) {
            std::uint32_t& vertex = body.triangles[3 * t + k];
            float around = 0;
            const Vec2f place = layout.place(body.positions[vertex], angle, &around) * layout.density;
            if (!angle && layout.shape == Shape::tube) angle = around;
            const auto turns =
                static_cast<std::uint32_t>(static_cast<int>(std::floor((around + 0.5f * kTau) / kTau)) + 8);
            const auto [entry, added] = made.try_emplace({vertex, chart, turns}, vertex);
            if (added) {
                if (used[vertex]) {
                    entry->second = static_cast<std::uint32_t>(body.positions.size());
                    append_copy(body.positions, vertex);
                    append_copy(body.normals, vertex);
                    append_copy(body.influences, vertex);
                    append_copy(body.openness, vertex);
                    places.push_back(place);
                    body.charts.push_back(chart);
                } else {
                    used[vertex] = true;
                    places[vertex] = place;
                    body.charts[vertex] = chart;
                }
                rectangles[chart].low = rectangles[chart].low.cwiseMin(place);
                rectangles[chart].high = rectangles[chart].high.cwiseMax(place);
            }
            vertex = entry->second;
        }
    }
    for (Rectangle& rectangle : rectangles)
        if (rectangle.low.x() > rectangle.high.x()) rectangle.low = rectangle.high = Vec2f::Zero();
    const float scale = pack_largest(rectangles);
    body.uvs.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Rectangle& r = rectangles[body.charts[i]];
        const Vec2f inside = (places[i] - r.low) * scale;
        // glTF's V runs down.
        body.uvs[i] = {r.corner.x() + inside.x(), r.corner.y() + (r.high.y() - r.low.y()) * scale - inside.y()};
    }
    for (const Layout& layout : charts) body.chart_list.push_back({1 / (layout.density * scale)});
}

}  // namespace helixavatar::test
