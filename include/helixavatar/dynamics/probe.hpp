// SPDX-License-Identifier: MIT
// Chains measured while a body moves (dynamics.md §3).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <helixavatar/dynamics/solver.hpp>
#include <helixavatar/gltf/animation.hpp>

namespace helixavatar::dynamics {

/// World poses of all avatar joints at a time, by the animation alone.
using Motion = std::function<std::vector<Pose>(double seconds)>;

/// The built-in bodies in motion: formulas, no clips. Travel at the platform's stride speeds (2.049, 5.096, 7.111 m/s
/// along +Z), two bobs of the pelvis a stride, a spine that turns against the pelvis, a head that turns back and nods,
/// limbs that swing. `turn`: the body turns by 90 degrees to the left and back, over 1.25 s each (the platform's 2 s
/// turn at its playback rate of 1.6), with 0.75 s rest between.
enum class Gait { walk, run, sprint, turn };
const char* to_string(Gait gait);
Motion synthetic_motion(const avatar::Avatar& avatar, Gait gait);

/// A clip on the avatar, as the platform plays it: absolute local rotations by joint name, translation of the pelvis
/// alone (its way from the clip's own rest `pelvis_rest`, scaled to this body's hips). Loops; what a loop travels goes
/// on, and `travel` metres a second along +Z come on top, since platform clips run in place.
Motion clip_motion(const avatar::Avatar& avatar, const gltf::Clip& clip, const Vec3& pelvis_rest, double travel);

/// Where a clip's file rests its pelvis, in its parent's frame; zero when it has none.
Vec3 pelvis_rest(const gltf::Document& clip_document);

struct ProbeOptions {
    double rate = 60;              ///< steps a second
    double settle = 2;             ///< seconds before anything is measured
    double seconds = 8;            ///< measured
    std::size_t samples_kept = 0;  ///< swing samples a chain kept for a plot, at most; 0: none
};

/// A chain's swing: at each step the largest of its joints'. Degrees.
struct ChainSwing {
    std::string chain;
    double p50 = 0, p95 = 0, max = 0;
    double limit_share = 0;       ///< of the measured time, some joint at its limit, 0..1
    std::size_t collisions = 0;   ///< joint steps in which a collider pushed
    std::vector<double> samples;  ///< evenly spaced over the measured time
};

/// One entry for each chain of the manifest, in its order. Pure.
std::vector<ChainSwing> probe(const avatar::Avatar& avatar, const Manifest& manifest, const Motion& motion,
                              const ProbeOptions& options = {});

/// How far two rates may differ: 5 percent or half a degree, whichever is more; 15 percent for a stiff spring that is
/// hardly damped (dynamics.md §3).
double allowed_difference(const Chain& chain, double degrees);

/// Whether a chain's p50 and p95 at one rate stand for another.
bool rates_agree(const Chain& chain, const ChainSwing& a, const ChainSwing& b);

/// The motion with its chains as an animation on the first scene's joints, which any viewer plays. The body stays in
/// place. `seconds` are after the settling; `rate` keys a second.
void bake_animation(gltf::Document& document, const avatar::Avatar& avatar, const Manifest& manifest,
                    const Motion& motion, const std::string& name, double settle, double seconds, double rate);

/// Swing over time: a panel a motion, a line a chain, its limit dashed.
struct PlotPanel {
    std::string title;
    double seconds = 0;
    std::vector<ChainSwing> swings;  ///< with samples
    std::vector<double> limits;      ///< degrees, one a chain; 180: none
};
std::string plot_svg(const std::vector<PlotPanel>& panels);

}  // namespace helixavatar::dynamics
