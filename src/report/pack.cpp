// SPDX-License-Identifier: MIT
#include <iterator>
#include <limits>

#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr ErrorKind kKinds[] = {ErrorKind::usage,         ErrorKind::unreadable, ErrorKind::malformed,
                                ErrorKind::unconvertible, ErrorKind::unwritable, ErrorKind::internal};
constexpr Severity kSeverities[] = {Severity::info, Severity::warning, Severity::error, Severity::not_measured};

std::string text(const Json& json) {
    return json.is_null() ? std::string() : json.get<std::string>();
}

Where where_from(const Json& json) {
    Where where{json.at("pointer"), json.at("name"), std::nullopt};
    if (!json.at("scene").is_null()) where.scene = json.at("scene").get<int>();
    return where;
}

Finding finding_from(const Json& json) {
    Finding finding;
    finding.rule = json.at("rule");
    for (const Severity severity : kSeverities)
        if (json.at("severity") == to_string(severity)) finding.severity = severity;
    finding.where = where_from(json.at("where"));
    finding.measured = text(json.at("measured"));
    finding.limit = text(json.at("limit"));
    finding.unit = text(json.at("unit"));
    finding.message = json.at("message");
    finding.fix = text(json.at("fix"));
    finding.count = json.at("count");
    for (const Json& where : json.at("more")) finding.more.push_back(where_from(where));
    return finding;
}

preflight::Measured measured_from(const Json& json) {
    preflight::Measured m;
    m.triangles = json.at("triangles");
    m.draw_calls = json.at("drawCalls");
    m.materials = json.at("materials");
    m.file_bytes = json.at("fileBytes");
    m.largest_texture_edge = json.at("largestTextureEdge");
    m.texture_memory_bytes = json.at("textureMemoryBytes");
    for (const Json& level : json.at("levels"))
        m.levels.push_back({level.at("scene"), level.at("triangles"), level.at("drawCalls"), level.at("vertices")});
    // JSON has no infinities and no NaN: they are written as null.
    const auto number = [&](const Json& value) { return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(); };
    m.height = number(json.at("heightMetres"));
    m.pelvis_height = number(json.at("pelvisHeightMetres"));
    m.foot_height = number(json.at("footHeightMetres"));
    m.leg_ratio = number(json.at("legRatio"));
    m.shoulder_width = number(json.at("shoulderWidthMetres"));
    m.arm_degrees[0] = number(json.at("armDegrees").at("left"));
    m.arm_degrees[1] = number(json.at("armDegrees").at("right"));
    m.skeleton_yaw = number(json.at("skeletonYawDegrees"));
    m.geometry_yaw = number(json.at("geometryYawDegrees"));
    m.skeleton_facing = json.at("skeletonFacing");
    m.geometry_facing = json.at("geometryFacing");
    for (const Json& share : json.at("shares"))
        m.shares.push_back({share.at("of"), share.at("what"), share.at("amount")});
    for (const Json& saving : json.at("savings"))
        m.savings.push_back({saving.at("of"), saving.at("action"), saving.at("amount"), saving.at("enough")});
    return m;
}

Judged judged_from(const Json& json) {
    const std::string file = json.at("file");
    if (json.contains("error")) {
        const Json& error = json.at("error");
        const int kind = json.at("errorKind");
        return {file,
                Error{kind >= 0 && kind < static_cast<int>(std::size(kKinds)) ? kKinds[kind] : ErrorKind::internal,
                      error.at("message"), text(error.at("where")), text(error.at("hint"))}};
    }
    preflight::Report report;
    report.file = file;
    for (const Json& finding : json.at("findings")) report.findings.push_back(finding_from(finding));
    report.measured = measured_from(json.at("measured"));
    report.passed = json.at("passed").get<std::vector<std::string>>();
    return {file, std::move(report)};
}

}  // namespace

Json pack(const Judged& judged, bool strict) {
    Json json = file_json(judged, strict);
    if (judged.outcome) return json;
    for (std::size_t i = 0; i < std::size(kKinds); ++i)
        if (kKinds[i] == judged.outcome.error().kind) json["errorKind"] = i;
    return json;
}

Result<Judged> unpack(const Json& json) {
    try {
        return judged_from(json);
    } catch (const Json::exception& error) {
        return Error{ErrorKind::malformed, std::string("not a judgement: ") + error.what(), "", ""};
    }
}

}  // namespace helixavatar::report
