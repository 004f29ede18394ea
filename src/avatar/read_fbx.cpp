// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/read_fbx.hpp>

#include <algorithm>
#include <string_view>

#ifdef HELIXAVATAR_WITH_FBX
#include <exception>

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>

#include "fbx_scene.hpp"
#endif

namespace helixavatar::avatar {

bool is_fbx(ByteView file) {
    const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 1024));
    return head.starts_with("Kaydara FBX Binary") || head.starts_with("; FBX ") ||
           (head.starts_with(";") && head.find("FBXHeaderExtension") != std::string_view::npos);
}

#ifdef HELIXAVATAR_WITH_FBX

namespace {

/// The importer gets bytes and opens nothing by itself.
class NoFiles : public Assimp::IOSystem {
public:
    bool Exists(const char*) const override { return false; }
    char getOsSeparator() const override { return '/'; }
    Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
    void Close(Assimp::IOStream*) override {}
};

// Vertices of equal place, normal and UV are one; lines and points are split off and dropped; glTF's v runs down.
constexpr unsigned kSteps = aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_SortByPType |
                            aiProcess_FlipUVs | aiProcess_ValidateDataStructure;

Error unreadable_fbx(const std::string& reason) {
    return {ErrorKind::malformed, "the FBX file cannot be read: " + reason, "",
            "export it again as binary FBX 7.4, or as GLB"};
}

}  // namespace

Result<Fbx> read_fbx(ByteView file, const std::filesystem::path& folder, const Limits& limits) {
    if (file.size() > limits.file_bytes)
        return Error{ErrorKind::unconvertible,
                     "the FBX file is larger than " + std::to_string(limits.file_bytes) + " bytes", "",
                     "export the character alone"};
    try {
        Assimp::Importer importer;
        importer.SetIOHandler(new NoFiles);  // the importer deletes it
        importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
        importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_CAMERAS, false);
        importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_LIGHTS, false);
        importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
        const aiScene* scene = importer.ReadFileFromMemory(file.data(), file.size(), kSteps, "fbx");
        if (!scene || !scene->mRootNode) return unreadable_fbx(importer.GetErrorString());
        return document_of(*scene, folder, limits);
    } catch (const std::exception& fault) {
        return unreadable_fbx(fault.what());
    }
}

#else

Result<Fbx> read_fbx(ByteView, const std::filesystem::path&, const Limits&) {
    return Error{ErrorKind::unconvertible, "this helixavatar was built without FBX", "",
                 "build it with -DHELIXAVATAR_WITH_FBX=ON (needs libassimp-dev), or export the character as GLB"};
}

#endif

}  // namespace helixavatar::avatar
