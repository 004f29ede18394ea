// SPDX-License-Identifier: MIT
// Names of all tools come down to the same words.
#include <catch2/catch.hpp>

#include "rig/assign.hpp"
#include "rig/names.hpp"

using namespace helixavatar::rig;

TEST_CASE("prefixes, sides, separators and case do not matter") {
    struct Row {
        const char* name;
        const char* key;
        Side side;
    };
    const std::vector<Row> rows = {
        {"mixamorig:LeftHandThumb1", "handthumb1", Side::left},
        {"mixamorig12:RightUpLeg", "upleg", Side::right},
        {"mixamorigLeftArm", "arm", Side::left},
        {"Armature|LeftArm", "arm", Side::left},
        {"ns:other:LeftArm", "arm", Side::left},
        {"CC_Base_L_Upperarm", "upperarm", Side::left},
        {"Bip001 R Thigh", "thigh", Side::right},
        {"ValveBiped.Bip01_L_UpperArm", "upperarm", Side::left},
        {"DEF-upper_arm.L.001", "upperarm1", Side::left},
        {"DEF-upper_armL001", "upperarm1", Side::left},
        {"J_Bip_L_UpperArm", "upperarm", Side::left},
        {"lShldrBend", "shldrbend", Side::left},
        {"rThumb1", "thumb1", Side::right},
        {"lowerJaw", "lowerjaw", Side::none},
        {"ElbowLeft_joint", "elbow", Side::left},
        {"mHipRight", "mhip", Side::right},
        {"upperarm.l", "upperarm", Side::left},
        {"hand_r", "hand", Side::right},
        {"leftupleg", "upleg", Side::left},
        {"左ひじ", "ひじ", Side::left},
        {"右足ＩＫ", "足ik", Side::right},
        {"ｾﾝﾀｰ", "センター", Side::none},
        {"左親指０", "親指0", Side::left},
        {"index_01_l", "index1", Side::left},
        {"bone_l_r", "lr", Side::none},
    };
    for (const Row& row : rows) {
        INFO(row.name);
        const JointName name = read_name(row.name);
        CHECK(name.key == row.key);
        CHECK(name.side == row.side);
    }
}

TEST_CASE("helpers are known by whole words, not by letters inside a word") {
    for (const char* name : {"LeftFootIK", "upperarm_twist_01_l", "l_upperarmtwist1", "Head_end", "ChestStrapsBack",
                             "MCH-torso.parent", "左足ＩＫ", "thumb_04_leaf_l", "hand.l_socket"}) {
        INFO(name);
        CHECK(read_name(name).auxiliary);
    }
    for (const char* name : {"Hips", "Pelvis", "LeftForeArm", "chest", "Spike", "clavicle_l", "Tiptoe"}) {
        INFO(name);
        CHECK_FALSE(read_name(name).auxiliary);
    }
}

TEST_CASE("a running number and a shared word are cut from all names, not from a finger's") {
    std::vector<std::string> names;
    for (const char* name :
         {"Hips", "Spine", "Spine1", "Chest", "Neck", "Head", "LeftArm", "RightArm", "LeftLeg", "RightLeg"})
        names.push_back("Hero_" + std::string(name) + "_0" + std::to_string(names.size() + 10));
    const auto read = read_names(names);
    CHECK(read[0].key == "hips");
    CHECK(read[2].key == "spine1");
    CHECK(read[6].key == "arm");
    CHECK(read[6].side == Side::left);
}

TEST_CASE("broken UTF-8 and empty names are read without harm") {
    CHECK(read_name("").key.empty());
    CHECK_NOTHROW(read_name("\xff\xfe\xc3"));
    CHECK_NOTHROW(read_name("\xe5\xb7"));
    CHECK_NOTHROW(read_name(std::string(10000, 'L')));
    CHECK_NOTHROW(read_name("___"));
}

TEST_CASE("spine joints take their slots in order") {
    CHECK(spine_slots({}).empty());
    CHECK(spine_slots({0}) == std::vector<int>{5});
    CHECK(spine_slots({0, 1}) == std::vector<int>{1, 5});
    CHECK(spine_slots({0, 1, 2}) == std::vector<int>{1, 3, 5});
    CHECK(spine_slots({0, 1, 2, 3}) == std::vector<int>{1, 2, 4, 5});
    CHECK(spine_slots({0, 1, 2, 3, 4}) == std::vector<int>{1, 2, 3, 4, 5});
    // Nine joints: those nearest to the quarters of the way; seven crowded at one end leave a joint for each later
    // slot.
    CHECK(spine_slots({0, 1, 2, 3, 4, 5, 6, 7, 8}) == std::vector<int>{1, 0, 2, 0, 3, 0, 4, 0, 5});
    CHECK(spine_slots({0, 7, 7.2, 7.4, 7.6, 7.8, 8}) == std::vector<int>{1, 2, 3, 4, 0, 0, 5});
}
