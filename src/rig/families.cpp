// SPDX-License-Identifier: MIT
#include "rig/families.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include <helixavatar/rig/recognise.hpp>

namespace helixavatar::embedded {
extern const std::string_view rig_families_json;
}

namespace helixavatar::rig {
namespace {

using Json = nlohmann::ordered_json;

const Json& data() {
    static const Json json = Json::parse(embedded::rig_families_json);
    return json;
}

std::vector<std::string> list(const Json& json, const char* key) {
    return json.at(key).get<std::vector<std::string>>();
}

/// The joints that tell a body; fingers and twists are often missing.
bool is_core(const std::string& role) {
    static const std::set<std::string> kBases = {"pelvis", "spine_01", "spine_03", "spine_05", "neck_01",
                                                 "head",   "clavicle", "upperarm", "lowerarm", "hand",
                                                 "thigh",  "calf",     "foot",     "ball"};
    return kBases.count(split_role(role).first) > 0;
}

Family read_family(const std::string& key, const Json& json) {
    Family out;
    out.key = key;
    out.evidence = json.value("evidence", "");
    for (const Json& name : json.at("signature")) {
        const auto text = name.get<std::string>();
        if (text.rfind("extensions.", 0) == 0) out.by_extension = true;
        out.signature.push_back(read_name(text));
    }
    for (const auto& [role, value] : json.at("map").items()) {
        ++out.joints;
        const Json aliases = value.is_array() ? value : Json::array({value});
        int rank = 0;
        for (const Json& alias : aliases) out.names.push_back({role, rank++, read_name(alias.get<std::string>())});
    }
    return out;
}

char side_letter(Side side) {
    return side == Side::left ? 'l' : side == Side::right ? 'r' : '-';
}
std::string sided(const std::string& key, Side side) {
    return side_letter(side) + key;
}

}  // namespace

const Words& words() {
    static const Words kWords = [] {
        const Json& json = data().at("_common").at("words");
        return Words{list(json, "prefixes"), list(json, "control_prefixes"), list(json, "ignored"), list(json, "left"),
                     list(json, "right"),    list(json, "not_main"),         list(json, "twist"),   list(json, "end"),
                     list(json, "front")};
    }();
    return kWords;
}

const std::vector<Family>& family_tables() {
    static const std::vector<Family> kTables = [] {
        std::vector<Family> out;
        for (const auto& [key, json] : data().items()) {
            if (key[0] != '_') out.push_back(read_family(key, json));
        }
        return out;
    }();
    return kTables;
}

std::pair<std::string, Side> split_role(const std::string& role) {
    const auto size = role.size();
    if (size > 2 && role[size - 2] == '_') {
        if (role[size - 1] == 'l') return {role.substr(0, size - 2), Side::left};
        if (role[size - 1] == 'r') return {role.substr(0, size - 2), Side::right};
    }
    return {role, Side::none};
}

std::string with_side(const std::string& base, Side side) {
    return side == Side::left ? base + "_l" : side == Side::right ? base + "_r" : base;
}

std::vector<double> family_scores(const std::vector<JointName>& names, const std::vector<JointName>& nodes) {
    std::set<std::string> full, shorts, raw;
    for (const JointName& name : names) {
        raw.insert(name.raw);
        full.insert(sided(name.full, name.side));
        shorts.insert(sided(name.key, name.side));
    }
    std::set<std::string> anywhere;
    for (const JointName& name : nodes) anywhere.insert(sided(name.full, name.side));
    const auto found = [&](const JointName& name) {
        if (full.count(sided(name.full, name.side))) return 1.0;
        return shorts.count(sided(name.key, name.side)) ? 0.9 : 0.0;
    };
    std::vector<double> out;
    for (const Family& family : family_tables()) {
        if (family.by_extension) {
            out.push_back(0);
            continue;
        }
        double signature = 0;
        for (const JointName& name : family.signature)
            signature += std::max(found(name), anywhere.count(sided(name.full, name.side)) ? 1.0 : 0.0);
        std::map<std::string, double> best;
        std::set<std::string> own;
        std::size_t known = 0, letter_for_letter = 0;
        for (const FamilyName& entry : family.names) {
            known += found(entry.name) > 0;
            letter_for_letter += raw.count(entry.name.raw);
            own.insert(sided(entry.name.key, entry.name.side));
            if (is_core(entry.role)) best[entry.role] = std::max(best[entry.role], found(entry.name));
        }
        double mapped = 0;
        for (const auto& [role, value] : best) mapped += value;
        std::size_t explained = 0;
        for (const std::string& name : shorts) explained += own.count(name);
        const double mapped_share = best.empty() ? 0 : mapped / static_cast<double>(best.size());
        const double signature_share = signature / std::max<double>(1, static_cast<double>(family.signature.size()));
        const double explained_share =
            static_cast<double>(explained) / std::max<double>(1, static_cast<double>(shorts.size()));
        // A table of seven names cannot outweigh one of twenty-two.
        const double trust = std::min(1.0, static_cast<double>(best.size()) / 14.0);
        // Families that differ in capitals only are told apart by them.
        const double exact =
            0.01 * static_cast<double>(letter_for_letter) / static_cast<double>(std::max<std::size_t>(1, known));
        out.push_back(mapped_share < 0.5
                          ? 0.2 * mapped_share
                          : trust * (0.25 * signature_share + 0.54 * mapped_share + 0.2 * explained_share + exact));
    }
    return out;
}

Votes name_votes(const std::vector<JointName>& names, const std::vector<double>& scores) {
    const auto& tables = family_tables();
    // Cubed, so that the family that fits decides and the others only fill in what it does not name.
    std::map<std::string, std::map<std::string, double>> by_key;
    double top = 0;
    for (const double score : scores) top = std::max(top, score);
    for (std::size_t f = 0; f < tables.size(); ++f) {
        const double say = top > 0 ? scores[f] / top : 0;
        for (const FamilyName& entry : tables[f].names) {
            double& vote = by_key[sided(entry.name.key, entry.name.side)][entry.role];
            vote = std::max(vote, std::max(0.02, say * say * say) * (entry.rank == 0 ? 1.0 : 0.9));
        }
    }
    std::map<std::string, int> stems;
    for (const JointName& name : names) ++stems[sided(name.stem, name.side)];
    Votes out(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const JointName& name = names[i];
        const auto say = [&](const std::string& key, double factor) {
            std::map<std::string, double> said;
            const auto hit = by_key.find(sided(key, name.side));
            if (hit == by_key.end()) return said;
            double sum = 0, best = 0;
            for (const auto& [role, vote] : hit->second) {
                sum += vote;
                best = std::max(best, vote);
            }
            // A word that only families unlike this rig know is a weak hint.
            for (const auto& [role, vote] : hit->second)
                said[role] = factor * std::min(vote / sum, best < 0.1 ? 0.4 : 1.0);
            return said;
        };
        const auto strength = [](const std::map<std::string, double>& said) {
            double best = 0;
            for (const auto& [role, vote] : said) best = std::max(best, vote);
            return best;
        };
        out[i] = say(name.key, 1);
        if (name.stem == name.key || strength(out[i]) >= 0.5) continue;
        // "Palm2" of a rig with three palms: less sure than a name that is alone.
        auto stem = say(name.stem, 0.75 / std::sqrt(stems[sided(name.stem, name.side)]));
        if (strength(stem) > strength(out[i])) out[i] = std::move(stem);
    }
    return out;
}

const std::vector<FamilyInfo>& families() {
    static const std::vector<FamilyInfo> kInfo = [] {
        std::vector<FamilyInfo> out;
        for (const Family& family : family_tables()) out.push_back({family.key, family.joints, family.evidence});
        return out;
    }();
    return kInfo;
}

std::pair<std::string, double> best_family(const std::vector<double>& scores, int vrm_version) {
    if (vrm_version >= 0) return {vrm_version == 0 ? "vrm0" : "vrm1", 1.0};
    std::size_t best = 0;
    for (std::size_t i = 1; i < scores.size(); ++i) {
        if (scores[i] > scores[best] + 1e-9) best = i;
    }
    if (scores.empty() || scores[best] < 0.35) return {"unknown", 0};
    return {family_tables()[best].key, scores[best]};
}

std::pair<std::string, double> guess_family(const std::vector<NodeName>& nodes, int vrm_version) {
    std::vector<std::string> labels;
    for (const NodeName& node : nodes) labels.push_back(node.name);
    const auto names = read_names(labels);
    std::vector<JointName> joints;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].joint) joints.push_back(names[i]);
    }
    return best_family(family_scores(joints, names), vrm_version);
}

}  // namespace helixavatar::rig
