// SPDX-License-Identifier: MIT
// What travels through the steps of an import.
#pragma once

#include <helixavatar/dynamics/vrm.hpp>

#include "fit_plan.hpp"
#include "receipt.hpp"
#include "textures_ahead.hpp"

namespace helixavatar::import {

/// The avatar as it becomes one, and the record of how.
struct Job {
    const ImportOptions& options;
    avatar::Source source;
    avatar::Avatar avatar;
    Record record;
    dynamics::VrmSpring springs;
    Plan plan;  ///< what the options ask for; a fit takes away from it
    TexturesAhead textures = {};

    const skeleton::Skeleton& canonical() const {
        return options.skeleton ? *options.skeleton : skeleton::helix_humanoid();
    }
    void warn(const std::vector<std::string>& warnings) {
        record.warnings.insert(record.warnings.end(), warnings.begin(), warnings.end());
    }
};

/// True when the finished file would have too many materials or draws.
bool over_the_gate(const avatar::Avatar& avatar, const Plan& plan);

/// Many materials into few draws, when the gate would refuse them otherwise or the options ask for it. A fit gives up
/// more until the draws fit.
Result<void> atlas_step(Job& job);

}  // namespace helixavatar::import
