// SPDX-License-Identifier: MIT
#include "dynamics/level_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <helixavatar/gltf/accessor_view.hpp>

namespace helixavatar::dynamics {
namespace {

using gltf::AccessorView;
using gltf::Document;

constexpr double kBindTolerance = 1e-3;  // metres

Error unfit(const std::string& message, const std::string& where) {
    return {ErrorKind::unconvertible, message, where, "run `helixavatar import` on the creator's file first"};
}

/// Follows one luminance a vertex from the base colours that draw it.
class Luminance {
public:
    Luminance(const avatar::Avatar& avatar, const PictureSource& pictures) : avatar_(avatar), pictures_(pictures) {}

    float at(int material, const Vec2f& uv) {
        if (material < 0 || static_cast<std::size_t>(material) >= avatar_.materials.size()) return kUnknown;
        const avatar::Material& of = avatar_.materials[static_cast<std::size_t>(material)];
        const int texture = of.texture("/pbrMetallicRoughness/baseColorTexture");
        std::array<double, 3> factor{1, 1, 1};
        const Json& pbr = member(of.json, "pbrMetallicRoughness");
        const Json& colour = member(pbr, "baseColorFactor");
        for (std::size_t i = 0; i < 3 && colour.is_array() && colour.size() > i; ++i)
            if (colour[i].is_number()) factor[i] = std::clamp(colour[i].get<double>(), 0.0, 1.0);
        std::array<double, 3> rgb{};
        for (std::size_t i = 0; i < 3; ++i) rgb[i] = std::pow(factor[i], 1 / 2.2);  // factors are linear
        if (texture >= 0) {
            const Picture* picture = picture_of(texture);
            if (!picture || !uv.allFinite()) return kUnknown;
            const auto wrapped = [](float value, int size) {
                const double place = static_cast<double>(value - std::floor(value)) * size;
                return std::min(static_cast<int>(place), size - 1);
            };
            const std::size_t pixel =
                (static_cast<std::size_t>(wrapped(uv.y(), picture->height)) * static_cast<std::size_t>(picture->width) +
                 static_cast<std::size_t>(wrapped(uv.x(), picture->width))) *
                4;
            for (std::size_t i = 0; i < 3; ++i) rgb[i] *= picture->rgba[pixel + i] / 255.0;
        }
        return static_cast<float>(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
    }

    static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

private:
    static const Json& member(const Json& object, const char* key) {
        static const Json none;
        return object.is_object() && object.contains(key) ? object[key] : none;
    }

    const Picture* picture_of(int texture) {
        const int image = avatar_.textures[static_cast<std::size_t>(texture)].image;
        auto known = known_.find(image);
        if (known == known_.end())
            known = known_.emplace(image, image >= 0 ? pictures_(image) : std::optional<Picture>()).first;
        const auto& picture = known->second;
        const bool whole = picture && picture->width > 0 && picture->height > 0 &&
                           picture->rgba.size() >=
                               static_cast<std::size_t>(picture->width) * static_cast<std::size_t>(picture->height) * 4;
        return whole ? &*picture : nullptr;
    }

    const avatar::Avatar& avatar_;
    const PictureSource& pictures_;
    std::map<int, std::optional<Picture>> known_;
};

using Vec3i = std::array<int, 3>;

class Reader {
public:
    Reader(const Document& document, const avatar::Avatar& avatar, const PictureSource& pictures)
        : document_(document), json_(document.json), avatar_(avatar), luminance_(avatar, pictures) {}

    Result<std::vector<LevelMesh>> run() {
        std::vector<LevelMesh> levels;
        for (const Json& scene : json_.at("scenes")) {
            LevelMesh level;
            std::vector<Vec3i> triangles;
            std::vector<std::size_t> stack;
            if (scene.contains("nodes"))
                for (const Json& root : scene["nodes"]) stack.push_back(root.get<std::size_t>());
            std::reverse(stack.begin(), stack.end());
            while (!stack.empty()) {
                const Json& node = json_.at("nodes").at(stack.back());
                stack.pop_back();
                if (node.contains("children"))
                    for (const Json& child : node["children"]) stack.push_back(child.get<std::size_t>());
                if (!node.contains("mesh") || !node.contains("skin")) continue;
                const Result<void> read =
                    mesh(node["mesh"].get<std::size_t>(), node["skin"].get<std::size_t>(), level, triangles);
                if (!read) return read.error();
            }
            weld(level, triangles);
            levels.push_back(std::move(level));
        }
        return levels;
    }

private:
    /// Avatar joints of a skin, whose bind must be the avatar's own.
    Result<std::vector<int>> skin_joints(std::size_t index) {
        const std::string where = "/skins/" + std::to_string(index);
        const Json& skin = json_.at("skins").at(index);
        if (!skin.contains("inverseBindMatrices")) return unfit("the skin has no inverse bind matrices", where);
        const auto view = AccessorView::open(document_, skin["inverseBindMatrices"].get<std::size_t>());
        if (!view) return view.error();
        const std::vector<float> inverse = view->floats();
        std::vector<int> joints;
        for (std::size_t i = 0; i < skin.at("joints").size(); ++i) {
            const Json& node = json_.at("nodes").at(skin["joints"][i].get<std::size_t>());
            const int joint = avatar_.find_joint(node.value("name", ""));
            if (joint < 0)
                return unfit("the skin's joint " + node.value("name", "?") + " is not in the first scene", where);
            joints.push_back(joint);
            Mat4 bind;
            for (int k = 0; k < 16; ++k) bind(k % 4, k / 4) = inverse.at(i * 16 + static_cast<std::size_t>(k));
            const Mat4 off = avatar_.joints[static_cast<std::size_t>(joint)].rest.matrix() * bind - Mat4::Identity();
            if (!(off.cwiseAbs().maxCoeff() < kBindTolerance))
                return unfit("the joint " + node.value("name", "?") +
                                 " is bound elsewhere than it stands: the mesh is not in the character's own metres",
                             where);
        }
        return joints;
    }

    Result<void> mesh(std::size_t index, std::size_t skin, LevelMesh& level, std::vector<Vec3i>& triangles) {
        const Result<std::vector<int>> joints = skin_joints(skin);
        if (!joints) return joints.error();
        const Json& primitives = json_.at("meshes").at(index).at("primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            const std::string where = "/meshes/" + std::to_string(index) + "/primitives/" + std::to_string(p);
            const Json& attributes = primitives[p].at("attributes");
            if (primitives[p].contains("extensions") &&
                primitives[p]["extensions"].contains("KHR_draco_mesh_compression"))
                return unfit("the mesh is Draco-compressed, so it cannot be edited in place", where);
            if (attributes.contains("JOINTS_1")) return unfit("the mesh has more than four weights a vertex", where);
            if (!attributes.contains("JOINTS_0") || !attributes.contains("WEIGHTS_0")) continue;
            const Result<std::size_t> first = pool(attributes, skin, *joints, level, where);
            if (!first) return first.error();
            const Result<void> drawn = triangles_of(primitives[p], attributes, *first, level, triangles);
            if (!drawn) return drawn.error();
        }
        return {};
    }

    /// The first vertex of the primitive's pool, read at its first use.
    Result<std::size_t> pool(const Json& attributes, std::size_t skin, const std::vector<int>& joints, LevelMesh& level,
                             const std::string& where) {
        VertexPool made;
        made.joints_accessor = attributes["JOINTS_0"].get<std::size_t>();
        made.weights_accessor = attributes["WEIGHTS_0"].get<std::size_t>();
        made.position_accessor = attributes.at("POSITION").get<std::size_t>();
        made.skin = skin;
        for (const VertexPool& known : level.pools)
            if (known.joints_accessor == made.joints_accessor && known.weights_accessor == made.weights_accessor &&
                known.position_accessor == made.position_accessor && known.skin == skin)
                return known.first;
        for (const std::size_t accessor : {made.joints_accessor, made.weights_accessor}) {
            const Result<gltf::AccessorPlace> place = gltf::place_of(document_, accessor);
            if (!place) return place.error();
            if (!bytes_.insert({place->buffer, place->offset}).second)
                return unfit("the weights are shared by different vertices, joints or levels", where);
        }
        const auto positions = AccessorView::open(document_, made.position_accessor),
                   joint_view = AccessorView::open(document_, made.joints_accessor),
                   weight_view = AccessorView::open(document_, made.weights_accessor);
        for (const auto* view : {&positions, &joint_view, &weight_view})
            if (!*view) return view->error();
        const std::vector<float> p = positions->floats(), w = weight_view->floats();
        const std::vector<std::uint32_t> j = joint_view->unsigned_integers();
        made.first = level.positions.size();
        made.count = positions->count();
        if (p.size() != made.count * 3 || w.size() != made.count * 4 || j.size() != made.count * 4)
            return unfit("positions, joints and weights differ in number", where);
        for (std::size_t v = 0; v < made.count; ++v) {
            level.positions.emplace_back(p[v * 3], p[v * 3 + 1], p[v * 3 + 2]);
            JointWeights weights;
            for (std::size_t k = v * 4; k < v * 4 + 4; ++k)
                if (w[k] > 0 && j[k] < joints.size()) weights.push_back({joints[j[k]], w[k]});
            level.weights.push_back(std::move(weights));
        }
        level.luminance.resize(level.positions.size(), Luminance::kUnknown);
        level.pools.push_back(made);
        return made.first;
    }

    Result<void> triangles_of(const Json& primitive, const Json& attributes, std::size_t first, LevelMesh& level,
                              std::vector<Vec3i>& triangles) {
        const std::size_t count = level.positions.size() - first;
        std::vector<std::uint32_t> indices;
        if (primitive.contains("indices")) {
            const auto view = AccessorView::open(document_, primitive["indices"].get<std::size_t>());
            if (!view) return view.error();
            indices = view->unsigned_integers();
        } else {
            indices.resize(count);
            std::iota(indices.begin(), indices.end(), 0U);
        }
        std::vector<float> uvs;
        if (attributes.contains("TEXCOORD_0")) {
            const auto view = AccessorView::open(document_, attributes["TEXCOORD_0"].get<std::size_t>());
            if (!view) return view.error();
            uvs = view->floats();
        }
        const int material = primitive.contains("material") ? primitive["material"].get<int>() : -1;
        for (std::size_t t = 0; t + 2 < indices.size(); t += 3) {
            Vec3i corners{};
            bool inside = true;
            for (std::size_t c = 0; c < 3; ++c) {
                const std::size_t v = indices[t + c];
                inside = inside && v < count;
                if (!inside) break;
                corners[c] = static_cast<int>(first + v);
                float& luminance = level.luminance[first + v];
                if (!std::isnan(luminance)) continue;
                const Vec2f uv = uvs.size() > v * 2 + 1 ? Vec2f(uvs[v * 2], uvs[v * 2 + 1])
                                                        : Vec2f(Vec2f::Constant(Luminance::kUnknown));
                luminance = luminance_.at(material, uv);
            }
            if (inside) triangles.push_back(corners);
        }
        return {};
    }

    const Document& document_;
    const Json& json_;
    const avatar::Avatar& avatar_;
    Luminance luminance_;
    std::set<std::pair<std::size_t, std::size_t>> bytes_;  // buffer and offset of weights that a pool already has
};

void find_pieces(LevelMesh& level) {
    level.piece.assign(level.neighbours.size(), -1);
    int next = 0;
    for (std::size_t start = 0; start < level.piece.size(); ++start) {
        if (level.piece[start] >= 0) continue;
        std::vector<int> stack{static_cast<int>(start)};
        level.piece[start] = next;
        while (!stack.empty()) {
            const auto at = static_cast<std::size_t>(stack.back());
            stack.pop_back();
            for (const int n : level.neighbours[at]) {
                if (level.piece[static_cast<std::size_t>(n)] >= 0) continue;
                level.piece[static_cast<std::size_t>(n)] = next;
                stack.push_back(n);
            }
        }
        ++next;
    }
}

/// One number into an accessor's component, in its own type.
void store(Bytes& buffer, std::size_t at, int component_type, double value) {
    const auto put = [&](auto number) { std::memcpy(buffer.data() + at, &number, sizeof number); };
    if (component_type == 5121) put(static_cast<std::uint8_t>(value));
    if (component_type == 5123) put(static_cast<std::uint16_t>(value));
    if (component_type == 5126) put(static_cast<float>(value));
}

/// Whole parts of `scale` that add up to it, or the weights themselves for floats.
std::array<double, 4> quantised(const JointWeights& weights, double scale) {
    std::array<double, 4> out{};
    for (std::size_t k = 0; k < weights.size() && k < 4; ++k) out[k] = weights[k].weight;
    if (scale <= 0) return out;
    double sum = 0;
    for (double& value : out) sum += value = std::round(value * scale);
    out[0] += scale - sum;
    return out;
}

}  // namespace

void weld(LevelMesh& level, const std::vector<std::array<int, 3>>& triangles) {
    std::map<std::array<double, 3>, int> places;
    for (std::size_t v = 0; v < level.positions.size(); ++v) {
        const Vec3& p = level.positions[v];
        const auto [at, fresh] = places.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(places.size()));
        level.welded.push_back(at->second);
        if (fresh) level.vertices_of.emplace_back();
        level.vertices_of[static_cast<std::size_t>(at->second)].push_back(static_cast<int>(v));
    }
    level.neighbours.resize(places.size());
    const auto link = [&](int a, int b) {
        if (a == b) return;
        auto& list = level.neighbours[static_cast<std::size_t>(a)];
        if (std::find(list.begin(), list.end(), b) == list.end()) list.push_back(b);
    };
    for (const std::array<int, 3>& t : triangles)
        for (std::size_t c = 0; c < 3; ++c) {
            const int a = level.welded[static_cast<std::size_t>(t[c])],
                      b = level.welded[static_cast<std::size_t>(t[(c + 1) % 3])];
            link(a, b);
            link(b, a);
        }
    find_pieces(level);
}

Result<std::vector<LevelMesh>> read_levels(const Document& document, const avatar::Avatar& avatar,
                                           const PictureSource& pictures) try {
    return Reader(document, avatar, pictures).run();
} catch (const Json::exception& exception) {
    return Error{ErrorKind::malformed, std::string("the file's structure is broken: ") + exception.what(), "",
                 "run `helixavatar preflight` for the whole list"};
}

Result<void> write_weights(Document& document, const LevelMesh& level, const std::vector<bool>& changed,
                           const std::vector<std::vector<int>>& joint_in_skin) {
    for (const VertexPool& pool : level.pools) {
        const auto joints = gltf::place_of(document, pool.joints_accessor),
                   weights = gltf::place_of(document, pool.weights_accessor);
        if (!joints) return joints.error();
        if (!weights) return weights.error();
        const int wide = joints->component_type == 5121 ? 255 : 65535;
        const double scale = weights->component_type == 5126 ? 0 : weights->component_type == 5121 ? 255 : 65535;
        for (std::size_t i = 0; i < pool.count; ++i) {
            const std::size_t v = pool.first + i;
            if (!changed[v]) continue;
            const std::array<double, 4> shares = quantised(level.weights[v], scale);
            for (std::size_t k = 0; k < 4; ++k) {
                const bool used = shares[k] > 0 && k < level.weights[v].size();
                const int joint =
                    used ? joint_in_skin[pool.skin][static_cast<std::size_t>(level.weights[v][k].joint)] : 0;
                if (joint < 0 || joint > wide)
                    return unfit("the skin has more joints than the file's joint indices can hold",
                                 "/accessors/" + std::to_string(pool.joints_accessor));
                const auto width = [](const gltf::AccessorPlace& place) {
                    return static_cast<std::size_t>(gltf::component_bytes(place.component_type));
                };
                store(document.buffers[joints->buffer], joints->offset + i * joints->stride + k * width(*joints),
                      joints->component_type, joint);
                store(document.buffers[weights->buffer], weights->offset + i * weights->stride + k * width(*weights),
                      weights->component_type, used ? shares[k] : 0);
            }
        }
    }
    // Bounds that a file states need not hold any longer.
    for (const VertexPool& pool : level.pools) {
        const auto begin = changed.begin() + static_cast<std::ptrdiff_t>(pool.first);
        if (std::find(begin, begin + static_cast<std::ptrdiff_t>(pool.count), true) ==
            begin + static_cast<std::ptrdiff_t>(pool.count))
            continue;
        for (const std::size_t accessor : {pool.joints_accessor, pool.weights_accessor})
            for (const char* bound : {"min", "max"}) document.json["accessors"][accessor].erase(bound);
    }
    return {};
}

}  // namespace helixavatar::dynamics
