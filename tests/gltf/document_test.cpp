// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include <helixavatar/base/child_process.hpp>
#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/document.hpp>
#include <helixavatar/gltf/document_builder.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

void put_u32(Bytes& out, std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

struct Chunk {
    std::string type;
    std::string data;
};

/// A GLB of these chunks; `length` 0: the true one.
Bytes glb(const std::vector<Chunk>& chunks, std::size_t length = 0) {
    Bytes body;
    for (const Chunk& chunk : chunks) {
        put_u32(body, chunk.data.size());
        body.insert(body.end(), chunk.type.begin(), chunk.type.end());
        body.insert(body.end(), chunk.data.begin(), chunk.data.end());
    }
    Bytes file = bytes_of("glTF");
    put_u32(file, 2);
    put_u32(file, length ? length : 12 + body.size());
    file.insert(file.end(), body.begin(), body.end());
    return file;
}

const std::string kJson = "JSON";
const std::string kBin{"BIN\0", 4};
const std::string kOneBuffer = R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":5}]}    )";  // 60 bytes

std::string why_not(const Bytes& file) {
    const auto document = parse_document(file, {});
    REQUIRE_FALSE(document);
    CHECK(document.error().kind == ErrorKind::malformed);
    return document.error().message;
}

/// The document, and that the reader noted `code` (or nothing at all when it is empty).
Document tolerated(const Bytes& file, const std::string& code, const std::filesystem::path& folder = {}) {
    auto document = parse_document(file, folder);
    REQUIRE(document);
    std::string notes;
    for (const Finding& finding : document->container_findings) notes += finding.message + "\n";
    INFO(notes);
    if (code.empty())
        CHECK(notes.empty());
    else
        CHECK(notes.find(std::string("[").append(code).append("]")) != std::string::npos);
    return document.take();
}

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

Bytes gltf_with_uri(const std::string& uri, int length = 4) {
    const Json json = {{"asset", {{"version", "2.0"}}}, {"buffers", {{{"uri", uri}, {"byteLength", length}}}}};
    return bytes_of(json.dump());
}

}  // namespace

TEST_CASE("JSON deeper than the limit is refused, JSON at the limit is read") {
    const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(parse_json(nested(64)));
    const auto deep = parse_json(nested(65));
    REQUIRE_FALSE(deep);
    CHECK(says(deep.error().message, "deeper than 64"));
    CHECK_FALSE(parse_json(nested(2000000)));
}

TEST_CASE("JSON that is no JSON is refused with its line and column") {
    const auto broken = parse_json("{\n  \"a\": 1,\n  oops }");
    REQUIRE_FALSE(broken);
    CHECK(says(broken.error().message, "line 3, column 3"));
    CHECK_FALSE(parse_json("{} // comment"));
    CHECK_FALSE(parse_json("{} {}"));
    CHECK_FALSE(parse_json("{\"a\": 1e999}"));
    CHECK_FALSE(parse_json("{\"a\": NaN}"));
    CHECK_FALSE(parse_json("\"\xff\xfe\""));
    CHECK_FALSE(parse_json(""));
}

TEST_CASE("an object of a million members is refused before it costs an hour") {
    std::string wide = "{";
    for (int i = 0; i < 1000000; ++i) wide.append(1, '"').append(std::to_string(i)).append("\":0,");
    wide.back() = '}';
    const auto json = parse_json(wide);
    REQUIRE_FALSE(json);
    CHECK(says(json.error().message, "more than 4096 members"));
}

TEST_CASE("members keep their order and numbers their value") {
    const auto json = parse_json(R"({"z":1,"a":0.1,"m":9007199254740991,"e":1e-3,"u":18446744073709551615,"n":-0.0})");
    REQUIRE(json);
    CHECK(json->dump() == R"({"z":1,"a":0.1,"m":9007199254740991,"e":0.001,"u":18446744073709551615,"n":-0.0})");
}

TEST_CASE("a GLB gives its JSON and the bytes of its BIN chunk without the padding") {
    const Bytes file = glb({{kJson, kOneBuffer}, {kBin, std::string("hello\0\0\0", 8)}});
    const Document document = tolerated(file, "");
    CHECK(document.container == Container::glb);
    CHECK(document.json["asset"]["version"] == "2.0");
    REQUIRE(document.buffers.size() == 1);
    CHECK(document.buffers[0] == bytes_of("hello"));
    CHECK(document.file_bytes == 12 + 8 + 60 + 8 + 8);
    // What is read from memory is not hashed, a file is.
    CHECK(document.sha256.empty());
    const TemporaryFolder folder;
    REQUIRE(write_file_atomically(folder.path() / "a.glb", file));
    CHECK(read_document(folder.path() / "a.glb")->sha256 == sha256_hex(file));
}

TEST_CASE("a GLB that cannot be read says what is wrong") {
    const Bytes whole = glb({{kJson, kOneBuffer}, {kBin, "hello..."}});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO("cut at " << size);
        const auto cut = parse_document(ByteView(whole).first(size), {});
        // Cut between the chunks, the JSON is still whole and the missing data are a finding.
        if (size == 80)
            CHECK(has_error(cut->container_findings));
        else
            CHECK_FALSE(cut);
    }
    Bytes old = whole;
    old[4] = 1;
    CHECK(says(why_not(old), "GLB_INVALID_VERSION"));
    CHECK(says(why_not(glb({{kBin, "hello..."}})), "GLB_UNEXPECTED_FIRST_CHUNK"));
    CHECK(says(why_not(glb({{kJson, ""}})), "GLB_EMPTY_CHUNK"));
    CHECK(says(why_not(glb({{kJson, "[1]"}})), "no object"));
    Bytes lying = whole;
    lying[80 + 3] = 0xFF;
    CHECK(says(why_not(lying), "GLB_UNEXPECTED_END_OF_CHUNK_DATA"));
}

TEST_CASE("a GLB that loaders still read is read, and its faults are noted") {
    const Chunk json{kJson, kOneBuffer};
    const Chunk bin{kBin, "hello..."};
    Bytes longer = glb({json, bin});
    longer.push_back('x');
    tolerated(longer, "GLB_EXTRA_DATA");
    tolerated(glb({json, bin}, 5000), "GLB_LENGTH_MISMATCH");
    tolerated(glb({json, bin, {"ABCD", "1234"}}), "GLB_UNKNOWN_CHUNK_TYPE");
    tolerated(glb({json, {"ABCD", "1234"}, bin}), "GLB_UNEXPECTED_BIN_CHUNK");
    CHECK(tolerated(glb({json, bin, {kBin, "WRONG..."}}), "GLB_DUPLICATE_CHUNK").buffers[0] == bytes_of("hello"));
    tolerated(glb({{kJson, kOneBuffer + " "}, bin}), "GLB_CHUNK_LENGTH_UNALIGNED");
    tolerated(glb({json}), "BUFFER_MISSING_GLB_DATA");
    tolerated(glb({json, {kBin, "hell"}}), "BUFFER_BYTE_LENGTH_MISMATCH");
    tolerated(glb({json, {kBin, "hello......."}}), "BUFFER_GLB_CHUNK_TOO_BIG");
    tolerated(glb({{kJson, std::string("\xEF\xBB\xBF").append(kOneBuffer)}, bin}), "INVALID_JSON");
    tolerated(glb({{kJson, kOneBuffer + std::string(4, '\0')}, bin}), "INVALID_JSON");
}

TEST_CASE("a member that comes twice in one object is noted") {
    const auto document =
        parse_document(bytes_of(R"({"asset":{"version":"2.0","version":"2.0"},"nodes":[{"name":"a"}]})"), {});
    REQUIRE(document);
    REQUIRE(document->container_findings.size() == 1);
    CHECK(document->container_findings[0].severity == Severity::warning);
    CHECK(says(document->container_findings[0].message, "twice"));
}

TEST_CASE("files that are something else are named") {
    CHECK(says(why_not(bytes_of("Kaydara FBX Binary  \0")), "FBX"));
    CHECK(says(why_not(bytes_of("version https://git-lfs.github.com/spec/v1")), "Git LFS"));
    CHECK(says(why_not(bytes_of("<!DOCTYPE html>")), "web page"));
    CHECK(says(why_not({}), "empty"));
    CHECK(says(why_not(bytes_of("solid cube")), "neither"));
}

TEST_CASE("data URIs are decoded") {
    const auto data = [](const std::string& uri) { return tolerated(gltf_with_uri(uri), "").buffers[0]; };
    CHECK(data("data:application/octet-stream;base64,AQL/BA==") == Bytes{1, 2, 255, 4});
    CHECK(data("data:application/gltf-buffer;base64,AQL/BA") == Bytes{1, 2, 255, 4});
    CHECK(data("data:application/octet-stream;base64,AQL%2FBA%3D%3D") == Bytes{1, 2, 255, 4});
    CHECK(data("data:,ab%63d") == bytes_of("abcd"));
    for (const char* broken : {"data:application/octet-stream;base64,A", "data:application/octet-stream;base64,AQ*=",
                               "data:application/octet-stream;;base64,AA==", "data:nothing", ":"})
        tolerated(gltf_with_uri(broken), "INVALID_URI");
    tolerated(gltf_with_uri("data:;base64,AQ=="), "BUFFER_BYTE_LENGTH_MISMATCH");
}

TEST_CASE("files beside a .gltf are read, also with encoded names") {
    const TemporaryFolder folder;
    REQUIRE(write_file_atomically(folder.path() / "the body.bin", bytes_of("1234tail")));
    REQUIRE(write_file_atomically(folder.path() / "a.gltf", gltf_with_uri("./the%20body.bin")));
    const auto document = read_document(folder.path() / "a.gltf");
    REQUIRE(document);
    CHECK(document->container == Container::gltf);
    CHECK(document->buffers[0] == bytes_of("1234"));
    tolerated(gltf_with_uri("missing.bin"), "IO_ERROR", folder.path());
    tolerated(gltf_with_uri("body.bin"), "IO_ERROR");
}

TEST_CASE("a uri never reaches out of the folder") {
    const TemporaryFolder outer;
    const std::filesystem::path folder = outer.path() / "asset";
    std::filesystem::create_directories(folder / "sub");
    REQUIRE(write_file_atomically(outer.path() / "secret.bin", bytes_of("1234")));
    REQUIRE(write_file_atomically(folder / "own.bin", bytes_of("1234")));
    std::filesystem::create_symlink(outer.path() / "secret.bin", folder / "link.bin");
    for (const std::string uri : {"../secret.bin", "sub/../../secret.bin", "%2e%2e/secret.bin", "..\\secret.bin",
                                  "/etc/hostname", "file:///etc/hostname", "C:/secret.bin", "link.bin"}) {
        INFO(uri);
        const auto refused = parse_document(gltf_with_uri(uri), folder);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == ErrorKind::malformed);
        CHECK(refused.error().where == "/buffers/0/uri");
    }
    CHECK(parse_document(gltf_with_uri("sub/../own.bin"), folder)->buffers[0] == bytes_of("1234"));
    CHECK(tolerated(gltf_with_uri("https://example.com/a.bin"), "NON_RELATIVE_URI", folder).buffers[0].empty());
}

TEST_CASE("external files together stay within the limit") {
    const TemporaryFolder folder;
    REQUIRE(write_file_atomically(folder.path() / "big.bin", Bytes(600, 1)));
    Json json = {{"asset", {{"version", "2.0"}}}, {"buffers", Json::array()}};
    for (int i = 0; i < 5; ++i) json["buffers"].push_back({{"uri", "big.bin"}, {"byteLength", 600}});
    Limits limits;
    limits.file_bytes = 1500;
    const auto document = parse_document(bytes_of(json.dump()), folder.path(), limits);
    REQUIRE(document);
    CHECK(document->buffers[1].size() == 600);
    CHECK(document->buffers[2].empty());
    CHECK(has_error(document->container_findings));
}

TEST_CASE("a GLB of one buffer is written with every BIN byte in place") {
    const std::string text = R"({"asset":{"version":"2.0","generator":"x"},"extras":{"b":1.5,"a":[null,{}]},)"
                             R"("buffers":[{"byteLength":8,"name":"kept"}],"nodes":[{}]})";
    std::string padded = text;
    padded.resize((text.size() + 3) / 4 * 4, ' ');
    const Bytes file = glb({{kJson, padded}, {kBin, "12345678"}});
    CHECK(write_glb(*parse_document(file, {})) == file);
}

TEST_CASE("several buffers become one, and image files move into it") {
    Document document;
    document.json = Json::parse(R"({"asset":{"version":"2.0"},
        "buffers":[{"uri":"a.bin","byteLength":3},{"uri":"b.bin","byteLength":4}],
        "bufferViews":[{"buffer":0,"byteLength":3},{"buffer":1,"byteOffset":1,"byteLength":3}],
        "images":[{"uri":"c.png"}]})");
    document.buffers = {bytes_of("abc"), bytes_of("wxyz")};
    document.image_files = {bytes_of("\x89PNG\r\n\x1a\n")};
    const auto written = parse_document(write_glb(document), {});
    REQUIRE(written);
    CHECK(written->container_findings.empty());
    CHECK(written->json["buffers"].size() == 1);
    CHECK(written->json["bufferViews"][1]["byteOffset"] == 5);
    const Bytes& bin = written->buffers[0];
    CHECK(std::equal(bin.begin() + 5, bin.begin() + 8, "xyz"));
    CHECK_FALSE(written->json["images"][0].contains("uri"));
    CHECK(written->json["images"][0]["mimeType"] == "image/png");
    const auto image = image_bytes(*written, 0);
    REQUIRE(image);
    CHECK(Bytes(image->begin(), image->end()) == document.image_files[0]);
}

TEST_CASE("meshopt placeholders keep a buffer of their own when buffers are joined") {
    Document document;
    document.json = Json::parse(R"({"asset":{"version":"2.0"},
        "buffers":[{"byteLength":100,"extensions":{"EXT_meshopt_compression":{"fallback":true}}},{"byteLength":4}],
        "bufferViews":[{"buffer":0,"byteLength":100,
            "extensions":{"EXT_meshopt_compression":{"buffer":1,"byteLength":4,"byteStride":4,"count":25,"mode":"ATTRIBUTES"}}}]})");
    document.buffers = {{}, bytes_of("data")};
    const auto written = parse_document(write_glb(document), {});
    REQUIRE(written);
    CHECK(written->container_findings.empty());
    const Json& view = written->json["bufferViews"][0];
    CHECK(view["buffer"] == 1);
    CHECK(view["extensions"]["EXT_meshopt_compression"]["buffer"] == 0);
    CHECK(written->json["buffers"][1]["extensions"]["EXT_meshopt_compression"]["fallback"] == true);
    CHECK(written->buffers[0] == bytes_of("data"));
}

TEST_CASE("odd documents are written without a throw") {
    for (const char* text :
         {"{}", R"({"buffers":3,"images":{},"bufferViews":[1,null]})", R"({"buffers":[7]})",
          R"({"buffers":[{},{}],"bufferViews":[{"buffer":9},{"buffer":"x"},{"buffer":1,"byteOffset":-3}]})"}) {
        INFO(text);
        Document document;
        document.json = Json::parse(text);
        document.buffers = {bytes_of("a"), bytes_of("b")};
        document.image_files = {bytes_of("c"), bytes_of("d")};
        CHECK(parse_document(write_glb(document), {}));
    }
    CHECK(parse_document(write_glb(Document{}), {}));
}

TEST_CASE("images are found behind their bufferView, and lying ones refused") {
    DocumentBuilder builder;
    builder.add_image(bytes_of("picture"), "image/png", "skin");
    Document document = builder.finish();
    CHECK(image_bytes(document, 0)->size() == 7);
    CHECK_FALSE(image_bytes(document, 1));
    document.json["bufferViews"][0]["byteLength"] = 8;
    CHECK_FALSE(image_bytes(document, 0));
    document.json["images"][0]["bufferView"] = 5;
    CHECK_FALSE(image_bytes(document, 0));
}
