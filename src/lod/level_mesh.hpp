// SPDX-License-Identifier: MIT
// What a reduction has left at one moment, apart from what goes on with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wedge_mesh.hpp"

namespace helixavatar::lod {

/// The faces that a WedgeMesh has left, and where its points went. Places and wedges are those of the mesh, which never
/// change and must live as long; the rest is copied, so that the mesh may be reduced further meanwhile.
class LevelMesh {
public:
    /// `survivor`: of each point the one that it was merged into, or itself.
    LevelMesh(const WedgeMesh& mesh, std::vector<std::uint32_t> survivor);

    const std::vector<Vec3f>& places;  ///< of each point
    const std::vector<Wedge>& wedges;
    std::vector<Face> faces;              ///< all of them alive
    std::vector<std::uint32_t> survivor;  ///< of each point the one that stands for it in the end
    std::vector<bool> merged;             ///< point: stands for others too

    std::uint32_t point(std::uint32_t face, std::size_t corner) const { return faces[face].points[corner]; }
    /// The corner of a face that lies on the point, or 3.
    std::size_t corner(std::uint32_t face, std::uint32_t on) const { return faces[face].corner(on); }
    /// Faces at a point.
    std::span<const std::uint32_t> around(std::uint32_t point) const {
        return {around_.data() + first_[point], around_.data() + first_[point + 1]};
    }
    bool is_hub(std::uint32_t point) const { return around(point).size() > kMostFacesAround; }

    /// A vertex that takes the place of a corner.
    struct OwnVertex {
        std::uint32_t face = 0, corner = 0, vertex = 0;
    };
    /// The triangles of one surface, over its vertices and over `own`, which goes by face and corner.
    std::vector<std::uint32_t> triangles(std::uint32_t surface, std::span<const OwnVertex> own) const;

private:
    std::vector<std::uint32_t> first_;   ///< point: where its faces begin; one more than points
    std::vector<std::uint32_t> around_;  ///< faces, point by point
};

}  // namespace helixavatar::lod
