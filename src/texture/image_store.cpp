// SPDX-License-Identifier: MIT
#include "texture/image_store.hpp"

#include <algorithm>
#include <cmath>

#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::texture {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{512} << 20;

std::string place_of(int image, const avatar::Image& value) {
    return "/images/" + std::to_string(image) + (value.name.empty() ? "" : " (" + value.name + ")");
}

Size within(int width, int height, int max_edge) {
    const double scale = std::min(1.0, static_cast<double>(max_edge) / std::max(width, height));
    const auto edge = [&](int pixels) { return std::max(1, static_cast<int>(std::lround(pixels * scale))); };
    return {edge(width), edge(height)};
}

}  // namespace

Result<Size> ImageStore::size(int image) const {
    const avatar::Image& value = images_[static_cast<std::size_t>(image)];
    const auto header = gltf::read_image_header(value.bytes);
    if (header && header->width > 0 && header->height > 0) return within(header->width, header->height, max_edge_);
    Error error = header ? Error{ErrorKind::malformed, "the image has no pixels", "", ""} : header.error();
    error.where = place_of(image, value);
    return error;
}

Result<Pixels> ImageStore::decode_any(const avatar::Image& image) {
    const auto header = gltf::read_image_header(image.bytes);
    if (!header || !header->ktx2) return decode(image.bytes, limits_);
    const auto program = find_encoder(encoder_path_);
    if (program.empty()) return decode(image.bytes, limits_);  // says what is missing
    const auto encoder = open_encoder(program);
    if (!encoder) return encoder.error();
    return decode_ktx2(image.bytes, *encoder, limits_);
}

Result<std::shared_ptr<const Pixels>> ImageStore::get(int image, Content content, bool keep_alpha) {
    const auto found = std::find_if(held_.begin(), held_.end(), [&](const Held& held) {
        return held.image == image && held.content == content && held.keep_alpha == keep_alpha;
    });
    if (found != held_.end()) {
        held_.splice(held_.begin(), held_, found);
        return held_.front().pixels;
    }
    const avatar::Image& value = images_[static_cast<std::size_t>(image)];
    auto decoded = decode_any(value);
    if (!decoded) {
        Error error = decoded.error();
        error.where = place_of(image, value);
        return error;
    }
    Pixels pixels = decoded.take();
    if (content == Content::normal && green_points_down(pixel_statistics(pixels))) {
        invert_green(pixels);
        righted_.insert(image);
    }
    if (!keep_alpha) drop_alpha(pixels);
    bleed_under_alpha(pixels);
    const Size size = within(pixels.width, pixels.height, max_edge_);
    if (size != Size{pixels.width, pixels.height}) pixels = resample(pixels, {}, size.width, size.height, content);
    held_bytes_ += pixels.rgba.size();
    held_.push_front({image, content, keep_alpha, std::make_shared<const Pixels>(std::move(pixels))});
    while (held_bytes_ > kHeldBytes && held_.size() > 1) {
        held_bytes_ -= held_.back().pixels->rgba.size();
        held_.pop_back();
    }
    return held_.front().pixels;
}

}  // namespace helixavatar::texture
