// SPDX-License-Identifier: MIT
// KTX2 by Basis Universal's own command-line program, as a child process.
#pragma once

#include <optional>

#include <helixavatar/texture/process.hpp>

#include "texture/resample.hpp"

namespace helixavatar::texture {

/// What installs an encoder, for hints.
extern const char* const kEncoderHint;

struct Encoder {
    std::filesystem::path program;
    std::string version;  ///< the first line that it prints of itself
};

/// Asks the program for its version. Errors: unconvertible when it does not run.
Result<Encoder> open_encoder(const std::filesystem::path& program);

enum class Codec { etc1s, uastc };

struct Ktx2Parameters {
    Codec codec = Codec::etc1s;
    Content content = Content::color;
    Quality quality = Quality::balanced;
    std::optional<double> cutoff;  ///< of a masked material: every mip level covers as much as the picture does
};

/// UASTC for normals, and for masks, whose levels are encoded one by one; ETC1S for the rest.
Ktx2Parameters parameters_for(Content content, Quality quality, std::optional<double> cutoff = {});

/// The next smaller mip levels of a masked picture down to one pixel, their alpha raised or lowered until the share of
/// pixels at or over the cutoff is that of the picture. The picture itself comes first.
std::vector<Pixels> covering_levels(const Pixels& pixels, double cutoff);

/// The encoder's options, which are also part of the cache's key.
std::vector<std::string> encoder_arguments(const Ktx2Parameters& parameters);

/// The pixels as KTX2 with a full mip chain. Requires edges that are powers of two of at least 4. What the program
/// wrote is read back: size, levels, codec, transfer function, and its own -validate. Errors: unconvertible, with the
/// program's last words.
Result<Bytes> encode_ktx2(const Pixels& pixels, const Ktx2Parameters& parameters, const Encoder& encoder);

/// The largest level of a KTX2 as pixels. Errors: unconvertible, with the program's last words.
Result<Pixels> decode_ktx2(ByteView ktx2, const Encoder& encoder, const Limits& limits = {});

/// Why these bytes are not the KTX2 that was asked for, or empty.
std::string ktx2_fault(ByteView ktx2, int width, int height, const Ktx2Parameters& parameters);

}  // namespace helixavatar::texture
