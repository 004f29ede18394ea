// SPDX-License-Identifier: MIT
#include "texture/png_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "texture/png_data.hpp"
#include "texture/resample.hpp"

namespace helixavatar::texture {
namespace {

constexpr std::size_t kRowsAtOnce = 64;  // inflated while they are still in the processor's cache

/// PNG, third edition, 9.2.
enum Filter : std::uint8_t { none, sub, up, average, paeth, kFilters };

/// The one of left, above and left above that is nearest to left + above - left above.
int nearest(int left, int above, int corner) {
    const int to_left = std::abs(above - corner), to_above = std::abs(left - corner);
    const int to_corner = std::abs(above + left - 2 * corner);
    const int other = to_above <= to_corner ? above : corner;
    return to_left <= to_above && to_left <= to_corner ? left : other;
}

/// A scanline of `channels` samples a pixel as RGBA; `over`: the RGBA row above it.
template <int channels, Filter filter>
void unfilter(const std::uint8_t* line, const std::uint8_t* over, std::uint8_t* out, std::size_t width) {
    std::array<int, channels> left{}, corner{};
    for (std::size_t x = 0; x < width; ++x, line += channels, over += 4, out += 4) {
        for (int c = 0; c < channels; ++c) {
            const int above = over[c];
            const int guess = filter == sub       ? left[c]
                              : filter == up      ? above
                              : filter == average ? (left[c] + above) / 2
                              : filter == paeth   ? nearest(left[c], above, corner[c])
                                                  : 0;
            left[c] = (line[c] + guess) & 255;
            corner[c] = above;
            out[c] = static_cast<std::uint8_t>(left[c]);
        }
        if (channels == 3) out[3] = 255;
    }
}

template <int channels>
void unfilter_line(const std::uint8_t* line, const std::uint8_t* over, std::uint8_t* out, std::size_t width) {
    static constexpr std::array kBy = {unfilter<channels, none>, unfilter<channels, sub>, unfilter<channels, up>,
                                       unfilter<channels, average>, unfilter<channels, paeth>};
    kBy[line[0]](line + 1, over, out, width);
}

bool is_plain(ByteView png, const std::vector<PngChunk>& chunks) {
    constexpr std::size_t kDepth = 24, kColor = 25, kCompression = 26, kFilterMethod = 27, kInterlace = 28;
    const bool rgb = png[kColor] == 2 || png[kColor] == 6;
    return png[kDepth] == 8 && rgb && png[kCompression] == 0 && png[kFilterMethod] == 0 && png[kInterlace] == 0 &&
           std::none_of(chunks.begin(), chunks.end(), [](const PngChunk& chunk) { return chunk.type == "tRNS"; });
}

}  // namespace

std::optional<Result<Pixels>> decode_plain_png(ByteView png, const gltf::ImageHeader& header) {
    const Result<std::vector<PngChunk>> chunks = png_chunks(png);
    if (!chunks) return chunks.error();
    if (!is_plain(png, *chunks)) return {};
    const Result<std::size_t> total = scanline_bytes(png, header, *chunks);
    if (!total) return total.error();

    const auto width = static_cast<std::size_t>(header.width), height = static_cast<std::size_t>(header.height);
    const std::size_t channels = png[25] == 2 ? 3 : 4, stride = 1 + channels * width;
    Pixels pixels;
    pixels.width = header.width;
    pixels.height = header.height;
    pixels.rgba.resize(4 * width * height);
    const Bytes nothing(4 * width, 0);
    Bytes lines(std::min(kRowsAtOnce, height) * stride);
    PngInflater source(*chunks);
    const std::uint8_t* over = nothing.data();
    std::uint8_t* out = pixels.rgba.data();
    for (std::size_t done = 0; done < height;) {
        const std::size_t rows = std::min(kRowsAtOnce, height - done);
        if (const char* fault = source.fill(std::span(lines).first(rows * stride)))
            return Result<Pixels>(Error{ErrorKind::malformed, fault, "", ""});
        for (std::size_t row = 0; row < rows; ++row, over = out, out += 4 * width) {
            const std::uint8_t* line = lines.data() + row * stride;
            if (line[0] >= kFilters) return {};
            if (channels == 3)
                unfilter_line<3>(line, over, out, width);
            else
                unfilter_line<4>(line, over, out, width);
        }
        done += rows;
    }
    if (channels == 4) find_alpha(pixels);
    return Result<Pixels>(std::move(pixels));
}

}  // namespace helixavatar::texture
