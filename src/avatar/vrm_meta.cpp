// SPDX-License-Identifier: MIT
#include <helixavatar/avatar/vrm_meta.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace helixavatar::avatar {
namespace {

const Json& member(const Json& object, const char* key) {
    static const Json none;
    return object.is_object() && object.contains(key) ? object[key] : none;
}

std::string text(const Json& object, const char* key) {
    const Json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

int index(const Json& object, const char* key) {
    const Json& value = member(object, key);
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() < (1 << 30)
               ? value.get<int>()
               : -1;
}

std::string lower(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

bool is_url(const std::string& address) {
    return address.starts_with("https://") || address.starts_with("http://");
}

struct Licence {
    std::string_view vrm, spdx, url;
    bool may_modify, may_redistribute, may_sell;
};

// The VRM 0 names; Creative Commons without a version is read as 4.0.
constexpr std::array<Licence, 8> kLicences{{
    {"CC0", "CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/", true, true, true},
    {"CC_BY", "CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/", true, true, true},
    {"CC_BY_NC", "CC-BY-NC-4.0", "https://creativecommons.org/licenses/by-nc/4.0/", true, true, false},
    {"CC_BY_SA", "CC-BY-SA-4.0", "https://creativecommons.org/licenses/by-sa/4.0/", true, true, true},
    {"CC_BY_NC_SA", "CC-BY-NC-SA-4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/", true, true, false},
    {"CC_BY_ND", "CC-BY-ND-4.0", "https://creativecommons.org/licenses/by-nd/4.0/", false, true, true},
    {"CC_BY_NC_ND", "CC-BY-NC-ND-4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/", false, true, false},
    {"Redistribution_Prohibited", "LicenseRef-VRM-Redistribution-Prohibited", "", true, false, true},
}};

class LicenceReader {
public:
    explicit LicenceReader(const VrmFacts& vrm) : meta_(member(vrm.extension, "meta")) {
        out_.provenance = Json::object();
        if (vrm.version == 0)
            version_0();
        else
            version_1();
    }

    VrmLicence take() { return std::move(out_); }

private:
    void put(const char* key, const std::string& value) {
        if (!value.empty()) out_.provenance[key] = value;
    }

    void warn(const char* field, const std::string& value, const char* means) {
        out_.warnings.push_back("the VRM's meta says " + std::string(field) + ": " + value + ", " + means);
    }

    void source(const std::string& reference) {
        if (is_url(reference)) put("sourceUrl", reference);
    }

    void version_0() {
        source(text(meta_, "reference"));
        const std::string name = text(meta_, "licenseName");
        const auto found =
            std::find_if(kLicences.begin(), kLicences.end(), [&](const Licence& l) { return l.vrm == name; });
        const std::string other = text(meta_, "otherLicenseUrl");
        if (found != kLicences.end()) {
            put("license", std::string(found->spdx));
            put("licenseUrl", found->url.empty() ? other : std::string(found->url));
            if (!found->may_modify) warn("licenseName", name, "which forbids modified copies such as this one");
            if (!found->may_redistribute) warn("licenseName", name, "which forbids publishing it");
            if (!found->may_sell) warn("licenseName", name, "which forbids selling it");
        } else if (!name.empty()) {
            put("license", "LicenseRef-VRM-" + spdx_word(name));
            put("licenseUrl", other);
            if (name == "Other") read_terms(other);
        }
        put("author", text(meta_, "author"));
        put("model", text(meta_, "title"));
        put("version", text(meta_, "version"));
        const std::string allowed = text(meta_, "allowedUserName");
        if (!allowed.empty() && lower(allowed) != "everyone")
            warn("allowedUserName", allowed, "so others may not wear it");
        if (lower(text(meta_, "commercialUssageName")) == "disallow")
            warn("commercialUssageName", "Disallow", "so it may not be sold");
    }

    /// VRoid Hub puts its terms into the address.
    void read_terms(const std::string& url) {
        if (url.find("modification=disallow") != std::string::npos)
            warn("otherLicenseUrl", "modification=disallow", "which forbids modified copies such as this one");
        if (url.find("redistribution=disallow") != std::string::npos)
            warn("otherLicenseUrl", "redistribution=disallow", "which forbids publishing it");
    }

    void version_1() {
        for (const Json& reference : member(meta_, "references"))
            if (reference.is_string() && !out_.provenance.contains("sourceUrl")) source(reference.get<std::string>());
        const std::string url = text(meta_, "licenseUrl"), other = text(meta_, "otherLicenseUrl");
        put("license", url.find("vrm.dev/licenses/1.0") != std::string::npos ? "LicenseRef-VRM-1.0"
                       : url.empty()                                         ? ""
                                                                             : "LicenseRef-VRM-Other");
        put("licenseUrl", url.empty() ? other : url);
        std::string authors;
        for (const Json& author : member(meta_, "authors"))
            if (author.is_string()) authors += (authors.empty() ? "" : ", ") + author.get<std::string>();
        put("author", authors);
        put("model", text(meta_, "name"));
        put("version", text(meta_, "version"));
        put("attribution", text(meta_, "copyrightInformation"));
        // Absent permissions are the strictest ones, by the VRM 1.0 specification.
        const std::string modification = text(meta_, "modification");
        if (modification != "allowModification" && modification != "allowModificationRedistribution")
            warn("modification", modification.empty() ? "prohibited (absent)" : modification,
                 "which forbids modified copies such as this one");
        else if (modification != "allowModificationRedistribution")
            warn("modification", modification, "so a modified copy such as this one may not be passed on");
        if (member(meta_, "allowRedistribution") != Json(true))
            warn("allowRedistribution", "false", "which forbids publishing it");
        const std::string permission = text(meta_, "avatarPermission");
        if (permission != "everyone")
            warn("avatarPermission", permission.empty() ? "onlyAuthor (absent)" : permission,
                 "so others may not wear it");
        const std::string commerce = text(meta_, "commercialUsage");
        if (commerce != "personalProfit" && commerce != "corporation")
            warn("commercialUsage", commerce.empty() ? "personalNonProfit (absent)" : commerce,
                 "so it may not be sold");
    }

    static std::string spdx_word(const std::string& name) {
        std::string word;
        for (const char c : name) word += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
        return word;
    }

    const Json& meta_;
    VrmLicence out_;
};

}  // namespace

VrmFirstPerson vrm_first_person(const VrmFacts& vrm, const std::vector<int>& node_mesh) {
    VrmFirstPerson out;
    for (const Json& annotation : member(member(vrm.extension, "firstPerson"), "meshAnnotations")) {
        int mesh = index(annotation, "mesh");
        if (vrm.version == 1) {
            const int node = index(annotation, "node");
            const bool there = node >= 0 && static_cast<std::size_t>(node) < node_mesh.size();
            mesh = there ? node_mesh[static_cast<std::size_t>(node)] : -1;
        }
        if (std::find(node_mesh.begin(), node_mesh.end(), mesh) == node_mesh.end() || mesh < 0) continue;
        const std::string flag = lower(text(annotation, vrm.version == 1 ? "type" : "firstPersonFlag"));
        if (flag == "thirdpersononly") out.third_person_only.insert(mesh);
        if (flag == "firstpersononly") out.first_person_only.insert(mesh);
    }
    return out;
}

VrmLicence vrm_licence(const VrmFacts& vrm) {
    return LicenceReader(vrm).take();
}

}  // namespace helixavatar::avatar
