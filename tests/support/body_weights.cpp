// SPDX-License-Identifier: MIT
// Smooth weights by chains: along a chain of joints each joint takes over from the one before it across a plane through
// its own place, so weights can only spread between neighbours of one limb, however near another limb hangs.
#include <algorithm>
#include <cmath>
#include <string>

#include "support/body.hpp"
#include "support/reference_pose.hpp"

namespace helixavatar::test {
namespace {

float smooth_step(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// A plane through a joint, halving the angle between the bones that meet there.
struct Gate {
    std::uint16_t joint = 0;
    Vec3f place = Vec3f::Zero();
    Vec3f along = Vec3f::UnitY();
    float half_width = 0.01f;

    float passed(const Vec3f& p) const { return smooth_step(-half_width, half_width, along.dot(p - place)); }
};

Vec3f place_of(const std::string& name) {
    return reference_position(name).cast<float>();
}

Gate gate(const std::string& name, const Vec3f& before, const Vec3f& after, float half_width) {
    return {static_cast<std::uint16_t>(reference_index(name)), place_of(name),
            ((place_of(name) - before).normalized() + (after - place_of(name)).normalized()).normalized(), half_width};
}

struct Chains {
    std::vector<Gate> spine;  ///< spine_01 .. head
    Gate shoulder, elbow, wrist, hip, knee, ankle, ball;
    std::array<std::array<Gate, 3>, 5> fingers;  ///< thumb first
    std::uint16_t pelvis = 0, clavicle = 0;
    std::array<std::uint16_t, 3> upperarm{}, lowerarm{}, thigh{}, calf{};  ///< the joints at 0, 1/3 and 2/3 of a bone
    std::vector<std::uint16_t> other_side;
};

Chains make_chains() {
    Chains c;
    c.pelvis = static_cast<std::uint16_t>(reference_index("pelvis"));
    c.clavicle = static_cast<std::uint16_t>(reference_index("clavicle_l"));
    const std::vector<std::pair<std::string, float>> spine = {
        {"spine_01", 0.030f}, {"spine_02", 0.034f}, {"spine_03", 0.036f}, {"spine_04", 0.050f},
        {"spine_05", 0.055f}, {"neck_01", 0.030f},  {"neck_02", 0.024f},  {"head", 0.024f}};
    const auto thirds = [](const std::array<const char*, 3>& names) {
        std::array<std::uint16_t, 3> out{};
        for (std::size_t i = 0; i < 3; ++i) out[i] = static_cast<std::uint16_t>(reference_index(names[i]));
        return out;
    };
    c.upperarm = thirds({"upperarm_l", "upperarm_twist_01_l", "upperarm_twist_02_l"});
    c.lowerarm = thirds({"lowerarm_l", "lowerarm_twist_02_l", "lowerarm_twist_01_l"});
    c.thigh = thirds({"thigh_l", "thigh_twist_01_l", "thigh_twist_01_l"});
    c.calf = thirds({"calf_l", "calf_l", "calf_twist_01_l"});
    for (const ReferenceJoint& joint : reference_joints()) {
        std::string name = joint.name;
        if (name.ends_with("_l")) name.back() = 'r';
        c.other_side.push_back(static_cast<std::uint16_t>(reference_index(name)));
    }
    Vec3f before = place_of("pelvis");
    for (std::size_t i = 0; i < spine.size(); ++i) {
        const Vec3f here = place_of(spine[i].first);
        const Vec3f after = i + 1 < spine.size() ? place_of(spine[i + 1].first) : Vec3f(here + Vec3f(0, 0.1f, 0));
        c.spine.push_back(gate(spine[i].first, before, after, spine[i].second));
        before = here;
    }
    c.shoulder = gate("upperarm_l", place_of("clavicle_l"), place_of("lowerarm_l"), 0.055f);
    c.elbow = gate("lowerarm_l", place_of("upperarm_l"), place_of("hand_l"), 0.036f);
    c.wrist = gate("hand_l", place_of("lowerarm_l"), place_of("middle_01_l"), 0.026f);
    c.hip = {static_cast<std::uint16_t>(reference_index("thigh_l")),
             {0.0995f, 0.900f, 0.0255f},
             Vec3f(0.42f, -0.91f, 0).normalized(),
             0.065f};
    c.knee = gate("calf_l", place_of("thigh_l"), place_of("foot_l"), 0.055f);
    c.ankle = gate("foot_l", place_of("calf_l"), place_of("ball_l"), 0.030f);
    const Vec3f toes = place_of("ball_l") - place_of("foot_l");
    c.ball = gate("ball_l", place_of("ball_l") - Vec3f(toes.x(), 0, toes.z()),
                  place_of("ball_l") + Vec3f(toes.x(), 0, toes.z()), 0.022f);
    const std::array<std::string, 5> names = {"thumb", "index", "middle", "ring", "pinky"};
    for (std::size_t f = 0; f < 5; ++f) {
        const Vec3f a = place_of(names[f] + "_01_l");
        const Vec3f b = place_of(names[f] + "_02_l");
        const Vec3f d = place_of(names[f] + "_03_l");
        const Vec3f root = f == 0 ? place_of("hand_l") : place_of(names[f] + "_metacarpal_l");
        c.fingers[f] = {gate(names[f] + "_01_l", root, b, 0.011f), gate(names[f] + "_02_l", a, d, 0.008f),
                        gate(names[f] + "_03_l", b, 2 * d - b, 0.007f)};
    }
    return c;
}

/// Collects the weights of one vertex of the left half.
class Scale {
public:
    void add(std::size_t joint, float weight) {
        if (weight > 0) sum_[joint] += weight;
    }
    /// Shares a bone's weight between the joints at thirds along it.
    void add_along(const std::array<std::uint16_t, 3>& joints, float t, float weight) {
        const float at = std::clamp(t * 3, 0.0f, 2.0f);
        const std::size_t first = at < 1 ? 0 : 1;
        const float part = at - static_cast<float>(first);
        add(joints[first], weight * (1 - part));
        add(joints[first + 1], weight * part);
    }
    BodyInfluences take() const {
        std::vector<avatar::Influence> all;
        for (std::size_t j = 0; j < sum_.size(); ++j)
            if (sum_[j] > 1e-3f) all.push_back({static_cast<std::uint16_t>(j), sum_[j]});
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
        all.resize(std::min<std::size_t>(all.size(), 4));
        float total = 0;
        for (const auto& influence : all) total += influence.weight;
        BodyInfluences out{};
        for (std::size_t i = 0; i < all.size(); ++i) out[i] = {all[i].joint, all[i].weight / total};
        return out;
    }

private:
    std::vector<float> sum_ = std::vector<float>(reference_joints().size(), 0.0f);
};

float along(const Vec3f& a, const Vec3f& b, const Vec3f& p) {
    return (p - a).dot(b - a) / (b - a).squaredNorm();
}

void weigh_trunk(Scale& scale, const Chains& c, const Field::Sample& s, const Vec3f& p, float share) {
    const float head = smooth_step(
        -0.010f, 0.010f,
        std::min(s.parts[static_cast<std::size_t>(Part::trunk)], 0.2f) - s.parts[static_cast<std::size_t>(Part::head)]);
    scale.add(c.spine.back().joint, share * head);
    share *= 1 - head;
    const float yoke = 0.85f * smooth_step(0.045f, 0.150f, p.x()) * smooth_step(1.33f, 1.44f, p.y());
    std::uint16_t joint = c.pelvis;
    for (std::size_t i = 0; i <= c.spine.size(); ++i) {
        const float passed = i < c.spine.size() ? c.spine[i].passed(p) : 0.0f;
        const float here = share * (1 - passed);
        const bool chest = i >= 4 && i <= 5;  // spine_04 and spine_05 share with the collar bone
        scale.add(joint, here * (chest ? 1 - yoke : 1));
        if (chest) scale.add(c.clavicle, here * yoke);
        share *= passed;
        if (i < c.spine.size()) joint = c.spine[i].joint;
    }
}

void weigh_hand(Scale& scale, const Chains& c, const Field::Sample& s, const Vec3f& p, float share) {
    std::size_t nearest = 0;
    for (std::size_t f = 1; f < 5; ++f)
        if (s.parts[static_cast<std::size_t>(Part::thumb) + f] <
            s.parts[static_cast<std::size_t>(Part::thumb) + nearest])
            nearest = f;
    const float palm = s.parts[static_cast<std::size_t>(Part::arm)];
    float finger = smooth_step(-0.004f, 0.004f, palm - s.parts[static_cast<std::size_t>(Part::thumb) + nearest]);
    // The ball of the thumb moves with the thumb, though it is palm.
    const auto& thumb = c.fingers[0];
    const float t = std::clamp(along(thumb[0].place, thumb[1].place, p), 0.0f, 1.0f);
    const float ball = smooth_step(0.030f, 0.014f, (p - thumb[0].place - t * (thumb[1].place - thumb[0].place)).norm());
    if (ball > finger) {
        finger = ball;
        nearest = 0;
    }
    const auto& chain = c.fingers[nearest];
    const float first = finger * chain[0].passed(p);
    const float second = first * chain[1].passed(p);
    const float third = second * chain[2].passed(p);
    scale.add(c.wrist.joint, share * (1 - first));
    scale.add(chain[0].joint, share * (first - second));
    scale.add(chain[1].joint, share * (second - third));
    scale.add(chain[2].joint, share * third);
}

void weigh_leg(Scale& scale, const Chains& c, const Field::Sample& s, const Vec3f& p, float share) {
    const float knee = c.knee.passed(p);
    const bool cuff =
        s.stuffs[static_cast<std::size_t>(Stuff::trousers)] <
        std::min(s.stuffs[static_cast<std::size_t>(Stuff::shoe)], s.stuffs[static_cast<std::size_t>(Stuff::sole)]);
    const float ankle = knee * (cuff ? 0.0f : c.ankle.passed(p));
    const float ball = ankle * c.ball.passed(p);
    scale.add_along(c.thigh, along(c.hip.place, c.knee.place, p), share * (1 - knee));
    scale.add_along(c.calf, along(c.knee.place, c.ankle.place, p), share * (knee - ankle));
    scale.add(c.ankle.joint, share * (ankle - ball));
    scale.add(c.ball.joint, share * ball);
}

}  // namespace

BodyInfluences weigh(const Field& field, const Vec3f& position) {
    static const Chains c = make_chains();
    const Vec3f p(std::abs(position.x()), position.y(), position.z());
    const Field::Sample s = field.sample(p);
    const auto part = [&](Part which) { return s.parts[static_cast<std::size_t>(which)]; };
    Scale scale;

    const float trunk = std::min({part(Part::trunk), part(Part::seat), part(Part::head), 0.3f});
    float arm_part = part(Part::arm);
    for (const Part finger : {Part::thumb, Part::index, Part::middle, Part::ring, Part::pinky})
        arm_part = std::min(arm_part, part(finger));
    const float arm = smooth_step(-0.020f, 0.030f, trunk - arm_part) * c.shoulder.passed(p);
    const float leg_part = std::min(part(Part::leg), part(Part::foot));
    // Hanging hands come near the hips: what is arm is not leg.
    float leg = (1 - arm) * (leg_part < arm_part || part(Part::seat) < arm_part ? c.hip.passed(p) : 0.0f);

    const float elbow = c.elbow.passed(p);
    const float wrist = elbow * c.wrist.passed(p);
    scale.add_along(c.upperarm, along(c.shoulder.place, c.elbow.place, p), arm * (1 - elbow));
    scale.add_along(c.lowerarm, along(c.elbow.place, c.wrist.place, p), arm * (elbow - wrist));
    weigh_hand(scale, c, s, p, arm * wrist);

    // Between the legs both thighs pull alike.
    const float own = smooth_step(-0.022f, 0.022f, p.x());
    weigh_leg(scale, c, s, p, leg * own);
    scale.add(c.other_side[c.hip.joint], leg * (1 - own));
    weigh_trunk(scale, c, s, p, 1 - arm - leg);

    BodyInfluences out = scale.take();
    if (position.x() < 0)
        for (auto& influence : out)
            if (influence.weight > 0) influence.joint = c.other_side[influence.joint];
    return out;
}

}  // namespace helixavatar::test
