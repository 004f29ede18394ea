// SPDX-License-Identifier: MIT
#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <helixavatar/base/parallel.hpp>

#include "triangle_tree.hpp"

namespace helixavatar::lod {

namespace {

constexpr float kLongestStep = 0.5F;  // of the shortest edge at the point
constexpr float kMostTilt = 0.5F;     // cosine between a face before and after
// Distance along the surface counts this share of the squared distance across it: enough to keep points from sliding.
constexpr float kAlong = 0.1F;
constexpr float kStay = 0.05F;        // pull back to the vertex that was chosen
constexpr float kNormalStay = 0.02F;  // the same for its normal
constexpr float kMadeShare = 0.4F;    // of a face, from which on it is turned because the source is
constexpr float kFront = 0.02F;       // how far a mirrored normal stands to the front at the least
constexpr int kRounds = 2;            // of finding where samples lie, then moving points
constexpr int kSweeps = 2;
constexpr std::size_t kManyFaces = 40000;  // from here on one sample a face is enough
constexpr int kSteps = 8;
constexpr std::size_t kEnough = 32;  // samples a face of the level; of more only every nth is taken
constexpr std::size_t kMostSamples = 48000;
constexpr std::size_t kChunk = 4096;
constexpr std::uint32_t kNoFace = ~std::uint32_t{0};

/// Where a sample lies on the level.
struct Contact {
    std::uint32_t face = 0;
    std::array<float, 3> share{};  ///< barycentric
    bool found = false;
};

/// A face as samples are held against it.
struct Flat {
    Vec3f corner, ab, ac;
    Vec3f upright;  ///< twice its area long
};

/// For each of some items the samples that depend on it.
struct Dependents {
    std::vector<std::uint32_t> first;                   ///< item → place in the list; one more than items
    std::vector<std::pair<std::uint32_t, float>> list;  ///< sample and share

    template <class ItemOf>
    Dependents(std::size_t items, const std::vector<Contact>& contacts, const ItemOf& item_of) : first(items + 1, 0) {
        const auto each = [&](auto visit) {
            for (std::uint32_t i = 0; i < contacts.size(); ++i)
                for (std::size_t k = 0; k < 3 && contacts[i].found; ++k)
                    if (contacts[i].share[k] > 0) visit(item_of(contacts[i].face, k), i, contacts[i].share[k]);
        };
        each([&](std::uint32_t item, std::uint32_t, float) { ++first[item + 1]; });
        for (std::size_t i = 0; i < items; ++i) first[i + 1] += first[i];
        list.resize(first[items]);
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        each([&](std::uint32_t item, std::uint32_t sample, float share) { list[next[item]++] = {sample, share}; });
    }
    std::span<const std::pair<std::uint32_t, float>> of(std::uint32_t item) const {
        return {list.data() + first[item], list.data() + first[item + 1]};
    }
};

class Fitting {
public:
    Fitting(const LevelMesh& mesh, const std::vector<SourceSample>& samples) : mesh_(mesh) {
        const std::size_t count = std::min({samples.size(), kEnough * mesh.faces.size(), kMostSamples});
        for (std::size_t i = 0; i < count; ++i) samples_.push_back(&samples[i * samples.size() / count]);
        contacts_.resize(samples_.size());
        fit_.places = mesh.places;
        for (const Wedge& wedge : mesh.wedges) fit_.normals.push_back(wedge.normal);
        for (const Vec3f& p : mesh.places)
            if (p.allFinite()) bounds_.extend(p);
        reach_.assign(mesh.places.size(), 0);
        std::vector<Spoke> spokes;
        for (std::uint32_t p = 0; p < mesh.places.size(); ++p) {
            if (mesh.around(p).empty() || mesh.is_hub(p) || !mesh.merged[p]) continue;
            find_spokes(mesh.faces, mesh.around(p), p, spokes);
            float shortest = std::numeric_limits<float>::max();
            for (const Spoke& spoke : spokes) {
                shortest = std::min(shortest, (mesh.places[spoke.point] - mesh.places[p]).norm());
                if (spoke.faces == 1) shortest = 0;
            }
            reach_[p] = kLongestStep * shortest;
        }
    }

    Fit run() {
        for (int round = 0; round < kRounds; ++round) {
            find_contacts();
            move_points();
        }
        find_contacts();
        turn_normals();
        take_back();
        light_from_the_front();
        return std::move(fit_);
    }

private:
    Triangle3 triangle(std::uint32_t face) const {
        return {fit_.places[mesh_.point(face, 0)], fit_.places[mesh_.point(face, 1)],
                fit_.places[mesh_.point(face, 2)]};
    }

    void find_contacts() {
        flats_.clear();
        for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) {
            const Triangle3 t = triangle(f);
            const Vec3f ab = t[1] - t[0], ac = t[2] - t[0];
            flats_.push_back({t[0], ab, ac, ab.cross(ac)});
        }
        const std::size_t chunks = (samples_.size() + kChunk - 1) / kChunk;
        parallel_for(chunks, [&](std::size_t chunk) {
            for (std::size_t i = chunk * kChunk; i < std::min(samples_.size(), (chunk + 1) * kChunk); ++i)
                contacts_[i] = contact(*samples_[i], contacts_[i]);
        });
    }

    /// The nearest face that looks the same way, searched outwards from where it was, or from the survivors of the
    /// sample's corners. Where the nearest place lies inside of its face no neighbour is nearer; on an edge or a corner
    /// only the faces there can be.
    Contact contact(const SourceSample& s, const Contact& before) const {
        Contact best;
        float least = std::numeric_limits<float>::infinity();
        const auto look_at = [&](std::uint32_t f) {
            const Flat& flat = flats_[f];
            if (!(flat.upright.dot(s.upright) > 0)) return;
            const Vec3f from_corner = s.place - flat.corner;
            const auto [b, c] = nearest_shares(from_corner, flat.ab, flat.ac);
            const float distance2 = (b * flat.ab + c * flat.ac - from_corner).squaredNorm();
            if (!(distance2 < least)) return;
            least = distance2;
            best = {f, {std::max(0.0F, 1 - b - c), b, c}, true};
        };
        const auto look_around = [&](std::uint32_t point) {
            if (mesh_.is_hub(point)) return;
            for (const std::uint32_t f : mesh_.around(point)) look_at(f);
        };
        if (before.found) look_at(before.face);
        std::array<std::uint32_t, 3> near = s.points;
        for (std::uint32_t& p : near) p = mesh_.survivor[p];
        if (!best.found) {
            look_around(near[0]);
            if (!best.found && near[1] != near[0]) look_around(near[1]);
            if (!best.found && near[2] != near[0] && near[2] != near[1]) look_around(near[2]);
        }
        std::uint32_t from = kNoFace;
        for (int step = 0; step < kSteps && best.found && best.face != from; ++step) {
            from = best.face;
            const std::array<float, 3> share = best.share;
            const auto on = static_cast<std::size_t>(std::ranges::count_if(share, [](float part) { return part > 0; }));
            if (on == 3) break;
            const std::size_t k = share[0] > 0 ? 0 : share[1] > 0 ? 1 : 2;
            const std::uint32_t point = mesh_.point(from, k);
            if (on == 1) {
                look_around(point);
            } else if (!mesh_.is_hub(point)) {
                const std::uint32_t other = mesh_.point(from, share[2] > 0 ? 2 : 1);
                for (const std::uint32_t f : mesh_.around(point))
                    if (f != from && mesh_.corner(f, other) < 3) look_at(f);
            }
        }
        return best;
    }

    /// What a point and a sample on one of its faces have to do with each other, read in one go sweep after sweep.
    struct Pull {
        std::uint32_t sample = 0;
        float share = 0;
        float along = 0;                ///< of the sample's offset
        Vec3f upright = Vec3f::Zero();  ///< as long as the root of what it weighs
    };
    /// The normal equations of one point while the others stay.
    struct PointForm {
        std::uint32_t point = 0, first = 0, last = 0;  ///< its pulls
        float stay = 0;
        Eigen::Matrix3f inverse = Eigen::Matrix3f::Zero();
    };

    void find_forms(const Dependents& dependents, std::vector<PointForm>& forms, std::vector<Pull>& pulls) const {
        pulls.reserve(dependents.list.size());
        for (std::uint32_t p = 0; p < reach_.size(); ++p) {
            if (!(reach_[p] > 0)) continue;
            PointForm form;
            form.point = p;
            form.first = static_cast<std::uint32_t>(pulls.size());
            Eigen::Matrix3f matrix = Eigen::Matrix3f::Zero();
            float total = 0;
            for (const auto& [i, share] : dependents.of(p)) {
                const SourceSample& s = *samples_[i];
                const float weight = s.weight * share;
                matrix += (weight * share) * s.upright * s.upright.transpose();
                total += weight * share;
                pulls.push_back({i, share, weight * kAlong, std::sqrt(weight) * s.upright});
            }
            form.last = static_cast<std::uint32_t>(pulls.size());
            if (!(total > 0)) continue;
            matrix.diagonal().array() += total * (kAlong + kStay);
            form.stay = total * kStay;
            form.inverse = matrix.inverse();
            forms.push_back(form);
        }
    }

    void move_points() {
        const Dependents dependents(mesh_.places.size(), contacts_,
                                    [&](std::uint32_t face, std::size_t k) { return mesh_.point(face, k); });
        std::vector<Vec3f> off(samples_.size(), Vec3f::Zero());
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            if (!contacts_[i].found) continue;
            const Triangle3 t = triangle(contacts_[i].face);
            for (std::size_t k = 0; k < 3; ++k) off[i] += contacts_[i].share[k] * t[k];
            off[i] -= samples_[i]->place;
        }
        std::vector<PointForm> forms;
        std::vector<Pull> pulls;
        find_forms(dependents, forms, pulls);
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (const PointForm& form : forms) {
                Vec3f pull = form.stay * (fit_.places[form.point] - mesh_.places[form.point]);
                const std::span<const Pull> own(pulls.data() + form.first, pulls.data() + form.last);
                for (const Pull& s : own) pull += s.upright * s.upright.dot(off[s.sample]) + s.along * off[s.sample];
                const Vec3f step = -form.inverse * pull;
                const Vec3f taken = step.allFinite() ? take_step(form.point, step) : Vec3f(Vec3f::Zero());
                if (taken.isZero()) continue;
                for (const Pull& s : own) off[s.sample] += s.share * taken;
            }
        }
    }

    /// As much of the step as does no harm; what was taken.
    Vec3f take_step(std::uint32_t p, Vec3f step) {
        const Vec3f before = fit_.places[p];
        for (int half = 0; half < 3; ++half, step /= 2) {
            // Feet stay on the ground and the height stays what it was.
            const Vec3f to = (before + step).cwiseMax(bounds_.min()).cwiseMin(bounds_.max());
            if (!((to - mesh_.places[p]).norm() <= reach_[p]) || !keeps_faces_upright(p, to)) continue;
            fit_.places[p] = to;
            return to - before;
        }
        return Vec3f::Zero();
    }

    /// Measured from where the corners were chosen, so that many small steps turn a face no further than one.
    bool keeps_faces_upright(std::uint32_t p, const Vec3f& to) const {
        return std::ranges::all_of(mesh_.around(p), [&](std::uint32_t f) {
            Triangle3 now = triangle(f);
            now[mesh_.corner(f, p)] = to;
            const Vec3f &a = mesh_.places[mesh_.point(f, 0)], &b = mesh_.places[mesh_.point(f, 1)],
                        &c = mesh_.places[mesh_.point(f, 2)];
            const Vec3f before = (b - a).cross(c - a), after = (now[1] - now[0]).cross(now[2] - now[0]);
            return after.dot(before) > kMostTilt * after.norm() * before.norm();
        });
    }

    void turn_normals() {
        const Dependents dependents(mesh_.wedges.size(), contacts_,
                                    [&](std::uint32_t face, std::size_t k) { return mesh_.faces[face].wedges[k]; });
        std::vector<Vec3f> off(samples_.size(), Vec3f::Zero());
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            for (std::size_t k = 0; k < 3 && contacts_[i].found; ++k)
                off[i] += contacts_[i].share[k] * fit_.normals[mesh_.faces[contacts_[i].face].wedges[k]];
            off[i] -= samples_[i]->shading;
        }
        const std::vector<Vec3f> chosen = fit_.normals;
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (std::uint32_t w = 0; w < chosen.size(); ++w) {
                if (!(reach_[mesh_.wedges[w].point] > 0) || chosen[w].isZero()) continue;
                Vec3f pull = Vec3f::Zero();
                float total = 0;
                for (const auto& [i, share] : dependents.of(w)) {
                    if (samples_[i]->shading.isZero()) continue;
                    pull += samples_[i]->weight * share * off[i];
                    total += samples_[i]->weight * share * share;
                }
                if (!(total > 0)) continue;
                const Vec3f step =
                    -(pull + total * kNormalStay * (fit_.normals[w] - chosen[w])) / (total * (1 + kNormalStay));
                if (!step.allFinite()) continue;
                fit_.normals[w] += step;
                for (const auto& [i, share] : dependents.of(w)) off[i] += share * step;
            }
        }
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            const float length = fit_.normals[w].norm();
            fit_.normals[w] = length > 0.1F ? Vec3f(fit_.normals[w] / length) : chosen[w];
        }
    }

    bool faces_its_shading(std::uint32_t f) const {
        const Triangle3 t = triangle(f);
        Vec3f shading = Vec3f::Zero();
        for (const std::uint32_t w : mesh_.faces[f].wedges) shading += fit_.normals[w];
        return (t[1] - t[0]).cross(t[2] - t[0]).dot(shading) >= 0;
    }

    /// Undoes what was done at the corners of faces that turned away from their shading, until none is left that it
    /// could help.
    void take_back() {
        std::vector<bool> back(mesh_.places.size(), false);
        bool changed = true;
        while (changed) {
            changed = false;
            for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) {
                if (faces_its_shading(f)) continue;
                for (const std::uint32_t corner : mesh_.faces[f].wedges) {
                    const std::uint32_t p = mesh_.wedges[corner].point;
                    if (back[p]) continue;
                    back[p] = changed = true;
                    fit_.places[p] = mesh_.places[p];
                    for (const std::uint32_t g : mesh_.around(p)) {
                        const std::uint32_t w = mesh_.faces[g].wedges[mesh_.corner(g, p)];
                        fit_.normals[w] = mesh_.wedges[w].normal;
                    }
                }
            }
        }
    }

    /// Faces on which enough lies that faces away from its shading in the source too: that is how it was made.
    std::vector<bool> made_so() const {
        std::vector<float> turned(mesh_.faces.size(), 0), all(mesh_.faces.size(), 0);
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            if (!contacts_[i].found) continue;
            all[contacts_[i].face] += samples_[i]->weight;
            if (samples_[i]->turned) turned[contacts_[i].face] += samples_[i]->weight;
        }
        std::vector<bool> made(mesh_.faces.size(), false);
        for (std::size_t f = 0; f < made.size(); ++f) made[f] = turned[f] > kMadeShare * all[f];
        return made;
    }

    /// Where a face still turns away from its shading, a fold of the source has been flattened and the normals of its
    /// other side mean nothing here: the face gets them mirrored to its front.
    void light_from_the_front() {
        const std::vector<bool> made = made_so();
        for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f) {
            if (made[f] || faces_its_shading(f)) continue;
            const Triangle3 t = triangle(f);
            const Vec3f upright = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
            for (std::uint32_t k = 0; k < 3; ++k) {
                const Vec3f& normal = fit_.normals[mesh_.faces[f].wedges[k]];
                const float behind = normal.dot(upright);
                if (behind < 0)
                    fit_.own_normals.push_back({f, k, (normal + (kFront - 2 * behind) * upright).normalized()});
            }
        }
    }

    const LevelMesh& mesh_;
    std::vector<const SourceSample*> samples_;
    std::vector<Contact> contacts_;  ///< of each sample
    std::vector<Flat> flats_;        ///< of each face
    std::vector<float> reach_;       ///< how far a point may go
    Eigen::AlignedBox3f bounds_;
    Fit fit_;
};

}  // namespace

std::vector<SourceSample> sample_source(const WedgeMesh& mesh) {
    // The rule of three points is exact for squares of what is linear on a face.
    constexpr std::array<std::array<float, 3>, 3> kThree = {
        {{2 / 3.0F, 1 / 6.0F, 1 / 6.0F}, {1 / 6.0F, 2 / 3.0F, 1 / 6.0F}, {1 / 6.0F, 1 / 6.0F, 2 / 3.0F}}};
    constexpr std::array<std::array<float, 3>, 1> kOne = {{{1 / 3.0F, 1 / 3.0F, 1 / 3.0F}}};
    std::vector<SourceSample> samples;
    const auto add = [&](std::uint32_t f, const auto& rule) {
        const Vec3f &a = mesh.places[mesh.point(f, 0)], &b = mesh.places[mesh.point(f, 1)],
                    &c = mesh.places[mesh.point(f, 2)];
        const Vec3f normal = (b - a).cross(c - a);
        const float length = normal.norm();
        if (!(length > 0) || !std::isfinite(length)) return;
        for (const auto& share : rule) {
            SourceSample s;
            s.place = share[0] * a + share[1] * b + share[2] * c;
            s.upright = normal / length;
            s.weight = length / 2 / static_cast<float>(rule.size());
            s.turned = mesh.was_turned(f);
            for (std::size_t k = 0; k < 3; ++k) {
                s.points[k] = mesh.point(f, k);
                s.shading += share[k] * mesh.wedges[mesh.faces[f].wedges[k]].normal;
            }
            const float shading = s.shading.norm();
            s.shading = shading > 0.1F ? Vec3f(s.shading / shading) : Vec3f(Vec3f::Zero());
            samples.push_back(s);
        }
    };
    const bool many = mesh.faces.size() >= kManyFaces;
    samples.reserve(mesh.faces.size() * (many ? kOne.size() : kThree.size()));
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) many ? add(f, kOne) : add(f, kThree);
    return samples;
}

Fit fit_level(const LevelMesh& mesh, const std::vector<SourceSample>& samples) {
    return Fitting(mesh, samples).run();
}

}  // namespace helixavatar::lod
