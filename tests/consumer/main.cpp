// SPDX-License-Identifier: MIT
#include <cstdio>

#include <helixavatar/preflight/preflight.hpp>
#include <helixavatar/skeleton/skeleton.hpp>

int main() {
    const auto& skeleton = helixavatar::skeleton::helix_humanoid();
    const auto report = helixavatar::preflight::judge(helixavatar::as_bytes("not a GLB"), "nothing.glb");
    std::printf("%zu joints, %s\n", skeleton.joints.size(), report ? "judged" : "refused");
    return skeleton.joints.size() == 76 && !report ? 0 : 1;
}
