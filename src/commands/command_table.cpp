// SPDX-License-Identifier: MIT
#include "command.hpp"

namespace helixavatar::commands {

std::span<const Command> commands() {
    static constexpr Command kCommands[] = {
        {"import", "Turn a character (GLB, glTF, VRM, FBX) into an avatar: map, pose, levels, face, textures, receipt",
         "  helixavatar import knight.glb -o knight.web.glb\n"
         "  helixavatar import hero.vrm -o hero.web.glb --height 1.8 --lod-tris 30000,15000,5000\n"
         "  helixavatar import characters/ -o avatars/ --resume --summary avatars.csv",
         bind_import},
        {"conform", "Put a character on the canonical skeleton and rest pose; meshes and textures as they are",
         "  helixavatar conform knight.glb -o knight.conformed.glb\n"
         "  helixavatar conform scan.glb -o scan.conformed.glb --bone-map bones.json",
         bind_conform},
        {"lod", "Rebuild the LOD scenes of a conformed avatar",
         "  helixavatar lod knight.web.glb -o knight.lods.web.glb --lod-tris 20000,8000,2000\n"
         "  helixavatar lod body.glb -o body.web.glb",
         bind_lod},
        {"preflight", "Judge avatars: every publish gate, guard and silent failure",
         "  helixavatar preflight knight.web.glb\n"
         "  helixavatar preflight avatars/ --format json --strict",
         bind_preflight},
        {"dynamics-validate", "Parse helix/dynamics@1 manifests as strictly as the engine does, with reasons",
         "  helixavatar dynamics-validate knight.web.glb\n"
         "  helixavatar dynamics-validate hair.json --against knight.web.glb",
         bind_dynamics_validate},
        {"dynamics-apply",
         "Give an avatar physics chains: auxiliary joints, weights and manifest, the same on every LOD",
         "  helixavatar dynamics-apply knight.web.glb --spec hair.json -o knight.hair.web.glb\n"
         "  helixavatar dynamics-apply knight.web.glb --suggest -o chains.json",
         bind_dynamics_apply},
        {"dynamics-probe", "Measure the chains while the body walks, runs, sprints and turns, or plays a clip",
         "  helixavatar dynamics-probe knight.web.glb --plot swing.svg --bake preview.glb\n"
         "  helixavatar dynamics-probe knight.web.glb --clip walk.glb --travel 2.05",
         bind_dynamics_probe},
        {"face-preview", "Bake blinks, gaze and speech on an avatar's face as an animation that any viewer plays",
         "  helixavatar face-preview knight.web.glb -o face.glb\n"
         "  helixavatar face-preview knight.web.glb -o face.glb --seconds 20 --seed 7 --script states.json",
         bind_face_preview},
        {"repair-lod-skeletons", "Give every LOD scene its own skeleton copy and change nothing else",
         "  helixavatar repair-lod-skeletons broken.web.glb -o mended.web.glb\n"
         "  helixavatar repair-lod-skeletons old.glb -o new.glb && helixavatar preflight new.glb",
         bind_repair_lod_skeletons},
        {"inspect", "What a file holds: rig, mapping, pose, meshes, textures, face",
         "  helixavatar inspect knight.glb\n"
         "  helixavatar inspect knight.glb --json",
         bind_inspect},
        {"skeleton", "Show helix-humanoid@1, or take the skeleton from a body",
         "  helixavatar skeleton --json\n"
         "  helixavatar skeleton --from body.glb -o my-skeleton.json",
         bind_skeleton},
        {"summarize", "Add up what became of all the files that went into a folder, from one machine or many",
         "  helixavatar summarize avatars/\n"
         "  helixavatar summarize avatars/ --summary avatars.md",
         bind_summarize},
        {"rigs", "List the rig families whose joint names are known",
         "  helixavatar rigs\n"
         "  helixavatar rigs --json",
         bind_rigs},
        {"completion", "Completion of commands and options for bash, zsh or fish",
         "  helixavatar completion bash > ~/.local/share/bash-completion/completions/helixavatar\n"
         "  helixavatar completion fish > ~/.config/fish/completions/helixavatar.fish",
         bind_completion},
        {"man", "The man page, made from the options themselves",
         "  helixavatar man > helixavatar.1\n"
         "  helixavatar man import > helixavatar-import.1",
         bind_man},
    };
    return kCommands;
}

}  // namespace helixavatar::commands
