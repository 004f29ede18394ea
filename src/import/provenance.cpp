// SPDX-License-Identifier: MIT
#include <helixavatar/import/import.hpp>

#include <algorithm>

namespace helixavatar::import {
namespace {

constexpr const char* kRequired[] = {"sourceUrl", "license", "licenseUrl"};
constexpr const char* kOptional[] = {"attribution", "author", "model", "version"};

Error bad(const std::string& message, const std::string& pointer) {
    return {
        ErrorKind::usage, message, pointer,
        "a provenance file is {\"sourceUrl\", \"license\" (SPDX, such as CC-BY-4.0), \"licenseUrl\"} and optionally "
        "\"attribution\", \"author\", \"model\", \"version\", all strings"};
}

}  // namespace

Result<gltf::Json> parse_provenance(std::string_view json_text) {
    Result<gltf::Json> json = gltf::parse_json(json_text);
    if (!json) return bad("the provenance is not JSON: " + json.error().message, json.error().where);
    if (!json->is_object()) return bad("the provenance is not a JSON object", "");
    for (const char* key : kRequired)
        if (!json->contains(key)) return bad(std::string("the required key \"") + key + "\" is missing", "");
    for (const auto& item : json->items()) {
        const auto is_key = [&](const char* key) { return item.key() == key; };
        if (std::none_of(std::begin(kRequired), std::end(kRequired), is_key) &&
            std::none_of(std::begin(kOptional), std::end(kOptional), is_key))
            return bad("the key \"" + item.key() + "\" is not known", "/" + item.key());
        if (!item.value().is_string() || item.value().get<std::string>().empty())
            return bad("\"" + item.key() + "\" is not a text", "/" + item.key());
    }
    for (const char* key : {"sourceUrl", "licenseUrl"}) {
        const std::string url = (*json)[key];
        if (!url.starts_with("https://") && !url.starts_with("http://"))
            return bad(std::string("\"") + key + "\" is not a http(s) address: " + url, std::string("/") + key);
    }
    const std::string license = (*json)["license"];
    if (!is_spdx_expression(license)) return bad("\"" + license + "\" is not an SPDX licence expression", "/license");
    return json;
}

}  // namespace helixavatar::import
