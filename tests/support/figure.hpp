// SPDX-License-Identifier: MIT
// The person: a grown man of 1.80 m in a T-shirt, trousers and shoes, described as solids around the reference joints
// at their rest (arms in the A-pose of helix-humanoid@1).
#pragma once

#include "support/field.hpp"

namespace helixavatar::test {

/// Long hair is part of the same shell: it falls behind the shoulders.
struct FigureOptions {
    bool long_hair = false;
};

Field make_figure(const FigureOptions& options = {});

/// The head's solids are drawn at life size of a smaller man and enlarged about this place.
inline constexpr float kHeadScale = 1.055f;
inline Vec3f head_place(const Vec3f& drawn) {
    const Vec3f centre(0, 1.70f, 0);
    return centre + kHeadScale * (drawn - centre);
}

/// Places on the face that paint and morphs refer to; the left one of a pair. Metres, at rest.
namespace landmark {
inline const Vec3f kEye = head_place({0.0325f, 1.6790f, 0.0870f});  ///< centre of the eyeball
inline constexpr float kEyeRadius = 0.0128f * kHeadScale;
inline const Vec3f kMouth = head_place({0, 1.6135f, 0.1060f});  ///< middle of the lip line
inline const Vec3f kMouthCorner = head_place({0.0245f, 1.6135f, 0.0930f});
inline const Vec3f kNoseTip = head_place({0, 1.6445f, 0.1240f});
inline const Vec3f kBrow = head_place({0.0320f, 1.6985f, 0.0985f});
inline const Vec3f kChin = head_place({0, 1.5800f, 0.0940f});
inline const Vec3f kJawHinge = head_place({0.0620f, 1.6500f, 0.0080f});
}  // namespace landmark

}  // namespace helixavatar::test
