// SPDX-License-Identifier: MIT
#include "support/rig.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "support/reference_pose.hpp"

namespace helixavatar::embedded {
extern const std::string_view rig_families_json;
}

namespace helixavatar::test {
namespace {

using Table = nlohmann::ordered_json;

const Table& families() {
    static const Table table = Table::parse(embedded::rig_families_json);
    return table;
}

/// How a family's bones lie in their own frames.
enum class Axes {
    reference,  ///< helix-humanoid@1's own
    y_along,    ///< +Y toward the child, +Z nearest forward: Blender, FBX exports of it, Maya's Mixamo
    x_along,    ///< +X toward the child: 3ds Max, Valve
    epic,       ///< +X toward the child on the left arm and the right leg, -X on the others
    world       ///< level with the world
};

/// Where a family's tree or frames leave the plain case; every other family is y_along in the canonical hierarchy.
struct Habit {
    Axes axes = Axes::y_along;
    bool twists_in_chain = false;  ///< the next limb hangs from the last twist
    bool faces_back = false;
    std::map<std::string, std::string>
        parents;  ///< canonical joint, left or middle → canonical parent; "" the root of the tree
    struct Extra {
        std::string name;   ///< '#' is replaced by each side's mark
        std::string on;     ///< canonical parent
        Vec3 offset;        ///< from `at`, metres, left side
        std::string at;     ///< canonical joint whose place it has; empty: the parent's
        std::string above;  ///< canonical joint that is hung on it instead of on its own parent, or empty
        bool skin = true;
    };
    std::vector<Extra> extras;
    std::pair<std::string, std::string> sides{"Left", "Right"};
};

using Habits = std::map<std::string, Habit>;

/// Generators, stores and engines.
void add_maker_habits(Habits& t) {
    const Vec3 none = Vec3::Zero();
    const Vec3 crown(0, 0.18, 0);
    const std::vector<Habit::Extra> mixamo_ends = {{"HeadTop_End", "head", crown, "", "", true},
                                                   {"#Toe_End", "ball_l", {0.01, 0, 0.07}, "", "", true},
                                                   {"#HandThumb4", "thumb_03_l", {0, -0.02, 0.01}, "", "", true}};
    t["ready_player_me"].extras = {{"HeadTop_End", "head", crown, "", "", true},
                                   {"#Eye", "head", {0.0343, 0.052, 0.085}, "", "", true}};
    t["mixamo"].extras = mixamo_ends;
    for (auto& extra : t["mixamo"].extras) extra.name = "mixamorig:" + extra.name;
    t["meshy"].extras = {{"head_end", "head", crown, "", "", true},
                         {"headfront", "head", {0, 0.05, 0.12}, "", "", true}};
    t["tripo"].extras = {{"Pelvis", "pelvis", none, "", "thigh_l", true}};
    t["tripo"].sides = {"L_", "R_"};
    t["character_creator"].extras = {{"CC_Base_Pelvis", "pelvis", none, "", "thigh_l", true},
                                     {"CC_Base_FacialBone", "head", {0, 0.03, 0.03}, "", "", true},
                                     {"CC_Base_#_ElbowShareBone", "lowerarm_l", none, "", "", true}};
    t["character_creator"].sides = {"L", "R"};
    t["accurig_actorcore"].extras = {{"CC_Base_Pelvis", "pelvis", none, "", "thigh_l", true}};
    const std::vector<Habit::Extra> ik = {{"ik_foot_root", "root", none, "", "", false},
                                          {"ik_foot_#", "root", none, "foot_l", "", false},
                                          {"ik_hand_#", "root", none, "hand_l", "", false}};
    for (const char* family : {"ue4_mannequin", "ue5_mannequin", "metahuman", "cc_gamebase"}) {
        t[family].axes = Axes::epic;
        t[family].sides = {"l", "r"};
        if (std::string(family) != "cc_gamebase") t[family].extras = ik;
    }
    t["cc_gamebase"].extras = {{"CC_Base_FacialBone", "head", {0, 0.03, 0.03}, "", "", true}};
    t["makehuman_default"] = {Axes::y_along,
                              true,
                              false,
                              {},
                              {{"pelvis.#", "pelvis", {0.05, -0.01, 0}, "", "thigh_l", true},
                               {"shoulder01.#", "clavicle_l", {0.08, -0.01, 0}, "", "upperarm_l", true}},
                              {"L", "R"}};
    t["makehuman_cmu_mb"].extras = {{"#HipJoint", "pelvis", none, "", "thigh_l", true}};
    t["makehuman_cmu_mb"].sides = {"L", "R"};
}

/// Exchange formats, art packages and motion capture.
void add_package_habits(Habits& t) {
    const Vec3 none = Vec3::Zero();
    const Vec3 crown(0, 0.18, 0);
    t["vrm0"] = {Axes::world, false, true, {}, {}, {"left", "right"}};
    for (const char* family : {"vrm1", "vroid", "unity_humanoid", "smpl_smplx", "second_life_bento"})
        t[family].axes = Axes::world;
    t["vroid"].extras = {{"J_Adj_#_FaceEye", "head", {0.0343, 0.052, 0.085}, "", "", true}};
    t["vroid"].sides = {"L", "R"};
    t["roblox_r15"] = {Axes::world, false, true, {}, {}, {"Left", "Right"}};
    t["kaykit"].extras = {{"hand.#", "hand_l", {0.03, -0.02, 0.02}, "", "", true},
                          {"handslot.#", "hand_l", {0.05, -0.04, 0.03}, "", "", true},
                          {"IK-foot.#", "root", none, "foot_l", "", true}};
    t["kaykit"].sides = {"l", "r"};
    t["quaternius_legacy"].parents = {{"foot_l", "root"}};
    t["quaternius_legacy"].extras = {{"PoleTarget.#", "root", {0, 0, 0.5}, "calf_l", "", true}};
    t["quaternius_legacy"].sides = {"L", "R"};
    t["quaternius_universal"].extras = {{"ball_leaf_#", "ball_l", {0.01, 0, 0.07}, "", "", true}};
    t["quaternius_universal"].sides = {"l", "r"};
    t["daz_genesis_3_8"] = {Axes::y_along,
                            true,
                            false,
                            {},
                            {{"pelvis", "pelvis", none, "", "thigh_l", true},
                             {"#Metatarsals", "foot_l", {0.008, -0.03, 0.07}, "", "ball_l", true}},
                            {"l", "r"}};
    t["daz_genesis_9"].extras = {{"#_metatarsal", "foot_l", {0.008, -0.03, 0.07}, "", "ball_l", true}};
    t["daz_genesis_9"].sides = {"l", "r"};
    t["rigify_deform"].twists_in_chain = true;
    t["auto_rig_pro"].twists_in_chain = true;
    t["advanced_skeleton"].twists_in_chain = true;
    t["3ds_max_biped"] = {
        Axes::x_along,
        false,
        false,
        {{"clavicle_l", "neck_01"}, {"thigh_l", "spine_01"}},
        {{"Bip01 HeadNub", "head", crown, "", "", true}, {"Bip01 Footsteps", "root", none, "", "", false}},
        {"L", "R"}};
    t["source_valvebiped"].axes = Axes::x_along;
    t["renderpeople"].axes = Axes::x_along;
    for (const char* family : {"mmd", "mmd_english"})
        t[family] = {Axes::world, true, true, {{"thigh_l", "pelvis"}}, {}, {"L", "R"}};
    t["helix"].axes = Axes::reference;
}

const Habits& habits() {
    static const Habits table = [] {
        Habits t;
        add_maker_habits(t);
        add_package_habits(t);
        return t;
    }();
    return table;
}

std::string source_name(const Table& map, const std::string& canonical) {
    const auto found = map.find(canonical);
    if (found == map.end()) return {};
    return found->is_array() ? found->front().get<std::string>() : found->get<std::string>();
}

Vec3 mirrored(const Vec3& v) {
    return {-v.x(), v.y(), v.z()};
}

std::string to_left(std::string joint) {
    if (joint.ends_with("_r")) joint.back() = 'l';
    return joint;
}

std::string to_side(std::string joint, bool right) {
    if (right && joint.ends_with("_l")) joint.back() = 'r';
    return joint;
}

/// The canonical joint that continues a bone; empty at the ends of chains.
std::string continuation(const std::string& joint) {
    static const std::map<std::string, std::string> next = {{"root", ""},
                                                            {"pelvis", "spine_01"},
                                                            {"spine_01", "spine_02"},
                                                            {"spine_02", "spine_03"},
                                                            {"spine_03", "spine_04"},
                                                            {"spine_04", "spine_05"},
                                                            {"spine_05", "neck_01"},
                                                            {"neck_01", "neck_02"},
                                                            {"neck_02", "head"},
                                                            {"clavicle_l", "upperarm_l"},
                                                            {"upperarm_l", "lowerarm_l"},
                                                            {"upperarm_twist_01_l", "lowerarm_l"},
                                                            {"upperarm_twist_02_l", "lowerarm_l"},
                                                            {"lowerarm_l", "hand_l"},
                                                            {"lowerarm_twist_01_l", "hand_l"},
                                                            {"lowerarm_twist_02_l", "hand_l"},
                                                            {"hand_l", "middle_01_l"},
                                                            {"thigh_l", "calf_l"},
                                                            {"thigh_twist_01_l", "calf_l"},
                                                            {"calf_l", "foot_l"},
                                                            {"calf_twist_01_l", "foot_l"},
                                                            {"foot_l", "ball_l"}};
    if (const auto found = next.find(joint); found != next.end()) return found->second;
    const std::size_t number = joint.find("_0");
    if (number != std::string::npos && joint[number + 2] < '3') {
        std::string out = joint;
        ++out[number + 2];
        return out;
    }
    const std::size_t metacarpal = joint.find("_metacarpal");
    return metacarpal == std::string::npos ? std::string() : joint.substr(0, metacarpal) + "_01_l";
}

/// Rotation of a joint by the family's axes, in the pose.
Quat orient(Axes axes, const std::string& canonical, const PosedJoints& posed) {
    const std::size_t own = reference_index(canonical);
    if (axes == Axes::reference) return posed.world[own].rotation;
    if (axes == Axes::world || canonical == "root") return Quat::Identity();
    const bool right = canonical.ends_with("_r");
    const std::string next = continuation(to_left(canonical));
    Vec3 along = posed.world[own].rotation * Vec3::UnitX();
    if (!next.empty())
        along = posed.world[reference_index(to_side(next, right))].translation - posed.world[own].translation;
    if (canonical == "ball_l" || canonical == "ball_r" || canonical == "foot_l" || canonical == "foot_r")
        along = posed.world[own].rotation * reference_joints()[own].world.rotation.conjugate() *
                (reference_position(to_side("ball_l", right)) - reference_position(to_side("foot_l", right)));
    along.normalize();
    Vec3 forward = std::abs(along.z()) > 0.8 ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ());
    forward = (forward - forward.dot(along) * along).normalized();
    Mat3 m;
    if (axes == Axes::y_along) {
        m << along.cross(forward), along, forward;
    } else {
        const bool arm = canonical.find("arm") != std::string::npos || canonical.find("hand") != std::string::npos ||
                         canonical.find("clavicle") != std::string::npos || canonical.find("_0") != std::string::npos;
        const bool leg = canonical.find("thigh") != std::string::npos || canonical.find("calf") != std::string::npos ||
                         canonical.find("foot") != std::string::npos || canonical.find("ball") != std::string::npos;
        const bool trunk = canonical.find("spine") != std::string::npos || canonical.find("neck") != std::string::npos;
        const bool against = axes == Axes::epic && !trunk && ((arm && right) || (leg && !right));
        const Vec3 x = against ? Vec3(-along) : along;
        const Vec3 z = against ? Vec3(-forward) : forward;
        m << x, z.cross(x), z;
    }
    return Quat(m).normalized();
}

class RigMaker {
public:
    RigMaker(const std::string& family, const PosedJoints& posed) : family_(family), posed_(posed) {
        if (const auto found = habits().find(family); found != habits().end()) habit_ = found->second;
        if (family != "helix") map_ = &families().at(family).at("map");
        index_.assign(reference_joints().size(), -1);
    }

    Rig make() {
        add_offsets_and_joints();
        for (const Habit::Extra& extra : habit_.extras)
            if (extra.above.empty()) for_each_side(extra.name, [&](bool right) { add_extra(extra, right); });
        rig_.faces_back = habit_.faces_back;
        rig_.skinned = family_ == "helix" || map_->contains("lowerarm_l");
        rig_.carriers.assign(reference_joints().size(), 0);
        for (std::size_t j = 0; j < index_.size(); ++j) rig_.carriers[j] = carrier(static_cast<int>(j));
        return std::move(rig_);
    }

private:
    template <class Body>
    static void for_each_side(const std::string& name, const Body& body) {
        body(false);
        if (name.find('#') != std::string::npos) body(true);
    }

    std::string name_of(const ReferenceJoint& joint) const {
        return map_ ? source_name(*map_, joint.name) : joint.name;
    }

    /// Nearest reference ancestor that the rig has.
    int carrier(int joint) const {
        while (joint >= 0 && index_[joint] < 0) joint = reference_joints()[joint].parent;
        return joint >= 0 ? index_[joint] : 0;
    }

    int parent_of(const ReferenceJoint& joint) const {
        const bool right = joint.name.ends_with("_r");
        const auto other = habit_.parents.find(to_left(joint.name));
        if (other != habit_.parents.end())
            return carrier(static_cast<int>(reference_index(to_side(other->second, right))));
        if (habit_.twists_in_chain)
            for (const auto& [limb, twists] : {std::pair<std::string, std::vector<std::string>>{
                                                   "lowerarm_l", {"upperarm_twist_02_l", "upperarm_twist_01_l"}},
                                               {"hand_l", {"lowerarm_twist_01_l", "lowerarm_twist_02_l"}},
                                               {"calf_l", {"thigh_twist_01_l"}},
                                               {"foot_l", {"calf_twist_01_l"}},
                                               {"upperarm_twist_02_l", {"upperarm_twist_01_l"}},
                                               {"lowerarm_twist_01_l", {"lowerarm_twist_02_l"}}})
                if (to_left(joint.name) == limb)
                    for (const std::string& twist : twists)
                        if (const int found = index_[reference_index(to_side(twist, right))]; found >= 0) return found;
        return joint.parent < 0 ? -1 : carrier_or_none(joint.parent);
    }

    int carrier_or_none(int joint) const {
        while (joint >= 0 && index_[joint] < 0) joint = reference_joints()[joint].parent;
        return joint >= 0 ? index_[joint] : -1;
    }

    void add_offsets_and_joints() {
        // A joint may hang from one that the canonical order has later: go round until all have their place.
        std::vector<std::size_t> waiting;
        for (std::size_t j = 0; j < reference_joints().size(); ++j)
            if (!name_of(reference_joints()[j]).empty()) waiting.push_back(j);
        while (!waiting.empty()) {
            std::vector<std::size_t> later;
            for (const std::size_t j : waiting) {
                if (must_wait(reference_joints()[j], waiting))
                    later.push_back(j);
                else
                    add_joint(j);
            }
            if (later.size() == waiting.size())
                throw std::logic_error("the tree of " + family_ + " goes round in a circle");
            waiting = std::move(later);
        }
    }

    bool must_wait(const ReferenceJoint& joint, const std::vector<std::size_t>& waiting) const {
        const auto other = habit_.parents.find(to_left(joint.name));
        if (other == habit_.parents.end()) return false;
        const std::size_t parent = reference_index(to_side(other->second, joint.name.ends_with("_r")));
        return index_[parent] < 0 && std::find(waiting.begin(), waiting.end(), parent) != waiting.end();
    }

    void add_joint(std::size_t j) {
        const ReferenceJoint& joint = reference_joints()[j];
        int parent = parent_of(joint);
        for (const Habit::Extra& extra : habit_.extras)
            if (!extra.above.empty() && extra.above == to_left(joint.name))
                parent = add_extra(extra, joint.name.ends_with("_r"));
        index_[j] = static_cast<int>(rig_.joints.size());
        const bool skin = family_ == "helix" ? joint.skin : true;
        rig_.joints.push_back({name_of(joint),
                               joint.name,
                               parent,
                               skin,
                               {posed_.world[j].translation, orient(habit_.axes, joint.name, posed_)}});
    }

    /// One offset may carry both sides (a pelvis bone): the second call finds the first one's joint.
    int add_extra(const Habit::Extra& extra, bool right) {
        std::string name = extra.name;
        if (const std::size_t mark = name.find('#'); mark != std::string::npos)
            name.replace(mark, 1, right ? habit_.sides.second : habit_.sides.first);
        for (std::size_t i = 0; i < rig_.joints.size(); ++i)
            if (rig_.joints[i].name == name && rig_.joints[i].canonical.empty()) return static_cast<int>(i);
        const std::string on = to_side(extra.on, right);
        const std::size_t at = reference_index(extra.at.empty() ? on : to_side(extra.at, right));
        const int parent = carrier(static_cast<int>(reference_index(on)));
        const Quat turned = posed_.world[at].rotation * reference_joints()[at].world.rotation.conjugate();
        const Vec3 offset = turned * (right ? mirrored(extra.offset) : extra.offset);
        rig_.joints.push_back({name,
                               "",
                               parent,
                               extra.skin,
                               {posed_.world[at].translation + offset, rig_.joints[parent].world.rotation}});
        return static_cast<int>(rig_.joints.size()) - 1;
    }

    std::string family_;
    const PosedJoints& posed_;
    Habit habit_;
    const Table* map_ = nullptr;
    std::vector<int> index_;  ///< rig joint of each reference joint, or -1
    Rig rig_;
};

}  // namespace

const std::vector<std::string>& rig_families() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const auto& [name, family] : families().items())
            if (family.contains("map") && name.front() != '_') out.push_back(name);
        out.push_back("helix");
        return out;
    }();
    return names;
}

Rig make_rig(const std::string& family, const PosedJoints& posed) {
    const auto& known = rig_families();
    if (std::find(known.begin(), known.end(), family) == known.end())
        throw std::invalid_argument("no rig family " + family);
    return RigMaker(family, posed).make();
}

}  // namespace helixavatar::test
