// SPDX-License-Identifier: MIT
#include "rig/facing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace helixavatar::rig {
namespace {

/// A witness's weight. Names outweigh any single geometric witness, but not two that agree: toes can be misread, a rig
/// whose sides were swapped cannot fool toes and soles together.
constexpr double kToes = 2.2, kSoles = 2.2, kFace = 1.8, kKnees = 1.2, kElbows = 0.8, kThumbs = 0.8, kNames = 2.5,
                 kVrm = 4, kUser = 40;

struct Court {
    const Tree& tree;
    const Body& body;
    Vec3 across = Vec3::Zero();   ///< from side 1 to side 0
    Vec3 forward = Vec3::Zero();  ///< if side 0 is left
    double height = 1;
    Frame frame;
    std::vector<double> votes;  ///< signed: positive says that side 0 is left

    const Vec3& at(int j) const { return tree.position[static_cast<std::size_t>(j)]; }
    Vec3 flat(const Vec3& v) const { return v - body.up * v.dot(body.up); }

    void hear(const std::string& what, const Vec3& direction, double weight) {
        if (!(direction.norm() > 0) || !(weight > 0)) return;
        const double side = direction.normalized().dot(forward);
        if (std::abs(side) < 0.3) return;
        frame.witnesses.push_back({what, direction.normalized()});
        votes.push_back(side > 0 ? weight : -weight);
    }

    void toes();
    void soles();
    void bends();
    void face();
    void thumbs(const std::array<int, 2>& first);
    double side_names() const;
};

void Court::toes() {
    Vec3 sum = Vec3::Zero();
    for (const int s : {0, 1}) {
        const int ball = body.ball[static_cast<std::size_t>(s)];
        if (ball < 0) continue;
        const Vec3 way = flat(at(ball) - at(body.foot(s)));
        if (way.norm() > 0.015 * height) sum += way;
    }
    hear("toes", sum, kToes);
}

/// Skin of the feet reaches farther in front of the ankle than behind it.
void Court::soles() {
    std::vector<char> side(tree.size(), 0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        for (const int s : {0, 1}) {
            if (tree.is_above(body.foot(s), static_cast<int>(i))) side[i] = static_cast<char>(s + 1);
        }
    }
    std::array<std::vector<double>, 2> reach;
    for (const avatar::Level& level : tree.source->levels) {
        for (const avatar::Surface& surface : level.surfaces) {
            const std::size_t count = std::min(surface.positions.size(), surface.influences.size());
            for (std::size_t v = 0; v < count; ++v) {
                std::array<double, 3> on = {0, 0, 0};
                for (const avatar::Influence& influence : surface.influences[v]) {
                    if (influence.joint < side.size())
                        on[static_cast<std::size_t>(side[influence.joint])] += influence.weight;
                }
                for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
                    if (on[s + 1] <= 0.5) continue;
                    const double r =
                        (surface.positions[v].cast<double>() - at(body.foot(static_cast<int>(s)))).dot(forward);
                    if (std::isfinite(r)) reach[s].push_back(r);
                }
            }
        }
        break;
    }
    double sum = 0, length = 0;
    for (const auto& values : reach) {
        if (values.size() < 8) continue;
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        sum += *high + *low;
        length += *high - *low;
    }
    if (length > 0.02 * height && std::abs(sum) > 0.15 * length)
        hear("mesh feet", forward * (sum > 0 ? 1 : -1), kSoles);
}

void Court::bends() {
    Vec3 knees = Vec3::Zero(), elbows = Vec3::Zero();
    double knee_angle = 0, elbow_angle = 0;
    const auto off_line = [&](int a, int b, int c) {
        const Vec3 line = (at(c) - at(a)).normalized();
        const Vec3 off = at(b) - at(a);
        return Vec3(off - line * off.dot(line));
    };
    for (const int s : {0, 1}) {
        knees += flat(off_line(body.thigh(s), body.calf(s), body.foot(s)));
        knee_angle += angle_degrees(at(body.calf(s)) - at(body.thigh(s)), at(body.foot(s)) - at(body.calf(s))) / 2;
        elbows -= flat(off_line(body.upperarm(s), body.lowerarm(s), body.hand(s)));
        elbow_angle +=
            angle_degrees(at(body.lowerarm(s)) - at(body.upperarm(s)), at(body.hand(s)) - at(body.lowerarm(s))) / 2;
    }
    // Below some degrees a bend is an accident of drawing.
    if (knee_angle > 3) hear("knees", knees, kKnees * std::min(1.0, knee_angle / 12));
    if (elbow_angle > 8) hear("elbows", elbows, kElbows * std::min(1.0, elbow_angle / 20));
}

void Court::face() {
    if (body.head < 0) return;
    Vec3 sum = Vec3::Zero();
    std::string name;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (!tree.name[i].front || tree.name[i].end || !tree.is_above(body.head, static_cast<int>(i))) continue;
        const Vec3 way = flat(tree.position[i] - at(body.head));
        if (way.norm() < 0.012 * height) continue;
        sum += way;
        if (name.empty()) name = tree.label(static_cast<int>(i));
    }
    hear(tree.name.size() && name == "headfront" ? "headfront" : "face joints (" + name + ")", sum, kFace);
}

/// Thumbs lie in front of the hand, whether palms look down or in.
void Court::thumbs(const std::array<int, 2>& first) {
    Vec3 sum = Vec3::Zero();
    for (const int s : {0, 1}) {
        const int thumb = first[static_cast<std::size_t>(s)];
        if (thumb < 0) continue;
        const Vec3 arm = (at(body.hand(s)) - at(body.lowerarm(s))).normalized();
        const Vec3 way = at(thumb) - at(body.hand(s));
        sum += flat(way - arm * way.dot(arm));
    }
    if (sum.norm() > 0.004 * height) hear("thumbs", sum, kThumbs);
}

/// +1: names call side 0 left, -1: right; 0: they do not say or contradict each other.
double Court::side_names() const {
    double sum = 0;
    int count = 0;
    for (const int s : {0, 1}) {
        for (const int j :
             {body.thigh(s), body.calf(s), body.foot(s), body.upperarm(s), body.lowerarm(s), body.hand(s)}) {
            const Side side = tree.name[static_cast<std::size_t>(j)].side;
            if (side == Side::none) continue;
            sum += (side == Side::left) == (s == 0) ? 1 : -1;
            ++count;
        }
    }
    return count > 0 && std::abs(sum) > 0.5 * count ? sum / count : 0;
}

std::string spoken(const Vec3& v) {
    char text[64];
    std::snprintf(text, sizeof text, "(%.2f, %.2f, %.2f)", v.x(), v.y(), v.z());
    return text;
}

/// What the user's or the file's own map says of sides.
double known_side(const Tree& tree, const Body& body) {
    double sum = 0;
    for (const int s : {0, 1}) {
        for (const auto& limb :
             {body.legs.side[static_cast<std::size_t>(s)], body.arms.side[static_cast<std::size_t>(s)]}) {
            for (const int j : limb.joint) {
                if (!tree.locked[static_cast<std::size_t>(j)]) continue;
                for (const auto& [role, strength] : tree.votes[static_cast<std::size_t>(j)]) {
                    const Side side = split_role(role).second;
                    if (side != Side::none) sum += (side == Side::left) == (s == 0) ? 1 : -1;
                }
            }
        }
    }
    return sum;
}

/// The mean of hips, shoulders and toes; the file's own axis where that lies within their disagreement.
Vec3 exact_forward(const Court& court, double sign) {
    const Body& body = court.body;
    std::vector<Vec3> lines;
    Vec3 sum = Vec3::Zero();
    const auto add = [&](const Vec3& v, double weight) {
        if (!(v.norm() > 1e-9)) return;
        lines.push_back(v.normalized());
        sum += weight * v.normalized();
    };
    add(sign * court.flat(court.at(body.thigh(0)) - court.at(body.thigh(1))).cross(body.up), 1);
    add(sign * court.flat(court.at(body.upperarm(0)) - court.at(body.upperarm(1))).cross(body.up), 1);
    for (const Frame::Witness& w : court.frame.witnesses) {
        if (w.what == "toes" && angle_degrees(w.forward, sum) < 30) add(w.forward, 0.5);
    }
    const Vec3 mean = sum.normalized();
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
        for (const double s : {1.0, -1.0}) {
            const double off = angle_degrees(mean, s * axis);
            if (off > 3) continue;
            double spread = 0;
            for (const Vec3& line : lines) spread = std::max(spread, angle_degrees(line, mean));
            if (spread >= off) return s * axis;
        }
    }
    return mean;
}

}  // namespace

void align_sides(const Tree& tree, Body& body) {
    const auto at = [&](int j) { return tree.position[static_cast<std::size_t>(j)]; };
    const Vec3 hips = at(body.thigh(0)) - at(body.thigh(1)), shoulders = at(body.upperarm(0)) - at(body.upperarm(1));
    if (hips.dot(shoulders) < 0) std::swap(body.arms.side[0], body.arms.side[1]);
}

Facing find_facing(const Tree& tree, const Body& body, const std::array<int, 2>& thumbs, int vrm_version) {
    Court court{tree, body, Vec3::Zero(), Vec3::Zero(), body.size.height, {}, {}};
    const Vec3 hips = court.flat(court.at(body.thigh(0)) - court.at(body.thigh(1)));
    const Vec3 shoulders = court.flat(court.at(body.upperarm(0)) - court.at(body.upperarm(1)));
    court.across = (hips.normalized() + shoulders.normalized()).normalized();
    court.forward = court.across.cross(body.up);
    court.toes();
    court.soles();
    court.face();
    court.bends();
    court.thumbs(thumbs);
    if (vrm_version >= 0) court.hear("vrm", vrm_version == 0 ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitZ()), kVrm);
    double seen = 0;
    for (const double vote : court.votes) seen += vote;
    const double names = court.side_names(), known = known_side(tree, body);
    const double total = seen + kNames * names + kUser * known;

    Facing out;
    double weight = kNames * std::abs(names) + kUser * std::abs(known);
    for (const double vote : court.votes) weight += std::abs(vote);
    if (std::abs(total) < 0.3) {
        out.frame = court.frame;
        return out;
    }
    const double sign = total > 0 ? 1 : -1;
    out.left = total > 0 ? 0 : 1;
    out.confidence = std::min(1.0, std::abs(total) / std::max(1.0, weight));
    out.names_swapped = names != 0 && (names > 0) != (total > 0) && known == 0;
    out.frame = court.frame;
    out.frame.up = body.up;
    out.frame.forward = exact_forward(court, sign);
    out.frame.left = body.up.cross(out.frame.forward);
    for (std::size_t i = 0; i < court.votes.size(); ++i) {
        if (court.votes[i] * sign >= 0) continue;
        out.frame.notes.push_back("the " + court.frame.witnesses[i].what + " point to " +
                                  spoken(court.frame.witnesses[i].forward) + ", against the facing found, " +
                                  spoken(out.frame.forward));
    }
    if (names != 0) {
        const Vec3 by_names = court.forward * (names > 0 ? 1 : -1);
        out.frame.witnesses.push_back({"names", by_names});
    }
    if (out.names_swapped) {
        std::string who;
        for (std::size_t i = 0; i < court.votes.size(); ++i) {
            if (court.votes[i] * sign > 0) who += (who.empty() ? "" : ", ") + court.frame.witnesses[i].what;
        }
        out.frame.notes.push_back(
            "joints named left lie on the character's right: the rig is mirrored or its sides were renamed. " + who +
            " say that it faces " + spoken(out.frame.forward) +
            "; joints were mapped by the side that they are on, not by name");
    }
    return out;
}

}  // namespace helixavatar::rig
