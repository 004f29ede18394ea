// SPDX-License-Identifier: MIT
// SPDX licence expressions: AND, OR, WITH, parentheses, "+", LicenseRef-...
#include <helixavatar/import/import.hpp>

#include <cctype>
#include <set>

namespace helixavatar::embedded {
extern const std::string_view spdx_licenses_json;
}

namespace helixavatar::import {
namespace {

struct LicenseList {
    std::set<std::string, std::less<>> licenses;
    std::set<std::string, std::less<>> exceptions;
};

const LicenseList& license_list() {
    static const LicenseList list = [] {
        const gltf::Json json = gltf::Json::parse(embedded::spdx_licenses_json);
        LicenseList made;
        for (const auto& id : json["licenses"]) made.licenses.insert(id.get<std::string>());
        for (const auto& id : json["exceptions"]) made.exceptions.insert(id.get<std::string>());
        return made;
    }();
    return list;
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    bool whole() { return either(0) && next().empty(); }

private:
    static constexpr int kDeepest = 32;

    std::string_view peek() {
        const std::size_t at = at_;
        const std::string_view word = next();
        at_ = at;
        return word;
    }

    std::string_view next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        const std::size_t from = at_;
        if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == ')')) return text_.substr(from, ++at_ - from);
        while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) && text_[at_] != '(' &&
               text_[at_] != ')')
            ++at_;
        return text_.substr(from, at_ - from);
    }

    bool either(int depth) {
        if (depth > kDeepest || !both(depth)) return false;
        while (peek() == "OR") {
            next();
            if (!both(depth)) return false;
        }
        return true;
    }

    bool both(int depth) {
        if (!one(depth)) return false;
        while (peek() == "AND") {
            next();
            if (!one(depth)) return false;
        }
        return true;
    }

    bool one(int depth) {
        std::string_view word = next();
        if (word == "(") return either(depth + 1) && next() == ")";
        if (word.ends_with('+')) word.remove_suffix(1);
        const bool own = word.starts_with("LicenseRef-") && word.size() > 11;
        if (!own && !license_list().licenses.count(word)) return false;
        if (peek() != "WITH") return true;
        next();
        return license_list().exceptions.count(next()) > 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

bool is_spdx_expression(std::string_view expression) {
    return Parser(expression).whole();
}

}  // namespace helixavatar::import
