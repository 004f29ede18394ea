// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <set>

#include "texture/ktx2_encoder.hpp"

namespace helixavatar::texture {

/// Decoded images of an avatar, the last used ones held in memory up to a limit.
class ImageStore {
public:
    /// Images over max_edge are made smaller at once. `images` must outlive the store.
    ImageStore(const std::vector<avatar::Image>& images, int max_edge, std::filesystem::path encoder,
               const Limits& limits = {})
        : images_(images), max_edge_(max_edge), encoder_path_(std::move(encoder)), limits_(limits) {}

    /// Without `keep_alpha` every pixel is opaque; with it, the colours under transparent pixels are those of their
    /// neighbours. Errors: those of decode(), with the image in `where`.
    Result<std::shared_ptr<const Pixels>> get(int image, Content content, bool keep_alpha);

    /// The size that get() will give, from the header alone. Errors: malformed.
    Result<Size> size(int image) const;

    /// Normal maps whose green was upside down in the file and is not in what get() gave.
    const std::set<int>& righted() const { return righted_; }

private:
    Result<Pixels> decode_any(const avatar::Image& image);

    struct Held {
        int image;
        Content content;
        bool keep_alpha;
        std::shared_ptr<const Pixels> pixels;
    };
    const std::vector<avatar::Image>& images_;
    int max_edge_;
    std::filesystem::path encoder_path_;
    Limits limits_;
    std::list<Held> held_;  ///< last used first
    std::size_t held_bytes_ = 0;
    std::set<int> righted_;
};

}  // namespace helixavatar::texture
