// SPDX-License-Identifier: MIT
#include "face/families.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>

#include <nlohmann/json.hpp>

namespace helixavatar::embedded {
extern const std::string_view face_families_json;
}

namespace helixavatar::face {
namespace {

using Json = nlohmann::ordered_json;

const Json& data() {
    static const Json json = Json::parse(embedded::face_families_json);
    return json;
}

Family read_family(const std::string& name, const Json& json) {
    Family family;
    family.name = name;
    for (const Json& signature : json.at("signature"))
        family.by_extension = family.by_extension || signature.get<std::string>().starts_with("extensions.");
    for (const auto& [target, alternatives] : json.at("map").items()) {
        for (const Json& alternative : alternatives) {
            Recipe recipe;
            for (const auto& [shape, weight] : alternative.items()) recipe.emplace_back(shape, weight.get<double>());
            family.targets[target].push_back(std::move(recipe));
        }
    }
    return family;
}

}  // namespace

const std::vector<Recipe>& Family::recipes(const std::string& target) const {
    static const std::vector<Recipe> none;
    const auto found = targets.find(target);
    return found == targets.end() ? none : found->second;
}

const std::vector<Family>& families() {
    static const std::vector<Family> all = [] {
        std::vector<Family> read;
        for (const auto& [name, json] : data().items())
            if (!name.starts_with("_")) read.push_back(read_family(name, json));
        return read;
    }();
    return all;
}

const Family& family(const std::string& name) {
    const auto found =
        std::find_if(families().begin(), families().end(), [&](const Family& f) { return f.name == name; });
    assert(found != families().end());
    return *found;
}

const std::vector<std::string>& joint_names(const std::string& part) {
    static const auto all = data().at("_joints").get<std::map<std::string, std::vector<std::string>>>();
    return all.at(part);
}

}  // namespace helixavatar::face
