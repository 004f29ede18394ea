// SPDX-License-Identifier: MIT
// The morph targets of an avatar's nearest level: which there are, which move anything, where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

#include "face/families.hpp"
#include "face/names.hpp"

namespace helixavatar::face {

class Shapes {
public:
    explicit Shapes(const avatar::Avatar& avatar);

    const std::vector<std::string>& names() const { return names_; }
    int find(std::string_view name) const { return index_.find(name); }  ///< by an exporter's spelling
    bool exists(const std::string& name) const;                          ///< by its own spelling
    bool moves(const std::string& name) const;
    /// Meshes ("Body", "FaceMesh") on which the shape is written.
    std::vector<std::string> meshes(const std::string& name) const;
    /// World X of the centre of what the shape moves on LOD0, weighted by how far; nothing when it moves nothing.
    std::optional<double> side(const std::string& name) const;

private:
    const avatar::Avatar& avatar_;
    std::vector<std::string> names_, body_, face_;
    NameIndex index_{{}};
};

/// A family's recipe in the avatar's own names.
struct Resolved {
    Recipe shapes;
    bool native = true;  ///< shapes at full weight, or rest: made for this target
};

/// The first recipe all of whose shapes are there and move. An empty shape is enough for `sil`; "rest" recipes count
/// only with `rest`.
std::optional<Resolved> resolve(const Shapes& shapes, const Family& family, const std::string& target, bool rest,
                                std::vector<std::string>& empty);

}  // namespace helixavatar::face
