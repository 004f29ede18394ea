// SPDX-License-Identifier: MIT
// The ways in which one image may be written, best first, and the choice among them.
#pragma once

#include <vector>

#include "texture/convert_image.hpp"

namespace helixavatar::texture {

/// One way to write an image.
struct Rung {
    Goal goal;
    std::size_t bytes = 0;
    bool exact = false;  ///< the bytes are measured, not estimated
    double loss = 0;     ///< what is given up against the first rung
};

/// Best first; the loss grows from rung to rung.
struct Ladder {
    std::vector<Rung> rungs;
};

/// The rungs of an image by its header and use. `to_ktx2`: an encoder is there and wanted. Never empty.
Ladder ladder_of(const avatar::Image& image, const ImageUse& use, const TextureOptions& options, bool to_ktx2);

struct Choice {
    std::vector<std::size_t> rung;  ///< one a ladder
    std::size_t bytes = 0;
    double loss = 0;
    bool fits = true;  ///< false: the cheapest rungs, and still over
};

/// The rungs with little loss whose bytes are within `bytes` together: steps down are taken where they save most for
/// what they cost, and steps that turn out to be unnecessary are taken back.
Choice choose_rungs(const std::vector<Ladder>& ladders, std::size_t bytes);

}  // namespace helixavatar::texture
