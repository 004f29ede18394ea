// SPDX-License-Identifier: MIT
// Levels of real characters; the folder comes from HELIXAVATAR_REAL_AVATARS.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <helixavatar/avatar/read_source.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/lod/levels.hpp>
#include <helixavatar/lod/measure.hpp>

#include "shapes.hpp"

using namespace helixavatar;

namespace {

std::optional<avatar::Avatar> real_character(const char* file) {
    const char* folder = std::getenv("HELIXAVATAR_REAL_AVATARS");
    if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / file)) {
        std::cout << "skipped: " << file << " is not there (HELIXAVATAR_REAL_AVATARS)\n";
        return std::nullopt;
    }
    auto document = gltf::read_document(std::filesystem::path(folder) / file);
    REQUIRE(document);
    auto plain = gltf::decompress(*document);
    REQUIRE(plain);
    auto source = avatar::read_source(*plain);
    REQUIRE(source);
    return lod::merge_surfaces(source.take().avatar);
}

struct Expected {
    const char* file;
    double rms_mm[3];  ///< what was measured at 10000, 5000 and 1500, and some tenth more; 0: the source itself
};

constexpr double kTurnedOver = 0.0005;  // share of a level's triangles, hence none at 1500

}  // namespace

TEST_CASE("real characters reach absolute targets with small errors, no new opening and hardly a face turned over") {
    const Expected characters[] = {
        {"quaternius-superhero-female.glb", {0.085, 0.44, 1.75}},
        {"makehuman-mixamo.glb", {0.17, 0.45, 1.6}},
        {"valid-humanik-casual.glb", {0.31, 0.66, 1.9}},
        {"ue-sintel.glb", {0.65, 1.5, 5.0}},
        {"mannequiny.glb", {0.1, 0.85, 5.2}},
        {"kaykit-knight.glb", {0.001, 1.3, 11}},
        {"quaternius-worker.glb", {0.001, 0.11, 3.0}},
        {"robot-expressive.glb", {0.001, 0.001, 3.6}},
    };
    for (const Expected& expected : characters) {
        const auto source = real_character(expected.file);
        if (!source) continue;
        INFO(expected.file);
        const shapes::Edges before = shapes::edge_counts(source->levels[0]);
        for (const std::vector<std::size_t>& targets :
             {std::vector<std::size_t>{10000, 5000, 1500}, {30000, 15000, 5000}}) {
            const auto out = lod::build_levels(*source, {targets});
            REQUIRE(out);
            const auto measured = lod::measure_levels(out->avatar, *source);
            for (std::size_t i = 0; i < targets.size(); ++i) {
                INFO(targets[i]);
                const avatar::Level& level = out->avatar.levels[i];
                CHECK(level.triangles() <= targets[i]);
                const std::size_t most = std::min(targets[i], source->levels[0].triangles());
                CHECK(static_cast<double>(level.triangles()) >= 0.98 * static_cast<double>(most));
                if (targets[0] == 10000) CHECK(level.error->rms_mm < expected.rms_mm[i]);
                const shapes::Edges after = shapes::edge_counts(level);
                CHECK(after.open <= before.open);
                CHECK(after.open_length <= before.open_length * (1 + 1e-6));
                CHECK(static_cast<double>(measured[i].turned_over) <=
                      kTurnedOver * static_cast<double>(level.triangles()));
            }
        }
    }
}

TEST_CASE("a low level asked for alone is as good as one on the way from higher ones") {
    for (const char* file : {"valid-humanik-casual.glb", "makehuman-mixamo.glb"}) {
        const auto source = real_character(file);
        if (!source) continue;
        INFO(file);
        const auto alone = lod::build_levels(*source, {{1500}}),
                   all = lod::build_levels(*source, {{10000, 5000, 1500}});
        REQUIRE(alone);
        REQUIRE(all);
        CHECK(alone->avatar.levels[0].error->rms_mm < 1.1 * all->avatar.levels[2].error->rms_mm);
    }
}
