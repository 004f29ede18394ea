// SPDX-License-Identifier: MIT
// For people: errors first, one verdict line a file, repeats folded.
#include <algorithm>
#include <cstdio>
#include <map>

#include "report/formats.hpp"

namespace helixavatar::report {
namespace {

class Palette {
public:
    explicit Palette(bool on) : on_(on) {}
    std::string paint(const char* code, const std::string& text) const {
        return on_ ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
    }
    std::string severity(Severity severity, const std::string& text) const {
        switch (severity) {
            case Severity::error:
                return paint("1;31", text);
            case Severity::warning:
                return paint("1;33", text);
            case Severity::not_measured:
                return paint("1;35", text);
            case Severity::info:
                return paint("36", text);
        }
        return text;
    }
    std::string bold(const std::string& text) const { return paint("1", text); }
    std::string dim(const std::string& text) const { return paint("2", text); }

private:
    bool on_;
};

constexpr std::size_t kSeverityWidth = 12;
constexpr std::size_t kTextWidth = 100;

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text;
}

/// Words wrapped at kTextWidth, every line after the first indented; a word is never broken.
std::string wrapped(const std::string& text, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (column > 0 && column + 1 + (end - at) > kTextWidth) {
            out += "\n" + std::string(indent, ' ');
            column = 0;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out.append(text, at, end - at);
        column += end - at;
        at = end + 1;
    }
    return out;
}

std::string place(const Where& where) {
    std::string out = clean(where.name);
    if (!where.pointer.empty()) out += (out.empty() ? "" : "  ") + clean(where.pointer);
    return out;
}

std::string finding_text(const Finding& finding, std::size_t rule_width, const Palette& palette) {
    const std::size_t indent = 2 + kSeverityWidth + 2 + rule_width + 2;
    std::string out = "  " + palette.severity(finding.severity, padded(to_string(finding.severity), kSeverityWidth)) +
                      "  " + palette.bold(padded(finding.rule, rule_width)) + "  " +
                      wrapped(clean(finding.message), indent) + "\n";
    const std::string pad(indent, ' ');
    const std::string at = place(finding.where);
    if (!at.empty()) {
        out += pad + palette.dim("at   " + at) + "\n";
        for (const Where& where : finding.more) out += pad + palette.dim("     " + place(where)) + "\n";
        const std::size_t shown = 1 + finding.more.size();
        if (finding.count > shown)
            out += pad + palette.dim("     and " + std::to_string(finding.count - shown) + " more places") + "\n";
    }
    if (!finding.fix.empty()) out += pad + "fix  " + wrapped(clean(finding.fix), indent + 5) + "\n";
    return out;
}

std::string amount_text(const std::string& of, std::size_t amount) {
    char text[64];
    if (of == "file-size" || of == "texture-memory") {
        std::snprintf(text, sizeof text, "%12.2f MiB", static_cast<double>(amount) / 1048576.0);
    } else {
        std::snprintf(text, sizeof text, "%12zu    ", amount);
    }
    return text;
}

/// Where a budget goes and what would save most, for the budgets that are over or, when all is wanted, for each.
std::string budget_text(const preflight::Report& report, bool all, const Palette& palette) {
    std::string out;
    for (const auto& [of, title] : {std::pair("triangles", "triangles, by level and mesh"),
                                    std::pair("draw-calls", "draw calls, by level and material"),
                                    std::pair("file-size", "bytes, by what they hold"),
                                    std::pair("texture-memory", "texture memory, by image")}) {
        const std::string budget = of;
        const bool over = std::any_of(report.findings.begin(), report.findings.end(),
                                      [&](const Finding& finding) { return finding.rule == budget; });
        if (!over && !all) continue;
        std::string rows;
        std::size_t shown = 0;
        for (const auto& share : report.measured.shares) {
            if (share.of == of && share.amount > 0 && shown++ < 8)
                rows += "    " + amount_text(of, share.amount) + "  " + clean(share.what) + "\n";
        }
        if (shown > 8) rows += "                        and " + std::to_string(shown - 8) + " smaller ones\n";
        std::size_t fixes = 0;
        for (const auto& saving : report.measured.savings) {
            if (saving.of != of || fixes++ >= 4) continue;
            rows += "    try  " + clean(saving.action) + (saving.enough ? palette.bold("  (enough)") : "") + "\n";
        }
        if (!rows.empty()) out += "  " + palette.bold(title) + "\n" + rows;
    }
    return out;
}

std::string measured_text(const preflight::Report& report, const Palette& palette) {
    const preflight::Measured& m = report.measured;
    char line[512];
    std::string out = "  " + palette.bold("measured") + "\n";
    std::snprintf(
        line, sizeof line,
        "    %zu triangles, %zu draw calls, %zu materials, %.2f MiB, textures up to %zu px, %.2f MiB on the GPU\n",
        m.triangles, m.draw_calls, m.materials, static_cast<double>(m.file_bytes) / 1048576.0, m.largest_texture_edge,
        static_cast<double>(m.texture_memory_bytes) / 1048576.0);
    out += line;
    for (std::size_t i = 0; i < m.levels.size(); ++i) {
        std::snprintf(line, sizeof line, "    LOD%zu  %zu triangles, %zu draw calls, %zu vertices\n", i,
                      m.levels[i].triangles, m.levels[i].draw_calls, m.levels[i].vertices);
        out += line;
    }
    std::snprintf(line, sizeof line,
                  "    height %.3f m, pelvis %.3f m, feet %.3f m, leg ratio %.2f, shoulders %.3f m, arms %.1f and %.1f "
                  "degrees from down\n",
                  m.height, m.pelvis_height, m.foot_height, m.leg_ratio, m.shoulder_width, m.arm_degrees[0],
                  m.arm_degrees[1]);
    out += line;
    if (!m.skeleton_facing.empty()) out += "    skeleton faces " + clean(m.skeleton_facing) + "\n";
    if (!m.geometry_facing.empty()) out += "    geometry faces " + clean(m.geometry_facing) + "\n";
    std::string passed;
    for (const std::string& rule : report.passed) passed += (passed.empty() ? "" : ", ") + rule;
    if (!passed.empty()) out += "  " + palette.bold("passed") + "\n    " + wrapped(passed, 4) + "\n";
    return out;
}

/// Findings that were not measured for one reason on several rules read as one, naming the rules.
Findings gathered(const Findings& findings) {
    Findings out;
    std::map<std::string, std::pair<std::size_t, std::vector<std::string>>>
        by_reason;  // reason → place in `out`, rules
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::not_measured) {
            out.push_back(finding);
            continue;
        }
        const auto [found, is_new] =
            by_reason.emplace(finding.message, std::make_pair(out.size(), std::vector<std::string>()));
        std::vector<std::string>& rules = found->second.second;
        if (is_new) out.push_back(finding);
        if (rules.empty() || rules.back() != finding.rule) rules.push_back(finding.rule);
    }
    for (const auto& [reason, entry] : by_reason) {
        if (entry.second.size() < 2) continue;
        std::string names;
        for (const std::string& rule : entry.second) names += (names.empty() ? "" : ", ") + rule;
        Finding gathered_one;
        gathered_one.rule = std::to_string(entry.second.size()) + " rules";
        gathered_one.severity = Severity::not_measured;
        gathered_one.message = reason + ": " + names;
        out[entry.first] = gathered_one;
    }
    return out;
}

std::string counted(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string counts_text(std::size_t errors, std::size_t warnings, std::size_t not_measured) {
    return counted(errors, "error") + ", " + counted(warnings, "warning") + ", " + std::to_string(not_measured) +
           " not measured";
}

/// A rig that was never converted needs one sentence; what else it fails, the import settles.
const Finding* raw_rig(const preflight::Report& report) {
    for (const Finding& finding : report.findings) {
        if (finding.rule == "skeleton" && finding.unit == "rig") return &finding;
    }
    return nullptr;
}

std::string raw_rig_text(const preflight::Report& report, const Finding& rig, const Palette& palette) {
    std::string out = finding_text(rig, rig.rule.size(), palette);
    std::map<Severity, std::vector<std::string>> others;
    for (const Finding& finding : report.findings) {
        std::vector<std::string>& rules = others[finding.severity];
        if (finding.rule != rig.rule && std::find(rules.begin(), rules.end(), finding.rule) == rules.end())
            rules.push_back(finding.rule);
    }
    std::string rest;
    for (const auto& [severity, verb] :
         {std::pair(Severity::error, "fails "), std::pair(Severity::warning, "is warned of ")}) {
        if (others[severity].empty()) continue;
        rest += (rest.empty() ? "" : ", and ") + std::string(verb);
        for (std::size_t i = 0; i < others[severity].size(); ++i) rest += (i ? ", " : "") + others[severity][i];
    }
    if (rest.empty()) return out;
    return out + "  " +
           palette.dim(
               wrapped("Judge it again after the import; as it is it also " + rest + " (--measured shows them).", 2)) +
           "\n";
}

std::string file_text(const Judged& judged, const PrintOptions& options, const Palette& palette) {
    const bool good = passed(judged, options.strict);
    const std::string verdict = good ? palette.paint("1;32", "PASS") : palette.paint("1;31", "FAIL");
    if (!judged.outcome) {
        const Error& error = judged.outcome.error();
        std::string out = verdict + "  " + palette.bold(clean(judged.file)) + "  cannot be judged\n  " +
                          palette.severity(Severity::error, padded("error", kSeverityWidth)) + "  " +
                          wrapped(clean(error.message), 2 + kSeverityWidth + 2) + "\n";
        const std::string pad(2 + kSeverityWidth + 2, ' ');
        if (!error.where.empty() && error.where != judged.file)
            out += pad + palette.dim("at   " + clean(error.where)) + "\n";
        if (!error.hint.empty()) out += pad + "fix  " + wrapped(clean(error.hint), pad.size() + 5) + "\n";
        return out;
    }
    const preflight::Report& report = *judged.outcome;
    std::string out = verdict + "  " + palette.bold(clean(judged.file)) + "  " +
                      counts_text(report.count(Severity::error), report.count(Severity::warning),
                                  report.count(Severity::not_measured)) +
                      "\n";
    const Finding* rig = raw_rig(report);
    if (rig && !options.verbose) return out + raw_rig_text(report, *rig, palette);
    std::size_t width = 0;
    for (const Finding& finding : report.findings) width = std::max(width, finding.rule.size());
    for (const Finding& finding : gathered(report.findings)) out += finding_text(finding, width, palette);
    if (options.verbose) out += measured_text(report, palette);
    return out + budget_text(report, options.verbose, palette);
}

}  // namespace

std::string print_text(const std::vector<Judged>& judged, const PrintOptions& options) {
    const Palette palette(options.color);
    std::string out;
    for (const Judged& one : judged) {
        if (!out.empty()) out += "\n";
        out += file_text(one, options, palette);
    }
    if (judged.size() != 1) {
        const Totals totals = total(judged, options.strict);
        out += std::string(judged.empty() ? "" : "\n") + (totals.failed ? "FAIL" : "PASS") + "  " +
               counted(totals.files, "file") + ", " + std::to_string(totals.failed) +
               " failed: " + counts_text(totals.errors, totals.warnings, totals.not_measured) + "\n";
    }
    return out;
}

}  // namespace helixavatar::report
