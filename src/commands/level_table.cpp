// SPDX-License-Identifier: MIT
#include "level_table.hpp"

#include <cmath>
#include <cstdio>

namespace helixavatar::commands {

using gltf::Json;

namespace {

/// To four digits behind the point, so that a report can be compared as text.
double rounded(double value) {
    return std::round(value * 1e4) / 1e4;
}

Json error_json(const avatar::LevelError& error) {
    return {{"maxMm", rounded(error.max_mm)}, {"rmsMm", rounded(error.rms_mm)}};
}

}  // namespace

std::string levels_text(const std::vector<lod::LevelMeasure>& levels) {
    std::string text;
    char line[256];
    std::snprintf(line, sizeof line, "%-10s %10s %9s %9s %8s %8s %10s %7s %6s\n", "level", "triangles", "RMS mm",
                  "max mm", "normal", "UV mm", "outline", "turned", "open");
    text += line;
    for (const lod::LevelMeasure& m : levels) {
        std::snprintf(line, sizeof line, "%-10s %10zu %9.3f %9.2f %7.2f° %8.3f %8.2f %% %7zu %6zu\n", m.level.c_str(),
                      m.triangles, m.rest.rms_mm, m.rest.max_mm, m.normal_degrees, m.uv_mm, 100 * m.silhouette,
                      m.turned_over, m.open_edges);
        text += line;
        for (const lod::PoseError& pose : m.poses) {
            std::snprintf(line, sizeof line, "  %-19s %9.3f %9.2f\n", pose.pose.c_str(), pose.error.rms_mm,
                          pose.error.max_mm);
            text += line;
        }
    }
    return text;
}

Json levels_json(const std::vector<lod::LevelMeasure>& levels) {
    Json list = Json::array();
    for (const lod::LevelMeasure& m : levels) {
        Json poses = Json::array();
        for (const lod::PoseError& pose : m.poses) {
            Json entry = {{"pose", pose.pose}};
            entry.update(error_json(pose.error));
            poses.push_back(std::move(entry));
        }
        list.push_back({{"level", m.level},
                        {"triangles", m.triangles},
                        {"rest", error_json(m.rest)},
                        {"poses", std::move(poses)},
                        {"normalDegrees", rounded(m.normal_degrees)},
                        {"uvMm", rounded(m.uv_mm)},
                        {"silhouette", rounded(m.silhouette)},
                        {"turnedOver", m.turned_over},
                        {"openEdges", m.open_edges}});
    }
    return list;
}

}  // namespace helixavatar::commands
