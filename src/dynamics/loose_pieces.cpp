// SPDX-License-Identifier: MIT
#include "dynamics/loose_pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "dynamics/level_mesh.hpp"

namespace helixavatar::dynamics {
namespace {

// Reference text, "Worked layout": columns 6 to 7 cm apart, 3 to 5 of them, two joints each.
constexpr double kColumnGap = 0.065;
constexpr std::size_t kMostColumns = 5, kMostFalls = 12;
constexpr double kLeastHang = 0.08;   // metres below the head joint that make hair a fall
constexpr double kLeastSkirt = 0.15;  // metres from waist to hem
constexpr double kMostlyOn = 0.6;     // share of a piece's weight that says what it rides on
constexpr double kResting = 0.02;     // metres from the body at which hair lies on it
constexpr int kSectors = 12, kPanels = 8;

struct Piece {
    std::vector<Vec3> points;
    std::map<std::string, double> weight;  // by joint, of sum 1
    double low = 0, high = 0;
};

LevelMesh welded_level(const avatar::Level& level) {
    LevelMesh mesh;
    std::vector<std::array<int, 3>> triangles;
    for (const avatar::Surface& surface : level.surfaces) {
        const auto first = static_cast<int>(mesh.positions.size());
        for (std::size_t v = 0; v < surface.positions.size(); ++v) {
            mesh.positions.push_back(surface.positions[v].cast<double>());
            JointWeights weights;
            if (v < surface.influences.size())
                for (const avatar::Influence& influence : surface.influences[v])
                    if (influence.weight > 0) weights.push_back({influence.joint, influence.weight});
            mesh.weights.push_back(std::move(weights));
        }
        for (const auto* list : {&surface.body, &surface.face})
            for (std::size_t t = 0; t + 2 < list->size(); t += 3)
                triangles.push_back({first + static_cast<int>((*list)[t]), first + static_cast<int>((*list)[t + 1]),
                                     first + static_cast<int>((*list)[t + 2])});
    }
    weld(mesh, triangles);
    return mesh;
}

std::vector<Piece> pieces_of(const avatar::Avatar& avatar, const LevelMesh& mesh) {
    int count = 0;
    for (const int piece : mesh.piece) count = std::max(count, piece + 1);
    std::vector<Piece> pieces(static_cast<std::size_t>(count));
    for (std::size_t p = 0; p < mesh.piece.size(); ++p) {
        Piece& piece = pieces[static_cast<std::size_t>(mesh.piece[p])];
        const auto v = static_cast<std::size_t>(mesh.vertices_of[p].front());
        const double y = mesh.positions[v].y();
        piece.low = piece.points.empty() ? y : std::min(piece.low, y);
        piece.high = piece.points.empty() ? y : std::max(piece.high, y);
        piece.points.push_back(mesh.positions[v]);
        for (const JointWeight& w : mesh.weights[v])
            if (static_cast<std::size_t>(w.joint) < avatar.joints.size())
                piece.weight[avatar.joints[static_cast<std::size_t>(w.joint)].name] += w.weight;
    }
    for (Piece& piece : pieces) {
        double sum = 0;
        for (const auto& entry : piece.weight) sum += entry.second;
        for (auto& entry : piece.weight) entry.second /= sum > 0 ? sum : 1;
    }
    return pieces;
}

double share_on(const Piece& piece, std::initializer_list<const char*> stems) {
    double share = 0;
    for (const auto& [joint, weight] : piece.weight)
        for (const char* stem : stems)
            if (joint.starts_with(stem)) share += weight;
    return share;
}

/// Mean of the points of a column in a height band, or nothing.
std::optional<Vec3> middle(const std::vector<Vec3>& points, double y, double half) {
    Vec3 sum = Vec3::Zero();
    double count = 0;
    for (const Vec3& p : points)
        if (std::abs(p.y() - y) <= half) {
            sum += p;
            ++count;
        }
    if (count < 1) return {};
    Vec3 mean = sum / count;
    mean.y() = y;
    return mean;
}

/// `joints` joints from `top` down to the lowest point of the column, then the tip.
std::vector<Vec3> column(const std::vector<Vec3>& points, double top, std::size_t joints) {
    double low = top;
    for (const Vec3& p : points) low = std::min(low, p.y());
    const double step = (top - low) / static_cast<double>(joints);
    std::vector<Vec3> places;
    for (std::size_t i = 0; i <= joints; ++i) {
        const auto place = middle(points, top - step * static_cast<double>(i), step / 2);
        if (!place) return {};
        places.push_back(*place);
    }
    return places;
}

std::optional<LooseFall> as_hair(const Piece& piece, const Vec3& head, const std::vector<Vec3>& others) {
    if (share_on(piece, {"head", "neck"}) < kMostlyOn || piece.low > head.y() - kLeastHang) return {};
    std::vector<Vec3> hang;
    for (const Vec3& p : piece.points)
        if (p.y() < head.y()) hang.push_back(p);
    double left = hang.front().x(), right = left;
    for (const Vec3& p : hang) {
        left = std::max(left, p.x());
        right = std::min(right, p.x());
    }
    const auto columns = static_cast<std::size_t>(
        std::clamp(std::round((left - right) / kColumnGap), 1.0, static_cast<double>(kMostColumns)));
    LooseFall fall;
    fall.length = head.y() - piece.low;
    const double width = (left - right) / static_cast<double>(columns);
    for (std::size_t c = 0; c < columns; ++c) {
        std::vector<Vec3> own;
        for (const Vec3& p : hang)
            if (p.x() >= right + width * static_cast<double>(c) && p.x() <= right + width * static_cast<double>(c + 1))
                own.push_back(p);
        std::vector<Vec3> places = column(own, head.y(), 2);
        if (!places.empty()) fall.columns.push_back(std::move(places));
    }
    if (fall.columns.empty()) return {};
    // Hair whose lower part lies on the back or a collar rides on it; free hair rides on the head.
    std::size_t resting = 0, lower = 0;
    for (const Vec3& p : hang) {
        if (p.y() > (head.y() + piece.low) / 2) continue;
        ++lower;
        for (const Vec3& other : others)
            if ((other - p).squaredNorm() < kResting * kResting) {
                ++resting;
                break;
            }
    }
    fall.anchor = resting * 2 > lower ? "spine_05" : "head";
    return fall;
}

std::optional<LooseFall> as_skirt(const Piece& piece, const Vec3& pelvis) {
    if (share_on(piece, {"pelvis", "thigh", "calf", "spine_01"}) < kMostlyOn) return {};
    const double length = piece.high - piece.low;
    if (length < kLeastSkirt || piece.low > pelvis.y()) return {};
    // A hem goes all the way round and has nothing near its middle; trouser legs have.
    std::set<int> sectors;
    double nearest = 1e9, farthest = 0;
    const auto sector = [&](const Vec3& p, int count) {
        const double turn = std::atan2(p.x() - pelvis.x(), p.z() - pelvis.z()) / (2 * kPi) + 0.5;
        return std::min(static_cast<int>(turn * count), count - 1);
    };
    for (const Vec3& p : piece.points) {
        if (p.y() > piece.low + 0.2 * length) continue;
        const double r = std::hypot(p.x() - pelvis.x(), p.z() - pelvis.z());
        nearest = std::min(nearest, r);
        farthest = std::max(farthest, r);
        sectors.insert(sector(p, kSectors));
    }
    if (sectors.size() + 1 < kSectors || nearest < 0.4 * farthest) return {};
    LooseFall fall;
    fall.kind = LooseFall::Kind::skirt;
    fall.anchor = "pelvis";
    fall.length = length;
    for (int panel = 0; panel < kPanels; ++panel) {
        std::vector<Vec3> own;
        for (const Vec3& p : piece.points)
            if (sector(p, kPanels) == panel) own.push_back(p);
        std::vector<Vec3> places = column(own, piece.high - 0.2 * length, 3);
        if (!places.empty()) fall.columns.push_back(std::move(places));
    }
    if (fall.columns.size() < 3) return {};
    return fall;
}

}  // namespace

std::vector<LooseFall> loose_falls(const avatar::Avatar& avatar) {
    const int head = avatar.find_joint("head"), pelvis = avatar.find_joint("pelvis");
    if (avatar.levels.empty() || head < 0 || pelvis < 0) return {};
    const auto place = [&](int j) { return avatar.joints[static_cast<std::size_t>(j)].rest.translation; };
    std::vector<Piece> pieces = pieces_of(avatar, welded_level(avatar.levels[0]));
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.points.size() > b.points.size(); });
    std::vector<LooseFall> falls;
    for (std::size_t i = 0; i < pieces.size() && falls.size() < kMostFalls; ++i) {
        std::vector<Vec3> others;
        constexpr std::size_t kEnough = 8;  // a piece of fewer points hangs nowhere
        if (pieces[i].points.size() < kEnough) break;
        if (i == 0 && pieces.size() > 1 && share_on(pieces[i], {"upperarm", "thigh"}) > 0.1 &&
            !as_skirt(pieces[i], place(pelvis)))
            continue;  // the body
        for (std::size_t k = 0; k < pieces.size(); ++k)
            if (k != i && share_on(pieces[k], {"head"}) < kMostlyOn)
                others.insert(others.end(), pieces[k].points.begin(), pieces[k].points.end());
        auto fall = as_hair(pieces[i], place(head), others);
        if (!fall) fall = as_skirt(pieces[i], place(pelvis));
        if (!fall) continue;
        fall->inside = pieces[i].points.front();
        fall->vertices = pieces[i].points.size();
        falls.push_back(std::move(*fall));
    }
    return falls;
}

}  // namespace helixavatar::dynamics
