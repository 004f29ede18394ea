// SPDX-License-Identifier: MIT
// Real characters; the folder comes from HELIXAVATAR_REAL_AVATARS.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <helixavatar/gltf/accessor_view.hpp>
#include <helixavatar/gltf/decode.hpp>
#include <helixavatar/gltf/image_header.hpp>
#include <helixavatar/gltf/model_view.hpp>

using namespace helixavatar;
using namespace helixavatar::gltf;

namespace {

std::filesystem::path avatars_folder() {
    const char* folder = std::getenv("HELIXAVATAR_REAL_AVATARS");
    if (!folder || !std::filesystem::is_directory(folder)) {
        std::cout << "skipped: HELIXAVATAR_REAL_AVATARS names no folder\n";
        return {};
    }
    return folder;
}

Document decompressed(const std::filesystem::path& file) {
    INFO(file.filename().string());
    const auto document = read_document(file);
    REQUIRE(document);
    auto plain = decompress(*document);
    if (!plain) FAIL(plain.error().message);
    return plain.take();
}

/// What a primitive looks like, whatever the order, the space and the quantisation of its vertices.
struct Shape {
    std::size_t triangles = 0;
    std::vector<double> moments;  ///< means and mean squares of corner positions in the bounding box, and of UVs
};

void add_moments(const std::vector<float>& values, int components, const std::vector<std::uint32_t>& corners,
                 bool in_box, std::vector<double>& moments) {
    for (int c = 0; c < components; ++c) {
        double low = 1e30, high = -1e30, sum = 0, squares = 0;
        for (std::size_t i = c; i < values.size(); i += components) {
            low = std::min(low, static_cast<double>(values[i]));
            high = std::max(high, static_cast<double>(values[i]));
        }
        for (const std::uint32_t corner : corners) {
            double value = values.at(corner * components + c);
            if (in_box) value = (value - low) / (high - low);
            sum += value;
            squares += value * value;
        }
        moments.push_back(sum / static_cast<double>(corners.size()));
        moments.push_back(squares / static_cast<double>(corners.size()));
    }
}

std::vector<Shape> shapes(const Document& document) {
    std::vector<Shape> out;
    for (const Json& mesh : document.json["meshes"]) {
        for (const Json& primitive : mesh["primitives"]) {
            const auto indices = AccessorView::open(document, primitive["indices"]);
            const auto positions = AccessorView::open(document, primitive["attributes"]["POSITION"]);
            const auto weights = AccessorView::open(document, primitive["attributes"]["WEIGHTS_0"]);
            REQUIRE(indices);
            REQUIRE(positions);
            REQUIRE(weights);
            const auto corners = indices->unsigned_integers();
            Shape shape;
            shape.triangles = corners.size() / 3;
            add_moments(positions->floats(), 3, corners, true, shape.moments);
            add_moments(weights->floats(), 4, corners, false, shape.moments);
            out.push_back(std::move(shape));
        }
    }
    return out;
}

}  // namespace

TEST_CASE("every real avatar reads, decompresses, is viewed and written again") {
    const auto folder = avatars_folder();
    if (folder.empty()) return;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".glb" && entry.path().extension() != ".vrm") continue;
        ++files;
        const Document plain = decompressed(entry.path());
        INFO(entry.path().filename().string());
        CHECK(plain.container_findings.empty());
        const auto model = view_model(plain);
        if (!model) FAIL(model.error().message);
        for (std::size_t a = 0; a < model->accessors.size(); ++a) CHECK(AccessorView::open(plain, a));
        for (std::size_t i = 0; i < model->images.size(); ++i) {
            const auto bytes = image_bytes(plain, i);
            REQUIRE(bytes);
            CHECK(read_image_header(*bytes));
        }
        const auto again = parse_document(write_glb(plain), {});
        REQUIRE(again);
        CHECK(again->json["nodes"] == plain.json["nodes"]);
    }
    CHECK(files > 0);
}

TEST_CASE("the same character plain, Draco and meshopt has the same geometry") {
    const auto folder = avatars_folder();
    if (folder.empty()) return;
    const auto plain = shapes(decompressed(folder / "quaternius-worker.glb"));
    for (const char* name : {"quaternius-worker-draco.glb", "quaternius-worker-meshopt.glb"}) {
        INFO(name);
        const auto coded = shapes(decompressed(folder / name));
        REQUIRE(coded.size() == plain.size());
        for (std::size_t i = 0; i < plain.size(); ++i) {
            INFO("primitive " << i);
            CHECK(coded[i].triangles == plain[i].triangles);
            for (std::size_t m = 0; m < plain[i].moments.size(); ++m)
                CHECK(coded[i].moments[m] == Approx(plain[i].moments[m]).margin(0.003));
        }
    }
}

TEST_CASE("writing a real GLB that nobody edited keeps its BIN chunk and its JSON") {
    const auto folder = avatars_folder();
    if (folder.empty()) return;
    const auto document = read_document(folder / "ue-human-male.glb");
    REQUIRE(document);
    const auto again = parse_document(write_glb(*document), {});
    REQUIRE(again);
    CHECK(again->json == document->json);
    CHECK(again->buffers == document->buffers);
}
