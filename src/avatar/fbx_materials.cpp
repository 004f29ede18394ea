// SPDX-License-Identifier: MIT
#ifdef HELIXAVATAR_WITH_FBX
#include "fbx_materials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <assimp/GltfMaterial.h>
#include <assimp/scene.h>

#include <helixavatar/base/file_io.hpp>
#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::avatar {
namespace {

namespace fs = std::filesystem;
using gltf::Json;

/// "C:\work\skin.png" and "/home/me/skin.png" are both skin.png: paths of another machine mean nothing here.
std::string file_name_of(const std::string& path) {
    const std::size_t at = path.find_last_of("/\\");
    return at == std::string::npos ? path : path.substr(at + 1);
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    std::error_code fault;
    const fs::path real = fs::canonical(file, fault);
    if (fault) return false;
    const fs::path base = fs::canonical(folder, fault);
    if (fault) return false;
    return std::mismatch(base.begin(), base.end(), real.begin(), real.end()).first == base.end();
}

std::optional<Bytes> neighbour(const std::string& name, const fs::path& folder) {
    if (folder.empty() || name.empty() || name == "." || name == "..") return std::nullopt;
    std::vector<fs::path> places = {folder, folder / "textures", folder / "Textures"};
    std::error_code fault;
    std::vector<fs::path> media;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault))
        if (it->path().extension() == ".fbm") media.push_back(it->path());
    std::sort(media.begin(), media.end());
    places.insert(places.end(), media.begin(), media.end());
    for (const fs::path& place : places) {
        const fs::path file = place / name;
        if (!fs::is_regular_file(file, fault) || !lies_in(file, folder)) continue;
        Result<Bytes> bytes = read_file(file);
        if (bytes) return bytes.take();
    }
    return std::nullopt;
}

class Materials {
public:
    Materials(const aiScene& scene, const fs::path& folder, gltf::DocumentBuilder& builder,
              std::vector<std::string>& warnings)
        : scene_(scene), folder_(folder), builder_(builder), warnings_(warnings) {}

    void add(const aiMaterial& source);

private:
    /// The first texture of the first kind that has one, as index into the document's textures.
    std::optional<std::size_t> texture(const aiMaterial& source, std::initializer_list<aiTextureType> kinds);
    std::optional<std::size_t> add_image(const std::string& path);

    const aiScene& scene_;
    const fs::path& folder_;
    gltf::DocumentBuilder& builder_;
    std::vector<std::string>& warnings_;
    std::map<std::string, std::optional<std::size_t>> known_;
};

std::optional<std::size_t> Materials::add_image(const std::string& path) {
    const std::string name = file_name_of(path);
    Bytes bytes;
    if (const aiTexture* embedded = scene_.GetEmbeddedTexture(path.c_str()); embedded && embedded->pcData) {
        if (embedded->mHeight == 0) {  // a compressed file; raw texels do not come out of FBX
            const auto* data = reinterpret_cast<const std::uint8_t*>(embedded->pcData);
            bytes.assign(data, data + embedded->mWidth);
        }
    } else if (std::optional<Bytes> file = neighbour(name, folder_)) {
        bytes = std::move(*file);
    } else {
        warnings_.push_back("the texture \"" + name + "\" is neither in the FBX file nor beside it and was left out");
        return std::nullopt;
    }
    const std::optional<gltf::ImageFormat> format = gltf::recognise_image(bytes);
    if (format != gltf::ImageFormat::png && format != gltf::ImageFormat::jpeg) {
        warnings_.push_back("the texture \"" + name + "\" is neither PNG nor JPEG and was left out");
        return std::nullopt;
    }
    const std::size_t image = builder_.add_image(bytes, gltf::mime_type(*format), fs::path(name).stem().string());
    return builder_.add("textures", {{"source", image}});
}

std::optional<std::size_t> Materials::texture(const aiMaterial& source, std::initializer_list<aiTextureType> kinds) {
    for (const aiTextureType kind : kinds) {
        aiString path;
        if (source.GetTexture(kind, 0, &path) != AI_SUCCESS || path.length == 0) continue;
        const std::string key = path.C_Str();
        if (!known_.count(key)) known_[key] = add_image(key);
        if (known_[key]) return known_[key];
    }
    return std::nullopt;
}

double share(double value) {
    return std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 1.0;
}

void Materials::add(const aiMaterial& source) {
    Json pbr = Json::object();
    Json material = {{"name", source.GetName().C_Str()}};
    aiColor4D color(1, 1, 1, 1);
    if (source.Get(AI_MATKEY_BASE_COLOR, color) != AI_SUCCESS) source.Get(AI_MATKEY_COLOR_DIFFUSE, color);
    float opacity = 1;
    source.Get(AI_MATKEY_OPACITY, opacity);
    // Exporters that mix up opacity and transparency write 0 for what is plainly seen.
    const double alpha = share(opacity) > 0 ? share(opacity) : 1.0;
    const std::optional<std::size_t> base = texture(source, {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE});
    if (base) {
        pbr["baseColorTexture"] = {{"index", *base}};  // in FBX a connected texture replaces the colour
        if (alpha < 1) pbr["baseColorFactor"] = {1.0, 1.0, 1.0, alpha};
    } else {
        pbr["baseColorFactor"] = {share(color.r), share(color.g), share(color.b), alpha};
    }
    float metallic = 0;
    float roughness = 1;
    source.Get(AI_MATKEY_METALLIC_FACTOR, metallic);
    source.Get(AI_MATKEY_ROUGHNESS_FACTOR, roughness);
    pbr["metallicFactor"] = share(metallic);
    pbr["roughnessFactor"] = share(roughness);
    material["pbrMetallicRoughness"] = std::move(pbr);
    if (const auto normal = texture(source, {aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA}))
        material["normalTexture"] = {{"index", *normal}};
    if (const auto glow = texture(source, {aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE})) {
        material["emissiveTexture"] = {{"index", *glow}};
        material["emissiveFactor"] = {1.0, 1.0, 1.0};
    }
    aiString cut;
    aiString seen;
    if (alpha < 1)
        material["alphaMode"] = "BLEND";
    else if (base && source.GetTexture(aiTextureType_OPACITY, 0, &cut) == AI_SUCCESS &&
             source.GetTexture(aiTextureType_DIFFUSE, 0, &seen) == AI_SUCCESS && cut == seen)
        material["alphaMode"] = "MASK";
    int two_sided = 0;
    if (source.Get(AI_MATKEY_TWOSIDED, two_sided) == AI_SUCCESS && two_sided) material["doubleSided"] = true;
    builder_.add("materials", std::move(material));
}

}  // namespace

void add_fbx_materials(const aiScene& scene, const fs::path& folder, gltf::DocumentBuilder& builder,
                       std::vector<std::string>& warnings) {
    Materials materials(scene, folder, builder, warnings);
    for (unsigned m = 0; m < scene.mNumMaterials; ++m) materials.add(*scene.mMaterials[m]);
}

}  // namespace helixavatar::avatar
#endif
