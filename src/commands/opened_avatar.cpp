// SPDX-License-Identifier: MIT
#include "opened_avatar.hpp"

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/structure_check.hpp>

namespace helixavatar::commands {

Result<OpenedAvatar> open_avatar(ByteView bytes, const std::filesystem::path& folder) {
    Result<gltf::Document> document = gltf::parse_document(bytes, folder);
    if (!document) return document.error();
    for (const Finding& finding : gltf::check_structure(*document))
        if (finding.severity == Severity::error)
            return Error{ErrorKind::malformed, finding.message, finding.where.pointer,
                         "run `helixavatar preflight` for the whole list"};
    Result<gltf::Document> plain = gltf::decompress(*document);
    if (!plain) return plain.error();
    Result<avatar::Avatar> avatar = avatar::read_avatar(*plain);
    if (!avatar) return avatar.error();
    return OpenedAvatar{plain.take(), avatar.take()};
}

Result<OpenedAvatar> open_avatar(const std::filesystem::path& path) {
    const Result<Bytes> bytes = read_file(path);
    if (!bytes) return bytes.error();
    Result<OpenedAvatar> opened = open_avatar(*bytes, path.parent_path());
    if (opened) return opened;
    Error error = opened.error();
    error.where = path.string() + (error.where.empty() ? "" : ": " + error.where);
    return error;
}

}  // namespace helixavatar::commands
