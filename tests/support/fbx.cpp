// SPDX-License-Identifier: MIT
#include "support/fbx.hpp"

#include <cstdio>

namespace helixavatar::test {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

template <class List>
std::string array(const List& values) {
    std::string out("*");
    out.append(std::to_string(values.size())).append(" {\n a: ");
    for (std::size_t i = 0; i < values.size(); ++i)
        out.append(i ? "," : "").append(number(static_cast<double>(values[i])));
    return out.append("\n}\n");
}

std::string base64(const Bytes& bytes) {
    static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto at = [&](std::size_t k) { return i + k < bytes.size() ? std::uint32_t{bytes[i + k]} : 0U; };
        const std::uint32_t three = at(0) << 16 | at(1) << 8 | at(2);
        for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
    return out;
}

// Object ids; joints and clusters count up from theirs.
constexpr int kMesh = 1000, kModel = 1001, kSkin = 1002, kShapes = 1003, kMaterial = 1004, kTexture = 1005,
              kVideo = 1006, kShape = 2000, kChannel = 3000, kJoint = 4000, kCluster = 5000;

class Writer {
public:
    Writer(const avatar::Avatar& world, const FbxSpace& space, const Bytes& picture)
        : world_(world), surface_(world.levels[0].surfaces[0]), space_(space), picture_(picture) {
        for (int i = 0; i < 3; ++i)
            axes_(i, space.axis[static_cast<std::size_t>(i)]) = space.sign[static_cast<std::size_t>(i)];
    }

    std::string write() {
        mesh();
        joints();
        for (std::size_t m = 0; m < surface_.morphs.size(); ++m) shape(m);
        if (!picture_.empty()) material();
        return "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\nCreator: "
               "\"helixavatar tests\"\n}\n" +
               settings() + "Objects:  {\n" + objects_ + "}\nConnections:  {\n" + connections_ + "}\n";
    }

private:
    Vec3 place(const Vec3& world) const { return axes_.transpose() * world / (0.01 * space_.centimetres); }
    void connect(int child, int parent) {
        connections_.append("C: \"OO\",")
            .append(std::to_string(child))
            .append(",")
            .append(std::to_string(parent))
            .append("\n");
    }
    void object(const char* kind, int id, const std::string& name, const char* type, const std::string& body) {
        objects_ +=
            std::string(kind) + ": " + std::to_string(id) + ", \"" + name + "\", \"" + type + "\" {\n" + body + "}\n";
    }

    std::string settings() const {
        std::string out = "GlobalSettings:  {\nVersion: 1000\nProperties70:  {\n";
        const char* const kNames[] = {"CoordAxis", "UpAxis", "FrontAxis"};
        for (std::size_t i = 0; i < 3; ++i)
            out += std::string("P: \"") + kNames[i] + "\", \"int\", \"Integer\", \"\"," +
                   std::to_string(space_.axis[i]) + "\nP: \"" + kNames[i] + "Sign\", \"int\", \"Integer\", \"\"," +
                   std::to_string(space_.sign[i]) + "\n";
        return out + "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\"," + number(space_.centimetres) + "\n}\n}\n";
    }

    std::vector<double> flat(const std::vector<Vec3f>& list) const {
        std::vector<double> out;
        for (const Vec3f& v : list)
            for (int i = 0; i < 3; ++i) out.push_back(place(v.cast<double>())[i]);
        return out;
    }

    void mesh() {
        std::vector<int> corners;
        std::vector<double> uv;
        // Axes that mirror the file's space turn its triangles over.
        const bool mirrored = axes_.determinant() < 0;
        for (std::size_t i = 0; i + 2 < surface_.body.size(); i += 3) {
            const int a = static_cast<int>(surface_.body[i]), b = static_cast<int>(surface_.body[i + 1]),
                      c = static_cast<int>(surface_.body[i + 2]);
            for (const int corner : {a, mirrored ? c : b, ~(mirrored ? b : c)}) corners.push_back(corner);
        }
        for (const Vec2f& t : surface_.uvs[0])
            for (const double value : {static_cast<double>(t.x()), 1 - static_cast<double>(t.y())}) uv.push_back(value);
        object("Geometry", kMesh, "Geometry::Body", "Mesh",
               "Vertices: " + array(flat(surface_.positions)) + "PolygonVertexIndex: " + array(corners) +
                   "GeometryVersion: 124\nLayerElementUV: 0 {\nVersion: 101\nName: \"map\"\nMappingInformationType: "
                   "\"ByVertice\"\nReferenceInformationType: \"Direct\"\nUV: " +
                   array(uv) +
                   "}\nLayerElementMaterial: 0 {\nVersion: 101\nName: \"\"\nMappingInformationType: \"AllSame\"\n"
                   "ReferenceInformationType: \"IndexToDirect\"\nMaterials: *1 {\n a: 0\n}\n}\n"
                   "Layer: 0 {\nVersion: 100\nLayerElement:  {\nType: \"LayerElementUV\"\nTypedIndex: 0\n}\n"
                   "LayerElement:  {\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}\n}\n");
        object("Model", kModel, "Model::Body", "Mesh", "Version: 232\nProperties70:  {\n}\n");
        connect(kModel, 0);
        connect(kMesh, kModel);
    }

    void joints() {
        object("Deformer", kSkin, "Deformer::", "Skin", "Version: 101\nLink_DeformAcuracy: 50\n");
        connect(kSkin, kMesh);
        for (std::size_t j = 0; j < world_.joints.size(); ++j) {
            const avatar::Joint& joint = world_.joints[j];
            const Vec3 here = place(joint.rest.translation);
            Vec3 local = here;
            if (joint.parent >= 0)
                local -= place(world_.joints[static_cast<std::size_t>(joint.parent)].rest.translation);
            object("Model", kJoint + static_cast<int>(j), "Model::" + joint.name, "LimbNode",
                   "Version: 232\nProperties70:  {\nP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\"," +
                       number(local.x()) + "," + number(local.y()) + "," + number(local.z()) + "\n}\n");
            connect(kJoint + static_cast<int>(j), joint.parent < 0 ? 0 : kJoint + joint.parent);
            std::vector<int> vertices;
            std::vector<double> weights;
            for (std::size_t v = 0; v < surface_.influences.size(); ++v)
                for (const avatar::Influence& influence : surface_.influences[v])
                    if (influence.weight > 0 && influence.joint == j) {
                        vertices.push_back(static_cast<int>(v));
                        weights.push_back(static_cast<double>(influence.weight));
                    }
            if (vertices.empty()) continue;
            const auto matrix = [](const Vec3& t) {
                return array(std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, t.x(), t.y(), t.z(), 1});
            };
            object("Deformer", kCluster + static_cast<int>(j), "SubDeformer::", "Cluster",
                   "Version: 100\nUserData: \"\", \"\"\nIndexes: " + array(vertices) + "Weights: " + array(weights) +
                       "Transform: " + matrix(-here) + "TransformLink: " + matrix(here));
            connect(kCluster + static_cast<int>(j), kSkin);
            connect(kJoint + static_cast<int>(j), kCluster + static_cast<int>(j));
        }
    }

    void shape(std::size_t m) {
        const avatar::MorphTarget& morph = surface_.morphs[m];
        if (m == 0) {
            object("Deformer", kShapes, "Deformer::Shapes", "BlendShape", "Version: 100\n");
            connect(kShapes, kMesh);
        }
        std::vector<int> vertices;
        std::vector<Vec3f> deltas;
        for (std::size_t v = 0; v < morph.positions.size(); ++v)
            if (!morph.positions[v].isZero()) {
                vertices.push_back(static_cast<int>(v));
                deltas.push_back(morph.positions[v]);
            }
        const int id = static_cast<int>(m);
        object("Geometry", kShape + id, "Geometry::" + morph.name, "Shape",
               "Version: 100\nIndexes: " + array(vertices) + "Vertices: " + array(flat(deltas)) +
                   "Normals: " + array(std::vector<double>(3 * deltas.size(), 0)));
        object("Deformer", kChannel + id, "SubDeformer::" + morph.name, "BlendShapeChannel",
               "Version: 100\nDeformPercent: 0\nFullWeights: *1 {\n a: 100\n}\n");
        connect(kChannel + id, kShapes);
        connect(kShape + id, kChannel + id);
    }

    void material() {
        object("Material", kMaterial, "Material::Cloth", "",
               "Version: 102\nShadingModel: \"phong\"\nProperties70:  {\nP: \"DiffuseColor\", \"Color\", \"\", "
               "\"A\",1,1,1\n}\n");
        object("Texture", kTexture, "Texture::Cloth", "",
               "Type: \"TextureVideoClip\"\nVersion: 202\nTextureName: \"Texture::Cloth\"\nProperties70:  {\n}\nMedia: "
               "\"Video::Cloth\"\nFileName: \"C:\\work\\cloth.png\"\nRelativeFilename: \"cloth.png\"\n");
        object(
            "Video", kVideo, "Video::Cloth", "Clip",
            "Type: \"Clip\"\nProperties70:  {\n}\nUseMipMap: 0\nFilename: \"C:\\work\\cloth.png\"\nRelativeFilename: "
            "\"cloth.png\"\nContent: ,\n\"" +
                base64(picture_) + "\"\n");
        connect(kMaterial, kModel);
        connect(kVideo, kTexture);
        connections_.append("C: \"OP\",").append(std::to_string(kTexture)).append(",");
        connections_.append(std::to_string(kMaterial)).append(", \"DiffuseColor\"\n");
    }

    const avatar::Avatar& world_;
    const avatar::Surface& surface_;
    const FbxSpace& space_;
    const Bytes& picture_;
    Mat3 axes_ = Mat3::Zero();
    std::string objects_, connections_;
};

}  // namespace

std::string fbx_text(const avatar::Avatar& world, const FbxSpace& space, const Bytes& picture) {
    return Writer(world, space, picture).write();
}

}  // namespace helixavatar::test
