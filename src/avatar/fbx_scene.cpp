// SPDX-License-Identifier: MIT
#ifdef HELIXAVATAR_WITH_FBX
#include "fbx_scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <assimp/scene.h>

#include <helixavatar/base/geometry.hpp>
#include <helixavatar/gltf/document_builder.hpp>

#include "fbx_materials.hpp"

namespace helixavatar::avatar {
namespace {

using gltf::DocumentBuilder;
using gltf::Json;
using Target = DocumentBuilder::Target;

constexpr std::size_t kMostNodes = 65535;     // joint indices are 16 bits wide
constexpr std::size_t kInfluencesPerSet = 4;  // glTF's JOINTS_n and WEIGHTS_n
constexpr double kMetresPerUnitOfOne = 0.01;  // UnitScaleFactor counts centimetres

Mat4 matrix_of(const aiMatrix4x4& m) {
    Mat4 out;
    for (unsigned r = 0; r < 4; ++r)
        for (unsigned c = 0; c < 4; ++c) out(r, c) = m[r][c];
    return out;
}

Json json_of(const Mat4& m) {
    Json out = Json::array();
    for (int i = 0; i < 16; ++i) out.push_back(m(i % 4, i / 4));
    return out;
}

/// World metres, +X the file's right, +Y its up, +Z its front, from the file's own space.
Mat4 world_from_file(const aiScene& scene, std::vector<std::string>& warnings) {
    Mat4 out = Mat4::Identity();
    if (!scene.mMetaData) return out;
    int axis[3] = {0, 1, 2};
    int sign[3] = {1, 1, 1};
    const char* const kNames[3] = {"CoordAxis", "UpAxis", "FrontAxis"};
    bool told = true;
    for (int i = 0; i < 3; ++i) {
        told = scene.mMetaData->Get(kNames[i], axis[i]) && told;
        told = scene.mMetaData->Get(std::string(kNames[i]) + "Sign", sign[i]) && told;
    }
    double unit = 1;
    if (!scene.mMetaData->Get("UnitScaleFactor", unit)) {
        float narrow = 1;
        if (scene.mMetaData->Get("UnitScaleFactor", narrow)) unit = narrow;
    }
    if (!std::isfinite(unit) || unit <= 1e-6 || unit > 1e9) unit = 1;
    Mat3 axes = Mat3::Zero();
    for (int i = 0; told && i < 3; ++i)
        if (axis[i] >= 0 && axis[i] < 3) axes(i, axis[i]) = sign[i] < 0 ? -1 : 1;
    if (std::abs(std::abs(axes.determinant()) - 1) > 1e-9) {
        if (told) warnings.push_back("the FBX file's axis settings contradict each other and were not used");
        axes.setIdentity();
    }
    out.topLeftCorner<3, 3>() = axes * (unit * kMetresPerUnitOfOne);
    return out;
}

class SceneWriter {
public:
    SceneWriter(const aiScene& scene, const std::filesystem::path& folder, std::vector<std::string>& warnings)
        : scene_(scene), folder_(folder), warnings_(warnings) {}

    Result<gltf::Document> write();

private:
    Result<void> add_nodes();
    void hang_meshes();
    std::size_t add_skin(const aiNode& node, std::map<std::string, std::uint16_t>& slots);
    Json primitive_of(const aiMesh& mesh, const std::map<std::string, std::uint16_t>& slots,
                      const std::vector<std::string>& morphs);
    void add_weights(const aiMesh& mesh, const std::map<std::string, std::uint16_t>& slots, Json& attributes);
    Json targets_of(const aiMesh& mesh, const std::vector<std::string>& morphs);
    bool usable(unsigned mesh) const {
        return scene_.mMeshes[mesh]->HasPositions() && scene_.mMeshes[mesh]->HasFaces();
    }

    const aiScene& scene_;
    const std::filesystem::path& folder_;
    std::vector<std::string>& warnings_;
    DocumentBuilder builder_;
    std::vector<const aiNode*> nodes_;
    std::map<std::string, std::size_t> node_by_name_;
    std::size_t unbound_ = 0;  ///< vertices of skinned meshes that no cluster names
};

/// Breadth first, so that a hostile depth costs no stack.
Result<void> SceneWriter::add_nodes() {
    nodes_.push_back(scene_.mRootNode);
    const Mat4 world = world_from_file(scene_, warnings_);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const aiNode& node = *nodes_[n];
        if (nodes_.size() + node.mNumChildren > kMostNodes)
            return Error{ErrorKind::unconvertible, "the FBX file has more than 65535 nodes", "",
                         "export the character alone"};
        const Mat4 own = matrix_of(node.mTransformation);
        Json json = {{"name", node.mName.C_Str()}, {"matrix", json_of(n == 0 ? Mat4(world * own) : own)}};
        Json children = Json::array();
        for (unsigned c = 0; c < node.mNumChildren; ++c) {
            children.push_back(nodes_.size());
            nodes_.push_back(node.mChildren[c]);
        }
        if (!children.empty()) json["children"] = std::move(children);
        builder_.add("nodes", std::move(json));
        node_by_name_.emplace(node.mName.C_Str(), n);
    }
    builder_.json()["scenes"] = Json::array({{{"nodes", {0}}}});
    builder_.json()["scene"] = 0;
    return {};
}

/// One skin for all meshes of a node. An offset matrix takes the node's own space to the bone's: it comes from the
/// cluster's link, never from a pose object.
std::size_t SceneWriter::add_skin(const aiNode& node, std::map<std::string, std::uint16_t>& slots) {
    Json joints = Json::array();
    std::vector<float> binds;
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
        const aiMesh& mesh = *scene_.mMeshes[node.mMeshes[m]];
        for (unsigned b = 0; b < mesh.mNumBones; ++b) {
            const aiBone& bone = *mesh.mBones[b];
            const auto at = node_by_name_.find(bone.mName.C_Str());
            if (at == node_by_name_.end()) continue;
            if (!slots.emplace(bone.mName.C_Str(), static_cast<std::uint16_t>(joints.size())).second) continue;
            joints.push_back(at->second);
            const Mat4 bind = matrix_of(bone.mOffsetMatrix);
            for (int i = 0; i < 16; ++i) binds.push_back(static_cast<float>(bind(i % 4, i / 4)));
        }
    }
    Json skin = {{"joints", std::move(joints)}};
    skin["inverseBindMatrices"] = builder_.add_floats(binds, "MAT4", Target::none);
    return builder_.add("skins", std::move(skin));
}

void SceneWriter::add_weights(const aiMesh& mesh, const std::map<std::string, std::uint16_t>& slots, Json& attributes) {
    std::vector<std::vector<std::pair<float, std::uint16_t>>> of(mesh.mNumVertices);
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
        const auto slot = slots.find(mesh.mBones[b]->mName.C_Str());
        if (slot == slots.end()) continue;
        for (unsigned w = 0; w < mesh.mBones[b]->mNumWeights; ++w) {
            const aiVertexWeight& weight = mesh.mBones[b]->mWeights[w];
            if (weight.mVertexId < mesh.mNumVertices && std::isfinite(weight.mWeight) && weight.mWeight > 0)
                of[weight.mVertexId].emplace_back(weight.mWeight, slot->second);
        }
    }
    std::size_t most = 1;
    for (auto& list : of) {
        if (list.empty()) {
            ++unbound_;
            list.emplace_back(1.0F, std::uint16_t{0});
        }
        std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        most = std::max(most, list.size());
    }
    for (std::size_t set = 0; set * kInfluencesPerSet < most; ++set) {
        std::vector<std::uint16_t> joints(mesh.mNumVertices * kInfluencesPerSet, 0);
        std::vector<float> weights(mesh.mNumVertices * kInfluencesPerSet, 0);
        for (std::size_t v = 0; v < of.size(); ++v) {
            double sum = 0;
            for (const auto& entry : of[v]) sum += entry.first;
            for (std::size_t k = 0; k < kInfluencesPerSet && set * kInfluencesPerSet + k < of[v].size(); ++k) {
                const auto& [weight, joint] = of[v][set * kInfluencesPerSet + k];
                weights[v * kInfluencesPerSet + k] = static_cast<float>(weight / sum);
                joints[v * kInfluencesPerSet + k] = joint;
            }
        }
        attributes["JOINTS_" + std::to_string(set)] = builder_.add_u16(joints, "VEC4", Target::vertex);
        attributes["WEIGHTS_" + std::to_string(set)] = builder_.add_floats(weights, "VEC4", Target::vertex);
    }
}

/// Every primitive of a mesh has the mesh's targets; those that a part lacks do not move it.
Json SceneWriter::targets_of(const aiMesh& mesh, const std::vector<std::string>& morphs) {
    const auto deltas = [&](const aiVector3D* to, const aiVector3D* from) {
        std::vector<float> out(std::size_t{3} * mesh.mNumVertices, 0);
        for (unsigned v = 0; to && from && v < mesh.mNumVertices; ++v)
            for (unsigned c = 0; c < 3; ++c) out[3 * v + c] = to[v][c] - from[v][c];
        return out;
    };
    Json targets = Json::array();
    for (const std::string& name : morphs) {
        const aiAnimMesh* shape = nullptr;
        for (unsigned a = 0; a < mesh.mNumAnimMeshes; ++a)
            if (mesh.mAnimMeshes[a]->mName.C_Str() == name && mesh.mAnimMeshes[a]->mNumVertices == mesh.mNumVertices)
                shape = mesh.mAnimMeshes[a];
        Json target = {
            {"POSITION", builder_.add_morph_deltas(deltas(shape ? shape->mVertices : nullptr, mesh.mVertices), true)}};
        if (mesh.HasNormals())
            target["NORMAL"] =
                builder_.add_morph_deltas(deltas(shape ? shape->mNormals : nullptr, mesh.mNormals), false);
        targets.push_back(std::move(target));
    }
    return targets;
}

Json SceneWriter::primitive_of(const aiMesh& mesh, const std::map<std::string, std::uint16_t>& slots,
                               const std::vector<std::string>& morphs) {
    const auto vectors = [&](const aiVector3D* from, bool unit) {
        std::vector<float> out;
        for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
            aiVector3D value = from[v];
            if (unit) value = value.Length() > 0 ? value / value.Length() : aiVector3D(0, 1, 0);
            out.insert(out.end(), {value.x, value.y, value.z});
        }
        return out;
    };
    Json attributes = {{"POSITION", builder_.add_floats(vectors(mesh.mVertices, false), "VEC3", Target::vertex, true)}};
    if (mesh.HasNormals())
        attributes["NORMAL"] = builder_.add_floats(vectors(mesh.mNormals, true), "VEC3", Target::vertex);
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS && mesh.HasTextureCoords(set); ++set) {
        std::vector<float> uv;
        for (unsigned v = 0; v < mesh.mNumVertices; ++v)
            uv.insert(uv.end(), {mesh.mTextureCoords[set][v].x, mesh.mTextureCoords[set][v].y});
        attributes["TEXCOORD_" + std::to_string(set)] = builder_.add_floats(uv, "VEC2", Target::vertex);
    }
    if (!slots.empty()) add_weights(mesh, slots, attributes);
    std::vector<std::uint32_t> indices;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f)
        if (mesh.mFaces[f].mNumIndices == 3)
            indices.insert(indices.end(), mesh.mFaces[f].mIndices, mesh.mFaces[f].mIndices + 3);
    Json primitive = {{"attributes", std::move(attributes)},
                      {"indices", builder_.add_indices(indices)},
                      {"material", mesh.mMaterialIndex}};
    if (!morphs.empty()) primitive["targets"] = targets_of(mesh, morphs);
    return primitive;
}

void SceneWriter::hang_meshes() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const aiNode& node = *nodes_[n];
        std::vector<const aiMesh*> parts;
        std::vector<std::string> morphs;
        bool skinned = false;
        for (unsigned m = 0; m < node.mNumMeshes; ++m) {
            if (!usable(node.mMeshes[m])) continue;
            const aiMesh& mesh = *scene_.mMeshes[node.mMeshes[m]];
            parts.push_back(&mesh);
            skinned = skinned || mesh.HasBones();
            for (unsigned a = 0; a < mesh.mNumAnimMeshes; ++a) {
                const std::string name = mesh.mAnimMeshes[a]->mName.C_Str();
                if (std::find(morphs.begin(), morphs.end(), name) == morphs.end()) morphs.push_back(name);
            }
        }
        if (parts.empty()) continue;
        std::map<std::string, std::uint16_t> slots;
        if (skinned) {
            const std::size_t skin = add_skin(node, slots);
            if (!slots.empty()) builder_.json()["nodes"][n]["skin"] = skin;
        }
        Json mesh = {{"name", node.mName.C_Str()}, {"primitives", Json::array()}};
        for (const aiMesh* part : parts) mesh["primitives"].push_back(primitive_of(*part, slots, morphs));
        if (!morphs.empty()) mesh["extras"] = {{"targetNames", morphs}};
        builder_.json()["nodes"][n]["mesh"] = builder_.add("meshes", std::move(mesh));
    }
}

Result<gltf::Document> SceneWriter::write() {
    const Result<void> nodes = add_nodes();
    if (!nodes) return nodes.error();
    add_fbx_materials(scene_, folder_, builder_, warnings_);
    hang_meshes();
    if (unbound_)
        warnings_.push_back(std::to_string(unbound_) +
                            " vertices of the FBX file's skins follow no joint and were given to the first one");
    if (scene_.mNumAnimations)
        warnings_.push_back(std::to_string(scene_.mNumAnimations) +
                            " animation(s) were left out: avatars play the platform's clips");
    aiString made_by;
    if (scene_.mMetaData && scene_.mMetaData->Get("SourceAsset_Generator", made_by))
        builder_.json()["asset"]["generator"] = made_by.C_Str();
    gltf::Document document = builder_.finish();
    document.container = gltf::Container::fbx;
    return document;
}

}  // namespace

Result<Fbx> document_of(const aiScene& scene, const std::filesystem::path& folder, const Limits& limits) {
    std::size_t vertices = 0;
    for (unsigned m = 0; m < scene.mNumMeshes; ++m) vertices += scene.mMeshes[m]->mNumVertices;
    if (vertices > limits.vertices)
        return Error{ErrorKind::unconvertible, "the FBX file has " + std::to_string(vertices) + " vertices", "",
                     "export the character alone"};
    Fbx out;
    Result<gltf::Document> document = SceneWriter(scene, folder, out.warnings).write();
    if (!document) return document.error();
    out.document = document.take();
    return out;
}

}  // namespace helixavatar::avatar
#endif
