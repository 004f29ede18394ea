// SPDX-License-Identifier: MIT
// A performance on a face, baked as an animation that any viewer plays.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <helixavatar/base/finding.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/humanoid/performance.hpp>

namespace helixavatar::face {

/// A script file: {"signals": [{"t": 2, "signal": "listening_started"}], "visemes": [{"t": 5, "viseme": "aa", "weight":
/// 1}], "phonemes": [{"t": 5, "phoneme": "AA1"}]}; lists are sorted by time. Findings carry rule "face-script".
struct ParsedScript {
    humanoid::Script script;
    Findings findings;
};
ParsedScript parse_script(const gltf::Json& json);

/// What a face with these channels shows of a frame: channel name → 0..1. Visemes fold into vowels, then into the jaw,
/// as far as the face goes.
std::map<std::string, double> channels_of(const humanoid::PerformanceFrame& frame,
                                          const std::vector<std::string>& channels);

struct BakedFace {
    std::vector<std::string> moved;  ///< channels that a track drives
    std::vector<std::string> still;  ///< channels of the manifest that this performance does not use
    bool mute = true;                ///< nothing of the mouth moves
    bool blinks = false, looks = false;
};

/// Bakes frames of `rate` a second onto the first scene's meshes and joints, as the manifest binds them. Requires a
/// manifest without errors (check_face()) and a document without structure errors.
BakedFace bake_face(gltf::Document& document, const gltf::Json& manifest,
                    const std::vector<humanoid::PerformanceFrame>& frames, double rate, const std::string& name);

}  // namespace helixavatar::face
