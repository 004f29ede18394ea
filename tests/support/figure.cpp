// SPDX-License-Identifier: MIT
#include "support/figure.hpp"

#include "support/reference_pose.hpp"

namespace helixavatar::test {
namespace {

Vec3f place(std::string_view joint) {
    return reference_position(joint).cast<float>();
}

/// Rows u, w, v of a frame whose w runs along `axis` and whose v is as near to `front` as can be.
Eigen::Matrix3f frame(const Vec3f& axis, const Vec3f& front) {
    const Vec3f w = axis.normalized();
    const Vec3f v = (front - front.dot(w) * w).normalized();
    Eigen::Matrix3f rows;
    rows.row(0) = w.cross(v).transpose();
    rows.row(1) = w.transpose();
    rows.row(2) = v.transpose();
    return rows;
}

/// Collects solids; each call returns the new one so that its rarer fields can be set in place.
class Sculptor {
public:
    Sculptor& on(Part part, Stuff stuff) {
        part_ = part;
        stuff_ = stuff;
        return *this;
    }
    Solid& cone(const Vec3f& a, const Vec3f& b, float radius_a, float radius_b, float soft) {
        Solid& solid = add(Solid::Kind::cone, soft);
        solid.a = a;
        solid.b = b;
        solid.radius_a = radius_a;
        solid.radius_b = radius_b;
        return solid;
    }
    Solid& ball(const Vec3f& centre, float radius, float soft) { return cone(centre, centre, radius, radius, soft); }
    Solid& ellipsoid(const Vec3f& centre, const Vec3f& radii, float soft) {
        Solid& solid = add(Solid::Kind::ellipsoid, soft);
        solid.origin = centre;
        solid.radii = radii;
        return solid;
    }
    Solid& loft(const Vec3f& origin, const Eigen::Matrix3f& axes, std::vector<Station> stations, float soft) {
        Solid& solid = add(Solid::Kind::loft, soft);
        solid.origin = origin;
        solid.axes = axes;
        solid.stations = std::move(stations);
        return solid;
    }
    std::vector<Solid> take() { return std::move(solids_); }
    std::size_t count() const { return solids_.size(); }
    /// The head is drawn at one size and set on the neck at another.
    void enlarge_head(std::size_t from);

private:
    Solid& add(Solid::Kind kind, float soft) {
        Solid& solid = solids_.emplace_back();
        solid.kind = kind;
        solid.part = part_;
        solid.stuff = stuff_;
        solid.soft = soft;
        return solid;
    }
    std::vector<Solid> solids_;
    Part part_ = Part::trunk;
    Stuff stuff_ = Stuff::skin;
};

void Sculptor::enlarge_head(std::size_t from) {
    for (std::size_t i = from; i < solids_.size(); ++i) {
        Solid& solid = solids_[i];
        solid.origin = head_place(solid.origin);
        solid.a = head_place(solid.a);
        solid.b = head_place(solid.b);
        for (float* length : {&solid.radius_a, &solid.radius_b, &solid.cap_low, &solid.cap_high, &solid.soft})
            *length *= kHeadScale;
        solid.radii *= kHeadScale;
        for (Station& s : solid.stations)
            s = {s.at * kHeadScale, s.side * kHeadScale, s.front * kHeadScale, s.back * kHeadScale};
        if (solid.cut) solid.cut->offset = solid.cut->normal.dot(head_place(solid.cut->offset * solid.cut->normal));
    }
}

void add_trunk(Sculptor& s) {
    const Eigen::Matrix3f upright = Eigen::Matrix3f::Identity();
    s.on(Part::seat, Stuff::trousers);
    Solid& hips = s.loft({0, 0, 0.008f}, upright,
                         {{0.845f, 0.105f, 0.066f, 0.076f},
                          {0.90f, 0.166f, 0.104f, 0.114f},
                          {0.95f, 0.166f, 0.108f, 0.104f},
                          {1.00f, 0.156f, 0.106f, 0.090f},
                          {1.04f, 0.150f, 0.105f, 0.085f}},
                         0.02f);
    hips.cap_low = 0.035f;
    hips.power = 2.3f;
    s.ellipsoid({0.074f, 0.895f, -0.058f}, {0.078f, 0.085f, 0.056f}, 0.05f);  // seat

    s.on(Part::trunk, Stuff::shirt);
    Solid& shirt = s.loft({0, 0, 0.012f}, upright,
                          {{0.90f, 0.187f, 0.122f, 0.148f},
                           {0.96f, 0.180f, 0.119f, 0.128f},
                           {1.03f, 0.161f, 0.113f, 0.096f},
                           {1.10f, 0.152f, 0.112f, 0.090f},
                           {1.17f, 0.152f, 0.114f, 0.097f},
                           {1.25f, 0.161f, 0.119f, 0.111f},
                           {1.33f, 0.171f, 0.118f, 0.127f},
                           {1.39f, 0.171f, 0.106f, 0.136f},
                           {1.44f, 0.148f, 0.078f, 0.135f},
                           {1.485f, 0.100f, 0.052f, 0.118f}},
                          0.004f);
    shirt.cap_high = 0.020f;
    shirt.power = 2.35f;
    shirt.cut = Solid::Cut{{0, -1, 0}, -0.912f};
    s.ellipsoid({0.076f, 1.338f, 0.078f}, {0.078f, 0.058f, 0.050f}, 0.045f);               // chest
    s.ellipsoid({0.095f, 1.385f, -0.085f}, {0.070f, 0.085f, 0.045f}, 0.05f);               // shoulder blade
    s.cone({0.030f, 1.500f, -0.045f}, {0.150f, 1.455f, -0.032f}, 0.040f, 0.046f, 0.045f);  // trapezius
    s.on(Part::trunk, Stuff::skin);
    const Vec3f base(0, 1.450f, -0.038f);
    const Vec3f top(0, 1.640f, 0.012f);
    s.loft(base, frame(top - base, {0, 0, 1}),
           {{0.0f, 0.074f, 0.060f, 0.064f},
            {0.05f, 0.064f, 0.056f, 0.060f},
            {0.10f, 0.057f, 0.054f, 0.056f},
            {0.19f, 0.056f, 0.050f, 0.056f}},
           0.012f);
    s.ellipsoid({0, 1.560f, 0.047f}, {0.011f, 0.016f, 0.012f}, 0.02f);  // Adam's apple
}

const Vec3f kEyeDrawn(0.0325f, 1.6790f, 0.0870f);
constexpr float kEyeDrawnRadius = landmark::kEyeRadius / kHeadScale;

void add_head(Sculptor& s) {
    s.on(Part::head, Stuff::skin);
    s.ellipsoid({0, 1.705f, 0.008f}, {0.0740f, 0.0920f, 0.0960f}, 0.01f);  // skull
    Eigen::Matrix3f upright = Eigen::Matrix3f::Identity();
    Solid& face = s.loft({0, 0, 0.040f}, upright,
                         {{1.585f, 0.026f, 0.049f, 0.030f},
                          {1.600f, 0.041f, 0.054f, 0.045f},
                          {1.622f, 0.053f, 0.058f, 0.056f},
                          {1.650f, 0.0605f, 0.058f, 0.065f},
                          {1.680f, 0.0655f, 0.055f, 0.07f},
                          {1.715f, 0.0665f, 0.0555f, 0.07f},
                          {1.750f, 0.0560f, 0.0430f, 0.06f}},
                         0.022f);
    face.cap_low = 0.010f;
    face.power = 2.3f;
    s.cone({0.050f, 1.620f, 0.010f}, {0.020f, 1.591f, 0.072f}, 0.014f, 0.013f, 0.030f);       // jaw line
    s.ellipsoid({0, 1.588f, 0.084f}, {0.019f, 0.014f, 0.015f}, 0.022f);                       // chin
    s.ellipsoid({0.040f, 1.632f, 0.060f}, {0.020f, 0.024f, 0.022f}, 0.030f);                  // cheek
    s.ellipsoid({0.046f, 1.658f, 0.071f}, {0.020f, 0.016f, 0.020f}, 0.030f);                  // cheekbone
    s.cone({0.012f, 1.6985f, 0.0965f}, {0.045f, 1.698f, 0.0805f}, 0.0085f, 0.0075f, 0.016f);  // brow ridge

    Solid& socket = s.ellipsoid({0.0325f, 1.6790f, 0.1065f}, {0.0195f, 0.0105f, 0.0135f}, 0.014f);
    socket.carve = true;

    s.cone({0, 1.692f, 0.0985f}, {0, 1.651f, 0.1155f}, 0.0068f, 0.0080f, 0.014f);   // nose bridge
    s.ellipsoid({0, 1.6460f, 0.1150f}, {0.0092f, 0.0085f, 0.0110f}, 0.010f);        // nose tip
    s.ellipsoid({0.0098f, 1.6420f, 0.1060f}, {0.0066f, 0.0062f, 0.0095f}, 0.007f);  // wing
    Solid& nostril = s.ellipsoid({0.0062f, 1.6352f, 0.1105f}, {0.0035f, 0.0030f, 0.0050f}, 0.003f);
    nostril.carve = true;

    s.ellipsoid({0, 1.616f, 0.088f}, {0.030f, 0.020f, 0.0135f}, 0.018f);                        // muzzle
    s.cone({0.004f, 1.6178f, 0.1025f}, {0.0235f, 1.6142f, 0.0915f}, 0.0054f, 0.0024f, 0.005f);  // upper lip
    s.cone({0, 1.6080f, 0.1015f}, {0.0205f, 1.6115f, 0.0915f}, 0.0068f, 0.0028f, 0.005f);       // lower lip
    Solid& crease = s.cone({0, 1.6137f, 0.1095f}, {0.0215f, 1.6135f, 0.0975f}, 0.0013f, 0.0006f, 0.003f);
    crease.carve = true;

    s.on(Part::head, Stuff::eye);
    s.ball(kEyeDrawn, kEyeDrawnRadius, 0.0008f);
    s.on(Part::head, Stuff::skin);
    // Lids are shells around the eyeball, each cut where it opens.
    Solid& upper = s.ball(kEyeDrawn + Vec3f(0, 0, 0.0002f), kEyeDrawnRadius + 0.0022f, 0.0015f);
    const Vec3f upper_open = Vec3f(0, -1, 0.34f).normalized();
    upper.cut = Solid::Cut{upper_open, upper_open.dot(kEyeDrawn) + 0.0002f};
    Solid& lower = s.ball(kEyeDrawn, kEyeDrawnRadius + 0.0016f, 0.0015f);
    const Vec3f lower_open = Vec3f(0, 1, 0.22f).normalized();
    lower.cut = Solid::Cut{lower_open, lower_open.dot(kEyeDrawn) - 0.0028f};

    const Eigen::Matrix3f flare = frame({0, 0.97f, -0.2f}, {-0.42f, 0, 1});
    Solid& ear = s.ellipsoid({0.0770f, 1.6720f, -0.0020f}, {0.0085f, 0.0310f, 0.0180f}, 0.008f);
    ear.axes = flare;
    Solid& bowl = s.ellipsoid({0.0870f, 1.6745f, 0.0030f}, {0.0075f, 0.0200f, 0.0105f}, 0.004f);
    bowl.axes = flare;
    bowl.carve = true;
}

void add_hair(Sculptor& s, bool long_hair) {
    s.on(Part::hair, Stuff::hair);
    Solid& cap = s.ellipsoid({0, 1.7095f, 0.0040f}, {0.0785f, 0.0965f, 0.1015f}, 0.01f);
    const Vec3f up_and_back = Vec3f(0, 0.17f, -0.142f).normalized();
    cap.cut = Solid::Cut{-up_and_back, -up_and_back.dot(Vec3f(0, 1.7520f, 0.1000f))};
    s.ellipsoid({0.008f, 1.7800f, 0.0400f}, {0.0500f, 0.0270f, 0.0500f}, 0.022f);  // swept up
    if (!long_hair) return;
    const Eigen::Matrix3f upright = Eigen::Matrix3f::Identity();
    Solid& fall = s.loft({0, 0, -0.055f}, upright,
                         {{1.36f, 0.060f, 0.018f, 0.100f},
                          {1.44f, 0.082f, 0.018f, 0.108f},
                          {1.53f, 0.085f, 0.026f, 0.078f},
                          {1.62f, 0.083f, 0.036f, 0.058f},
                          {1.70f, 0.080f, 0.040f, 0.054f}},
                         0.03f);
    fall.cap_low = 0.04f;
}

void add_arm(Sculptor& s) {
    const Vec3f shoulder = place("upperarm_l");
    const Vec3f elbow = place("lowerarm_l");
    const Vec3f wrist = place("hand_l");
    const float upper = (elbow - shoulder).norm();
    const float fore = (wrist - elbow).norm();
    const Eigen::Matrix3f hand =
        reference_joints()[reference_index("hand_l")].world.rotation.toRotationMatrix().cast<float>();
    const Vec3f back_of_hand = hand.col(2);

    s.on(Part::arm, Stuff::skin);
    s.loft(shoulder, frame(elbow - shoulder, {0, 0, 1}),
           {{0.02f, 0.048f, 0.048f, 0.048f},
            {0.35f * upper, 0.043f, 0.048f, 0.046f},
            {0.55f * upper, 0.041f, 0.049f, 0.044f},
            {0.80f * upper, 0.039f, 0.041f, 0.040f},
            {upper, 0.039f, 0.037f, 0.037f}},
           0.02f)
        .cap_high = 0.03f;
    Solid& forearm = s.loft(elbow, frame(wrist - elbow, back_of_hand),
                            {{0.0f, 0.038f, 0.037f, 0.037f},
                             {0.22f * fore, 0.046f, 0.040f, 0.040f},
                             {0.45f * fore, 0.041f, 0.036f, 0.035f},
                             {0.75f * fore, 0.032f, 0.026f, 0.026f},
                             {0.95f * fore, 0.029f, 0.0205f, 0.0205f},
                             {fore + 0.01f, 0.029f, 0.0200f, 0.0200f}},
                            0.010f);
    forearm.cap_low = 0.03f;

    s.on(Part::arm, Stuff::shirt);
    s.ball(shoulder + Vec3f(0.004f, -0.012f, 0.002f), 0.060f, 0.02f);
    const Vec3f along = (elbow - shoulder).normalized();
    Solid& sleeve = s.loft(shoulder, frame(along, {0, 0, 1}),
                           {{0.0f, 0.056f, 0.058f, 0.058f},
                            {0.30f * upper, 0.053f, 0.058f, 0.057f},
                            {0.55f * upper, 0.055f, 0.061f, 0.060f},
                            {0.80f * upper, 0.055f, 0.061f, 0.060f}},
                           0.03f);
    sleeve.cap_low = 0.04f;
    sleeve.cut = Solid::Cut{along, along.dot(shoulder) + 0.60f * upper};
}

void add_finger(Sculptor& s, Part part, const char* name, float radius, float tip) {
    const std::string stem = name;
    const Vec3f a = place(stem + "_01_l");
    const Vec3f b = place(stem + "_02_l");
    const Vec3f c = place(stem + "_03_l");
    const Vec3f end = c + (c - b).normalized() * tip;
    s.on(part, Stuff::skin);
    s.cone(a, b, radius, 0.90f * radius, 0.002f);
    s.cone(b, c, 0.90f * radius, 0.83f * radius, 0.002f);
    s.cone(c, end, 0.83f * radius, 0.70f * radius, 0.002f);
}

void add_hand(Sculptor& s) {
    s.on(Part::arm, Stuff::skin);
    const Vec3f wrist = place("hand_l");
    const Eigen::Matrix3f hand =
        reference_joints()[reference_index("hand_l")].world.rotation.toRotationMatrix().cast<float>();
    const float palm = (place("middle_01_l") - wrist).norm();
    Solid& slab = s.loft(wrist, frame(hand.col(0), hand.col(2)),
                         {{-0.01f, 0.028f, 0.019f, 0.019f},
                          {0.25f * palm, 0.034f, 0.016f, 0.020f},
                          {0.65f * palm, 0.040f, 0.013f, 0.019f},
                          {0.95f * palm, 0.041f, 0.010f, 0.015f}},
                         0.02f);
    slab.cap_high = 0.008f;
    slab.power = 2.4f;
    const std::array<std::pair<const char*, float>, 4> rays = {
        {{"index", 0.0112f}, {"middle", 0.0115f}, {"ring", 0.0108f}, {"pinky", 0.0098f}}};
    for (const auto& [name, radius] : rays) {
        const std::string stem = name;
        s.cone(place(stem + "_metacarpal_l"), place(stem + "_01_l"), 0.012f, radius, 0.012f);
    }
    s.cone(wrist + 0.3f * (place("thumb_01_l") - wrist), place("thumb_02_l"), 0.017f, 0.0125f,
           0.016f);  // ball of the thumb
    add_finger(s, Part::thumb, "thumb", 0.0112f, 0.024f);
    add_finger(s, Part::index, "index", 0.0094f, 0.020f);
    add_finger(s, Part::middle, "middle", 0.0096f, 0.021f);
    add_finger(s, Part::ring, "ring", 0.0091f, 0.021f);
    add_finger(s, Part::pinky, "pinky", 0.0080f, 0.018f);
}

void add_leg(Sculptor& s) {
    const Vec3f hip = place("thigh_l");
    const Vec3f knee = place("calf_l");
    const Vec3f ankle = place("foot_l");
    const float thigh = (knee - hip).norm();
    const float calf = (ankle - knee).norm();
    s.on(Part::leg, Stuff::trousers);
    s.loft(hip, frame(knee - hip, {0, 0, 1}),
           {{0.0f, 0.070f, 0.082f, 0.090f},
            {0.12f * thigh, 0.079f, 0.087f, 0.094f},
            {0.35f * thigh, 0.079f, 0.083f, 0.086f},
            {0.65f * thigh, 0.070f, 0.072f, 0.072f},
            {thigh, 0.060f, 0.064f, 0.056f}},
           0.01f)
        .cap_high = 0.03f;
    Solid& shin = s.loft(knee, frame(ankle - knee, {0, 0, 1}),
                         {{0.0f, 0.060f, 0.063f, 0.057f},
                          {0.25f * calf, 0.060f, 0.056f, 0.070f},
                          {0.50f * calf, 0.056f, 0.051f, 0.066f},
                          {0.75f * calf, 0.051f, 0.048f, 0.058f},
                          {1.0f * calf, 0.053f, 0.052f, 0.062f}},
                         0.003f);
    shin.cap_low = 0.03f;
    shin.cut = Solid::Cut{{0, -1, 0}, -0.072f};
    s.on(Part::leg, Stuff::skin);
    s.loft(knee, frame(ankle - knee, {0, 0, 1}),
           {{0.8f * calf, 0.036f, 0.038f, 0.042f}, {calf + 0.02f, 0.035f, 0.040f, 0.042f}}, 0.004f);
}

void add_foot(Sculptor& s) {
    const Vec3f ankle = place("foot_l");
    Vec3f toes = place("ball_l") - ankle;
    toes.y() = 0;
    toes.normalize();
    const Vec3f ground(ankle.x(), 0, ankle.z());
    const Eigen::Matrix3f flat = frame(toes, {0, 1, 0});  // u across, w along the toes, v up
    const auto level = [&](float height) { return Vec3f(ground + Vec3f(0, height, 0)); };
    s.on(Part::foot, Stuff::shoe);
    Solid& upper = s.loft(level(0.022f), flat,
                          {{-0.062f, 0.031f, 0.052f, 0.022f},
                           {-0.025f, 0.035f, 0.074f, 0.022f},
                           {0.03f, 0.036f, 0.068f, 0.022f},
                           {0.09f, 0.041f, 0.043f, 0.022f},
                           {0.15f, 0.047f, 0.030f, 0.022f},
                           {0.20f, 0.041f, 0.024f, 0.022f}},
                          0.01f);
    upper.cap_low = 0.016f;
    upper.cap_high = 0.026f;
    upper.power = 2.4f;
    upper.cut = Solid::Cut{{0, -1, 0}, -0.004f};
    s.cone(level(0.092f) + 0.004f * toes, level(0.05f) + 0.004f * toes, 0.041f, 0.038f, 0.02f).cut =
        Solid::Cut{{0, 1, 0}, 0.108f};
    s.on(Part::foot, Stuff::sole);
    Solid& sole = s.loft(level(0.014f), flat,
                         {{-0.062f, 0.035f, 0.010f, 0.030f},
                          {-0.02f, 0.039f, 0.010f, 0.030f},
                          {0.05f, 0.039f, 0.010f, 0.030f},
                          {0.10f, 0.045f, 0.010f, 0.030f},
                          {0.15f, 0.051f, 0.010f, 0.030f},
                          {0.20f, 0.045f, 0.010f, 0.030f}},
                         0.0015f);
    sole.cap_low = 0.021f;
    sole.cap_high = 0.031f;
    sole.power = 3;
    sole.cut = Solid::Cut{{0, -1, 0}, 0};
}

}  // namespace

Field make_figure(const FigureOptions& options) {
    Sculptor sculptor;
    add_trunk(sculptor);
    const std::size_t first = sculptor.count();
    add_head(sculptor);
    add_hair(sculptor, options.long_hair);
    sculptor.enlarge_head(first);
    add_arm(sculptor);
    add_hand(sculptor);
    add_leg(sculptor);
    add_foot(sculptor);
    return Field(sculptor.take());
}

}  // namespace helixavatar::test
