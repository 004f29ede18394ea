// SPDX-License-Identifier: MIT
#include "check_context.hpp"

#include <algorithm>
#include <unordered_set>

#include "file_finding.hpp"
#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

constexpr std::size_t kMostFindings = 2000;

std::string plain_number(double value) {
    return Json(value).dump();
}

bool is_reference(CheckContext& context, const char* rule, const Json& value, const std::string& pointer,
                  const char* list) {
    const auto index = whole_number(value);
    if (!index) {
        context.error(rule, pointer, "must be an index: a whole number, not negative", "TYPE_MISMATCH");
        return false;
    }
    const std::size_t size = element_count(context.json, list);
    if (*index < size) return true;
    context.error(rule, pointer, std::string("refers to ") + list + " that are not there", "UNRESOLVED_REFERENCE",
                  std::to_string(*index), std::to_string(size), list);
    return false;
}

void check_range(CheckContext& context, const char* rule, const Json& value, const std::string& pointer,
                 const Member& member) {
    const double number = value.get<double>();
    if (number <= member.most && (member.above_least ? number > member.least : number >= member.least)) return;
    const bool too_small = number <= member.least;
    context.error(rule, pointer, "the value is out of its range", "VALUE_NOT_IN_RANGE", value.dump(),
                  plain_number(too_small ? member.least : member.most));
}

void check_numbers(CheckContext& context, const char* rule, const Json& value, const std::string& pointer,
                   const Member& member) {
    if (member.size && value.size() != member.size) {
        context.error(rule, pointer, "the array has the wrong number of elements", "ARRAY_LENGTH_NOT_IN_LIST",
                      std::to_string(value.size()), std::to_string(member.size), "elements");
        return;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string at = pointer + "/" + std::to_string(i);
        if (value[i].is_number())
            check_range(context, rule, value[i], at, member);
        else
            context.error(rule, at, "must be a number", "ARRAY_TYPE_MISMATCH");
    }
}

void check_references(CheckContext& context, const char* rule, const Json& value, const std::string& pointer,
                      const char* list) {
    std::unordered_set<std::size_t> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string at = pointer + "/" + std::to_string(i);
        if (!is_reference(context, rule, value[i], at, list)) continue;
        if (!seen.insert(*whole_number(value[i])).second)
            context.error(rule, at, "the same index stands twice in the list", "DUPLICATE_ELEMENTS");
    }
}

bool is_array_kind(Kind kind) {
    return kind == Kind::numbers || kind == Kind::references || kind == Kind::objects;
}

/// What the member should be, when it is something else; null when the type is right.
const char* wrong_type(const Json& value, Kind kind) {
    switch (kind) {
        case Kind::boolean:
            return value.is_boolean() ? nullptr : "must be true or false";
        case Kind::whole: {
            const bool whole = value.is_number_integer() ||
                               (value.is_number() && std::floor(value.get<double>()) == value.get<double>());
            return whole ? nullptr : "must be a whole number";
        }
        case Kind::number:
            return value.is_number() ? nullptr : "must be a number";
        case Kind::text:
            return value.is_string() ? nullptr : "must be a string";
        case Kind::object:
        case Kind::texture:
            return value.is_object() ? nullptr : "must be an object";
        case Kind::numbers:
        case Kind::references:
        case Kind::objects:
            return value.is_array() ? nullptr : "must be an array";
        case Kind::reference:
            return nullptr;
    }
    return nullptr;
}

void check_member(CheckContext& context, const char* rule, const Json& value, const std::string& pointer,
                  const Member& member) {
    if (const char* wrong = wrong_type(value, member.kind)) {
        context.error(rule, pointer, wrong, "TYPE_MISMATCH");
        return;
    }
    if (is_array_kind(member.kind) && value.empty()) {
        context.error(rule, pointer, "the array is empty; it must be left out instead", "EMPTY_ENTITY");
        return;
    }
    switch (member.kind) {
        case Kind::whole:
        case Kind::number:
            check_range(context, rule, value, pointer, member);
            break;
        case Kind::numbers:
            check_numbers(context, rule, value, pointer, member);
            break;
        case Kind::reference:
            is_reference(context, rule, value, pointer, member.list);
            break;
        case Kind::references:
            check_references(context, rule, value, pointer, member.list);
            break;
        case Kind::texture:
            check_members(
                context, rule, value, pointer,
                {{"index", Kind::reference, true, 0, 0, false, "textures"}, {"texCoord", Kind::whole, false, 0}});
            break;
        default:
            break;
    }
}

}  // namespace

CheckContext::CheckContext(const Document& checked, const StructureCheckOptions& with)
    : document(checked), json(checked.json), options(with) {}

void CheckContext::add(Finding finding) {
    if (findings_.size() < kMostFindings) {
        findings_.push_back(std::move(finding));
        return;
    }
    ++left_out_;
    error_left_out_ = error_left_out_ || finding.severity == Severity::error;
}

void CheckContext::error(const char* rule, std::string pointer, std::string message, std::string_view code,
                         std::string measured, std::string limit, std::string unit) {
    add(file_finding(rule, Severity::error, std::move(pointer), std::move(message), code, std::move(measured),
                     std::move(limit), std::move(unit)));
}

void CheckContext::warning(const char* rule, std::string pointer, std::string message, std::string_view code,
                           std::string measured, std::string limit, std::string unit) {
    add(file_finding(rule, Severity::warning, std::move(pointer), std::move(message), code, std::move(measured),
                     std::move(limit), std::move(unit)));
}

Findings CheckContext::take() {
    if (left_out_)
        findings_.push_back(file_finding("file-json", error_left_out_ ? Severity::error : Severity::warning, "",
                                         "the file has more faults than are listed", "",
                                         std::to_string(kMostFindings + left_out_), std::to_string(kMostFindings),
                                         "findings"));
    return std::move(findings_);
}

void check_members(CheckContext& context, const char* rule, const Json& object, const std::string& pointer,
                   std::initializer_list<Member> members) {
    for (const Member& expected : members) {
        const Json* value = member(object, expected.name);
        if (value)
            check_member(context, rule, *value, pointer + "/" + expected.name, expected);
        else if (expected.required)
            context.error(rule, pointer, std::string("the member \"") + expected.name + "\" is missing",
                          "UNDEFINED_PROPERTY");
    }
}

void for_each_object(CheckContext& context, const char* rule, const Json& holder, const char* name,
                     const std::string& pointer,
                     const std::function<void(const Json&, const std::string&, std::size_t)>& body) {
    const Json* list = member(holder, name);
    if (!list) return;
    const std::string at = pointer + "/" + name;
    if (!list->is_array()) {
        context.error(rule, at, "must be an array", "TYPE_MISMATCH");
        return;
    }
    if (list->empty()) context.error(rule, at, "the array is empty; it must be left out instead", "EMPTY_ENTITY");
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string place = at + "/" + std::to_string(i);
        if ((*list)[i].is_object())
            body((*list)[i], place, i);
        else
            context.error(rule, place, "must be an object", pointer.empty() ? "TYPE_MISMATCH" : "ARRAY_TYPE_MISMATCH");
    }
}

void check_choice(CheckContext& context, const char* rule, const Json& object, const std::string& pointer,
                  const char* name, std::initializer_list<std::string_view> choices) {
    const Json* value = member(object, name);
    if (!value || !value->is_string()) return;
    if (std::find(choices.begin(), choices.end(), text_member(object, name)) == choices.end())
        context.warning(rule, pointer + "/" + name, "the value is none that glTF knows", "VALUE_NOT_IN_LIST",
                        std::string(text_member(object, name).substr(0, 60)));
}

void check_choice(CheckContext& context, const char* rule, const Json& object, const std::string& pointer,
                  const char* name, std::initializer_list<std::size_t> choices) {
    const auto value = whole_member(object, name);
    if (value && std::find(choices.begin(), choices.end(), *value) == choices.end())
        context.warning(rule, pointer + "/" + name, "the value is none that glTF knows", "VALUE_NOT_IN_LIST",
                        std::to_string(*value));
}

bool declares(const Json& json, std::string_view extension) {
    const Json* used = member(json, "extensionsUsed");
    return used && used->is_array() && std::any_of(used->begin(), used->end(), [&](const Json& name) {
               return name.is_string() && name.get_ref<const std::string&>() == extension;
           });
}

}  // namespace helixavatar::gltf
