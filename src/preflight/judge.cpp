// SPDX-License-Identifier: MIT
// Judging a file: read, check the structure, measure, run the rules.
#include <algorithm>
#include <map>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/preflight/preflight.hpp>

#include "preflight/explainer.hpp"
#include "preflight/frame_measure.hpp"
#include "preflight/image_pixels.hpp"
#include "preflight/json_access.hpp"
#include "preflight/rule_context.hpp"
#include "preflight/size_measure.hpp"
#include "preflight/wording.hpp"

namespace helixavatar::preflight {
namespace {

bool listed_in(const std::vector<std::string>& ids, std::string_view id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool wanted(const RuleInfo& rule, const PreflightOptions& options) {
    if (listed_in(options.ignore, rule.id)) return false;
    if (!options.only.empty()) return listed_in(options.only, rule.id);
    // The gate is what the platform refuses: its own rules, its guards, and what it cannot load.
    return options.profile == Profile::publish || rule.klass != RuleClass::runtime_contract;
}

bool is_compressed(const Json& root) {
    for (const Json& name : list(root, "extensionsUsed")) {
        if (!name.is_string()) continue;
        const std::string text = name.get<std::string>();
        if (text == "KHR_draco_mesh_compression" || text.find("meshopt_compression") != std::string::npos) return true;
    }
    return false;
}

/// What check_structure() says, with ids that the catalogue does not have gathered under one that it has.
Findings structure_findings(const gltf::Document& document, const Limits& limits) {
    gltf::StructureCheckOptions options;
    options.limits = limits;
    Findings findings = gltf::check_structure(document, options);
    for (Finding& finding : findings) {
        if (!find_rule(finding.rule)) finding.rule = "file-structure";
    }
    return findings;
}

/// Faults of values and of what geometry does not need leave it measurable; every reader checks its own bounds.
bool blocks_geometry(const Finding& finding) {
    if (finding.severity != Severity::error) return false;
    for (const std::string_view rule :
         {"file-accessor", "file-buffer", "file-buffer-view", "file-container", "file-json", "file-mesh", "file-node",
          "file-scene", "file-skin", "file-structure"}) {
        if (finding.rule == rule) return true;
    }
    return false;
}

/// Values that no comparison can be made with: NaN positions, joints that a skin does not have.
bool spoils_values(const Finding& finding) {
    return finding.severity == Severity::error && finding.rule == "file-data";
}

int rank(Severity severity) {
    switch (severity) {
        case Severity::error:
            return 0;
        case Severity::warning:
            return 1;
        case Severity::not_measured:
            return 2;
        case Severity::info:
            return 3;
    }
    return 3;
}

/// Everything that is read once and looked at by several rules.
class Judgement {
public:
    Judgement(gltf::Document document, std::size_t file_bytes, const std::string& file, const PreflightOptions& options)
        : document_(std::move(document)), file_bytes_(file_bytes), file_(file), options_(options) {
        structure_ = structure_findings(document_, options_.limits);
        facts_ = count_facts(document_);
        measure();
    }

    Report run() {
        Report report;
        report.file = file_;
        const RuleContext context = make_context();
        for (const Rule& rule : rule_table()) {
            if (!wanted(rule.info, options_)) continue;
            Outcome outcome(rule.info);
            rule.check(context, outcome);
            if (outcome.empty()) report.passed.emplace_back(rule.info.id);
            for (Finding& finding : outcome.take()) report.findings.push_back(std::move(finding));
        }
        for (Finding& finding : report.findings) {
            if (finding.fix.empty() && finding.severity != Severity::not_measured)
                finding.fix = find_rule(finding.rule)->fix;
            finding.fix = addressed(std::move(finding.fix), file_);
        }
        report.findings = fold_repeats(std::move(report.findings));
        std::stable_sort(report.findings.begin(), report.findings.end(),
                         [](const Finding& a, const Finding& b) { return rank(a.severity) < rank(b.severity); });
        report.measured = measured_of(context);
        return report;
    }

private:
    void measure() {
        if (std::any_of(structure_.begin(), structure_.end(), blocks_geometry)) {
            facts_.unreadable_why =
                "the file's structure is broken (mend the file-* errors and judge again), so its data cannot be read "
                "safely";
            return;
        }
        if (is_compressed(document_.json)) {
            Result<gltf::Document> plain = gltf::decompress(document_, options_.limits);
            if (!plain) {
                facts_.unreadable_why = "the compressed data cannot be read: " + plain.error().message;
                return;
            }
            plain_ = plain.take();
        }
        measure_geometry(plain(), facts_, options_.limits);
    }

    const gltf::Document& plain() const { return plain_ ? *plain_ : document_; }

    const avatar::Avatar* avatar(std::string& why_not) {
        if (!avatar_) {
            if (!facts_.readable)
                avatar_ = Error{ErrorKind::malformed, facts_.unreadable_why, {}, {}};
            else if (std::any_of(structure_.begin(), structure_.end(), spoils_values))
                avatar_ = Error{ErrorKind::malformed,
                                "the file's data have errors (mend the file-* errors and judge again)",
                                {},
                                {}};
            else
                avatar_ = avatar::read_avatar(plain());
        }
        if (*avatar_) return &**avatar_;
        why_not = has_error(structure_) ? "the file is broken (mend the file-* errors and judge again)"
                                        : avatar_->error().message;
        return nullptr;
    }

    const Result<texture::PixelStatistics>& pixels(int image) {
        const auto found = pixels_.find(image);
        if (found != pixels_.end()) return found->second;
        return pixels_.emplace(image, look_at(image)).first->second;
    }

    Result<texture::PixelStatistics> look_at(int image) const {
        const Result<ByteView> bytes = gltf::image_bytes(document_, static_cast<std::size_t>(image));
        if (!bytes) return bytes.error();
        for (const PreflightOptions::KnownImage& known : options_.known_images)
            if (std::equal(known.encoded.begin(), known.encoded.end(), bytes->begin(), bytes->end()))
                return known.statistics;
        const Result<texture::Pixels> decoded = image_pixels(*bytes, options_.limits);
        if (!decoded) return decoded.error();
        return texture::pixel_statistics(*decoded);
    }

    RuleContext make_context() {
        return {document_,
                plain(),
                file_bytes_,
                file_,
                facts_,
                options_,
                options_.skeleton ? *options_.skeleton : skeleton::helix_humanoid(),
                structure_,
                [this](std::string& why_not) { return avatar(why_not); },
                [this](int image) -> const Result<texture::PixelStatistics>& { return pixels(image); }};
    }

    gltf::Document document_;
    std::optional<gltf::Document> plain_;
    std::size_t file_bytes_;
    std::string file_;
    const PreflightOptions& options_;
    Findings structure_;
    Facts facts_;
    std::optional<Result<avatar::Avatar>> avatar_;
    std::map<int, Result<texture::PixelStatistics>> pixels_;
};

}  // namespace

std::size_t Report::count(Severity severity) const {
    return static_cast<std::size_t>(std::count_if(
        findings.begin(), findings.end(), [&](const Finding& finding) { return finding.severity == severity; }));
}

bool Report::failed(bool strict) const {
    if (count(Severity::error)) return true;
    return strict && (count(Severity::warning) || count(Severity::not_measured));
}

namespace {

template <class File>  // ByteView or Bytes&&
Result<Report> judge_file(File&& file, const std::string& name, const PreflightOptions& options) {
    const std::size_t file_bytes = file.size();
    for (const std::vector<std::string>* ids : {&options.only, &options.ignore}) {
        for (const std::string& id : *ids) {
            const Result<std::string> known = explain(id);
            if (!known) return known.error();
        }
    }
    std::filesystem::path folder;
    if (name != "-") {
        folder = std::filesystem::path(name).parent_path();
        if (folder.empty()) folder = ".";
    }
    Result<gltf::Document> document = gltf::parse_document(std::forward<File>(file), folder, options.limits);
    if (!document) {
        Error error = document.error();
        if (error.where.find(name) == std::string::npos)
            error.where = name + (error.where.empty() ? "" : ": " + error.where);
        return error;
    }
    return Judgement(document.take(), file_bytes, name, options).run();
}

}  // namespace

Result<Report> judge(ByteView file, const std::string& name, const PreflightOptions& options) {
    return judge_file(file, name, options);
}

Result<Report> judge(Bytes&& file, const std::string& name, const PreflightOptions& options) {
    return judge_file(std::move(file), name, options);
}

}  // namespace helixavatar::preflight
