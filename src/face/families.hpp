// SPDX-License-Identifier: MIT
// face-families.json: how the world names its face shapes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace helixavatar::face {

/// Shape name and weight of each shape that makes up a target together; empty: rest.
using Recipe = std::vector<std::pair<std::string, double>>;

struct Family {
    std::string name;           ///< "arkit", "vroid", ...
    bool by_extension = false;  ///< its names are presets of a VRM extension, not shapes
    std::map<std::string, std::vector<Recipe>>
        targets;  ///< "viseme_aa", "vowel_ee", "jawOpen", "blinkLeft", "expr_sad", "lookUp"; best first

    const std::vector<Recipe>& recipes(const std::string& target) const;
};

const std::vector<Family>& families();          ///< in the file's order
const Family& family(const std::string& name);  ///< asserts that it is there

/// Names of joints that turn a face part: "jaw", "eye_left", "eye_right".
const std::vector<std::string>& joint_names(const std::string& part);

}  // namespace helixavatar::face
