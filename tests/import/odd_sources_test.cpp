// SPDX-License-Identifier: MIT
// The same character in every way of keeping a file: beside it, inside it, in every picture format, with many vertices.
#include <catch2/catch.hpp>

#include <fstream>

#include <helixavatar/avatar/document_io.hpp>
#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/import/import.hpp>

#include "support/humanoid.hpp"

using namespace helixavatar;
using namespace helixavatar::test;
using gltf::Json;

namespace {

import::ImportOptions plain(){import::ImportOptions options;
options.textures.ktx2 = false;
options.lod_triangles = {800, 400, 150};
return options;
}  // namespace

gltf::Document person(int texture = 16) {
    HumanoidOptions options;
    options.triangles = 1500;
    options.texture_size = texture;
    return build_humanoid(options);
}

std::string base64(ByteView bytes) {
    static const char* const kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text.push_back(i + k > bytes.size() ? '=' : kLetters[three >> (18 - 6 * k) & 63U]);
    }
    return text;
}

/// The file written and imported as `import` does; its levels' digests.
std::vector<std::string> imported_levels(const std::filesystem::path& path) {
    const auto readable = import::read_for_conversion(path, {});
    INFO((readable ? std::string() : readable.error().message));
    REQUIRE(readable);
    const auto out = import::import_avatar(readable->document, {}, "a.web.glb", plain());
    INFO((out ? std::string() : out.error().message));
    REQUIRE(out);
    CHECK(out->report.count(Severity::error) == 0);
    const auto read = avatar::read_avatar(*gltf::parse_document(out->glb, {}));
    REQUIRE(read);
    CHECK(read->images.size() == 2);
    std::vector<std::string> digests;
    for (const avatar::Level& level : read->levels) digests.push_back(avatar::digest(level));
    return digests;
}

/// The document as a .gltf: its buffer under `buffer_uri`, its first image under `image_uri`.
void write_gltf(const gltf::Document& document, const std::filesystem::path& path, const std::string& buffer_uri,
                const std::string& image_uri) {
    Json json = document.json;
    json["buffers"][0]["uri"] = buffer_uri;
    json["images"][0].erase("bufferView");
    json["images"][0]["uri"] = image_uri;
    REQUIRE(write_file_atomically(path, as_bytes(json.dump())));
}

Bytes fixture(const std::string& name) {
    return *read_file(std::filesystem::path(HELIXAVATAR_SOURCE_DIR) / "fixtures" / "texture" / name);
}

/// The person with its base colour replaced, imported.
Result<import::ImportOutput> with_picture(const Bytes& picture, const char* mime,
                                          const import::ImportOptions& options = plain()) {
    gltf::Document document = person();
    Json& image = document.json["images"][0];
    image.erase("bufferView");
    image["mimeType"] = mime;
    document.image_files[0] = picture;
    const auto parsed = gltf::parse_document(gltf::write_glb(document), {});
    REQUIRE(parsed);
    return import::import_avatar(*parsed, {}, "a.web.glb", options);
}

}  // namespace

TEST_CASE("a character in a .gltf, its parts beside it or as data URIs, is the character in the GLB") {
    const TemporaryFolder folder;
    const gltf::Document document = person();
    const ByteView picture = *gltf::image_bytes(document, 0);
    const Bytes& buffer = document.buffers[0];
    REQUIRE(write_file_atomically(folder.path() / "a.glb", gltf::write_glb(document)));
    REQUIRE(write_file_atomically(folder.path() / "my data.bin", buffer));
    REQUIRE(write_file_atomically(folder.path() / "skin.png", picture));
    const auto wanted = imported_levels(folder.path() / "a.glb");
    write_gltf(document, folder.path() / "beside.gltf", "my%20data.bin", "skin.png");
    CHECK(imported_levels(folder.path() / "beside.gltf") == wanted);
    write_gltf(document, folder.path() / "inside.gltf", "data:application/octet-stream;base64," + base64(buffer),
               "data:image/png;base64," + base64(picture));
    CHECK(imported_levels(folder.path() / "inside.gltf") == wanted);
}

TEST_CASE("pictures of every kind that exporters write are imported, and come out as what loaders read") {
    const std::pair<const char*, const char*> pictures[] = {{"interlaced.png", "image/png"},
                                                            {"lossless.webp", "image/webp"},
                                                            {"progressive.jpg", "image/jpeg"},
                                                            {"cmyk.jpg", "image/jpeg"}};
    for (const auto& [name, mime] : pictures) {
        INFO(name);
        const auto out = with_picture(fixture(name), mime);
        REQUIRE(out);
        CHECK(out->report.count(Severity::error) == 0);
        const std::string written = out->receipt["textures"][0]["to"]["mime"];
        CHECK((written == "image/png" || written == "image/jpeg"));
    }
}

TEST_CASE("a picture that is none stops the import by its place, and nothing is written without data") {
    const Bytes junk(200, 7);
    const auto out = with_picture(junk, "image/png");
    REQUIRE_FALSE(out);
    CHECK(out.error().kind == ErrorKind::malformed);
    CHECK(out.error().where.find("/images/0") != std::string::npos);
}

TEST_CASE("an avatar with KTX2 textures is imported again without touching them") {
    import::ImportOptions options = plain();
    options.textures.ktx2 = true;
    options.textures.cache = false;
    options.textures.quality = texture::Quality::fast;
    if (texture::find_encoder({}).empty()) {
        WARN("skipped: no KTX2 encoder");
        return;
    }
    const auto first = import::import_avatar(person(64), {}, "a.web.glb", options);
    REQUIRE(first);
    const auto document = gltf::parse_document(first->glb, {});
    REQUIRE(document);
    const auto second = import::import_avatar(*document, {}, "b.web.glb", options);
    INFO((second ? std::string() : second.error().message));
    REQUIRE(second);
    const auto again = gltf::parse_document(second->glb, {});
    for (std::size_t i = 0; i < 2; ++i) {
        const ByteView before = *gltf::image_bytes(*document, i), after = *gltf::image_bytes(*again, i);
        CHECK(std::equal(before.begin(), before.end(), after.begin(), after.end()));
        CHECK(second->receipt["textures"][i]["mode"] == "kept");
    }
}

TEST_CASE("a character of more vertices than a short index counts keeps every triangle") {
    HumanoidOptions character;
    character.triangles = 140000;
    character.texture_size = 0;
    import::ImportOptions options = plain();
    options.lod_triangles = {200000};
    const auto out = import::import_avatar(build_humanoid(character), {}, "a.web.glb", options);
    REQUIRE(out);
    const auto read = avatar::read_avatar(*gltf::parse_document(out->glb, {}));
    REQUIRE(read);
    CHECK(read->levels[0].vertices() > 65535);
    CHECK(read->levels[0].triangles() == out->receipt["source"]["triangles"]);
    for (const Finding& finding : out->report.findings)
        if (finding.severity == Severity::error) CHECK((finding.rule == "triangles" || finding.rule == "file-size"));
}
