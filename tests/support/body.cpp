// SPDX-License-Identifier: MIT
#include "support/body.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include <meshoptimizer.h>

#include <helixavatar/base/parallel.hpp>

#include "support/reference_pose.hpp"
#include "support/surface_nets.hpp"

namespace helixavatar::test {
namespace {

float smooth_step(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// Space in which a millimetre of face or hand counts for more than one of trouser leg.
Vec3f by_importance(const Vec3f& p) {
    static const Vec3f neck(0, 1.56f, 0);
    static const Vec3f wrist = reference_position("hand_l").cast<float>();
    const float face = smooth_step(1.55f, 1.60f, p.y());
    const float hand = smooth_step(0.45f, 0.49f, p.x());
    return p + 1.2f * face * (p - neck) + 0.9f * hand * (p - wrist);
}

void simplify(HalfShell& shell, std::size_t triangles) {
    if (shell.triangles.size() <= triangles * 3) return;
    std::vector<Vec3f> weighed(shell.positions.size());
    std::transform(shell.positions.begin(), shell.positions.end(), weighed.begin(), by_importance);
    std::vector<std::uint32_t> out(shell.triangles.size());
    out.resize(meshopt_simplify(out.data(), shell.triangles.data(), shell.triangles.size(), weighed[0].data(),
                                weighed.size(), sizeof(Vec3f), triangles * 3, 1.0f, 0, nullptr));
    std::vector<std::uint32_t> renamed(shell.positions.size(), ~0u);
    std::vector<Vec3f> kept;
    for (std::uint32_t& index : out) {
        if (renamed[index] == ~0u) {
            renamed[index] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(shell.positions[index]);
        }
        index = renamed[index];
    }
    shell = {std::move(kept), std::move(out)};
}

void mirror(HumanoidBody& body, const HalfShell& half) {
    body.positions = half.positions;
    body.triangles = half.triangles;
    std::vector<std::uint32_t> twin(half.positions.size());
    for (std::size_t i = 0; i < half.positions.size(); ++i) {
        const Vec3f& p = half.positions[i];
        if (p.x() == 0) {
            twin[i] = static_cast<std::uint32_t>(i);
            continue;
        }
        twin[i] = static_cast<std::uint32_t>(body.positions.size());
        body.positions.push_back({-p.x(), p.y(), p.z()});
    }
    for (std::size_t i = 0; i < half.triangles.size(); i += 3)
        for (const int k : {0, 2, 1}) body.triangles.push_back(twin[half.triangles[i + k]]);
}

template <class List>
std::size_t least(const List& list) {
    return static_cast<std::size_t>(std::min_element(list.begin(), list.end()) - list.begin());
}

void classify_triangles(HumanoidBody& body, const Field& field) {
    const std::size_t count = body.triangles.size() / 3;
    body.stuffs.resize(count);
    body.parts.resize(count);
    parallel_for((count + 1023) / 1024, [&](std::size_t chunk) {
        for (std::size_t t = chunk * 1024; t < std::min(count, (chunk + 1) * 1024); ++t) {
            Vec3f centre = Vec3f::Zero();
            for (int k = 0; k < 3; ++k) centre += body.positions[body.triangles[3 * t + k]] / 3;
            const Field::Sample sample = field.sample(centre);
            body.stuffs[t] = static_cast<Stuff>(least(sample.stuffs));
            body.parts[t] = static_cast<Part>(least(sample.parts));
        }
    });
}

void describe_vertices(HumanoidBody& body, const Field& field) {
    const std::size_t count = body.positions.size();
    body.normals.resize(count);
    body.influences.resize(count);
    body.openness.resize(count);
    parallel_for((count + 1023) / 1024, [&](std::size_t chunk) {
        for (std::size_t i = chunk * 1024; i < std::min(count, (chunk + 1) * 1024); ++i) {
            const Vec3f& p = body.positions[i];
            body.normals[i] = field.normal(p, 0.0008f);
            if (p.x() == 0) {
                body.normals[i].x() = 0;
                body.normals[i].normalize();
            }
            body.influences[i] = weigh(field, p);
            float open = 0;
            for (const float reach : {0.008f, 0.02f, 0.045f})
                open += std::clamp(field.distance(p + reach * body.normals[i]) / reach, 0.0f, 1.0f) / 3;
            body.openness[i] = open;
        }
    });
}

HumanoidBody build(std::size_t triangles, const Field& field) {
    // 4.5 mm give about 411 000 triangles; four times too many leave the simplifier its choice.
    const float wanted = 4.0f * static_cast<float>(triangles);
    // 3 mm are choice enough, as long as they give what is wanted at all.
    const float finest = std::min(0.0030f, 0.0045f * std::sqrt(411000.0f / (1.05f * static_cast<float>(triangles))));
    const float cell = std::clamp(0.0045f * std::sqrt(411000.0f / wanted), finest, 0.0085f);
    HalfShell half = polygonise(field, cell);
    simplify(half, triangles / 2);
    HumanoidBody body;
    mirror(body, half);
    classify_triangles(body, field);
    describe_vertices(body, field);
    unfold(body);
    return body;
}

template <class T>
void keep(std::vector<T>& list, const std::vector<std::uint32_t>& kept) {
    std::vector<T> out;
    out.reserve(kept.size());
    for (const std::uint32_t i : kept) out.push_back(list[i]);
    list = std::move(out);
}

}  // namespace

HumanoidBody coarser(const HumanoidBody& body, const Field& field, std::size_t triangles) {
    HumanoidBody out = body;
    out.triangles.resize(meshopt_simplify(out.triangles.data(), body.triangles.data(), body.triangles.size(),
                                          body.positions[0].data(), body.positions.size(), sizeof(Vec3f), triangles * 3,
                                          1.0f, 0, nullptr));
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> renamed(body.positions.size(), ~0u);
    for (std::uint32_t& index : out.triangles) {
        if (renamed[index] == ~0u) {
            renamed[index] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(index);
        }
        index = renamed[index];
    }
    keep(out.positions, kept);
    keep(out.normals, kept);
    keep(out.uvs, kept);
    keep(out.influences, kept);
    keep(out.openness, kept);
    keep(out.charts, kept);
    classify_triangles(out, field);
    return out;
}

const Field& humanoid_field(const FigureOptions& figure) {
    static const Field plain = make_figure({false});
    static const Field haired = make_figure({true});
    return figure.long_hair ? haired : plain;
}

const HumanoidBody& humanoid_body(std::size_t triangles, const FigureOptions& figure) {
    if (triangles < 1000 || triangles > 1000000) throw std::invalid_argument("a body has 1000 to 1000000 triangles");
    static std::mutex mutex;
    static std::map<std::pair<std::size_t, bool>, std::unique_ptr<HumanoidBody>> built;
    const std::lock_guard lock(mutex);
    auto& slot = built[{triangles, figure.long_hair}];
    if (!slot) slot = std::make_unique<HumanoidBody>(build(triangles, humanoid_field(figure)));
    return *slot;
}

}  // namespace helixavatar::test
