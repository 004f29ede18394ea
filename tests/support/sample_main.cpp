// SPDX-License-Identifier: MIT
// helixavatar-sample OUT.glb [options]: writes one humanoid of the builder, by default the demo's Meshy-style
// character.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include <helixavatar/base/file_io.hpp>

#include "support/face_shapes.hpp"
#include "support/humanoid.hpp"

namespace {

using namespace helixavatar;
using namespace helixavatar::test;

const std::map<std::string, BodyPose> kPoses = {{"canonical", BodyPose::canonical},
                                                {"t", BodyPose::t},
                                                {"a30", BodyPose::a30},
                                                {"a45", BodyPose::a45},
                                                {"a60", BodyPose::a60},
                                                {"arms-down", BodyPose::arms_down},
                                                {"lopsided", BodyPose::lopsided}};
const std::map<std::string, Units> kUnits = {
    {"m", Units::metres}, {"cm-node", Units::centimetres_under_node}, {"cm", Units::centimetres}};
const std::map<std::string, UpAxis> kUp = {{"y", UpAxis::y}, {"z-node", UpAxis::z_under_node}, {"z", UpAxis::z}};

constexpr const char* kUsage =
    "usage: helixavatar-sample OUT.glb [--family F] [--pose t|a30|a45|a60|canonical|arms-down|lopsided] [--node-pose "
    "P]\n"
    "         [--triangles N] [--texture PX] [--units m|cm-node|cm] [--up y|z-node|z] [--yaw DEGREES] [--height "
    "METRES]\n"
    "         [--skins N] [--materials N] [--lods N] [--face SET] [--face-mesh] [--long-hair] [--mirrored-node] "
    "[--opaque]\n"
    "       helixavatar-sample --monster OUT.glb [options]   400 000 triangles, 30 materials, 4096 textures\n"
    "       helixavatar-sample --list   families, poses and face sets\n"
    "Without options: a Meshy export of 80 000 triangles with a 2048 base colour and normal map.\n";

void list() {
    std::printf("families:");
    for (const std::string& family : rig_families()) std::printf(" %s", family.c_str());
    std::printf("\nposes:");
    for (const auto& [name, pose] : kPoses) std::printf(" %s", name.c_str());
    std::printf("\nfaces:");
    for (const std::string& set : face_sets()) std::printf(" %s", set.c_str());
    std::printf("\n");
}

/// The whole word as a number; usage error otherwise.
double number(const std::string& word) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end) throw std::invalid_argument("not a number: " + word);
    return value;
}

template <class Choice>
Choice choose(const std::map<std::string, Choice>& choices, const std::string& word) {
    const auto found = choices.find(word);
    if (found == choices.end()) throw std::invalid_argument("not one of the choices: " + word);
    return found->second;
}

bool set_flag(HumanoidOptions& o, const std::string& flag) {
    if (flag == "--face-mesh")
        o.face_mesh = true;
    else if (flag == "--long-hair")
        o.long_hair = true;
    else if (flag == "--mirrored-node")
        o.mirrored_node = true;
    else if (flag == "--opaque")
        o.opaque_names = true;
    else
        return false;
    return true;
}

void set_value(HumanoidOptions& o, const std::string& flag, const std::string& value) {
    if (flag == "--family")
        o.family = value;
    else if (flag == "--pose")
        o.pose = choose(kPoses, value);
    else if (flag == "--node-pose")
        o.node_pose = choose(kPoses, value);
    else if (flag == "--triangles")
        o.triangles = static_cast<std::size_t>(number(value));
    else if (flag == "--texture")
        o.texture_size = static_cast<int>(number(value));
    else if (flag == "--units")
        o.units = choose(kUnits, value);
    else if (flag == "--up")
        o.up = choose(kUp, value);
    else if (flag == "--yaw")
        o.yaw_degrees = number(value);
    else if (flag == "--height")
        o.height = number(value);
    else if (flag == "--skins")
        o.skins = static_cast<std::size_t>(number(value));
    else if (flag == "--materials")
        o.materials = static_cast<std::size_t>(number(value));
    else if (flag == "--lods")
        o.lods = static_cast<std::size_t>(number(value));
    else if (flag == "--face")
        o.face = value;
    else
        throw std::invalid_argument("unknown option " + flag);
}

int run(int argc, char** argv) {
    HumanoidOptions options = sample_options();
    if (argc > 1 && std::string(argv[1]) == "--monster") options = monster_options(), --argc, ++argv;
    std::string out;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--help" || word == "--list") {
            if (word == "--list")
                list();
            else
                std::printf("%s", kUsage);
            return 0;
        }
        if (word.rfind("--", 0) != 0) {
            if (!out.empty()) throw std::invalid_argument("one output file, please");
            out = word;
        } else if (!set_flag(options, word)) {
            if (i + 1 >= argc) throw std::invalid_argument(word + " needs a value");
            set_value(options, word, argv[++i]);
        }
    }
    if (out.empty()) throw std::invalid_argument("no output file");
    const Bytes glb = gltf::write_glb(build_humanoid(options));
    if (const auto written = write_file_atomically(out, glb); !written) {
        std::fprintf(stderr, "helixavatar-sample: %s: %s\n", written.error().where.c_str(),
                     written.error().message.c_str());
        return 1;
    }
    std::printf("%s: %zu bytes\n", out.c_str(), glb.size());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "helixavatar-sample: %s\n%s", error.what(), kUsage);
        return 2;
    }
}
