// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <CLI/CLI.hpp>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/base/log.hpp>
#include <helixavatar/dynamics/probe.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>

#include "command.hpp"
#include "console.hpp"
#include "conversion_options.hpp"
#include "opened_avatar.hpp"

namespace helixavatar::commands {
namespace {

using dynamics::ChainSwing;
using gltf::Json;

struct ProbeWords {
    std::string avatar, manifest, plot, bake, format = "text";
    std::vector<std::string> gaits{"walk", "run", "sprint", "turn"}, clips;
    std::vector<double> rates{30, 60, 120};
    double travel = 0, seconds = 8, settle = 2;
};

struct NamedMotion {
    std::string name;
    dynamics::Motion motion;
};

/// What one motion gave, a row of chains for each rate.
struct Measured {
    std::string name;
    std::vector<std::vector<ChainSwing>> by_rate;
};

Result<void> add_clips(const ProbeWords& words, const avatar::Avatar& avatar, std::vector<NamedMotion>& motions) {
    for (const std::string& path : words.clips) {
        Result<gltf::Document> document = gltf::read_document(path);
        if (!document) return document.error();
        for (const Finding& finding : gltf::check_structure(*document))
            if (gltf::prevents_reading(finding))
                return Error{ErrorKind::malformed, finding.message, path + ": " + finding.where.pointer, ""};
        const Result<gltf::Document> plain = gltf::decompress(*document);
        if (!plain) return plain.error();
        std::size_t used = 0;
        for (const gltf::Clip& clip : gltf::read_clips(*plain)) {
            const bool drives = std::any_of(clip.tracks.begin(), clip.tracks.end(), [&](const gltf::Track& track) {
                return avatar.find_joint(track.node_name) >= 0;
            });
            if (!drives || !(clip.seconds > 0)) continue;
            ++used;
            const std::string stem = std::filesystem::path(path).stem().string();
            motions.push_back({clip.name.empty() ? stem : clip.name,
                               dynamics::clip_motion(avatar, clip, dynamics::pelvis_rest(*plain), words.travel)});
        }
        if (used == 0)
            return Error{ErrorKind::unconvertible, "no animation of the file moves a joint of the avatar", path,
                         "give clips on helix-humanoid@1 joint names"};
    }
    return {};
}

Result<std::vector<NamedMotion>> motions_of(const ProbeWords& words, const avatar::Avatar& avatar) {
    std::vector<NamedMotion> motions;
    if (words.clips.empty())
        for (const auto gait :
             {dynamics::Gait::walk, dynamics::Gait::run, dynamics::Gait::sprint, dynamics::Gait::turn})
            if (std::find(words.gaits.begin(), words.gaits.end(), dynamics::to_string(gait)) != words.gaits.end())
                motions.push_back({dynamics::to_string(gait), dynamics::synthetic_motion(avatar, gait)});
    const Result<void> added = add_clips(words, avatar, motions);
    if (!added) return added.error();
    return motions;
}

double widest(const dynamics::Chain& chain) {
    if (!chain.limit) return 180;
    return *std::max_element(chain.limit->max_degrees.stops.begin(), chain.limit->max_degrees.stops.end());
}

bool agrees(const dynamics::Chain& chain, const Measured& measured, std::size_t c) {
    return std::all_of(measured.by_rate.begin(), measured.by_rate.end(), [&](const std::vector<ChainSwing>& row) {
        return dynamics::rates_agree(chain, row[c], measured.by_rate.back()[c]);
    });
}

std::string as_text(const ProbeWords& words, const dynamics::Manifest& manifest, const std::vector<Measured>& all) {
    std::string text = "swing in degrees after " + Json(words.settle).dump() + " s of settling\n";
    char row[256];
    std::snprintf(row, sizeof row, "%-24s %-10s %7s %7s %7s %7s %9s %11s %s\n", "chain", "motion", "Hz", "p50", "p95",
                  "max", "at limit", "collisions", "rates");
    text += row;
    for (std::size_t c = 0; c < manifest.chains.size(); ++c)
        for (const Measured& measured : all)
            for (std::size_t r = 0; r < measured.by_rate.size(); ++r) {
                const ChainSwing& swing = measured.by_rate[r][c];
                const bool last = r + 1 == measured.by_rate.size();
                std::snprintf(row, sizeof row, "%-24.24s %-10.10s %7g %7.1f %7.1f %7.1f %8.0f%% %11zu %s\n",
                              swing.chain.c_str(), measured.name.c_str(), words.rates[r], swing.p50, swing.p95,
                              swing.max, swing.limit_share * 100, swing.collisions,
                              !last                                     ? ""
                              : agrees(manifest.chains[c], measured, c) ? "agree"
                                                                        : "DISAGREE");
                text += row;
            }
    return text;
}

Json as_json(const ProbeWords& words, const dynamics::Manifest& manifest, const std::vector<Measured>& all) {
    const auto three = [](double value) { return std::round(value * 1000) / 1000; };
    Json chains = Json::array();
    for (std::size_t c = 0; c < manifest.chains.size(); ++c) {
        Json motions = Json::array();
        for (const Measured& measured : all) {
            Json rates = Json::array();
            for (std::size_t r = 0; r < measured.by_rate.size(); ++r) {
                const ChainSwing& swing = measured.by_rate[r][c];
                rates.push_back({{"hz", words.rates[r]},
                                 {"p50", three(swing.p50)},
                                 {"p95", three(swing.p95)},
                                 {"max", three(swing.max)},
                                 {"limitShare", three(swing.limit_share)},
                                 {"collisions", swing.collisions}});
            }
            motions.push_back({{"motion", measured.name},
                               {"ratesAgree", agrees(manifest.chains[c], measured, c)},
                               {"rates", std::move(rates)}});
        }
        chains.push_back({{"id", manifest.chains[c].id}, {"motions", std::move(motions)}});
    }
    return {{"contract", "helixavatar/dynamics-probe@1"},
            {"file", words.avatar},
            {"settleSeconds", words.settle},
            {"seconds", words.seconds},
            {"chains", std::move(chains)}};
}

Result<void> write_plot(const ProbeWords& words, const dynamics::Manifest& manifest, const std::vector<Measured>& all) {
    std::vector<dynamics::PlotPanel> panels;
    for (const Measured& measured : all) {
        dynamics::PlotPanel panel{measured.name, words.seconds, measured.by_rate.back(), {}};
        for (const dynamics::Chain& chain : manifest.chains) panel.limits.push_back(widest(chain));
        panels.push_back(std::move(panel));
    }
    return write_file_atomically(words.plot, as_bytes(dynamics::plot_svg(panels)));
}

Result<void> write_preview(const ProbeWords& words, OpenedAvatar& opened, const dynamics::Manifest& manifest,
                           const std::vector<NamedMotion>& motions) {
    constexpr double kKeys = 30;
    opened.document.json.erase("animations");  // of the avatar's own: a viewer is to find the motions measured here
    for (const NamedMotion& motion : motions)
        dynamics::bake_animation(opened.document, opened.avatar, manifest, motion.motion, motion.name, words.settle,
                                 words.seconds, kKeys);
    return write_file_atomically(words.bake, gltf::write_glb(opened.document));
}

Result<gltf::Json> manifest_json(const ProbeWords& words, const OpenedAvatar& opened) {
    if (words.manifest.empty()) {
        if (opened.avatar.dynamics) return *opened.avatar.dynamics;
        return Error{ErrorKind::unconvertible, "the avatar has no chains to measure", words.avatar,
                     "write them with `helixavatar dynamics-apply`, or give --manifest FILE"};
    }
    const Result<std::string> text = read_text(words.manifest);
    if (!text) return text.error();
    return gltf::parse_json(*text);
}

ExitCode run_probe(const ProbeWords& words) {
    for (const std::string& output : {words.plot, words.bake})
        if (!output.empty())
            if (const Result<void> target = check_output(words.avatar, output); !target) return fail(target.error());
    Result<OpenedAvatar> opened = open_avatar(words.avatar);
    if (!opened) return fail(opened.error());
    const Result<gltf::Json> json = manifest_json(words, *opened);
    if (!json) return fail(json.error());
    const auto manifest = dynamics::read_manifest(*json);
    if (!manifest)
        return fail({ErrorKind::unconvertible, "the manifest does not parse, so the engine moves nothing",
                     words.manifest.empty() ? words.avatar : words.manifest,
                     "run `helixavatar dynamics-validate` for the reasons"});
    const Result<std::vector<NamedMotion>> motions = motions_of(words, opened->avatar);
    if (!motions) return fail(motions.error());
    std::vector<Measured> all;
    bool sound = true;
    for (const NamedMotion& motion : *motions) {
        Measured measured{motion.name, {}};
        for (const double rate : words.rates) {
            dynamics::ProbeOptions options{rate, words.settle, words.seconds, words.plot.empty() ? 0U : 480U};
            measured.by_rate.push_back(dynamics::probe(opened->avatar, *manifest, motion.motion, options));
        }
        for (std::size_t c = 0; c < manifest->chains.size(); ++c)
            sound = sound && agrees(manifest->chains[c], measured, c);
        all.push_back(std::move(measured));
    }
    print(words.format == "json" ? as_json(words, *manifest, all).dump(2) + "\n" : as_text(words, *manifest, all));
    if (!words.plot.empty())
        if (const Result<void> wrote = write_plot(words, *manifest, all); !wrote) return fail(wrote.error());
    if (!words.bake.empty())
        if (const Result<void> wrote = write_preview(words, *opened, *manifest, *motions); !wrote)
            return fail(wrote.error());
    return sound ? ExitCode::ok : ExitCode::judged_bad;
}

}  // namespace

Runner bind_dynamics_probe(CLI::App& app) {
    auto words = std::make_shared<ProbeWords>();
    app.add_option("AVATAR", words->avatar, "the avatar GLB with chains")->required()->type_name("");
    app.add_option("--manifest", words->manifest, "measure these chains instead of the avatar's own")
        ->type_name("FILE");
    app.add_option("--motion", words->gaits, "built-in motions")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"walk", "run", "sprint", "turn"}))
        ->capture_default_str()
        ->type_name("NAME,...");
    app.add_option("--clip", words->clips, "a GLB whose animations move the body instead; may be given several times")
        ->allow_extra_args(false)
        ->type_name("FILE");
    app.add_option("--travel", words->travel, "metres a second that the body travels under a clip that runs in place")
        ->check(within(-20, 20))
        ->type_name("M/S");
    app.add_option("--rates", words->rates, "steps a second")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(within(5, 1000))
        ->capture_default_str()
        ->type_name("HZ,...");
    app.add_option("--seconds", words->seconds, "how long to measure")
        ->check(within(0.5, 600))
        ->capture_default_str()
        ->type_name("S");
    app.add_option("--settle", words->settle, "how long to settle before")
        ->check(within(0, 60))
        ->capture_default_str()
        ->type_name("S");
    app.add_option("--plot", words->plot, "write swing over time as SVG")->type_name("FILE");
    app.add_option("--bake", words->bake,
                   "write the motions with their chains as animations of a GLB that any viewer plays")
        ->type_name("FILE");
    app.add_option("--format", words->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str()
        ->type_name("NAME");
    return [words] { return run_probe(*words); };
}

}  // namespace helixavatar::commands
