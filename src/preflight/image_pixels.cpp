// SPDX-License-Identifier: MIT
#include "preflight/image_pixels.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::preflight {
namespace {

/// Large enough for the statistics, small enough to transcode in a moment.
constexpr int kTranscodedEdge = 256;
constexpr std::chrono::seconds kTranscodeLimit{20};

/// basisu writes one PNG a target format; the least lossy that was written is wanted.
std::filesystem::path best_unpacked(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> pictures;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() == ".png" && name.find("_a_") == std::string::npos)
            pictures.push_back(entry.path());
    }
    std::sort(pictures.begin(), pictures.end());
    for (const char* format : {"RGBA32", "BC7", "ASTC", "ETC2", "ETC1"}) {
        for (const auto& picture : pictures) {
            if (picture.filename().string().find(format) != std::string::npos) return picture;
        }
    }
    return pictures.empty() ? std::filesystem::path() : pictures.front();
}

Result<texture::Pixels> transcoded(ByteView encoded, const Limits& limits) {
    const std::filesystem::path program = texture::find_encoder({});
    if (program.empty()) {
        return Error{ErrorKind::unconvertible,
                     "a KTX2 image needs the basisu program to be looked at; it was not found "
                     "(HELIXAVATAR_BASISU or PATH)",
                     {},
                     {}};
    }
    const Result<Bytes> level = single_level_ktx2(encoded, kTranscodedEdge);
    if (!level) return level.error();
    const TemporaryFolder folder;
    const Result<void> written = write_file_atomically(folder.path() / "level.ktx2", *level);
    if (!written) return written.error();
    const Result<ChildResult> run =
        run_child(program, {"-unpack", "-no_ktx", "-file", "level.ktx2"}, folder.path(), kTranscodeLimit);
    if (!run) return run.error();
    if (run->timed_out || run->exit_code != 0) {
        return Error{ErrorKind::malformed, "basisu could not transcode the KTX2 image", {}, {}};
    }
    const std::filesystem::path picture = best_unpacked(folder.path());
    if (picture.empty()) return Error{ErrorKind::malformed, "basisu wrote no picture of the KTX2 image", {}, {}};
    const Result<Bytes> png = read_file(picture, limits);
    if (!png) return png.error();
    return texture::decode(*png, limits);
}

}  // namespace

Result<texture::Pixels> image_pixels(ByteView encoded, const Limits& limits) {
    const Result<gltf::ImageHeader> header = gltf::read_image_header(encoded);
    if (!header) return header.error();
    if (header->format == gltf::ImageFormat::ktx2) return transcoded(encoded, limits);
    return texture::decode(encoded, limits);
}

}  // namespace helixavatar::preflight
