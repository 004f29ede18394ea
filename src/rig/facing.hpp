// SPDX-License-Identifier: MIT
// Which way the character looks, and so which side is left: several witnesses vote.
#pragma once

#include <array>

#include <helixavatar/rig/recognise.hpp>

#include "rig/body.hpp"

namespace helixavatar::rig {

struct Facing {
    Frame frame;
    int left = -1;               ///< 0 or 1: which of the body's sides is the character's left; -1: nobody can tell
    bool names_swapped = false;  ///< joints called left lie on the right
    double confidence = 0;       ///< 0..1
};

/// Puts arms and legs of one side under one number, before anything is asked of sides.
void align_sides(const Tree& tree, Body& body);

/// `thumbs`: first thumb joints of both sides or -1.
Facing find_facing(const Tree& tree, const Body& body, const std::array<int, 2>& thumbs, int vrm_version);

}  // namespace helixavatar::rig
