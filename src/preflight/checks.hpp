// SPDX-License-Identifier: MIT
// The check of every rule; rule_table.cpp says which belongs to which.
#pragma once

#include "preflight/rule_context.hpp"

namespace helixavatar::preflight {

// budget.cpp
void check_triangles(const RuleContext& context, Outcome& outcome);
void check_draw_calls(const RuleContext& context, Outcome& outcome);
void check_file_size(const RuleContext& context, Outcome& outcome);
void check_materials(const RuleContext& context, Outcome& outcome);
void check_texture_edge(const RuleContext& context, Outcome& outcome);

// skeleton_rules.cpp
void check_no_skin(const RuleContext& context, Outcome& outcome);
void check_skeleton(const RuleContext& context, Outcome& outcome);
void check_rig_scale(const RuleContext& context, Outcome& outcome);
void check_rest_frames(const RuleContext& context, Outcome& outcome);
void check_joint_names(const RuleContext& context, Outcome& outcome);

// frame.cpp
void check_orientation_skeleton(const RuleContext& context, Outcome& outcome);
void check_orientation_geometry(const RuleContext& context, Outcome& outcome);
void check_bind_pose(const RuleContext& context, Outcome& outcome);
void check_feet_forward(const RuleContext& context, Outcome& outcome);

// size.cpp
void check_units(const RuleContext& context, Outcome& outcome);
void check_declared_height(const RuleContext& context, Outcome& outcome);
void check_short_body(const RuleContext& context, Outcome& outcome);
void check_feet_ground(const RuleContext& context, Outcome& outcome);

// skin.cpp
void check_influences(const RuleContext& context, Outcome& outcome);
void check_weights(const RuleContext& context, Outcome& outcome);

// lod_rules.cpp
void check_lod_count(const RuleContext& context, Outcome& outcome);
void check_lod_order(const RuleContext& context, Outcome& outcome);
void check_lod_shared_skeleton(const RuleContext& context, Outcome& outcome);
void check_lod_mismatch(const RuleContext& context, Outcome& outcome);

// head.cpp
void check_face_mesh(const RuleContext& context, Outcome& outcome);
void check_first_person_hide(const RuleContext& context, Outcome& outcome);
void check_no_first_person_hide(const RuleContext& context, Outcome& outcome);

// manifest_rules.cpp
void check_no_dynamics(const RuleContext& context, Outcome& outcome);
void check_no_face(const RuleContext& context, Outcome& outcome);
void check_dynamics(const RuleContext& context, Outcome& outcome);
void check_face(const RuleContext& context, Outcome& outcome);

// material_rules.cpp
void check_base_color_normal_map(const RuleContext& context, Outcome& outcome);
void check_normal_map(const RuleContext& context, Outcome& outcome);
void check_normal_map_green(const RuleContext& context, Outcome& outcome);

// file_rules.cpp
void check_file_structure(const RuleContext& context, Outcome& outcome);
void check_not_glb(const RuleContext& context, Outcome& outcome);
void check_unknown_extension(const RuleContext& context, Outcome& outcome);
void check_unused_data(const RuleContext& context, Outcome& outcome);
void check_uv_range(const RuleContext& context, Outcome& outcome);

}  // namespace helixavatar::preflight
