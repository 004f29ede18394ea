// SPDX-License-Identifier: MIT
#include <set>

#include "check_context.hpp"
#include "json_read.hpp"

namespace helixavatar::gltf {
namespace {

constexpr const char* kAnimation = "file-animation";

class AnimationCheck {
public:
    AnimationCheck(CheckContext& context, const Json& animation, const std::string& at)
        : context_(context), animation_(animation), at_(at) {}

    void run() {
        for (const char* name : {"channels", "samplers"})
            if (!animation_.contains(name))
                context_.error(kAnimation, at_, std::string("the member \"") + name + "\" is missing",
                               "UNDEFINED_PROPERTY");
        for_each_object(context_, kAnimation, animation_, "samplers", at_,
                        [&](const Json& sampler, const std::string& at, std::size_t) { check_sampler(sampler, at); });
        for_each_object(context_, kAnimation, animation_, "channels", at_,
                        [&](const Json& channel, const std::string& at, std::size_t) { check_channel(channel, at); });
    }

private:
    const Json* accessor(const Json& holder, const char* name) const {
        const auto index = whole_member(holder, name);
        const Json* found = index ? element(context_.json, "accessors", *index) : nullptr;
        return found && found->is_object() ? found : nullptr;
    }

    void no_stride(const Json& accessor, const std::string& at) {
        const auto index = whole_member(accessor, "bufferView");
        const Json* view = index ? element(context_.json, "bufferViews", *index) : nullptr;
        if (view && view->is_object() && view->contains("byteStride"))
            context_.error(kAnimation, at, "the bufferView of animation data has a byteStride",
                           "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE");
    }

    void check_sampler(const Json& sampler, const std::string& at) {
        check_members(context_, kAnimation, sampler, at,
                      {{"input", Kind::reference, true, 0, 0, false, "accessors"},
                       {"output", Kind::reference, true, 0, 0, false, "accessors"},
                       {"interpolation", Kind::text}});
        check_choice(context_, kAnimation, sampler, at, "interpolation", {"LINEAR", "STEP", "CUBICSPLINE"});
        if (const Json* input = accessor(sampler, "input")) {
            const std::string place = at + "/input";
            if (text_member(*input, "type") != "SCALAR" || whole_member(*input, "componentType") != std::size_t{5126})
                context_.error(kAnimation, place, "the times must be SCALAR floats",
                               "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT");
            if (!input->contains("min") || !input->contains("max"))
                context_.error(kAnimation, place, "the times must give min and max: players read the length from them",
                               "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS");
            const std::size_t count = whole_member_or(*input, "count", 0);
            if (text_member(sampler, "interpolation") == "CUBICSPLINE" && count < 2)
                context_.error(kAnimation, place, "a cubic spline needs two keys",
                               "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", std::to_string(count), "2", "keys");
            no_stride(*input, place);
        }
        if (const Json* output = accessor(sampler, "output")) no_stride(*output, at + "/output");
    }

    void check_channel(const Json& channel, const std::string& at) {
        check_members(context_, kAnimation, channel, at,
                      {{"sampler", Kind::whole, true, 0}, {"target", Kind::object, true}});
        const auto sampler_index = whole_member(channel, "sampler");
        const Json* sampler = sampler_index ? element(animation_, "samplers", *sampler_index) : nullptr;
        if (sampler_index && !sampler)
            context_.error(kAnimation, at + "/sampler", "refers to samplers that are not there", "UNRESOLVED_REFERENCE",
                           std::to_string(*sampler_index), std::to_string(element_count(animation_, "samplers")),
                           "samplers");
        const Json* target = member(channel, "target");
        if (!target || !target->is_object()) return;
        const std::string place = at + "/target";
        check_members(context_, kAnimation, *target, place,
                      {{"node", Kind::reference, false, 0, 0, false, "nodes"}, {"path", Kind::text, true}});
        if (!extension(*target, "KHR_animation_pointer"))
            check_choice(context_, kAnimation, *target, place, "path", {"translation", "rotation", "scale", "weights"});
        const auto node_index = whole_member(*target, "node");
        const Json* node = node_index ? element(context_.json, "nodes", *node_index) : nullptr;
        const std::string path(text_member(*target, "path"));
        if (node_index && !targets_.emplace(*node_index, path).second)
            context_.error(kAnimation, place, "two channels move the same node in the same way",
                           "ANIMATION_DUPLICATE_TARGETS");
        std::size_t targets = 0;
        if (node && node->is_object()) targets = check_node_target(*node, path, place);
        if (sampler) check_output(*sampler, path, targets, at + "/sampler");
    }

    /// Returns the number of morph targets of the node's mesh.
    std::size_t check_node_target(const Json& node, const std::string& path, const std::string& at) {
        if (path != "weights" && node.contains("matrix"))
            context_.error(kAnimation, at, "an animated node cannot have a matrix",
                           "ANIMATION_CHANNEL_TARGET_NODE_MATRIX");
        const auto mesh_index = whole_member(node, "mesh");
        const Json* mesh = mesh_index ? element(context_.json, "meshes", *mesh_index) : nullptr;
        const Json* first = mesh ? element(*mesh, "primitives", 0) : nullptr;
        const std::size_t targets = first ? element_count(*first, "targets") : 0;
        if (path == "weights" && targets == 0)
            context_.error(kAnimation, at, "the channel moves morph weights, and the node's mesh has no morph targets",
                           "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS");
        return targets;
    }

    void check_output(const Json& sampler, const std::string& path, std::size_t targets, const std::string& at) {
        const Json* input = accessor(sampler, "input");
        const Json* output = accessor(sampler, "output");
        const bool known = path == "translation" || path == "rotation" || path == "scale" || path == "weights";
        if (!output || !known) return;
        const std::string_view wanted = path == "weights" ? "SCALAR" : path == "rotation" ? "VEC4" : "VEC3";
        const std::size_t type = whole_member_or(*output, "componentType", 0);
        const Json* normalized = member(*output, "normalized");
        const bool fraction = normalized && *normalized == true && type >= 5120 && type <= 5123;
        const bool may_be_fraction = path == "rotation" || path == "weights";
        if (text_member(*output, "type") != wanted || !(type == 5126 || (fraction && may_be_fraction)))
            context_.error(kAnimation, at, "the values have a type that does not fit what they move",
                           "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
                           std::string(text_member(*output, "type").substr(0, 20)), std::string(wanted));
        if (!input || (path == "weights" && targets == 0)) return;
        const std::size_t keys = whole_member_or(*input, "count", 0);
        const std::size_t values = whole_member_or(*output, "count", 0);
        const std::size_t factor =
            (text_member(sampler, "interpolation") == "CUBICSPLINE" ? 3U : 1U) * (path == "weights" ? targets : 1U);
        if (values % factor != 0 || values / factor != keys)
            context_.error(kAnimation, at, "there are not as many values as the times need",
                           "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", std::to_string(values),
                           std::to_string(keys) + " x " + std::to_string(factor), "values");
    }

    CheckContext& context_;
    const Json& animation_;
    const std::string& at_;
    std::set<std::pair<std::size_t, std::string>> targets_;
};

}  // namespace

void check_animations(CheckContext& context) {
    for_each_object(context, kAnimation, context.json, "animations", "",
                    [&](const Json& animation, const std::string& at, std::size_t) {
                        AnimationCheck(context, animation, at).run();
                    });
}

}  // namespace helixavatar::gltf
