// SPDX-License-Identifier: MIT
// meshes and their primitives: attributes, indices, morph targets.
#include <algorithm>
#include <array>
#include <map>

#include <helixavatar/gltf/accessor_view.hpp>

#include "accessor_layout.hpp"
#include "check_context.hpp"
#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kMesh = "file-mesh";

/// A semantic in parts: "TEXCOORD_1" is {TEXCOORD, 1}; "POSITION" has no set. Unknown ones have an empty base.
struct Semantic {
    std::string_view base;
    int set = -1;
    bool custom = false;
};

Semantic parse_semantic(std::string_view name) {
    if (name.starts_with('_')) return {{}, -1, true};
    if (name == "POSITION" || name == "NORMAL" || name == "TANGENT") return {name};
    for (const std::string_view base : {"TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"}) {
        if (!name.starts_with(base) || name.size() < base.size() + 2 || name[base.size()] != '_') continue;
        const std::string_view digits = name.substr(base.size() + 1);
        const bool number = digits.size() <= 3 &&
                            std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!number || (digits.size() > 1 && digits[0] == '0')) return {};
        return {base, std::stoi(std::string(digits))};
    }
    return {};
}

/// "VEC3 f" and the like: the type, then b B h H for 8 and 16 bit (capital: unsigned), f for float; n: normalized.
std::string format_of(const Json& accessor) {
    std::string format(text_member(accessor, "type"));
    const Json* normalized = member(accessor, "normalized");
    const char* component = "?";
    switch (whole_member_or(accessor, "componentType", 0)) {
        case 5120:
            component = "b";
            break;
        case 5121:
            component = "B";
            break;
        case 5122:
            component = "h";
            break;
        case 5123:
            component = "H";
            break;
        case 5125:
            component = "I";
            break;
        case 5126:
            component = "f";
            break;
        default:
            break;
    }
    format.append(" ").append(component);
    if (normalized && *normalized == true) format += "n";
    return format;
}

using Formats = std::initializer_list<std::string_view>;

/// glTF 2.0, 3.7.2.1; `quantised` adds what KHR_mesh_quantization allows.
bool is_allowed(std::string_view base, std::string_view format, bool quantised, bool morph) {
    const auto among = [&](Formats formats) {
        return std::find(formats.begin(), formats.end(), format) != formats.end();
    };
    if (base == "POSITION")
        return among({"VEC3 f"}) ||
               (quantised &&
                (morph ? among({"VEC3 b", "VEC3 bn", "VEC3 h", "VEC3 hn"})
                       : among({"VEC3 b", "VEC3 bn", "VEC3 B", "VEC3 Bn", "VEC3 h", "VEC3 hn", "VEC3 H", "VEC3 Hn"})));
    if (base == "NORMAL") return among({"VEC3 f"}) || (quantised && among({"VEC3 b", "VEC3 bn", "VEC3 h", "VEC3 hn"}));
    if (base == "TANGENT" && morph)
        return among({"VEC3 f"}) || (quantised && among({"VEC3 b", "VEC3 bn", "VEC3 h", "VEC3 hn"}));
    if (base == "TANGENT") return among({"VEC4 f"}) || (quantised && among({"VEC4 bn", "VEC4 hn"}));
    if (base == "TEXCOORD")
        return among({"VEC2 f", "VEC2 Bn", "VEC2 Hn"}) ||
               ((quantised || morph) && among({"VEC2 b", "VEC2 bn", "VEC2 B", "VEC2 h", "VEC2 hn", "VEC2 H"}));
    if (base == "COLOR")
        return among({"VEC3 f", "VEC3 Bn", "VEC3 Hn", "VEC4 f", "VEC4 Bn", "VEC4 Hn"}) ||
               (morph && among({"VEC3 bn", "VEC3 hn", "VEC4 bn", "VEC4 hn"}));
    if (base == "JOINTS") return among({"VEC4 B", "VEC4 H"});
    if (base == "WEIGHTS") return among({"VEC4 f", "VEC4 Bn", "VEC4 Hn"});
    return true;
}

enum class Use : std::uint8_t { none, vertices, indices };

class MeshCheck {
public:
    explicit MeshCheck(CheckContext& context)
        : context_(context),
          quantised_(declares(context.json, "KHR_mesh_quantization")),
          use_(element_count(context.json, "bufferViews"), Use::none),
          vertex_accessor_(use_.size(), SIZE_MAX) {
        for (std::size_t i = 0; i < use_.size(); ++i) {
            const auto target = whole_member(context.json["bufferViews"][i], "target");
            if (target == std::size_t{34962}) use_[i] = Use::vertices;
            if (target == std::size_t{34963}) use_[i] = Use::indices;
        }
    }

    void mesh(const Json& mesh, const std::string& at) {
        if (!mesh.contains("primitives"))
            context_.error(kMesh, at, "the member \"primitives\" is missing", "UNDEFINED_PROPERTY");
        check_members(context_, kMesh, mesh, at, {{"weights", Kind::numbers}});
        std::optional<std::size_t> targets;
        for_each_object(context_, kMesh, mesh, "primitives", at,
                        [&](const Json& part, const std::string& place, std::size_t) {
                            primitive(part, place);
                            const std::size_t count = element_count(part, "targets");
                            if (targets && *targets != count)
                                context_.error(kMesh, place + (count ? "/targets" : ""),
                                               "the primitives of a mesh have different numbers of morph targets",
                                               "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", std::to_string(count),
                                               std::to_string(*targets), "targets");
                            if (!targets) targets = count;
                        });
        const std::size_t weights = element_count(mesh, "weights");
        if (weights && targets && weights != *targets)
            context_.error(kMesh, at + "/weights", "the mesh has not one weight for each morph target",
                           "MESH_INVALID_WEIGHTS_COUNT", std::to_string(weights), std::to_string(*targets), "weights");
    }

private:
    const Json* accessor_at(const Json& value) const {
        const auto index = whole_number(value);
        return index ? element(context_.json, "accessors", *index) : nullptr;
    }

    /// The accessor behind a reference; faults of the reference itself are reported.
    const Json* resolve(const Json& value, const std::string& at) {
        const auto index = whole_number(value);
        if (!index) {
            context_.error(kMesh, at, "must be the index of an accessor", "TYPE_MISMATCH");
            return nullptr;
        }
        const Json* accessor = element(context_.json, "accessors", *index);
        if (!accessor)
            context_.error(kMesh, at, "refers to accessors that are not there", "UNRESOLVED_REFERENCE",
                           std::to_string(*index), std::to_string(element_count(context_.json, "accessors")),
                           "accessors");
        return accessor && accessor->is_object() ? accessor : nullptr;
    }

    void primitive(const Json& primitive, const std::string& at) {
        check_members(context_, kMesh, primitive, at,
                      {{"attributes", Kind::object, true},
                       {"indices", Kind::reference, false, 0, 0, false, "accessors"},
                       {"material", Kind::reference, false, 0, 0, false, "materials"},
                       {"mode", Kind::whole, false, 0}});
        check_choice(context_, kMesh, primitive, at, "mode", {0U, 1U, 2U, 3U, 4U, 5U, 6U});
        vertices_.reset();
        if (const Json* attributes = member(primitive, "attributes"); attributes && attributes->is_object())
            check_attributes(*attributes, at + "/attributes");
        if (const Json* indices = member(primitive, "indices"))
            if (const Json* accessor = accessor_at(*indices)) check_indices(*accessor, at + "/indices");
        if (primitive.contains("targets")) check_targets(primitive, at);
        check_texcoords(primitive, at);
    }

    void check_attributes(const Json& attributes, const std::string& at) {
        if (attributes.empty())
            context_.error(kMesh, at, "a primitive without attributes draws nothing", "EMPTY_ENTITY");
        else if (!attributes.contains("POSITION"))
            context_.warning(kMesh, at, "a primitive without POSITION draws nothing", "MESH_PRIMITIVE_NO_POSITION");
        std::map<std::string_view, std::vector<int>> sets;
        for (const auto& [name, value] : attributes.items()) {
            const std::string place = at + "/" + pointer_token(name);
            const Semantic semantic = parse_semantic(name);
            if (semantic.base.empty() && !semantic.custom)
                context_.error(kMesh, place, "the attribute's name is none that glTF knows and does not begin with _",
                               "MESH_PRIMITIVE_INVALID_ATTRIBUTE");
            if (semantic.set >= 0) sets[semantic.base].push_back(semantic.set);
            if (const Json* accessor = resolve(value, place))
                check_attribute(*accessor, *whole_number(value), semantic, place, false);
        }
        for (auto& [base, numbers] : sets) {
            std::sort(numbers.begin(), numbers.end());
            if (numbers.back() + 1 != static_cast<int>(numbers.size()))
                context_.error(kMesh, at, "the sets of " + std::string(base) + " do not count up from 0",
                               "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", std::to_string(numbers.size()),
                               std::to_string(numbers.back() + 1), "sets");
        }
        if (sets["JOINTS"].size() != sets["WEIGHTS"].size())
            context_.error(kMesh, at, "there are not as many sets of JOINTS as of WEIGHTS",
                           "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", std::to_string(sets["JOINTS"].size()),
                           std::to_string(sets["WEIGHTS"].size()), "sets");
    }

    void check_attribute(const Json& accessor, std::size_t index, const Semantic& semantic, const std::string& at,
                         bool morph) {
        const std::string format = format_of(accessor);
        const std::size_t count = whole_member_or(accessor, "count", 0);
        if (semantic.custom && format.ends_with("I"))
            context_.error(kMesh, at, "vertex attributes cannot be 32-bit integers",
                           "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT");
        else if (!semantic.base.empty() && !is_allowed(semantic.base, format, quantised_, morph))
            context_.error(kMesh, at, "the accessor's type does not fit its attribute",
                           "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", format, std::string(semantic.base));
        if (semantic.base == "POSITION" && (!accessor.contains("min") || !accessor.contains("max")))
            context_.error(kMesh, at, "POSITION must give min and max: viewers frame the model with them",
                           "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS");
        if (!vertices_) vertices_ = count;
        if (count != *vertices_)
            context_.error(
                kMesh, at,
                morph ? "the morph target has not as many vertices as its primitive"
                      : "the attribute has not as many vertices as POSITION",
                morph ? "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT" : "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
                std::to_string(count), std::to_string(*vertices_), "vertices");
        check_vertex_view(accessor, index, at);
    }

    void check_vertex_view(const Json& accessor, std::size_t index, const std::string& at) {
        const auto view_index = whole_member(accessor, "bufferView");
        const Json* view = view_index ? element(context_.json, "bufferViews", *view_index) : nullptr;
        if (!view || !view->is_object()) return;
        use(*view_index, Use::vertices, at);
        const std::size_t component_type = std::min<std::size_t>(whole_member_or(accessor, "componentType", 0), 9999);
        const ElementLayout layout = element_layout(text_member(accessor, "type"), static_cast<int>(component_type));
        const auto stride = whole_member(*view, "byteStride");
        if (!stride) {
            std::size_t& other = vertex_accessor_[*view_index];
            if (other != SIZE_MAX && other != index)
                context_.error(kMesh, at, "two vertex accessors share a bufferView that has no byteStride",
                               "MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE");
            other = index;
        }
        const std::size_t start = whole_member_or(*view, "byteOffset", 0) + whole_member_or(accessor, "byteOffset", 0);
        if (start % 4 != 0 || stride.value_or(layout.size) % 4 != 0)
            context_.error(kMesh, at, "vertex data do not begin at multiples of four bytes",
                           "MESH_PRIMITIVE_ACCESSOR_UNALIGNED",
                           std::to_string(start % 4 != 0 ? start : stride.value_or(layout.size)), "4", "bytes");
    }

    void use(std::size_t view, Use as, const std::string& at) {
        if (use_[view] != Use::none && use_[view] != as)
            context_.error(kMesh, at, "the bufferView serves vertices and indices, or its target says the other",
                           "BUFFER_VIEW_TARGET_OVERRIDE");
        use_[view] = as;
    }

    void check_indices(const Json& accessor, const std::string& at) {
        const std::string format = format_of(accessor);
        if (format != "SCALAR B" && format != "SCALAR H" && format != "SCALAR I")
            context_.error(kMesh, at, "indices must be unsigned whole numbers",
                           "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", format);
        const auto view_index = whole_member(accessor, "bufferView");
        const Json* view = view_index ? element(context_.json, "bufferViews", *view_index) : nullptr;
        if (!view || !view->is_object()) return;
        use(*view_index, Use::indices, at);
        if (view->contains("byteStride"))
            context_.error(kMesh, at, "the bufferView of indices has a byteStride",
                           "MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE");
    }

    void check_targets(const Json& primitive, const std::string& at) {
        const Json* attributes = member(primitive, "attributes");
        for_each_object(
            context_, kMesh, primitive, "targets", at, [&](const Json& target, const std::string& place, std::size_t) {
                if (target.empty()) context_.error(kMesh, place, "the morph target is empty", "EMPTY_ENTITY");
                for (const auto& [name, value] : target.items()) {
                    const std::string where = place + "/" + pointer_token(name);
                    const Semantic semantic = parse_semantic(name);
                    const bool known = semantic.custom || (!semantic.base.empty() && semantic.base != "JOINTS" &&
                                                           semantic.base != "WEIGHTS");
                    if (!known)
                        context_.error(kMesh, where, "the morph target moves an attribute that cannot be moved",
                                       "MESH_PRIMITIVE_INVALID_ATTRIBUTE");
                    if (attributes && attributes->is_object() && !attributes->contains(name))
                        context_.error(kMesh, where,
                                       "the morph target moves an attribute that the primitive does not have",
                                       "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR");
                    if (const Json* accessor = resolve(value, where))
                        check_attribute(*accessor, *whole_number(value), semantic, where, true);
                }
            });
    }

    /// Every texture of the material finds its set of coordinates.
    void check_texcoords(const Json& primitive, const std::string& at) {
        const auto index = whole_member(primitive, "material");
        const Json* material = index ? element(context_.json, "materials", *index) : nullptr;
        const Json* attributes = member(primitive, "attributes");
        if (!material || !attributes || !attributes->is_object()) return;
        std::size_t needed = 0;
        most_texcoord(*material, needed);
        if (needed && !attributes->contains("TEXCOORD_" + std::to_string(needed - 1)))
            context_.error(kMesh, at + "/material",
                           "the material's textures use texture coordinates that the primitive does not have",
                           "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", "", std::to_string(needed), "sets");
    }

    /// One more than the highest texCoord of any texture in the material, extensions included.
    void most_texcoord(const Json& value, std::size_t& needed) const {
        if (!value.is_object()) return;
        for (const auto& [name, child] : value.items()) {
            if (name == "extras" || !child.is_object()) continue;
            if (name.ends_with("Texture") && child.contains("index")) {
                std::size_t set = whole_member_or(child, "texCoord", 0);
                if (const Json* transform = extension(child, "KHR_texture_transform"))
                    set = whole_member_or(*transform, "texCoord", set);
                needed = std::max(needed, std::min<std::size_t>(set, 999) + 1);
            } else {
                most_texcoord(child, needed);
            }
        }
    }

    CheckContext& context_;
    bool quantised_;
    std::vector<Use> use_;
    std::vector<std::size_t>
        vertex_accessor_;                  ///< of each bufferView without byteStride: the vertex accessor seen last
    std::optional<std::size_t> vertices_;  ///< of the primitive at hand
};

}  // namespace

void check_meshes(CheckContext& context) {
    MeshCheck check(context);
    for_each_object(context, kMesh, context.json, "meshes", "",
                    [&](const Json& mesh, const std::string& at, std::size_t) { check.mesh(mesh, at); });
}

}  // namespace helixavatar::gltf
