// SPDX-License-Identifier: MIT
#pragma once

#include "body.hpp"

namespace helixavatar::conform {

struct Settled {
    Body body;            ///< `to` are the final joint places, still where the source stood
    double middle_x = 0;  ///< of the body's middle plane
    bool symmetric = false;
};

/// The joints of an aimed body, made mirror images of each other when none is more than 1 cm from being so; otherwise
/// left as they are, with the pelvis as the middle. Palms and metacarpals are put right afterwards. The skin does not
/// follow: a joint moves by half a centimetre at most.
Settled settle_joints(const Body& aimed);

}  // namespace helixavatar::conform
