// SPDX-License-Identifier: MIT
// What the record needs of the source: VRM expressions by morph name (the file binds them by mesh or node index), the
// drawn height.
#include "receipt.hpp"

namespace helixavatar::import {
namespace {

using gltf::Json;

std::string morph_name(const avatar::Source& source, const Json& mesh, const Json& index) {
    if (!mesh.is_number_integer() || !index.is_number_integer()) return {};
    const auto m = mesh.get<long long>();
    const auto i = index.get<long long>();
    if (m < 0 || static_cast<std::size_t>(m) >= source.mesh_morph_names.size()) return {};
    const std::vector<std::string>& names = source.mesh_morph_names[m];
    return i < 0 || static_cast<std::size_t>(i) >= names.size() ? std::string() : names[i];
}

double number(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void add_bind(face::Expression& expression, const std::string& morph, double weight) {
    if (!morph.empty() && weight > 0) expression.morphs.emplace_back(morph, weight);
}

std::vector<face::Expression> of_vrm0(const avatar::Source& source) {
    std::vector<face::Expression> list;
    const Json groups =
        source.vrm->extension.value(Json::json_pointer("/blendShapeMaster/blendShapeGroups"), Json::array());
    for (const Json& group : groups) {
        if (!group.is_object()) continue;
        face::Expression expression;
        expression.preset = text(group, "presetName");
        if (expression.preset.empty() || expression.preset == "unknown") expression.preset = text(group, "name");
        for (const Json& bind : group.value("binds", Json::array()))
            if (bind.is_object())
                add_bind(expression, morph_name(source, bind.value("mesh", Json()), bind.value("index", Json())),
                         number(bind, "weight") / 100);
        list.push_back(std::move(expression));
    }
    return list;
}

std::vector<face::Expression> of_vrm1(const avatar::Source& source) {
    std::vector<face::Expression> list;
    for (const char* group : {"/expressions/preset", "/expressions/custom"}) {
        const Json expressions = source.vrm->extension.value(Json::json_pointer(group), Json::object());
        if (!expressions.is_object()) continue;
        for (const auto& item : expressions.items()) {
            if (!item.value().is_object()) continue;
            face::Expression expression;
            expression.preset = item.key();
            for (const Json& bind : item.value().value("morphTargetBinds", Json::array())) {
                if (!bind.is_object()) continue;
                const Json node = bind.value("node", Json());
                const bool known = node.is_number_integer() && node.get<long long>() >= 0 &&
                                   static_cast<std::size_t>(node.get<long long>()) < source.node_mesh.size();
                const Json mesh = known ? Json(source.node_mesh[node.get<std::size_t>()]) : Json();
                add_bind(expression, morph_name(source, mesh, bind.value("index", Json())), number(bind, "weight"));
            }
            list.push_back(std::move(expression));
        }
    }
    return list;
}

}  // namespace

std::vector<face::Expression> vrm_expressions(const avatar::Source& source) {
    return source.vrm->version == 0 ? of_vrm0(source) : of_vrm1(source);
}

double height_along(const avatar::Level& level, const Vec3& up) {
    double low = 1e300;
    double high = -1e300;
    for (const avatar::Surface& surface : level.surfaces)
        for (const Vec3f& position : surface.positions) {
            const double h = position.cast<double>().dot(up);
            low = std::min(low, h);
            high = std::max(high, h);
        }
    return high > low ? high - low : 0;
}

}  // namespace helixavatar::import
