// SPDX-License-Identifier: MIT
#include <vector>

#include "json_parser.hpp"

namespace helixavatar::gltf {
namespace {

/// Members of one object. nlohmann's ordered object finds a key by walking, so that filling one with n members takes
/// n² steps: a file of millions of members would never end. glTF's own objects have fewer than twenty.
constexpr std::size_t kMembersAnObject = 4096;

/// Thrown out of the parse callback, which has no other way to stop the parser.
struct Refused {
    std::string message;
};

/// Watches the parser go by: refuses what is too deep or too wide, counts members that come twice.
class ParseGuard {
public:
    ParseGuard(int depth_limit, std::size_t& repeated) : depth_limit_(depth_limit), repeated_(repeated) {}

    bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
        const auto level = static_cast<std::size_t>(depth);
        switch (event) {
            case Json::parse_event_t::object_start:
            case Json::parse_event_t::array_start:
                if (depth >= depth_limit_)
                    throw Refused{"the JSON is nested deeper than " + std::to_string(depth_limit_) + " levels"};
                if (members_.size() <= level + 1) members_.resize(level + 2);
                members_[level + 1] = 0;
                break;
            case Json::parse_event_t::key:
                if (++members_[level] > kMembersAnObject)
                    throw Refused{"an object of the JSON has more than " + std::to_string(kMembersAnObject) +
                                  " members"};
                break;
            case Json::parse_event_t::object_end:
                repeated_ += members_[level + 1] - parsed.size();
                break;
            default:
                break;
        }
        return true;
    }

private:
    int depth_limit_;
    std::size_t& repeated_;
    std::vector<std::size_t> members_{0, 0};
};

/// nlohmann's words without its own prefix ("[json.exception.parse_error.101] ").
std::string plain_words(const char* what) {
    const std::string_view words = what;
    const std::size_t end = words.find("] ");
    return std::string(end == std::string_view::npos ? words : words.substr(end + 2));
}

}  // namespace

Result<Json> parse_json(std::string_view text, const Limits& limits, std::size_t& repeated_members) {
    repeated_members = 0;
    try {
        return Json::parse(text.begin(), text.end(), ParseGuard(limits.json_depth, repeated_members));
    } catch (const Refused& refused) {
        return Error{ErrorKind::malformed, refused.message, "", ""};
    } catch (const Json::exception& exception) {
        return Error{ErrorKind::malformed, "the JSON does not parse: " + plain_words(exception.what()), "", ""};
    }
}

Result<Json> parse_json(std::string_view text, const Limits& limits) {
    std::size_t repeated_members = 0;
    return parse_json(text, limits, repeated_members);
}

}  // namespace helixavatar::gltf
