// SPDX-License-Identifier: MIT
// What the parts of the structure check share: the findings, tables of members, and the lists that references go to.
#pragma once

#include <cfloat>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <helixavatar/gltf/json_pointer.hpp>
#include <helixavatar/gltf/structure_check.hpp>

namespace helixavatar::gltf {

/// Collects findings up to a bound, so that a file of a million faults does not become a million findings.
class CheckContext {
public:
    CheckContext(const Document& document, const StructureCheckOptions& options);

    const Document& document;
    const Json& json;
    const StructureCheckOptions& options;

    void error(const char* rule, std::string pointer, std::string message, std::string_view code,
               std::string measured = {}, std::string limit = {}, std::string unit = {});
    void warning(const char* rule, std::string pointer, std::string message, std::string_view code,
                 std::string measured = {}, std::string limit = {}, std::string unit = {});
    Findings take();

private:
    void add(Finding finding);
    Findings findings_;
    std::size_t left_out_ = 0;
    bool error_left_out_ = false;
};

enum class Kind {
    boolean,
    whole,  ///< a whole number
    number,
    text,
    object,
    numbers,     ///< an array of numbers, of `size` elements when that is not 0
    reference,   ///< an index into `list`
    references,  ///< a non-empty array of different indices into `list`
    objects,     ///< a non-empty array of objects
    texture      ///< an object {index, texCoord}
};

/// One member that an object may have, and what it must be.
struct Member {
    const char* name;
    Kind kind;
    bool required = false;
    double least = -static_cast<double>(FLT_MAX);  ///< of a number, or of each of an array
    double most = static_cast<double>(FLT_MAX);
    bool above_least = false;    ///< `least` itself is out
    const char* list = nullptr;  ///< the root array that references go to
    std::size_t size = 0;        ///< elements of an array; 0: any number but none
};

/// Checks the members of one object against a table.
void check_members(CheckContext& context, const char* rule, const Json& object, const std::string& pointer,
                   std::initializer_list<Member> members);

/// Calls body(element, pointer, index) for the objects of an array member, which must not be empty; faults are
/// reported.
void for_each_object(CheckContext& context, const char* rule, const Json& holder, const char* name,
                     const std::string& pointer,
                     const std::function<void(const Json&, const std::string&, std::size_t)>& body);

/// A string member that should be one of a few; another one is a warning, as the Khronos validator has it.
void check_choice(CheckContext& context, const char* rule, const Json& object, const std::string& pointer,
                  const char* name, std::initializer_list<std::string_view> choices);
/// The same for whole numbers.
void check_choice(CheckContext& context, const char* rule, const Json& object, const std::string& pointer,
                  const char* name, std::initializer_list<std::size_t> choices);

/// True when extensionsUsed names it.
bool declares(const Json& json, std::string_view extension);

// The parts, in the order in which they run.
void check_asset(CheckContext& context);
void check_names(CheckContext& context);
void check_extension_lists(CheckContext& context);
void check_extension_objects(CheckContext& context);
void check_known_extensions(CheckContext& context);
void check_buffers(CheckContext& context);
void check_buffer_views(CheckContext& context);
void check_accessors(CheckContext& context);
void check_images(CheckContext& context);
void check_textures(CheckContext& context);
void check_materials(CheckContext& context);
void check_cameras(CheckContext& context);
void check_meshes(CheckContext& context);
void check_nodes(CheckContext& context);
void check_scenes(CheckContext& context);
void check_skins(CheckContext& context);
void check_animations(CheckContext& context);
void check_values(CheckContext& context);

}  // namespace helixavatar::gltf
