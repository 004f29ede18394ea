// SPDX-License-Identifier: MIT
#include <helixavatar/lod/measure.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <helixavatar/base/parallel.hpp>
#include <helixavatar/base/place_numbers.hpp>

#include "measured_mesh.hpp"
#include "measured_poses.hpp"
#include "silhouette.hpp"

namespace helixavatar::lod {

namespace {

constexpr double kMillimetres = 1000;
constexpr double kMostUvSlide = 20;  // mm
// Where a triangle is compared with what the source has there, beside its centre: near its corners and its edges.
constexpr std::array<std::pair<float, float>, 6> kOnTriangle = {
    {{0.1F, 0.1F}, {0.8F, 0.1F}, {0.1F, 0.8F}, {0.45F, 0.1F}, {0.1F, 0.45F}, {0.45F, 0.45F}}};
// Samples by area: a surface of 2 m² gets one every 8 mm in each direction, or every 20 mm, which gives the RMS to some
// 2 %.
constexpr std::size_t kSamples = 30000, kFewSamples = 5000;
constexpr std::size_t kEveryVertex = ~std::size_t{0};
constexpr std::size_t kChunk = 1024;  // samples that one thread does at a time, each starting where the last one ended

struct Sums {
    double squares = 0, weight = 0, largest = 0;
    double angles = 0, slides = 0;

    Sums& operator+=(const Sums& o) {
        squares += o.squares;
        weight += o.weight;
        largest = std::max(largest, o.largest);
        angles += o.angles;
        slides += o.slides;
        return *this;
    }
    avatar::LevelError distance() const {
        return {largest * kMillimetres, weight > 0 ? std::sqrt(squares / weight) * kMillimetres : 0};
    }
    double mean(double sum) const { return weight > 0 ? sum / weight : 0; }
};

/// Adds up what visit(sums, sample, hint) finds; the same whatever the number of threads.
template <class Visit>
Sums sum_over(const std::vector<Sample>& samples, const Visit& visit) {
    std::vector<Sums> parts((samples.size() + kChunk - 1) / kChunk);
    parallel_for(parts.size(), [&](std::size_t i) {
        std::uint32_t hint = 0;
        for (std::size_t k = i * kChunk; k < std::min(samples.size(), (i + 1) * kChunk); ++k)
            visit(parts[i], samples[k], hint);
    });
    Sums all;
    for (const Sums& part : parts) all += part;
    return all;
}

/// A mesh, its samples, and in one pose its vertices and the tree over its triangles.
struct Side {
    const MeasuredMesh& mesh;
    const std::vector<Sample>& samples;
    const std::vector<Vec3f>& at;
    const TriangleTree& tree;
};

void add_distance(Sums& sums, const Sample& s, const Vec3f& point, const Vec3f& nearest) {
    const auto d = static_cast<double>((nearest - point).norm());
    const auto weight = static_cast<double>(s.weight);
    sums.largest = std::max(sums.largest, d);
    sums.squares += weight * d * d;
    sums.weight += weight;
}

Sums distances(const Side& from, const Side& to) {
    return sum_over(from.samples, [&](Sums& sums, const Sample& s, std::uint32_t& hint) {
        const Vec3f point = from.mesh.at(s, from.at);
        const TriangleTree::Hit hit = to.tree.nearest(point, hint);
        hint = hit.leaf;
        add_distance(sums, s, point, hit.point);
    });
}

Vec3f normal_at(const MeasuredMesh& mesh, const Sample& s) {
    if (!mesh.normals.empty()) return mesh.at(s, mesh.normals);
    const auto& t = mesh.triangles[s.triangle];
    return (mesh.positions[t[1]] - mesh.positions[t[0]]).cross(mesh.positions[t[2]] - mesh.positions[t[0]]);
}

/// At rest: distances, angles between normals, and how far texels have gone.
Sums differences(const Side& from, const Side& to, double metres_a_uv) {
    const bool mapped = metres_a_uv > 0 && !from.mesh.uvs.empty() && !to.mesh.uvs.empty();
    return sum_over(from.samples, [&](Sums& sums, const Sample& s, std::uint32_t& hint) {
        const Vec3f point = from.mesh.at(s, from.at);
        const TriangleTree::Hit hit = to.tree.nearest(point, hint);
        hint = hit.leaf;
        add_distance(sums, s, point, hit.point);
        if (s.weight <= 0) return;
        const auto weight = static_cast<double>(s.weight);
        const Sample there = to.mesh.sample_at(hit.triangle, hit.point);
        const double angle =
            angle_degrees(Vec3(normal_at(from.mesh, s).cast<double>()), Vec3(normal_at(to.mesh, there).cast<double>()));
        if (std::isfinite(angle)) sums.angles += weight * angle;
        if (!mapped) return;
        const double slide =
            metres_a_uv * kMillimetres *
            static_cast<double>((from.mesh.at(s, from.mesh.uvs) - to.mesh.at(there, to.mesh.uvs)).norm());
        sums.slides += weight * (slide < kMostUvSlide ? slide : kMostUvSlide);
    });
}

bool is_turned(const MeasuredMesh& mesh, std::size_t triangle) {
    const auto& t = mesh.triangles[triangle];
    const Vec3f &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    return (b - a).cross(c - a).dot(mesh.normals[t[0]] + mesh.normals[t[1]] + mesh.normals[t[2]]) < 0;
}

std::size_t open_edges(const MeasuredMesh& mesh) {
    PlaceNumbers<3> numbers(mesh.positions.size());
    std::vector<std::uint32_t> point_of;
    for (const Vec3f& p : mesh.positions) point_of.push_back(numbers(place_bits(p)));
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> faces;
    for (const auto& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) ++faces[std::minmax(point_of[t[k]], point_of[t[(k + 1) % 3]])];
    return static_cast<std::size_t>(
        std::count_if(faces.begin(), faces.end(), [](const auto& edge) { return edge.second == 1; }));
}

}  // namespace

/// What every level is measured against.
struct Reference {
    MeasuredMesh mesh;
    std::vector<Sample> samples;
    TriangleTree tree;
    std::vector<PosedLevel> poses;
    std::vector<TriangleTree> posed_trees;
    double metres_a_uv = 0;

    Reference(const avatar::Level& level, std::size_t by_area, std::size_t vertices)
        : mesh(level),
          samples(mesh.samples(by_area, vertices)),
          tree(mesh.placed(mesh.positions)),
          metres_a_uv(mesh.metres_a_uv()) {}

    Side side() const { return {mesh, samples, mesh.positions, tree}; }
};

namespace {

/// Is there, at one of these places, a triangle that looks the way of `upright` and faces away from its shading? The
/// nearest one that looks that way decides: sheets lie over each other, and one of them may be made inside out.
bool is_made_so(const MeasuredMesh& made, const std::vector<Vec3f>& places, const Vec3f& upright) {
    std::vector<float> least(places.size(), std::numeric_limits<float>::infinity());
    std::vector<bool> turned(places.size(), false);
    for (std::size_t t = 0; t < made.triangles.size(); ++t) {
        const auto& c = made.triangles[t];
        const Triangle3 corners = {made.positions[c[0]], made.positions[c[1]], made.positions[c[2]]};
        if (!((corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(upright) > 0)) continue;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const float distance = (nearest_on_triangle(places[i], corners) - places[i]).squaredNorm();
            if (!(distance < least[i])) continue;
            least[i] = distance;
            turned[i] = is_turned(made, t);
        }
    }
    return std::find(turned.begin(), turned.end(), true) != turned.end();
}

std::size_t turned_over(const MeasuredMesh& mesh, const Reference& reference) {
    if (mesh.normals.empty() || reference.mesh.normals.empty()) return 0;
    std::size_t count = 0;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        if (!is_turned(mesh, t)) continue;
        const Vec3f centre = mesh.at({t, 1 / 3.0F, 1 / 3.0F, 0}, mesh.positions);
        if (is_turned(reference.mesh, reference.tree.nearest(centre).triangle)) continue;
        std::vector<Vec3f> places = {centre};
        for (const auto& [a, b] : kOnTriangle) places.push_back(mesh.at({t, a, b, 0}, mesh.positions));
        const auto& c = mesh.triangles[t];
        const Vec3f &a = mesh.positions[c[0]], &b = mesh.positions[c[1]], &d = mesh.positions[c[2]];
        if (!is_made_so(reference.mesh, places, (b - a).cross(d - a))) ++count;
    }
    return count;
}

LevelMeasure measure_level(const avatar::Avatar& avatar, const avatar::Level& level, const Reference& reference) {
    LevelMeasure out;
    out.level = level.name;
    out.triangles = level.triangles();
    const MeasuredMesh mesh(level);
    out.open_edges = open_edges(mesh);
    if (mesh.triangles.empty() || reference.mesh.triangles.empty()) return out;
    out.turned_over = turned_over(mesh, reference);
    const std::vector<Sample> samples = mesh.samples(kSamples, kEveryVertex);
    const TriangleTree tree(mesh.placed(mesh.positions));
    const Side side{mesh, samples, mesh.positions, tree};
    Sums rest = differences(side, reference.side(), reference.metres_a_uv);
    rest += differences(reference.side(), side, reference.metres_a_uv);
    out.rest = rest.distance();
    out.normal_degrees = rest.mean(rest.angles);
    out.uv_mm = rest.mean(rest.slides);
    out.silhouette = silhouette_difference({&mesh.positions, &mesh.triangles},
                                           {&reference.mesh.positions, &reference.mesh.triangles});
    const std::vector<PosedLevel> poses = measured_poses(avatar, level);
    for (std::size_t i = 0; i < poses.size() && i < reference.poses.size(); ++i) {
        const TriangleTree posed_tree(mesh.placed(poses[i].positions));
        const Side posed{mesh, samples, poses[i].positions, posed_tree};
        const Side posed_reference{reference.mesh, reference.samples, reference.poses[i].positions,
                                   reference.posed_trees[i]};
        Sums sums = distances(posed, posed_reference);
        sums += distances(posed_reference, posed);
        out.poses.push_back({poses[i].pose, sums.distance()});
    }
    return out;
}

}  // namespace

DistanceMeter::DistanceMeter(const avatar::Level& reference)
    : reference_(std::make_unique<Reference>(reference, kFewSamples, kFewSamples)) {}
DistanceMeter::~DistanceMeter() = default;
DistanceMeter::DistanceMeter(DistanceMeter&&) noexcept = default;

avatar::LevelError DistanceMeter::to(const avatar::Level& level) const {
    const MeasuredMesh mesh(level);
    if (mesh.triangles.empty() || reference_->mesh.triangles.empty()) return {};
    const std::vector<Sample> samples = mesh.samples(kFewSamples, kFewSamples);
    const TriangleTree tree(mesh.placed(mesh.positions));
    const Side side{mesh, samples, mesh.positions, tree};
    Sums sums = distances(side, reference_->side());
    sums += distances(reference_->side(), side);
    return sums.distance();
}

std::vector<LevelMeasure> measure_levels(const avatar::Avatar& avatar, const avatar::Avatar& source) {
    std::vector<LevelMeasure> measured;
    if (source.levels.empty()) return measured;
    Reference reference(source.levels.front(), kSamples, kEveryVertex);
    reference.poses = measured_poses(source, source.levels.front());
    for (const PosedLevel& pose : reference.poses)
        reference.posed_trees.emplace_back(reference.mesh.placed(pose.positions));
    for (const avatar::Level& level : avatar.levels) measured.push_back(measure_level(avatar, level, reference));
    return measured;
}

}  // namespace helixavatar::lod
