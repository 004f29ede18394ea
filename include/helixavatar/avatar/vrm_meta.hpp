// SPDX-License-Identifier: MIT
// What a VRM says of itself beside its bones and shapes: who may use it, and what the wearer's own camera must not see.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <helixavatar/avatar/read_source.hpp>

namespace helixavatar::avatar {

/// First-person annotations, as glTF mesh indices. In the VRM specifications: "thirdPersonOnly" meshes are hidden from
/// the wearer's own camera, "firstPersonOnly" ones from all others; "auto" ones lose what hangs on the head, which here
/// is the FaceMesh slice.
struct VrmFirstPerson {
    std::set<int> third_person_only, first_person_only;
};

/// `node_mesh`: glTF mesh of each node, or -1. Indices that name nothing are left out.
VrmFirstPerson vrm_first_person(const VrmFacts& vrm, const std::vector<int>& node_mesh);

struct VrmLicence {
    Json provenance;  ///< the keys of a provenance file that the meta gives: license (SPDX), licenseUrl, author, model,
                      ///< ...
    std::vector<std::string>
        warnings;  ///< permissions that modifying, publishing or selling need and the meta does not give, by field
};

VrmLicence vrm_licence(const VrmFacts& vrm);

}  // namespace helixavatar::avatar
