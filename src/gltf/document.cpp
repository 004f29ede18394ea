// SPDX-License-Identifier: MIT
#include <helixavatar/gltf/document.hpp>

#include <array>

#include <helixavatar/base/file_io.hpp>

#include "file_finding.hpp"
#include "glb_container.hpp"
#include "json_parser.hpp"
#include "json_read.hpp"
#include "uri.hpp"

namespace helixavatar::gltf {
namespace {

Error malformed(std::string message, std::string where = {}, std::string hint = {}) {
    return {ErrorKind::malformed, std::move(message), std::move(where), std::move(hint)};
}

bool starts_with(ByteView file, std::string_view magic) {
    return file.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), file.begin(),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// Names a file that is neither GLB nor JSON, by its first bytes.
Error not_gltf(ByteView file) {
    struct Known {
        std::string_view magic;
        const char* what;
        const char* hint;
    };
    static constexpr std::array kKnown = {
        Known{"Kaydara FBX Binary", "an FBX file", "import it as .fbx, or export it as .glb"},
        Known{"BLENDER", "a Blender file", "open it in Blender and export glTF 2.0 (.glb)"},
        Known{std::string_view("PK\3\4", 4), "a ZIP archive (or USDZ)", "unpack it and give the .glb inside"},
        Known{std::string_view("\x1f\x8b", 2), "a gzip archive", "unpack it and give the .glb inside"},
        Known{"version https://git-lfs", "a Git LFS pointer, not the file itself", "run `git lfs pull`"},
        Known{"<", "a web page or XML", "download the file itself"},
    };
    for (const Known& known : kKnown)
        if (starts_with(file, known.magic))
            return malformed(std::string("this is no glTF file but ") + known.what + " [GLB_INVALID_MAGIC]", "",
                             known.hint);
    return malformed("this is neither a GLB (\"glTF\" at its start) nor a JSON glTF [GLB_INVALID_MAGIC]", "",
                     "give a .glb, .vrm or .gltf file");
}

/// Fills the buffers and image files of a document whose JSON has been read.
class ResourceReader {
public:
    ResourceReader(Document& document, Bytes* owned, const std::filesystem::path& folder, const Limits& limits)
        : document_(document), owned_(owned), folder_(folder), limits_(limits), budget_(limits.file_bytes) {}

    Result<void> read_buffers(std::optional<ByteView> bin) {
        const std::size_t count = element_count(document_.json, "buffers");
        document_.buffers.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const Json& buffer = document_.json["buffers"][i];
            const std::string pointer = "/buffers/" + std::to_string(i);
            const std::optional<std::size_t> length = whole_member(buffer, "byteLength");
            Bytes& bytes = document_.buffers[i];
            if (const std::string_view uri = text_member(buffer, "uri"); !uri.empty()) {
                if (auto done = read_uri(uri, "file-buffer", pointer, Severity::warning, bytes); !done) return done;
                if (!uri_scheme(uri).empty() && uri_scheme(uri) != "data") continue;
            } else if (i == 0 && bin) {
                take_bin(*bin, bytes);
            } else if (i == 0 && document_.container == Container::glb && !is_fallback(buffer)) {
                note("file-buffer", Severity::error, pointer, "the buffer lies in the BIN chunk, and the GLB has none",
                     "BUFFER_MISSING_GLB_DATA");
                continue;
            } else {
                if (!is_fallback(buffer))
                    note("file-buffer", Severity::warning, pointer,
                         "the buffer has no uri, so that nothing can be read from it");
                continue;
            }
            if (length) check_length(*length, i == 0 && bin && uri_of(buffer).empty(), pointer, bytes);
        }
        if (bin && count == 0 && !bin->empty())
            note("file-buffer", Severity::warning, "/buffers", "the GLB has a BIN chunk and no buffer that lies in it");
        return {};
    }

    Result<void> read_images() {
        const std::size_t count = element_count(document_.json, "images");
        document_.image_files.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view uri = text_member(document_.json["images"][i], "uri");
            if (uri.empty()) continue;
            const auto done = read_uri(uri, "file-image", "/images/" + std::to_string(i), Severity::warning,
                                       document_.image_files[i]);
            if (!done) return done;
        }
        return {};
    }

private:
    /// The BIN chunk out of the file: cut in place where the file is ours to cut, so that it lies in memory once.
    void take_bin(ByteView bin, Bytes& bytes) {
        if (!owned_) {
            bytes.assign(bin.begin(), bin.end());
            return;
        }
        const std::size_t size = bin.size();
        owned_->erase(owned_->begin(), owned_->begin() + (bin.data() - owned_->data()));
        owned_->resize(size);
        bytes = std::move(*owned_);
    }

    static std::string_view uri_of(const Json& buffer) { return text_member(buffer, "uri"); }

    static bool is_fallback(const Json& buffer) {
        for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"})
            if (extension(buffer, name)) return true;
        return false;
    }

    void note(const char* rule, Severity severity, const std::string& pointer, const char* message,
              const char* code = "", std::string measured = {}, std::string limit = {}) {
        // A file of a million bad buffers must not become a million findings; one error is kept in any case.
        Findings& findings = document_.container_findings;
        const bool first_error = severity == Severity::error && !error_noted_;
        if (findings.size() >= kMostFindings && !first_error) return;
        error_noted_ = error_noted_ || severity == Severity::error;
        findings.push_back(file_finding(rule, severity, pointer, message, code, std::move(measured), std::move(limit),
                                        measured.empty() && limit.empty() ? "" : "bytes"));
    }

    /// `remote`: the severity of a uri that points elsewhere, which is not followed.
    Result<void> read_uri(std::string_view uri, const char* rule, const std::string& pointer, Severity remote,
                          Bytes& bytes) {
        const std::string at = pointer + "/uri";
        const std::string_view scheme = uri_scheme(uri);
        if (scheme == "data") {
            auto data = decode_data_uri(uri);
            if (!data)
                note(rule, Severity::error, at, "the data URI is not well formed", "INVALID_URI");
            else
                bytes = std::move(data->bytes);
            return {};
        }
        // A letter before a colon is a drive of Windows, not a scheme: an absolute path.
        if (scheme.size() > 1 && scheme != "file") {
            note(rule, remote, at, "the uri points to another place; nothing is fetched, so that its data are missing",
                 "NON_RELATIVE_URI");
            return {};
        }
        if (uri.front() == ':') {
            note(rule, Severity::error, at, "the uri is not well formed", "INVALID_URI");
            return {};
        }
        if (folder_.empty()) {
            note(rule, Severity::error, at, "the uri names a file, and this document was read without a folder",
                 "IO_ERROR");
            return {};
        }
        const auto path = resolve_uri(uri, folder_);
        if (!path) return Error{path.error().kind, path.error().message, at, path.error().hint};
        Limits left = limits_;
        left.file_bytes = budget_;
        auto file = read_file(*path, left);
        if (!file) {
            const std::string message = "the file that the uri names cannot be read: " + file.error().message;
            note(rule, Severity::error, at, message.c_str(), "IO_ERROR");
            return {};
        }
        budget_ -= file->size();
        bytes = file.take();
        return {};
    }

    void check_length(std::size_t length, bool in_bin, const std::string& pointer, Bytes& bytes) {
        if (bytes.size() < length) {
            note("file-buffer", Severity::error, pointer, "the buffer holds fewer bytes than its byteLength says",
                 "BUFFER_BYTE_LENGTH_MISMATCH", std::to_string(bytes.size()), std::to_string(length));
            return;
        }
        // Up to three bytes pad the chunk. More than that belong to nothing.
        if (in_bin && bytes.size() - length > 3)
            note("file-buffer", Severity::warning, pointer, "the BIN chunk is longer than the buffer in it",
                 "BUFFER_GLB_CHUNK_TOO_BIG", std::to_string(bytes.size()), std::to_string(length));
        bytes.resize(length);
    }

    Document& document_;
    Bytes* owned_;
    const std::filesystem::path& folder_;
    const Limits& limits_;
    static constexpr std::size_t kMostFindings = 1000;
    bool error_noted_ = false;
    std::size_t budget_;  ///< bytes that external files may still add
};

/// The JSON text without what surrounds it in sloppy files, each with a finding.
std::string_view plain_json(ByteView json, Findings& findings) {
    std::string_view text(reinterpret_cast<const char*>(json.data()), json.size());
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
        findings.push_back(file_finding("file-json", Severity::error, "",
                                        "the JSON begins with a byte order mark, which glTF forbids", "INVALID_JSON"));
    }
    const std::size_t last = text.find_last_not_of('\0');
    if (last != std::string_view::npos && last + 1 < text.size()) {
        text = text.substr(0, last + 1);
        findings.push_back(file_finding("file-json", Severity::error, "",
                                        "the JSON ends in zero bytes, where loaders expect spaces", "INVALID_JSON"));
    }
    return text;
}

Result<void> read_json(ByteView text, Document& document, const Limits& limits) {
    std::size_t repeated = 0;
    auto json = parse_json(plain_json(text, document.container_findings), limits, repeated);
    if (!json) return malformed(json.error().message + " [INVALID_JSON]", "", json.error().hint);
    if (!json->is_object()) return malformed("the JSON is no object [TYPE_MISMATCH]");
    document.json = json.take();
    if (repeated)
        document.container_findings.push_back(
            file_finding("file-json", Severity::warning, "",
                         "members occur twice in one object of the JSON; the last of each counts, the others are lost",
                         "", std::to_string(repeated), "0"));
    return {};
}

}  // namespace

namespace {

/// `owned`: the storage of `file` when it may be used up.
Result<Document> parse(ByteView file, Bytes* owned, const std::filesystem::path& folder, const Limits& limits) {
    if (file.size() > limits.file_bytes)
        return malformed("the file has " + std::to_string(file.size()) + " bytes, the limit is " +
                         std::to_string(limits.file_bytes));
    Document document;
    document.file_bytes = file.size();
    std::optional<ByteView> bin;
    ByteView text = file;
    if (is_glb(file)) {
        const auto chunks = read_glb_chunks(file, document.container_findings);
        if (!chunks) return chunks.error();
        text = chunks->json;
        bin = chunks->bin;
    } else {
        document.container = Container::gltf;
        const std::string_view characters(reinterpret_cast<const char*>(file.data()), file.size());
        if (file.empty()) return malformed("the file is empty [GLB_UNEXPECTED_END_OF_HEADER] [INVALID_JSON]");
        const std::size_t first = characters.find_first_not_of("\xEF\xBB\xBF \t\r\n");
        if (first == std::string_view::npos || std::string_view("{[").find(characters[first]) == std::string_view::npos)
            return not_gltf(file);
    }
    if (auto done = read_json(text, document, limits); !done) return done.error();
    ResourceReader resources(document, owned, folder, limits);
    if (auto done = resources.read_buffers(bin); !done) return done.error();
    if (auto done = resources.read_images(); !done) return done.error();
    return document;
}

}  // namespace

Result<Document> parse_document(ByteView file, const std::filesystem::path& folder, const Limits& limits) {
    return parse(file, nullptr, folder, limits);
}

Result<Document> parse_document(Bytes&& file, const std::filesystem::path& folder, const Limits& limits) {
    return parse(file, &file, folder, limits);
}

Result<Document> read_document(const std::filesystem::path& path, const Limits& limits) {
    auto file = read_file(path, limits);
    if (!file) return file.error();
    std::filesystem::path folder = path.parent_path();
    if (folder.empty()) folder = ".";
    std::string digest = sha256_hex(*file);
    auto document = parse_document(file.take(), folder, limits);
    if (document) {
        document->sha256 = std::move(digest);
        return document;
    }
    Error error = document.error();
    error.where = path.string() + error.where;
    return error;
}

Result<ByteView> image_bytes(const Document& document, std::size_t image) {
    const std::string where = "/images/" + std::to_string(image);
    const Json* json = element(document.json, "images", image);
    if (!json) return malformed("the image does not exist", where);
    if (image < document.image_files.size() && !document.image_files[image].empty())
        return ByteView(document.image_files[image]);
    const auto index = whole_member(*json, "bufferView");
    const Json* view = index ? element(document.json, "bufferViews", *index) : nullptr;
    if (!view) return malformed("the image has no data", where);
    const auto buffer = whole_member(*view, "buffer");
    if (!buffer || *buffer >= document.buffers.size())
        return malformed("the image's bufferView names a buffer that does not exist", where);
    const ByteView data = document.buffers[*buffer];
    const std::size_t offset = whole_member_or(*view, "byteOffset", 0);
    const std::size_t length = whole_member_or(*view, "byteLength", 0);
    if (offset > data.size() || length > data.size() - offset)
        return malformed("the image's bufferView reaches past the end of its buffer", where);
    return data.subspan(offset, length);
}

}  // namespace helixavatar::gltf
