// SPDX-License-Identifier: MIT
// The surfaces of a level as one mesh of points, so that a seam or a border between materials is one edge for every
// move.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <helixavatar/avatar/avatar.hpp>

namespace helixavatar::lod {

/// A point with more faces than this is left alone: the hub of a fan would cost the square of its faces at every move.
inline constexpr std::size_t kMostFacesAround = 256;
inline constexpr std::uint32_t kNoWedge = ~std::uint32_t{0};

/// One vertex of one surface.
struct Wedge {
    std::uint32_t surface = 0;
    std::uint32_t vertex = 0;
    std::uint32_t point = 0;  ///< vertices at one place are one point
    std::uint32_t group =
        0;  ///< first wedge of the point with the same surface, UVs and colour: no seam lies between them
    Vec3f normal = Vec3f::Zero();
    std::uint32_t next = kNoWedge;  ///< wedge of the same point
};

struct Face {
    std::array<std::uint32_t, 3> wedges{};
    std::array<std::uint32_t, 3> points{};  ///< of the wedges
    bool alive = true;

    /// The corner that lies on the point, or 3.
    std::size_t corner(std::uint32_t on) const {
        return points[0] == on ? 0 : points[1] == on ? 1 : points[2] == on ? 2 : 3;
    }
};

/// An edge as one of its ends sees it.
struct Spoke {
    std::uint32_t point = 0;
    std::uint32_t faces = 0;  ///< how many faces have this edge: 2 inside, 1 at an open border
};

/// Edges at a point, in the order of the faces around it.
void find_spokes(const std::vector<Face>& faces, std::span<const std::uint32_t> around, std::uint32_t at,
                 std::vector<Spoke>& out);

/// How much a move may spoil. None opens a hole, makes an open border longer or turns a face by a right angle.
enum class Care {
    full,        ///< every seam stays a seam; no face turns away from any of its shading normals or is mirrored on the
                 ///< texture
    permissive,  ///< textures may stretch over seams and be mirrored, lines where sheets meet may move
    little,      ///< sheets may be pinched together
    least        ///< faces may turn away from their shading normals
};

/// Moving everything at point `from` to point `to`, which is at the other end of an edge.
struct Move {
    std::uint32_t from = 0, to = 0;
    Care care = Care::full;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        wedges;  ///< each used wedge of `from` and the wedge of `to` that replaces it
};

class WedgeMesh {
public:
    /// `surfaces` must be welded. `seams[s]`: UVs and colours of surface s mean something, so that their seams must be
    /// kept.
    WedgeMesh(std::span<const avatar::Surface> surfaces, const std::vector<bool>& seams);

    std::vector<Wedge> wedges;
    std::vector<Face> faces;
    std::vector<Vec3f> places;                       ///< of each point
    std::vector<std::vector<std::uint32_t>> around;  ///< live faces at each point

    std::uint32_t point(std::uint32_t face, std::size_t corner) const { return faces[face].points[corner]; }
    /// The corner of a face that lies on the point, or 3.
    std::size_t corner(std::uint32_t face, std::uint32_t on) const { return faces[face].corner(on); }

    bool is_hub(std::uint32_t point) const {
        return hubs_.load(std::memory_order_relaxed) && around[point].size() > kMostFacesAround;
    }

    /// Edges at a point that is no hub, in the order of its faces.
    void spokes(std::uint32_t point, std::vector<Spoke>& out) const { find_spokes(faces, around[point], point, out); }

    /// True when UVs, colours or the material differ across the edge.
    bool is_seam(std::uint32_t a, std::uint32_t b) const;

    /// Twice the signed area of a triangle on the texture; 0 without one.
    float uv_area(const std::array<std::uint32_t, 3>& corners) const;

    /// Fills move.wedges for move.from → move.to. False when a seam or material border would tear.
    bool match_wedges(Move& move) const {
        const std::uint32_t from = only_wedge_[move.from], to = only_wedge_[move.to];
        if (from == kNoWedge || to == kNoWedge) return match_several_wedges(move);
        move.wedges.resize(1);  // nearly always
        move.wedges[0] = {from, to};
        return true;
    }

    /// True when the move keeps every border a border, joins no sheets, makes no double face, turns no face over and
    /// mirrors no UV. `spokes` are those of move.from.
    bool is_sound(const Move& move, const std::vector<Spoke>& spokes) const;

    /// Also removes pairs of faces that come to lie back to back. How many faces went.
    std::size_t apply(const Move& move);
    void remove_face(std::uint32_t face);

    /// True when the face looks away from its shading normals.
    bool is_turned(std::uint32_t face) const;
    /// True when it did so in the source.
    bool was_turned(std::uint32_t face) const { return was_turned_[face]; }

private:
    bool match_several_wedges(Move& move) const;
    std::size_t cancel_back_to_back(std::uint32_t face);
    bool along_line(const Move& move, const std::vector<Spoke>& spokes) const;
    bool shortens_open_border(const Move& move, const std::vector<Spoke>& spokes) const;
    bool keeps_sheets_apart(const Move& move, const std::vector<Spoke>& spokes) const;
    std::uint32_t nearest_wedge(std::uint32_t wedge, std::uint32_t at) const;
    bool keeps_faces_upright(const Move& move) const;
    void find_backlit();

    std::span<const avatar::Surface> surfaces_;
    std::vector<std::uint32_t> first_wedge_;  ///< of each point
    std::vector<std::uint32_t> only_wedge_;   ///< of each point; kNoWedge where it has several
    std::atomic<bool> hubs_ = false;          ///< some point is, or was, a hub
    std::vector<bool> seams_;
    std::vector<bool> was_turned_;
    std::vector<bool> backlit_;  ///< faces of a region that the source lights from behind
};

}  // namespace helixavatar::lod
