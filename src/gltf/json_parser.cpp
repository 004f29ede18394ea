// SPDX-License-Identifier: MIT
#include "json_parser.hpp"

#include <algorithm>
#include <vector>

namespace helixavatar::gltf {
namespace {

/// Members of one object. nlohmann's ordered object finds a key by walking, so that filling one with n members takes
/// n² steps: a file of millions of members would never end. glTF's own objects have fewer than twenty.
constexpr std::size_t kMembersAnObject = 4096;

/// nlohmann's words without its own prefix ("[json.exception.parse_error.101] ").
std::string plain_words(const char* what) {
    const std::string_view words = what;
    const std::size_t end = words.find("] ");
    return std::string(end == std::string_view::npos ? words : words.substr(end + 2));
}

/// Builds the value as the parser goes, refuses what is too deep or too wide, and counts members that come twice. (The
/// library's own parse callback could do the same at three times the cost.) The names are what nlohmann's parser calls.
class Builder {
public:
    explicit Builder(int depth_limit) : depth_limit_(static_cast<std::size_t>(std::max(depth_limit, 1))) {}

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(Json::number_integer_t value) { return put(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
    bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(Json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(Json::value_t::object); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(Json::value_t::array); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        auto& object = open_.back()->get_ref<Json::object_t&>();
        if (object.size() >= kMembersAnObject)
            return refuse("an object of the JSON has more than " + std::to_string(kMembersAnObject) + " members");
        const std::size_t before = object.size();
        member_ = &object[std::move(name)];
        repeated_ += object.size() == before ? 1U : 0U;
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const Json::exception& exception) {
        return refuse("the JSON does not parse: " + plain_words(exception.what()));
    }

    Json take() { return std::move(root_); }
    std::size_t repeated() const { return repeated_; }
    const std::string& refusal() const { return refusal_; }

private:
    bool refuse(std::string why) {
        refusal_ = std::move(why);
        return false;
    }

    /// Where the next value goes. Containers under construction do not move: only the innermost grows.
    template <class Value>
    Json* place(Value&& value) {
        if (open_.empty()) {
            root_ = Json(std::forward<Value>(value));
            return &root_;
        }
        if (open_.back()->is_array()) {
            auto& array = open_.back()->get_ref<Json::array_t&>();
            array.emplace_back(std::forward<Value>(value));
            return &array.back();
        }
        *member_ = Json(std::forward<Value>(value));
        return member_;
    }

    template <class Value>
    bool put(Value&& value) {
        place(std::forward<Value>(value));
        return true;
    }

    bool open(Json::value_t type) {
        if (open_.size() >= depth_limit_)
            return refuse("the JSON is nested deeper than " + std::to_string(depth_limit_) + " levels");
        open_.push_back(place(type));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    Json root_;
    std::vector<Json*> open_;
    Json* member_ = nullptr;
    std::size_t depth_limit_;
    std::size_t repeated_ = 0;
    std::string refusal_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const Limits& limits, std::size_t& repeated_members) {
    Builder builder(limits.json_depth);
    bool parsed = false;
    try {
        parsed = Json::sax_parse(text.begin(), text.end(), &builder);
    } catch (const Json::exception& exception) {
        return Error{ErrorKind::malformed, "the JSON does not parse: " + plain_words(exception.what()), "", ""};
    }
    if (!parsed) return Error{ErrorKind::malformed, builder.refusal(), "", ""};
    repeated_members = builder.repeated();
    return builder.take();
}

Result<Json> parse_json(std::string_view text, const Limits& limits) {
    std::size_t repeated_members = 0;
    return parse_json(text, limits, repeated_members);
}

}  // namespace helixavatar::gltf
