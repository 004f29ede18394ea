// SPDX-License-Identifier: MIT
#include "preflight/facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <helixavatar/avatar/avatar.hpp>

#include "preflight/json_access.hpp"

namespace helixavatar::preflight {
namespace {

/// Accessor count that triangles may be derived from: no more than 2^40, so that sums cannot overflow.
std::size_t accessor_count(const Json& root, int accessor) {
    const std::size_t count = count_member(element(list(root, "accessors"), accessor), "count");
    return std::min(count, std::size_t{1} << 40);
}

std::size_t triangles_of(int mode, std::size_t elements) {
    if (mode == 4) return elements / 3;
    if (mode == 5 || mode == 6) return elements < 3 ? 0 : elements - 2;
    return 0;
}

PrimitiveFacts primitive_facts(const Json& root, const Json& primitive) {
    const Json& attributes = member(primitive, "attributes");
    PrimitiveFacts facts;
    facts.material = index_member(primitive, "material", list(root, "materials").size());
    const std::size_t accessors = list(root, "accessors").size();
    facts.position = index_member(attributes, "POSITION", accessors);
    facts.joints = index_member(attributes, "JOINTS_0", accessors);
    facts.weights = index_member(attributes, "WEIGHTS_0", accessors);
    facts.vertices = accessor_count(root, facts.position);
    const int indices = index_member(primitive, "indices", accessors);
    const int mode = member(primitive, "mode").is_null() ? 4 : index_member(primitive, "mode");
    facts.triangles = triangles_of(mode, indices >= 0 ? accessor_count(root, indices) : facts.vertices);
    return facts;
}

void count_meshes(const Json& root, Facts& facts) {
    for (const Json& mesh : list(root, "meshes")) {
        MeshFacts& added = facts.meshes.emplace_back();
        added.name = text_member(mesh, "name");
        for (const Json& primitive : list(mesh, "primitives")) {
            added.primitives.push_back(primitive_facts(root, primitive));
        }
    }
}

void count_nodes(const Json& root, Facts& facts) {
    const Json& nodes = list(root, "nodes");
    const std::size_t meshes = facts.meshes.size();
    const std::size_t skins = list(root, "skins").size();
    facts.nodes.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        NodeFacts& node = facts.nodes[i];
        node.name = text_member(nodes[i], "name");
        node.mesh = index_member(nodes[i], "mesh", meshes);
        node.skin = index_member(nodes[i], "skin", skins);
        for (const Json& child : list(nodes[i], "children")) {
            const int index = as_index(child, nodes.size());
            if (index < 0) continue;
            node.children.push_back(index);
            if (facts.nodes[index].parent < 0) facts.nodes[index].parent = static_cast<int>(i);
        }
        if (node.mesh < 0) continue;
        facts.instances.push_back(static_cast<int>(i));
        for (const PrimitiveFacts& primitive : facts.meshes[node.mesh].primitives) {
            facts.triangles += primitive.triangles;
            ++facts.draw_calls;
        }
    }
    for (const Json& skin : list(root, "skins")) {
        SkinFacts& added = facts.skins.emplace_back();
        for (const Json& joint : list(skin, "joints")) {
            const int index = as_index(joint, nodes.size());
            if (index >= 0) added.joints.push_back(index);
        }
    }
}

void reach(const Facts& facts, SceneFacts& scene) {
    std::vector<bool> seen(facts.nodes.size(), false);
    std::vector<int> open(scene.roots.rbegin(), scene.roots.rend());
    while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (seen[node]) continue;
        seen[node] = true;
        scene.nodes.push_back(node);
        const std::vector<int>& children = facts.nodes[node].children;
        open.insert(open.end(), children.rbegin(), children.rend());
    }
}

void count_scene(const Json& json, Facts& facts) {
    SceneFacts& scene = facts.scenes.emplace_back();
    scene.name = text_member(json, "name");
    for (const Json& root : list(json, "nodes")) {
        const int index = as_index(root, facts.nodes.size());
        if (index >= 0) scene.roots.push_back(index);
    }
    reach(facts, scene);
    std::set<int> pools;
    std::set<int> joints;
    for (const int index : scene.nodes) {
        const NodeFacts& node = facts.nodes[index];
        if (node.mesh < 0) continue;
        scene.instances.push_back(index);
        for (const PrimitiveFacts& primitive : facts.meshes[node.mesh].primitives) {
            scene.triangles += primitive.triangles;
            ++scene.draw_calls;
            if (pools.insert(primitive.position).second) scene.vertices += primitive.vertices;
        }
        if (node.skin < 0) continue;
        if (std::find(scene.skins.begin(), scene.skins.end(), node.skin) == scene.skins.end()) {
            scene.skins.push_back(node.skin);
        }
    }
    for (const int skin : scene.skins) {
        for (const int joint : facts.skins[skin].joints) {
            if (!joints.insert(joint).second) continue;
            const bool is_new = scene.joints.emplace(facts.nodes[joint].name, joint).second;
            if (!is_new) scene.repeated_joints.push_back(facts.nodes[joint].name);
        }
    }
}

/// Bytes that the image takes on a GPU with its mip chain, as three.js uploads the format: ETC1S becomes a 4-bit block
/// format without alpha and an 8-bit one with it, UASTC an 8-bit one, everything else RGBA8.
std::size_t gpu_bytes(const gltf::ImageHeader& header) {
    const double pixels = static_cast<double>(header.width) * header.height;
    double per_pixel = 4;
    bool mips = true;
    if (header.ktx2) {
        constexpr int kEtc1s = 163;
        per_pixel = header.ktx2->color_model == kEtc1s && !header.ktx2->has_alpha ? 0.5 : 1;
        mips = header.ktx2->levels > 1;
    }
    return static_cast<std::size_t>(pixels * per_pixel * (mips ? 4.0 / 3.0 : 1.0));
}

/// The image that a texture shows, preferring the format that an extension offers as the engine does; -1 when there is
/// none.
int image_of(const Json& root, int texture) {
    const Json& found = element(list(root, "textures"), texture);
    const std::size_t images = list(root, "images").size();
    const Json& extensions = member(found, "extensions");
    for (const char* extension : {"KHR_texture_basisu", "EXT_texture_avif", "EXT_texture_webp"}) {
        const int image = index_member(member(extensions, extension), "source", images);
        if (image >= 0) return image;
    }
    return index_member(found, "source", images);
}

/// Every textureInfo below a material: a member whose name ends in "Texture" and that has an index.
void find_textures(const Json& root, const Json& object, int material, const std::string& pointer, Facts& facts) {
    if (!object.is_object()) return;
    for (const auto& entry : object.items()) {
        const std::string& key = entry.key();
        if (key == "extras" || !entry.value().is_object()) continue;
        const std::string below = pointer + "/" + key;
        const int texture = index_member(entry.value(), "index");
        const bool is_info = key.size() > 7 && key.compare(key.size() - 7, 7, "Texture") == 0 && texture >= 0;
        if (!is_info) {
            find_textures(root, entry.value(), material, below, facts);
            continue;
        }
        const int image = image_of(root, texture);
        if (image >= 0) facts.texture_uses.push_back({material, image, key, below});
    }
}

void count_textures(const Json& root, Facts& facts) {
    const Json& materials = list(root, "materials");
    for (std::size_t i = 0; i < materials.size(); ++i) {
        find_textures(root, materials[i], static_cast<int>(i), "/materials/" + std::to_string(i), facts);
    }
    for (const TextureUse& use : facts.texture_uses) {
        ImageFacts& image = facts.images[use.image];
        image.uses.push_back(use.slot + " of " + facts.material_label(use.material));
    }
    for (std::size_t i = 0; i < facts.images.size(); ++i) {
        ImageFacts& image = facts.images[i];
        if (!image.name.empty()) continue;
        image.name = image.uses.empty() ? "image " + std::to_string(i) : "the " + image.uses.front();
    }
}

void count_images(const gltf::Document& document, Facts& facts) {
    const Json& images = list(document.json, "images");
    for (std::size_t i = 0; i < images.size(); ++i) {
        ImageFacts& image = facts.images.emplace_back();
        image.name = text_member(images[i], "name");
        const Result<ByteView> bytes = gltf::image_bytes(document, i);
        if (!bytes) {
            image.fault = bytes.error().message;
            continue;
        }
        image.bytes = bytes->size();
        const Result<gltf::ImageHeader> header = gltf::read_image_header(*bytes);
        if (header) {
            image.header = *header;
            image.gpu_bytes = gpu_bytes(*header);
        } else {
            image.fault = header.error().message;
        }
    }
}

}  // namespace

Facts count_facts(const gltf::Document& document) {
    Facts facts;
    for (const Json& material : list(document.json, "materials"))
        facts.materials.push_back(text_member(material, "name"));
    count_meshes(document.json, facts);
    count_nodes(document.json, facts);
    for (const Json& scene : list(document.json, "scenes")) count_scene(scene, facts);
    count_images(document, facts);
    count_textures(document.json, facts);
    return facts;
}

Quat Facts::rotation(int node) const {
    const Mat3 linear = nodes[static_cast<std::size_t>(node)].world.topLeftCorner<3, 3>();
    if (!linear.allFinite()) return Quat::Identity();
    // The nearest rotation; a mirrored frame has its last axis turned back.
    const Eigen::JacobiSVD<Mat3> svd(linear, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Mat3 nearest = svd.matrixU() * svd.matrixV().transpose();
    if (nearest.determinant() < 0) {
        Mat3 u = svd.matrixU();
        u.col(2) = -u.col(2);
        nearest = u * svd.matrixV().transpose();
    }
    return Quat(nearest).normalized();
}

std::string Facts::node_label(int node) const {
    if (node < 0 || static_cast<std::size_t>(node) >= nodes.size()) return "no node";
    const std::string& name = nodes[node].name;
    return name.empty() ? "node " + std::to_string(node) : name;
}

std::string Facts::mesh_label(int mesh) const {
    if (mesh < 0 || static_cast<std::size_t>(mesh) >= meshes.size()) return "no mesh";
    if (!meshes[mesh].name.empty()) return meshes[mesh].name;
    for (const int instance : instances) {
        if (nodes[instance].mesh == mesh && !nodes[instance].name.empty()) return nodes[instance].name;
    }
    return "mesh " + std::to_string(mesh);
}

std::string Facts::material_label(int material) const {
    if (material < 0 || static_cast<std::size_t>(material) >= materials.size()) return "no material";
    return materials[material].empty() ? "material " + std::to_string(material) : materials[material];
}

std::string Facts::scene_label(std::size_t scene) const {
    return "LOD" + std::to_string(scene);
}

std::vector<JoinableParts> Facts::joinable_parts() const {
    std::vector<JoinableParts> found;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        std::map<std::pair<int, bool>, std::vector<std::string>> parts;
        for (const int node : scenes[i].instances) {
            const bool face = nodes[node].name.find(avatar::kFaceMesh) != std::string::npos;
            for (const PrimitiveFacts& primitive : meshes[nodes[node].mesh].primitives)
                parts[{primitive.material, face}].push_back(node_label(node));
        }
        for (auto& [key, labels] : parts)
            if (labels.size() > 1) found.push_back({i, key.first, std::move(labels)});
    }
    return found;
}

bool Facts::has_skin() const {
    return std::any_of(scenes.begin(), scenes.end(), [](const SceneFacts& scene) { return !scene.joints.empty(); });
}

int Facts::joint(std::size_t scene, const std::string& name) const {
    if (scene >= scenes.size()) return -1;
    const auto found = scenes[scene].joints.find(name);
    return found == scenes[scene].joints.end() ? -1 : found->second;
}

}  // namespace helixavatar::preflight
