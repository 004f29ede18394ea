// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fstream>

#include <helixavatar/avatar/read_fbx.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>
#include <helixavatar/import/import.hpp>

namespace helixavatar::import {
namespace {

constexpr std::size_t kFaultsShown = 5;

/// The same fault in several places, which differ in numbers, is told once.
void fold_mended(std::vector<std::string>& mended) {
    const auto without_numbers = [](const std::string& text) {
        std::string out;
        for (const char c : text)
            if (c < '0' || c > '9') out += c;
        return out;
    };
    std::vector<std::string> folded;
    std::vector<std::size_t> more;
    for (const std::string& text : mended) {
        const auto same = std::find_if(folded.begin(), folded.end(), [&](const std::string& other) {
            return without_numbers(other) == without_numbers(text);
        });
        if (same == folded.end()) {
            folded.push_back(text);
            more.push_back(0);
        } else {
            ++more[static_cast<std::size_t>(same - folded.begin())];
        }
    }
    for (std::size_t i = 0; i < folded.size(); ++i)
        if (more[i] > 0) folded[i] += " (and the same in " + std::to_string(more[i]) + " more places)";
    mended = std::move(folded);
}

/// The first faults in one error: a conversion stops here, `preflight` tells all.
Result<void> refuse_unsafe(const Findings& findings, Readable& out) {
    Error error{ErrorKind::malformed, "", "",
                "run `helixavatar preflight` on the file for the whole list, then export it again"};
    std::size_t errors = 0;
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::error) continue;
        if (!gltf::prevents_reading(finding)) {
            if (!finding.where.pointer.starts_with("/animations/")) out.mended.push_back("mended: " + finding.message);
            continue;
        }
        ++errors;
        if (errors == 1) error.where = finding.where.pointer;
        if (errors <= kFaultsShown) error.message += (errors > 1 ? "; " : "") + finding.message;
    }
    if (errors == 0) return {};
    if (errors > kFaultsShown) error.message += "; and " + std::to_string(errors - kFaultsShown) + " more";
    return error;
}

/// The file as a document, whatever it is; `mended` takes what an FBX file lost on the way.
Result<gltf::Document> read_any(const std::filesystem::path& path, const Limits& limits,
                                std::vector<std::string>& mended) {
    std::array<char, 1024> head{};
    std::ifstream stream;
    std::error_code fault;
    if (std::filesystem::is_regular_file(path, fault)) stream.open(path, std::ios::binary);
    stream.read(head.data(), head.size());
    const std::string_view start(head.data(), static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    if (!avatar::is_fbx(as_bytes(start))) return gltf::read_document(path, limits);
    const Result<Bytes> file = read_file(path, limits);
    if (!file) return file.error();
    Result<avatar::Fbx> fbx = avatar::read_fbx(*file, path.parent_path().empty() ? "." : path.parent_path(), limits);
    if (!fbx) {
        Error error = fbx.error();
        error.where = path.string();
        return error;
    }
    mended = std::move(fbx->warnings);
    fbx->document.file_bytes = file->size();
    fbx->document.sha256 = sha256_hex(*file);
    return std::move(fbx->document);
}

}  // namespace

Result<Readable> read_for_conversion(const std::filesystem::path& path, const Limits& limits) {
    const auto at = [&](Error error) {
        error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
        return error;
    };
    Readable out;
    Result<gltf::Document> document = read_any(path, limits, out.mended);
    if (!document) return document.error();
    const Result<void> safe = refuse_unsafe(fold_repeats(gltf::check_structure(*document, {true, limits})), out);
    if (!safe) return at(safe.error());
    fold_mended(out.mended);
    Result<gltf::Document> plain = gltf::decompress(document.take(), limits);
    if (!plain) return at(plain.error());
    out.document = plain.take();
    return out;
}

}  // namespace helixavatar::import
