// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include <helixavatar/face/face.hpp>
#include <helixavatar/humanoid/animation.hpp>

#include "face_fixture.hpp"

namespace helixavatar::face {
namespace {

using gltf::Json;
using Names = std::vector<std::string>;

const Names kVisemes{"sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "ih", "oh", "ou"};

FaceOutput detected(const avatar::Avatar& avatar, const FaceInput& input = {}) {
    auto found = detect_face(avatar, input);
    REQUIRE(found);
    // Whatever is detected has to pass the check that judges manifests.
    if (found->manifest) {
        for (const Finding& finding : check_face(*found->manifest, &avatar, "", {})) {
            INFO(finding.where.pointer << " " << finding.message);
            CHECK(finding.severity != Severity::error);
        }
    }
    return found.take();
}

FaceOutput detected(const Names& names) {
    return detected(face_avatar(names));
}

/// "shape*weight" for each shape of a channel, "-" for none, "" for no such channel.
std::string drives(const FaceOutput& face, const std::string& channel) {
    if (!face.manifest) return {};
    for (const Json& entry : (*face.manifest)["channels"]) {
        if (entry["name"] != channel) continue;
        if (entry.contains("bone")) return std::string("bone ").append(entry["bone"]["joint"].get<std::string>());
        std::string text;
        for (const Json& morph : entry["morphs"])
            text += (text.empty() ? "" : " ") + morph["target"].get<std::string>() + "*" + morph["weight"].dump();
        return text.empty() ? "-" : text;
    }
    return {};
}

bool is_in(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool warned(const FaceOutput& face, const std::string& part) {
    return std::any_of(face.warnings.begin(), face.warnings.end(),
                       [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

Names prefixed(const std::string& prefix, Names names) {
    for (std::string& name : names) name = prefix + name;
    return names;
}

TEST_CASE("fifteen Oculus visemes are viseme15, an empty sil counts by its name") {
    std::vector<Shape> shapes;
    for (const std::string& name : prefixed("viseme_", kVisemes)) shapes.push_back({name, 0, name != "viseme_sil"});
    const FaceOutput face = detected(face_avatar(shapes));
    CHECK(face.capability == "viseme15");
    CHECK(drives(face, "viseme.PP") == "viseme_PP*1");
    CHECK(drives(face, "viseme.sil") == "-");
    CHECK(face.derived.empty());
    CHECK(face.warnings.empty());
    CHECK(face.used_morphs.size() == 14);
}

TEST_CASE("Ready Player Me's I, O and U are ih, oh and ou") {
    Names names =
        prefixed("viseme_", {"sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"});
    names.insert(names.end(), {"mouthOpen", "mouthSmile", "eyesClosed"});
    const FaceOutput face = detected(names);
    CHECK(face.capability == "viseme15");
    CHECK(drives(face, "viseme.ih") == "viseme_I*1");
    CHECK(drives(face, "viseme.ou") == "viseme_U*1");
    CHECK(drives(face, "jawOpen") == "mouthOpen*1");
    CHECK(drives(face, "blink.left") == "eyesClosed*1");
    CHECK(drives(face, "blink.right") == "eyesClosed*1");
    CHECK(drives(face, "expression.happy") == "mouthSmile*1");
}

TEST_CASE("VRChat's fifteen are found with their prefix, and its blinks") {
    Names names =
        prefixed("vrc.v_", {"sil", "pp", "ff", "th", "dd", "kk", "ch", "ss", "nn", "rr", "aa", "e", "ih", "oh", "ou"});
    std::vector<Shape> shapes;
    for (const std::string& name : names) shapes.push_back({name});
    shapes.push_back({"vrc.blink_left", 0.03});
    shapes.push_back({"vrc.blink_right", -0.03});
    const FaceOutput face = detected(face_avatar(shapes));
    CHECK(face.capability == "viseme15");
    CHECK(drives(face, "viseme.E") == "vrc.v_e*1");
    CHECK(drives(face, "blink.left") == "vrc.blink_left*1");
    CHECK(drives(face, "jawOpen").empty());
}

Names arkit_names() {
    return {humanoid::kArkitShapes.begin(), humanoid::kArkitShapes.end()};
}

TEST_CASE("the ARKit recipes raise a face to vowel5 and are marked derived") {
    const FaceOutput face = detected(arkit_names());
    CHECK(face.capability == "vowel5");
    CHECK(drives(face, "viseme.oh") == "jawOpen*0.4 mouthFunnel*0.5");
    CHECK(drives(face, "viseme.PP").empty());
    for (const char* vowel : {"viseme.aa", "viseme.E", "viseme.ih", "viseme.oh", "viseme.ou"})
        CHECK(is_in(face.derived, vowel));
    CHECK_FALSE(is_in(face.derived, "jawOpen"));
    CHECK(drives(face, "jawOpen") == "jawOpen*1");
    CHECK(drives(face, "blink.left") == "eyeBlinkLeft*1");
    CHECK(drives(face, "gaze.left.out") == "eyeLookOutLeft*1");
    CHECK(drives(face, "gaze.right.in") == "eyeLookInRight*1");
    CHECK(drives(face, "gaze.left.in") == "eyeLookInLeft*1");
    CHECK(drives(face, "gaze.right.up") == "eyeLookUpRight*1");
    CHECK(drives(face, "expression.surprised").find("browInnerUp*0.8") == 0);
    CHECK(drives(face, "expression.neutral") == "-");
    CHECK(face.blink);
    CHECK(face.gaze);
    CHECK_FALSE(is_in(face.used_morphs, "tongueOut"));
}

TEST_CASE("ARKit names are known in their other spellings") {
    const auto spelt = [](auto spell) {
        Names names = arkit_names();
        std::transform(names.begin(), names.end(), names.begin(), spell);
        return detected(names);
    };
    const auto upper = spelt([](std::string n) {
        n[0] = static_cast<char>(n[0] - 'a' + 'A');
        return n;
    });
    CHECK(upper.capability == "vowel5");
    const auto marked = spelt([](std::string n) {
        if (n.ends_with("Left")) return n.substr(0, n.size() - 4) + "_L";
        if (n.ends_with("Right")) return n.substr(0, n.size() - 5) + "_R";
        return n;
    });
    CHECK(marked.capability == "vowel5");
    CHECK(drives(marked, "blink.right") == "eyeBlink_R*1");
    const auto dotted = spelt([](std::string n) { return "blendShape1." + n; });
    CHECK(drives(dotted, "jawOpen") == "blendShape1.jawOpen*1");
    const auto snake = spelt([](const std::string& n) {
        std::string out;
        for (const char c : n)
            out +=
                c >= 'A' && c <= 'Z' ? std::string("_").append(1, static_cast<char>(c - 'A' + 'a')) : std::string(1, c);
        return out;
    });
    CHECK(snake.capability == "vowel5");
    CHECK(drives(snake, "blink.left") == "eye_blink_left*1");
    CHECK(drives(detected(Names{"A25_Jaw_Open"}), "jawOpen") == "A25_Jaw_Open*1");
    CHECK(drives(detected(Names{"eyeBlink.L", "eyeBlink.R"}), "blink.left") == "eyeBlink.L*1");
}

TEST_CASE("native visemes win over ARKit recipes that are there too") {
    Names names = arkit_names();
    for (const std::string& name : prefixed("viseme_", kVisemes)) names.push_back(name);
    const FaceOutput face = detected(names);
    CHECK(face.capability == "viseme15");
    CHECK(drives(face, "viseme.aa") == "viseme_aa*1");
    CHECK(drives(face, "jawOpen") == "jawOpen*1");
}

TEST_CASE("VRoid's vowels are vowel5 without a jaw") {
    const Names names =
        prefixed("Face.M_F00_000_00_Fcl_",
                 {"MTH_A", "MTH_I", "MTH_U", "MTH_E", "MTH_O", "MTH_Large", "EYE_Close", "EYE_Close_L", "EYE_Close_R",
                  "ALL_Joy", "ALL_Angry", "ALL_Sorrow", "ALL_Fun", "ALL_Surprised", "ALL_Neutral"});
    const FaceOutput face = detected(names);
    CHECK(face.capability == "vowel5");
    CHECK(drives(face, "jawOpen").empty());
    CHECK(drives(face, "viseme.E") == "Face.M_F00_000_00_Fcl_MTH_E*1");
    CHECK(drives(face, "expression.sad") == "Face.M_F00_000_00_Fcl_ALL_Sorrow*1");
    CHECK(drives(face, "blink.left") == "Face.M_F00_000_00_Fcl_EYE_Close_L*1");
    CHECK(face.derived.empty());
}

TEST_CASE("MMD's vowels are vowel5 without a jaw, one wink or one blink drives what it closes") {
    std::vector<Shape> shapes{{"あ"}, {"い"}, {"う"}, {"え"}, {"お"}, {"まばたき"}, {"笑い"}, {"上"}};
    const FaceOutput both = detected(face_avatar(shapes));
    CHECK(both.capability == "vowel5");
    CHECK(drives(both, "jawOpen").empty());
    CHECK(drives(both, "blink.left") == "まばたき*1");
    CHECK(drives(both, "blink.right") == "まばたき*1");
    CHECK(drives(both, "expression.happy") == "笑い*1");
    CHECK(drives(both, "gaze.left.up").empty());
    shapes.push_back({"ウィンク", 0.03});
    shapes.push_back({"ウィンク右", -0.03});
    CHECK(drives(detected(face_avatar(shapes)), "blink.right") == "ウィンク右*1");
}

TEST_CASE("plain vowel names and single letters count only as whole sets") {
    CHECK(detected(Names{"aa", "ih", "ou", "ee", "oh"}).capability == "vowel5");
    CHECK(detected(Names{"A", "I", "U", "E", "O"}).capability == "vowel5");
    CHECK_FALSE(detected(Names{"A", "I", "O"}).manifest);
    CHECK_FALSE(detected(Names{"aa", "oh"}).manifest);
    CHECK(drives(detected(Names{"viseme_aa", "viseme_O"}), "viseme.oh") == "viseme_O*1");
}

TEST_CASE("Character Creator's whole-mouth set is viseme15, its lip pairs are recipes") {
    const FaceOutput whole =
        detected(Names{"AE", "Ah", "B_M_P", "Ch_J", "EE", "Er", "F_V", "Ih", "K_G_H_NG", "Oh", "R", "S_Z", "T_L_D_N",
                       "Th", "W_OO", "V_None", "Eye_Blink_L", "Eye_Blink_R", "Jaw_Open"});
    CHECK(whole.capability == "viseme15");
    CHECK(drives(whole, "viseme.E") == "AE*1");
    CHECK(drives(whole, "jawOpen") == "Jaw_Open*1");
    const FaceOutput pairs =
        detected(Names{"V_Open", "V_Explosive", "V_Dental_Lip", "V_Tight-O", "V_Tight", "V_Wide", "V_Affricate",
                       "V_Lip_Open", "V_Tongue_up", "V_Tongue_Out", "V_Tongue_Curl_D", "Eye_L_Look_L", "Eye_R_Look_L"});
    CHECK(pairs.capability == "vowel5");
    CHECK(is_in(pairs.derived, "viseme.oh"));
    CHECK(drives(pairs, "viseme.oh") == "V_Tight-O*0.6 V_Open*0.4");
    CHECK(drives(pairs, "gaze.left.out") == "Eye_L_Look_L*1");
    CHECK(drives(pairs, "gaze.right.in") == "Eye_R_Look_L*1");
}

TEST_CASE("the jaw, blinks and moods of the FACS families are found") {
    CHECK(detected(Names{"CTRL_expressions_jawOpen", "CTRL_expressions_eyeBlinkL", "CTRL_expressions_eyeBlinkR"})
              .capability == "jaw");
    CHECK(drives(detected(Names{"CTRL_expressions_eyeBlinkL", "CTRL_expressions_eyeBlinkR"}), "blink.left") ==
          "CTRL_expressions_eyeBlinkL*1");
    const FaceOutput audio = detected(Names{"jawDrop", "eyesCloseL", "eyesCloseR", "lipCornerPullerL",
                                            "lipCornerPullerR", "cheekRaiserL", "cheekRaiserR"});
    CHECK(audio.capability == "jaw");
    CHECK(drives(audio, "blink.right") == "eyesCloseR*1");
    CHECK(is_in(audio.derived, "expression.happy"));
    const FaceOutput meta = detected(Names{"JawDrop", "EyesClosedL", "EyesClosedR", "EyesLookUpL", "EyesLookUpR"});
    CHECK(drives(meta, "gaze.right.up") == "EyesLookUpR*1");
    const FaceOutput roblox = detected(Names{"JawDrop", "LeftEyeClosed", "RightEyeClosed", "EyesLookLeft"});
    CHECK(drives(roblox, "blink.left") == "LeftEyeClosed*1");
    CHECK(drives(roblox, "gaze.left.out") == "EyesLookLeft*1");
    CHECK(drives(roblox, "gaze.right.in") == "EyesLookLeft*1");
    const FaceOutput daz = detected(prefixed("Genesis8Female__", {"eCTRLvAA", "eCTRLvEE", "eCTRLvIH", "eCTRLvOW",
                                                                  "eCTRLvUW", "eCTRLMouthOpen", "eCTRLEyesClosed"}));
    CHECK(daz.capability == "vowel5");
    CHECK(drives(daz, "viseme.E") == "Genesis8Female__eCTRLvEE*1");
    CHECK(drives(daz, "blink.left") == "Genesis8Female__eCTRLEyesClosed*1");
    CHECK(drives(detected(Names{"facs_jnt_JawOpen", "facs_bs_EyeBlinkLeft_div2"}), "jawOpen") == "facs_jnt_JawOpen*1");
    const FaceOutput fuse = detected(Names{"MouthOpen", "Blink_Left", "Blink_Right", "Smile_Left", "Smile_Right"});
    CHECK(fuse.capability == "jaw");
    CHECK(drives(fuse, "blink.right") == "Blink_Right*1");
}

TEST_CASE("Autodesk Character Generator's head and teeth are driven together") {
    const FaceOutput face = detected(Names{"h_expressions.AE_AA_h", "h_expressions.AO_a_h", "h_expressions.Ax_E_h",
                                           "h_expressions.TD_I_h", "h_expressions.UW_U_h", "h_expressions.MouthOpen_h",
                                           "h_teeth.t_AE_AA_h", "h_teeth.t_MouthOpen_h"});
    CHECK(face.capability == "vowel5");
    CHECK(face.derived.empty());
    CHECK(drives(face, "viseme.aa") == "h_expressions.AE_AA_h*1 h_teeth.t_AE_AA_h*1");
    CHECK(drives(face, "viseme.oh") == "h_expressions.AO_a_h*1");
    CHECK(drives(face, "jawOpen") == "h_expressions.MouthOpen_h*1 h_teeth.t_MouthOpen_h*1");
}

TEST_CASE("names that only contain a shape's word are not taken") {
    CHECK_FALSE(
        detected(Names{"Jacket_open", "blink_speed", "jawOpenness", "visemeaaa", "hood_up", "nosejawOpen", "key 1"})
            .manifest);
    CHECK(detected(Names{}).capability == "none");
}

TEST_CASE("a shape that moves nothing drives nothing and is named") {
    const FaceOutput face =
        detected(face_avatar(std::vector<Shape>{{"jawOpen", 0, false}, {"Blink_L", 0.03}, {"Blink_R", -0.03, false}}));
    CHECK(face.capability == "none");
    CHECK(drives(face, "blink.left") == "Blink_L*1");
    CHECK(drives(face, "blink.right").empty());
    CHECK(warned(face, "jawOpen"));
    CHECK(warned(face, "Blink_R"));
    CHECK(warned(face, "one side only"));
}

TEST_CASE("left is what moves the left side, whatever the names say") {
    const FaceOutput mirrored = detected(face_avatar(std::vector<Shape>{{"Blink_L", -0.03}, {"Blink_R", 0.03}}));
    CHECK(drives(mirrored, "blink.left") == "Blink_R*1");
    CHECK(warned(mirrored, "other side"));
    const FaceOutput right = detected(face_avatar(std::vector<Shape>{{"Blink_L", 0.03}, {"Blink_R", -0.03}}));
    CHECK(drives(right, "blink.left") == "Blink_L*1");
    CHECK(right.warnings.empty());
}

TEST_CASE("a channel lists every mesh on which its shape is written") {
    const auto shapes = std::vector<Shape>{{"jawOpen"}, {"Blink", 0, true, true}};
    const FaceOutput face = detected(face_avatar(shapes));
    const Json& channels = (*face.manifest)["channels"];
    CHECK(channels[0]["morphs"] == Json::parse(R"([{"mesh":"FaceMesh","target":"jawOpen","weight":1}])"));
    CHECK(channels[1]["morphs"] == Json::parse(R"([{"mesh":"Body","target":"Blink","weight":1}])"));
}

FaceInput vrm0(std::vector<Expression> expressions) {
    FaceInput input;
    input.vrm_version = 0;
    input.expressions = std::move(expressions);
    return input;
}

TEST_CASE("a VRM 0 has vowel5, both blinks, six moods and no jaw") {
    const avatar::Avatar avatar = face_avatar(Names{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "jawOpen"});
    const FaceOutput face = detected(avatar, vrm0({{"a", {{"m1", 1}}},
                                                   {"i", {{"m2", 1}}},
                                                   {"u", {{"m3", 1}}},
                                                   {"e", {{"m4", 1}}},
                                                   {"o", {{"m5", 1}}},
                                                   {"blink", {{"m6", 1}}},
                                                   {"joy", {{"m7", 0.5}, {"m8", 0.25}}},
                                                   {"angry", {{"m8", 1}}},
                                                   {"sorrow", {{"m7", 1}}},
                                                   {"fun", {{"m7", 0.5}}},
                                                   {"Surprised", {{"m8", 1}}},
                                                   {"neutral", {}},
                                                   {"lookleft", {{"m8", 1}}}}));
    CHECK(face.capability == "vowel5");
    CHECK(drives(face, "viseme.E") == "m4*1");
    CHECK(drives(face, "jawOpen").empty());
    CHECK(drives(face, "blink.left") == "m6*1");
    CHECK(drives(face, "blink.right") == "m6*1");
    CHECK(drives(face, "expression.happy") == "m7*0.5 m8*0.25");
    CHECK(drives(face, "expression.relaxed") == "m7*0.5");
    CHECK(drives(face, "expression.surprised") == "m8*1");
    CHECK(drives(face, "expression.neutral") == "-");
    CHECK(drives(face, "gaze.left.out") == "m8*1");
    CHECK(drives(face, "gaze.right.in") == "m8*1");
    CHECK(face.derived.empty());
    CHECK_FALSE(is_in(face.used_morphs, "jawOpen"));
}

TEST_CASE("a VRM 1 is read by its own preset names, an expression that binds nothing that moves is left out") {
    const avatar::Avatar avatar = face_avatar(
        std::vector<Shape>{{"m1"}, {"m2"}, {"m3"}, {"m4"}, {"m5"}, {"l", 0.03}, {"r", -0.03}, {"dead", 0, false}});
    FaceInput input = vrm0({{"aa", {{"m1", 1}}},
                            {"ih", {{"m2", 1}}},
                            {"ou", {{"m3", 1}}},
                            {"ee", {{"m4", 1}}},
                            {"oh", {{"m5", 1}}},
                            {"blinkLeft", {{"l", 1}}},
                            {"blinkRight", {{"r", 1}}},
                            {"happy", {{"dead", 1}}}});
    input.vrm_version = 1;
    const FaceOutput face = detected(avatar, input);
    CHECK(face.capability == "vowel5");
    CHECK(drives(face, "blink.right") == "r*1");
    CHECK(drives(face, "expression.happy").empty());
    CHECK(warned(face, "dead"));
}

TEST_CASE("a VRM 1 with perfect-sync expressions instead of vowels is read through them") {
    avatar::Avatar avatar = face_avatar(Names{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "e0", "e1", "e2",
                                              "e3", "e4", "e5", "e6", "e7", "bl", "br"});
    FaceInput input;
    input.vrm_version = 1;
    const char* mouth[] = {"JawOpen",          "MouthLowerDownLeft", "MouthLowerDownRight",
                           "MouthStretchLeft", "MouthStretchRight",  "MouthSmileLeft",
                           "MouthSmileRight",  "MouthFunnel",        "MouthPucker"};
    for (int i = 0; i < 9; ++i)
        input.expressions.push_back({mouth[i], {{std::string("m").append(std::to_string(i)), 1.0}}});
    int eye = 0;
    for (const char* side : {"Left", "Right"})
        for (const char* way : {"Up", "Down", "In", "Out"})
            input.expressions.push_back(
                {std::string("EyeLook") + way + side, {{std::string("e").append(std::to_string(eye++)), 1.0}}});
    input.expressions.push_back({"EyeBlinkLeft", {{"bl", 1.0}}});
    input.expressions.push_back({"EyeBlinkRight", {{"br", 1.0}}});
    const auto face = detect_face(avatar, input);
    REQUIRE(face);
    CHECK(face->capability == "vowel5");
    CHECK(face->blink);
    CHECK(face->gaze);
    CHECK(drives(*face, "viseme.aa").find("m0*0.6") != std::string::npos);
    CHECK(drives(*face, "gaze.left.out") == "e3*1");
    CHECK(drives(*face, "gaze.right.in") == "e6*1");
    CHECK(drives(*face, "blink.left") == "bl*1");
    CHECK(drives(*face, "jawOpen").empty());
    CHECK(std::find(face->derived.begin(), face->derived.end(), "viseme.aa") != face->derived.end());
}

TEST_CASE("a jaw joint and a pair of eye joints that carry vertices become bone channels") {
    avatar::Avatar avatar = face_avatar(Names{});
    add_joint(avatar, "CC_Base_JawRoot");
    const FaceOutput face = detected(avatar);
    CHECK(face.capability == "jaw");
    CHECK(drives(face, "jawOpen") == "bone CC_Base_JawRoot");
    CHECK(is_in(face.derived, "jawOpen"));
    // Turned about its axis, what lies before the joint goes down.
    const Json& bone = (*face.manifest)["channels"][0]["bone"];
    const Vec3 axis(bone["axis"][0].get<double>(), bone["axis"][1].get<double>(), bone["axis"][2].get<double>());
    const Quat rest = avatar.joints.back().rest.rotation;
    const Vec3 chin = Eigen::AngleAxisd(radians(bone["maxDegrees"].get<double>()), rest * axis) * Vec3(0, 0, 1);
    CHECK(chin.y() < -0.3);

    avatar::Avatar one_eye = face_avatar(Names{});
    add_joint(one_eye, "LeftEye");
    CHECK_FALSE(detected(one_eye).manifest);
}

TEST_CASE("a character without levels has no face") {
    CHECK(detected(avatar::Avatar{}).capability == "none");
}

Result<FaceOutput> mapped(const avatar::Avatar& avatar, const char* json) {
    FaceInput input;
    input.face_map = Json::parse(json);
    return detect_face(avatar, input);
}

TEST_CASE("a face map gives meaning to any shape or bone, overrides and removes") {
    avatar::Avatar avatar = face_avatar(Names{"MTH_A", "MTH_B", "jawOpen", "Blink"});
    add_joint(avatar, "kiefer");
    const auto face = mapped(
        avatar,
        R"({"channels":{"viseme.aa":["MTH_A"],"viseme.E":"MTH_B","viseme.sil":[],"expression.sad":{"MTH_A":0.5,"MTH_B":0.25},
        "jawOpen":{"bone":"kiefer","axis":[0,-1,0],"maxDegrees":20},"blink.left":null}})");
    REQUIRE(face);
    CHECK(face->capability == "jaw");
    CHECK(drives(*face, "viseme.aa") == "MTH_A*1");
    CHECK(drives(*face, "viseme.E") == "MTH_B*1");
    CHECK(drives(*face, "viseme.sil") == "-");
    CHECK(drives(*face, "expression.sad") == "MTH_A*0.5 MTH_B*0.25");
    CHECK(drives(*face, "jawOpen") == "bone kiefer");
    CHECK(drives(*face, "blink.left").empty());
    CHECK(drives(*face, "blink.right") == "Blink*1");
    CHECK(check_face(*face->manifest, &avatar, "", {}).size() == 1);  // the one-sided blink that the map asked for
}

TEST_CASE("a face map that names what is not there says what is nearest") {
    const avatar::Avatar avatar = face_avatar(Names{"MTH_A"});
    const auto shape = mapped(avatar, R"({"channels":{"viseme.aa":["MHT_A"]}})");
    REQUIRE_FALSE(shape);
    CHECK(shape.error().kind == ErrorKind::unconvertible);
    CHECK(shape.error().where == "face map /channels/viseme.aa/0");
    CHECK(shape.error().hint.find("MTH_A") != std::string::npos);
    const auto bone = mapped(avatar, R"({"channels":{"jawOpen":{"bone":"haed","axis":[0,1,0],"maxDegrees":20}}})");
    REQUIRE_FALSE(bone);
    CHECK(bone.error().kind == ErrorKind::unconvertible);
    CHECK(bone.error().hint.find("head") != std::string::npos);
}

TEST_CASE("a face map that is not well formed is a usage error") {
    const avatar::Avatar avatar = face_avatar(Names{"a"});
    for (const char* json :
         {"[]", "{}", R"({"channels":[]})", R"({"channels":{},"more":1})", R"({"channels":{"viseme.xx":["a"]}})",
          R"({"channels":{"viseme.aa":7}})", R"({"channels":{"viseme.aa":[7]}})", R"({"channels":{"viseme.aa":[]}})",
          R"({"channels":{"viseme.aa":{"a":2}}})", R"({"channels":{"viseme.aa":{"a":"1"}}})",
          R"({"channels":{"jawOpen":{"bone":"head","axis":[0,0,0],"maxDegrees":20}}})",
          R"({"channels":{"jawOpen":{"bone":"head","axis":[0,1,0],"maxDegrees":46}}})",
          R"({"channels":{"jawOpen":{"bone":"head","axis":[0,1,0],"maxDegrees":0}}})",
          R"({"channels":{"jawOpen":{"bone":"head","maxDegrees":20}}})",
          R"({"channels":{"jawOpen":{"bone":"head","axis":[0,1,0],"x":1}}})",
          R"({"channels":{"jawOpen":{"bone":3,"axis":[0,1,0],"maxDegrees":20}}})"}) {
        INFO(json);
        const auto face = mapped(avatar, json);
        REQUIRE_FALSE(face);
        CHECK(face.error().kind == ErrorKind::usage);
    }
}

}  // namespace
}  // namespace helixavatar::face
