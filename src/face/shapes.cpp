// SPDX-License-Identifier: MIT
#include "face/shapes.hpp"

#include <algorithm>

namespace helixavatar::face {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
}

}  // namespace

Shapes::Shapes(const avatar::Avatar& avatar) : avatar_(avatar) {
    if (avatar.levels.empty()) return;
    const avatar::Level& nearest = avatar.levels.front();
    for (const avatar::Surface& surface : nearest.surfaces)
        for (const avatar::MorphTarget& morph : surface.morphs) add_once(names_, morph.name);
    body_ = avatar::written_morphs(nearest, false);
    face_ = avatar::written_morphs(nearest, true);
    index_ = NameIndex(names_);
}

bool Shapes::exists(const std::string& name) const {
    return contains(names_, name);
}
bool Shapes::moves(const std::string& name) const {
    return contains(body_, name) || contains(face_, name);
}

std::vector<std::string> Shapes::meshes(const std::string& name) const {
    std::vector<std::string> meshes;
    if (contains(body_, name)) meshes.push_back(avatar::kBodyMesh);
    if (contains(face_, name)) meshes.push_back(avatar::kFaceMesh);
    return meshes;
}

std::optional<double> Shapes::side(const std::string& name) const {
    double weight = 0, sum = 0;
    for (const avatar::Surface& surface : avatar_.levels.front().surfaces) {
        for (const avatar::MorphTarget& morph : surface.morphs) {
            if (morph.name != name) continue;
            for (std::size_t v = 0; v < morph.positions.size() && v < surface.positions.size(); ++v) {
                const double moved = morph.positions[v].cast<double>().norm();
                weight += moved;
                sum += moved * static_cast<double>(surface.positions[v].x());
            }
        }
    }
    if (!(weight > 0)) return {};
    return sum / weight;
}

std::optional<Resolved> resolve(const Shapes& shapes, const Family& family, const std::string& target, bool rest,
                                std::vector<std::string>& empty) {
    for (const Recipe& recipe : family.recipes(target)) {
        if (recipe.empty()) {
            if (rest) return Resolved{};
            continue;
        }
        Resolved resolved;
        resolved.native =
            std::all_of(recipe.begin(), recipe.end(), [](const auto& shape) { return shape.second >= 1; });
        bool whole = true;
        for (const auto& [wanted, weight] : recipe) {
            const int at = shapes.find(wanted);
            if (at < 0) {
                whole = false;
                break;
            }
            const std::string& name = shapes.names()[static_cast<std::size_t>(at)];
            if (shapes.moves(name)) {
                resolved.shapes.emplace_back(name, weight);
            } else if (target != "viseme_sil") {
                add_once(empty, name);
                whole = false;
            }
        }
        if (whole) return resolved;
    }
    return {};
}

}  // namespace helixavatar::face
