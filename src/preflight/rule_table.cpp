// SPDX-License-Identifier: MIT
// The rule catalogue: what each rule is called, how bad a failure is, why it matters and what to do, beside its check.
#include <array>

#include "preflight/checks.hpp"

namespace helixavatar::preflight {
namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr RuleClass kGate = RuleClass::publish_gate;
constexpr RuleClass kGuard = RuleClass::material_guard;
constexpr RuleClass kRuntime = RuleClass::runtime_contract;
constexpr RuleClass kFile = RuleClass::file_validity;

constexpr std::string_view kBudgets = "HELIX avatar contract, Budgets (upload gate)";
constexpr std::string_view kFrame = "HELIX avatar contract, Frame, units and rest pose";
constexpr std::string_view kPreflight = "HELIX avatar contract, Preflight errors and warnings";
constexpr std::string_view kGuards = "HELIX avatar contract, material guards of every publish";
constexpr std::string_view kLods = "HELIX avatar contract, LODs: one GLB, one scene per level";
constexpr std::string_view kHeight = "HELIX avatar contract, Height and the short-body locomotion gate";
constexpr std::string_view kFeet = "HELIX avatar contract, Feet and toes";
constexpr std::string_view kHide = "HELIX avatar contract, First-person hide";
constexpr std::string_view kGltf = "glTF 2.0 specification; the Khronos validator's code stands in brackets";

constexpr std::string_view kLoader = "A loader stops, or shows a broken character.";
constexpr std::string_view kReexport =
    "Export the file again, or import it again from its original; if it is broken again, tell the makers of what wrote "
    "it.";

// Sorted by class, then id; the static_assert below holds it to that.
constexpr Rule kRules[] = {
    {{"bind-pose", kError, kGate, "Upper arms at least 17 degrees from straight down",
      "The marketplace walk swings the arms about 24 degrees inward; arms bound nearer to the body walk into it, and "
      "the upload is refused.",
      "Bind the arms in the canonical A-pose (the reference body: 36 degrees from straight down): `helixavatar "
      "conform` does.",
      kFrame},
     check_bind_pose},
    {{"draw-calls", kError, kGate, "At most 12 draw calls over all LODs",
      "Every primitive counts once for each node that draws it, on every LOD; a file over the limit is refused at "
      "upload.",
      "Merge meshes that share a material and put materials into one atlas; each extra material or mesh costs one draw "
      "call a LOD.",
      kBudgets},
     check_draw_calls},
    {{"file-size", kError, kGate, "At most 10 MiB (10,485,760 bytes)", "A larger file is refused at upload.",
      "Encode textures as KTX2, lower their edge, or lower the triangle targets.", kBudgets},
     check_file_size},
    {{"materials", kError, kGate, "At most 8 materials",
      "A file with more is refused at upload; the import does not merge them by itself.",
      "Put materials into one atlas: `helixavatar import --atlas=always`.", kBudgets},
     check_materials},
    {{"no-dynamics", kWarning, kGate, "Some dynamics chain is declared",
      "Without chains, hair, cloth and tails do not move; nothing adds them after publishing.",
      "`helixavatar dynamics-apply AVATAR --suggest -o chains.json` proposes chains to edit and apply; publish without "
      "if the character has nothing that swings.",
      kPreflight},
     check_no_dynamics},
    {{"no-face", kWarning, kGate, "Some face channel is declared",
      "Without scene.extras.helixFace the avatar stands in voice chat with a closed mouth and never blinks; nothing "
      "adds it later.",
      "Import from a source with visemes or blink shapes, or name them with `--face-map`; a helmet or robot can do "
      "without.",
      kPreflight},
     check_no_face},
    {{"no-first-person-hide", kWarning, kGate, "A list of what the first-person camera hides",
      "With no list the engine hides FaceMesh only; a helmet, a visor or front hair stays before the eyes.",
      "Write {\"firstPersonHide\": [\"FaceMesh\"]} into scene.extras.helixAvatar on every scene, and whatever else is "
      "before the eyes.",
      kPreflight},
     check_no_first_person_hide},
    {{"no-skin", kError, kGate, "A skinned mesh",
      "Without a skin no animation can move the character; the upload is refused.",
      "Bind the mesh to a humanoid skeleton in a modelling tool (or an auto-rigger such as Mixamo), then run "
      "`helixavatar import`.",
      kPreflight},
     check_no_skin},
    {{"orientation-geometry", kError, kGate, "The skinned geometry faces +Z within 15 degrees",
      "The platform measures the mesh's yaw apart from the skeleton's and refuses what walks sideways.",
      "Turn skeleton and geometry together until the face looks along +Z: `helixavatar import` does.", kFrame},
     check_orientation_geometry},
    {{"orientation-skeleton", kError, kGate, "The skeleton faces +Z within 15 degrees",
      "The platform measures the skeleton's yaw and refuses what walks sideways.",
      "Turn skeleton and geometry together until the toes point along +Z: `helixavatar import` does.", kFrame},
     check_orientation_skeleton},
    {{"rig-scale", kError, kGate, "Joints span at most 10 m",
      "A larger skeleton is taken for a unit error and refused.",
      "Bake the scale into metres: `helixavatar import` does.", kPreflight},
     check_rig_scale},
    {{"skeleton", kError, kGate, "The joints that the gates require",
      "The publish preflight needs root, pelvis, spine_01, head, hands and feet; the backend needs spine_03, spine_05, "
      "neck_01, "
      "clavicles, arms and legs too. A file that fails either is refused.",
      "Convert the character: `helixavatar import SOURCE -o NAME.web.glb`.",
      "HELIX avatar contract, Bones each gate requires"},
     check_skeleton},
    {{"texture-edge", kError, kGate, "Textures of at most 2048 pixels", "A larger image is refused at upload.",
      "Scale the image: `helixavatar import --max-texture 2048`.", kBudgets},
     check_texture_edge},
    {{"triangles", kError, kGate, "At most 60,000 triangles over all LODs",
      "A file over the limit is refused at upload.",
      "Lower the LOD targets: `helixavatar lod AVATAR -o OUT --lod-tris 30000,15000,5000`.", kBudgets},
     check_triangles},

    {{"base-color-normal-map", kError, kGuard, "The base colour is no normal map",
      "A normal map in the base colour slot draws the character blue and violet; publishing refuses it.",
      "Put the colour texture into baseColorTexture and the normal map into normalTexture.", kGuards},
     check_base_color_normal_map},
    {{"normal-map", kError, kGuard, "Normal textures are normal maps",
      "Light is computed from these pixels as unit vectors; any other image makes it fall wrong. The upload is "
      "refused.",
      "Bake a tangent-space normal map (OpenGL style, linear) or take the image out of the normal slot.", kGuards},
     check_normal_map},
    {{"normal-map-green", kWarning, kGuard, "Normal maps have green pointing up",
      "glTF reads green as up (OpenGL); a DirectX map turns bumps into dents.",
      "Invert the green channel of the normal map.", "glTF 2.0 specification, normalTexture"},
     check_normal_map_green},
    {{"rest-frames", kError, kGuard, "Rest frames within 100 degrees of the canonical ones",
      "Clips set joint rotations; a joint whose frame is turned bends about the wrong axis. The upload is refused.",
      "Rebuild the skeleton on the canonical frames: `helixavatar conform AVATAR -o OUT` (another skeleton: "
      "`--skeleton FILE`).",
      kGuards},
     check_rest_frames},

    {{"declared-height", kWarning, kRuntime, "Drawn height within 0.8 to 1.25 times the declared one",
      "Visual QA compares the two and warns.", "Scale the character or correct the declared height.", kHeight},
     check_declared_height},
    {{"dynamics", kError, kRuntime, "The dynamics manifest is one that the engine reads",
      "The engine drops the whole manifest silently at any fault: no hair, cloth or tail moves.",
      "Correct each field that is named; `helixavatar dynamics-validate` says the same for the manifest alone.",
      "HELIX dynamics reference, The parse is strict, and failure is silent"},
     check_dynamics},
    {{"face", kError, kRuntime, "The face manifest is one that the engine reads",
      "A manifest with a fault leaves the avatar mute.", "Correct each field that is named.",
      "HELIX face reference, helix/avatar-face@1"},
     check_face},
    {{"face-mesh", kWarning, kRuntime, "Every LOD has a FaceMesh slice that shares the body's vertices",
      "The first-person camera hides FaceMesh; vertices of its own cost bytes and miss edits of the body's weights.",
      "Cut the slice again: `helixavatar lod AVATAR -o OUT`.", kLods},
     check_face_mesh},
    {{"feet-forward", kWarning, kRuntime, "Toes within 75 degrees of forward",
      "Clips author the toes along the foot; feet turned this far look broken in every walk, and visual QA warns.",
      "Re-pose the source's feet by yaw only, so that the soles stay flat, and import again.", kFeet},
     check_feet_forward},
    {{"feet-ground", kWarning, kRuntime, "The lowest vertex within 2 cm of the ground",
      "The character floats or stands in the floor.",
      "Move the character so that the soles are at Y = 0: `helixavatar import` does.", kFrame},
     check_feet_ground},
    {{"first-person-hide", kError, kRuntime, "The first-person hide list is sound and the same on every scene",
      "A name that matches no mesh hides nothing; more than 64 names or lists that differ leave parts before the "
      "camera.",
      "Name meshes that exist, at most 64, and write the same list on every scene.", kHide},
     check_first_person_hide},
    {{"influences", kError, kRuntime, "At most 4 joint influences a vertex",
      "The engine reads JOINTS_0 and WEIGHTS_0 only.",
      "Keep the four heaviest weights of each vertex and make them sum to 1: `helixavatar import` does.", kLods},
     check_influences},
    {{"joint-names", kError, kRuntime, "Every joint of a scene has a name of its own",
      "Clips, dynamics and LOD switches find joints by name; of two with one name only one moves.",
      "Rename the joints so that each name occurs once in a scene.", kLods},
     check_joint_names},
    {{"lod-count", kWarning, kRuntime, "Three LOD scenes",
      "The engine switches levels at 0, 8 and 15 m; a level that is missing is drawn in full detail.",
      "Build the levels: `helixavatar lod AVATAR -o OUT`.", kLods},
     check_lod_count},
    {{"lod-mismatch", kError, kRuntime, "Every LOD has the same joints and manifests",
      "Lower LODs are rebound onto LOD0's skeleton by name; a joint or manifest that only some have freezes or "
      "vanishes at distance.",
      "Make every edit identically on every LOD.", kLods},
     check_lod_mismatch},
    {{"lod-order", kWarning, kRuntime, "Farther LODs have fewer triangles",
      "Scene i is LOD i, nearest first; the wrong order draws the heaviest far away.",
      "Order the scenes from most to fewest triangles.", kLods},
     check_lod_order},
    {{"lod-shared-skeleton", kError, kRuntime, "Every LOD scene has its own skeleton",
      "Scenes that share joints load with undefined bones in three.js.",
      "Run `helixavatar repair-lod-skeletons AVATAR -o OUT`: it copies the skeleton and changes nothing else.", kLods},
     check_lod_shared_skeleton},
    {{"short-body", kWarning, kRuntime, "A short body has legs short enough to be retargeted",
      "Under 1.35 m, with (pelvis - foot) / 0.877 at 0.65 or more, the human clips play unscaled and the feet sink.",
      "Lower the pelvis joint to the height named.", kHeight},
     check_short_body},
    {{"units", kError, kRuntime, "Drawn height between 0.5 and 3.5 m",
      "Visual QA refuses other heights; usually the units are wrong.",
      "Scale skeleton and geometry together into metres: `helixavatar import --height METRES`.", kHeight},
     check_units},
    {{"unknown-extension-required", kWarning, kRuntime, "Only extensions that the engine's loader knows are required",
      "A loader must refuse a file that requires an extension it does not know.", "Export without that extension.",
      "three.js GLTFLoader's list of extensions"},
     check_unknown_extension},
    {{"unused-data", kWarning, kRuntime, "Every byte is referred to",
      "Bytes left behind by edits are downloaded by everybody and used by nobody.",
      "Rewrite accessors in place instead of appending new ones, or write the file anew: `helixavatar lod AVATAR -o "
      "OUT`.",
      "HELIX dynamics reference, weights rewritten in place"},
     check_unused_data},
    {{"uv-range", kWarning, kRuntime, "Texture coordinates are no strays",
      "One stray coordinate takes the precision of all others when a tool quantises the mesh.",
      "Find the stray vertices in the UV editor and move them onto the texture.",
      "glTF-Transform reports 936, 976 and 1215"},
     check_uv_range},
    {{"weights", kError, kRuntime, "Weights of every vertex sum to 1 over joints that exist",
      "A vertex with other weights is pulled away, left behind or drawn at the origin as soon as the character moves.",
      "`helixavatar import AVATAR -o OUT` normalises them; so does Normalize All in Blender, before exporting again.",
      kLods},
     check_weights},

    {{"file-accessor", kError, kFile, "Accessors lie inside their data and hold numbers", kLoader, kReexport, kGltf},
     check_file_structure},
    {{"file-animation", kError, kFile, "Animations are well formed", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-asset", kError, kFile, "The file says which glTF it is", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-buffer", kError, kFile, "Buffers and their data are there", kLoader, kReexport, kGltf},
     check_file_structure},
    {{"file-buffer-view", kError, kFile, "Buffer views lie inside their buffers", kLoader, kReexport, kGltf},
     check_file_structure},
    {{"file-camera", kError, kFile, "Cameras are well formed", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-container", kError, kFile, "The GLB container is well formed", kLoader, kReexport, kGltf},
     check_file_structure},
    {{"file-data", kError, kFile, "Accessors hold sound values", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-extension", kError, kFile, "Extensions are declared and well formed", kLoader, kReexport, kGltf},
     check_file_structure},
    {{"file-image", kError, kFile, "Images are there and readable", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-json", kError, kFile, "The JSON is what glTF asks for", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-material", kError, kFile, "Materials are well formed", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-mesh", kError, kFile, "Meshes are well formed", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-node", kError, kFile, "Nodes form trees", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-not-glb", kWarning, kFile, "One .glb file", "An avatar is one GLB; files beside it cannot be uploaded.",
      "Pack it: any export as .glb, or `helixavatar import SOURCE -o NAME.web.glb`.", "HELIX avatar contract"},
     check_not_glb},
    {{"file-scene", kError, kFile, "Scenes list root nodes", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-skin", kError, kFile, "Skins are well formed", kLoader, kReexport, kGltf}, check_file_structure},
    {{"file-structure", kError, kFile, "Everything else that a loader trips over", kLoader, kReexport, kGltf},
     check_file_structure},
    {{"file-texture", kError, kFile, "Textures and samplers are well formed", kLoader, kReexport, kGltf},
     check_file_structure},
};

constexpr std::size_t kCount = sizeof kRules / sizeof kRules[0];

constexpr bool sorted_and_unique() {
    for (std::size_t i = 1; i < kCount; ++i) {
        const RuleInfo& before = kRules[i - 1].info;
        const RuleInfo& after = kRules[i].info;
        if (before.klass > after.klass || (before.klass == after.klass && before.id >= after.id)) return false;
        for (std::size_t j = 0; j < i; ++j) {
            if (kRules[j].info.id == after.id) return false;
        }
    }
    return true;
}
static_assert(sorted_and_unique(), "rules are sorted by class, then id, and every id occurs once");

constexpr auto kInfos = [] {
    std::array<RuleInfo, kCount> infos{};
    for (std::size_t i = 0; i < kCount; ++i) infos[i] = kRules[i].info;
    return infos;
}();

}  // namespace

std::span<const Rule> rule_table() {
    return kRules;
}

std::span<const RuleInfo> catalogue() {
    return kInfos;
}

const RuleInfo* find_rule(std::string_view id) {
    for (const RuleInfo& rule : kInfos) {
        if (rule.id == id) return &rule;
    }
    return nullptr;
}

const char* to_string(RuleClass klass) {
    switch (klass) {
        case RuleClass::publish_gate:
            return "publish-gate";
        case RuleClass::material_guard:
            return "material-guard";
        case RuleClass::runtime_contract:
            return "runtime-contract";
        case RuleClass::file_validity:
            return "file-validity";
    }
    return "file-validity";
}

}  // namespace helixavatar::preflight
