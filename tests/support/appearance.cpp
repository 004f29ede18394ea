// SPDX-License-Identifier: MIT
// What every place of the person looks like: complexion, features, cloth.
#include <algorithm>
#include <cmath>
#include <string>

#include "support/paint.hpp"
#include "support/reference_pose.hpp"

namespace helixavatar::test {
namespace {

float smooth_step(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

Vec3f mix(const Vec3f& a, const Vec3f& b, float t) {
    return a + std::clamp(t, 0.0f, 1.0f) * (b - a);
}
Vec3f rgb(int r, int g, int b) {
    return Vec3f(static_cast<float>(r), static_cast<float>(g), static_cast<float>(b)) / 255.0f;
}

/// 1 at the centre, falling to 0 around twice the radius.
float glow(const Vec3f& p, const Vec3f& centre, float radius) {
    return std::exp(-(p - centre).squaredNorm() / (radius * radius));
}

float lattice(int x, int y, int z) {
    std::uint32_t h = static_cast<std::uint32_t>(x) * 0x8da6b343u ^ static_cast<std::uint32_t>(y) * 0xd8163841u ^
                      static_cast<std::uint32_t>(z) * 0xcb1ab31fu;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h ^= h >> 15;
    return static_cast<float>(h & 0xffffffu) / static_cast<float>(0xffffff) * 2 - 1;
}

/// Value noise, -1..1, one bump a unit.
float noise(const Vec3f& p) {
    const Vec3f cell(std::floor(p.x()), std::floor(p.y()), std::floor(p.z()));
    Vec3f t = p - cell;
    t = t.cwiseProduct(t).cwiseProduct(Vec3f::Constant(3) - 2 * t);
    const int x = static_cast<int>(cell.x());
    const int y = static_cast<int>(cell.y());
    const int z = static_cast<int>(cell.z());
    const auto along_x = [&](int dy, int dz) {
        const float a = lattice(x, y + dy, z + dz);
        return a + t.x() * (lattice(x + 1, y + dy, z + dz) - a);
    };
    const auto along_y = [&](int dz) {
        const float a = along_x(0, dz);
        return a + t.y() * (along_x(1, dz) - a);
    };
    const float a = along_y(0);
    return a + t.z() * (along_y(1) - a);
}

/// The place in the head's own drawing, before it was enlarged.
Vec3f drawn(const Vec3f& p) {
    const Vec3f centre(0, 1.70f, 0);
    return centre + (p - centre) / kHeadScale;
}

const Vec3f kSkin = rgb(222, 170, 138);
const Vec3f kFlush = rgb(205, 118, 98);

float band(float x, float half, float soft) {
    return 1 - smooth_step(half - soft, half + soft, std::abs(x));
}

void paint_mouth(Appearance& look, const Vec3f& q) {
    if (q.z() < 0.080f || std::abs(q.y() - 1.613f) > 0.016f || std::abs(q.x()) > 0.03f) return;
    const float x = std::abs(q.x());
    const float t = std::clamp(x / 0.0250f, 0.0f, 1.0f);
    const float bow = 1 - 0.28f * std::exp(-(x / 0.0042f) * (x / 0.0042f));
    const float top = 1.6137f + 0.0078f * (1 - t * t) * bow;
    const float bottom = 1.6137f - 0.0098f * std::pow(1 - t * t, 0.8f);
    const float lip = smooth_step(-0.0009f, 0.0009f, top - q.y()) * smooth_step(-0.0009f, 0.0009f, q.y() - bottom) *
                      smooth_step(0.0252f, 0.0235f, x);
    const Vec3f tone = q.y() > 1.6137f ? rgb(176, 100, 92) : rgb(194, 118, 108);
    look.color = mix(look.color, tone, 0.85f * lip);
    look.height += 0.00010f * lip * noise(Vec3f(q.x() * 900, q.y() * 150, 0));
    const float line = band(q.y() - 1.6137f, 0.0007f, 0.0006f) * smooth_step(0.0262f, 0.0240f, x);
    look.color = mix(look.color, rgb(112, 54, 48), 0.75f * line);
}

void paint_eye_region(Appearance& look, const Vec3f& q, const Vec3f& folded) {
    if (q.z() < 0.06f || q.y() < 1.66f || q.y() > 1.72f) return;
    const float x = std::abs(q.x());
    // Brow: a tapering arch of short hairs.
    const float t = (x - 0.0125f) / 0.0370f;
    if (t > -0.1f && t < 1.1f) {
        const float arch = 1.6975f + 0.0062f * std::sin(2.2f * std::clamp(t, 0.0f, 1.0f) + 0.15f);
        const float half = 0.0038f * (1 - 0.65f * std::clamp(t, 0.0f, 1.0f));
        const float hairs = 0.75f + 0.35f * noise(Vec3f(x * 1400 + q.y() * 900, q.y() * 260, 7));
        const float brow =
            band(q.y() - arch, half, 0.0014f) * smooth_step(-0.03f, 0.08f, t) * smooth_step(1.05f, 0.85f, t);
        look.color = mix(look.color, rgb(62, 42, 30), brow * hairs);
        look.height += 0.0002f * brow * hairs;
    }
    const Vec3f from_eye = (folded - landmark::kEye) / kHeadScale;
    const float shell = from_eye.norm();
    if (shell > 0.020f) return;
    look.color = mix(look.color, rgb(176, 118, 98), 0.35f * smooth_step(0.020f, 0.014f, shell));  // socket
    // Lashes: the rim of the upper lid.
    const float above = Vec3f(0, -1, 0.34f).normalized().dot(from_eye);
    const float rim = smooth_step(-0.0020f, -0.0008f, above) * smooth_step(0.0020f, 0.0008f, above) *
                      smooth_step(0.0175f, 0.0158f, shell) * (from_eye.z() > 0.002f ? 1.0f : 0.0f);
    look.color = mix(look.color, rgb(40, 26, 22), 0.85f * rim);
    const float below = Vec3f(0, 1, 0.22f).normalized().dot(from_eye);
    const float lower_rim = smooth_step(-0.0044f, -0.0034f, below) * smooth_step(-0.0012f, -0.0024f, below) *
                            smooth_step(0.0160f, 0.0148f, shell) * (from_eye.z() > 0.004f ? 1.0f : 0.0f);
    look.color = mix(look.color, rgb(150, 92, 80), 0.7f * lower_rim);
}

void paint_nails(Appearance& look, const Vec3f& folded) {
    struct Nail {
        Vec3f middle, along, out;
    };
    static const std::vector<Nail> nails = [] {
        std::vector<Nail> out;
        for (const char* name : {"thumb", "index", "middle", "ring", "pinky"}) {
            const std::string stem = name;
            const Pose last = reference_joints()[reference_index(stem + "_03_l")].world;
            const Vec3f along = (last.rotation * Vec3::UnitX()).cast<float>();
            out.push_back({last.translation.cast<float>() + 0.015f * along, along,
                           (last.rotation * Vec3::UnitZ()).cast<float>()});
        }
        return out;
    }();
    for (const Nail& nail : nails) {
        const Vec3f d = folded - nail.middle;
        if (d.squaredNorm() > 0.0004f || nail.out.dot(d) < 0.002f) continue;
        const float along = nail.along.dot(d);
        const float across = nail.along.cross(nail.out).dot(d);
        const float edge = std::max(std::abs(along) / 0.0062f, std::abs(across) / 0.0045f);
        const float mask = smooth_step(1.08f, 0.92f, edge);
        look.color = mix(look.color, along > 0.0048f ? rgb(238, 222, 210) : rgb(232, 182, 164), 0.8f * mask);
        look.height += 0.0003f * mask;
    }
}

Appearance skin(const Vec3f& p) {
    const Vec3f folded(std::abs(p.x()), p.y(), p.z());
    const Vec3f q = drawn(folded);
    Appearance look{kSkin, 0};
    const float mottle = noise(p * 60) * 0.5f + noise(p * 170) * 0.3f;
    look.color += Vec3f(0.020f, 0.016f, 0.014f) * mottle;
    look.height = 0.00004f * noise(p * 700) + 0.00003f * noise(p * 1500);
    if (p.y() > 1.5f) {
        look.color = mix(look.color, kFlush, 0.34f * glow(q, {0.043f, 1.645f, 0.082f}, 0.022f));              // cheek
        look.color = mix(look.color, kFlush, 0.32f * glow(q, {0, 1.645f, 0.122f}, 0.015f));                   // nose
        look.color = mix(look.color, kFlush, 0.40f * glow(q, {0.082f, 1.672f, 0.0f}, 0.025f));                // ear
        look.color = mix(look.color, rgb(86, 48, 42), 0.9f * glow(q, {0.0062f, 1.6352f, 0.1110f}, 0.0032f));  // nostril
        const float beard = smooth_step(1.640f, 1.622f, q.y()) * smooth_step(1.560f, 1.578f, q.y()) *
                            smooth_step(-0.005f, 0.03f, q.z());
        look.color = mix(look.color, rgb(150, 122, 110), beard * (0.22f + 0.10f * noise(p * 900)));
        paint_eye_region(look, q, folded);
        paint_mouth(look, q);
    }
    if (folded.x() > 0.42f) {
        look.color = mix(look.color, kFlush, 0.12f);
        paint_nails(look, folded);
    }
    return look;
}

Appearance eye(const Vec3f& p) {
    const Vec3f folded(std::abs(p.x()), p.y(), p.z());
    const Vec3f d = (folded - landmark::kEye).normalized();
    Appearance look{rgb(235, 230, 226), 0};
    look.color = mix(look.color, rgb(214, 170, 160), 0.5f * smooth_step(0.55f, 0.95f, std::abs(d.x())));
    const float around = std::atan2(d.y(), d.x());
    const float out = std::acos(std::clamp(d.z(), -1.0f, 1.0f));
    const float fibres = noise(Vec3f(std::cos(around) * 9, std::sin(around) * 9, out * 4));
    const Vec3f iris = mix(rgb(74, 104, 118), rgb(128, 132, 104), 0.5f + 0.5f * fibres);
    look.color =
        mix(look.color, mix(rgb(34, 42, 50), iris, smooth_step(0.46f, 0.36f, out)), smooth_step(0.50f, 0.45f, out));
    look.color = mix(look.color, rgb(10, 9, 10), smooth_step(0.21f, 0.17f, out));
    // Catch light: the same side on both eyes, as one window would make it.
    const Vec3f glint = Vec3f(p.x() < 0 ? 0.22f : -0.22f, 0.24f, 1).normalized();
    look.color = mix(look.color, Vec3f::Ones(),
                     0.9f * smooth_step(0.13f, 0.08f, std::acos(std::clamp(d.dot(glint), -1.0f, 1.0f))));
    look.color *= 1 - 0.35f * smooth_step(0.15f, 0.42f, d.y());  // the upper lid's shadow
    return look;
}

Appearance hair(const Vec3f& p) {
    const Vec3f crown = head_place({0.012f, 1.80f, -0.035f});
    const Vec3f d = p - crown;
    const float around = std::atan2(d.x(), d.z());
    const float reach = d.norm();
    const Vec3f strand_place(std::cos(around) * 26, std::sin(around) * 26, reach * 14);
    const float strand = noise(strand_place) * 0.6f + noise(strand_place * 2.7f) * 0.5f;
    return {mix(rgb(52, 34, 24), rgb(104, 72, 48), 0.38f + 0.38f * strand), 0.0009f * strand};
}

/// Folds of cloth: long along `stretch` small, short where it is large.
float folds(const Vec3f& p, const Vec3f& stretch) {
    const Vec3f q = p.cwiseProduct(stretch);
    const float a = noise(q + Vec3f::Constant(noise(q * 0.5f)));
    return 1 - std::abs(a) + 0.35f * noise(q * 2.3f);
}

/// Metres above the edge of the shirt's neck.
float neckline(const Vec3f& p) {
    return p.y() - (1.5160f - 0.24f * p.z() + 0.8f * std::max(std::abs(p.x()) - 0.062f, 0.0f));
}

Appearance shirt(const Vec3f& p) {
    Appearance look{rgb(62, 98, 128), 0};
    const float heather = noise(p * 260) * 0.5f + noise(p * 620) * 0.5f;
    look.color += Vec3f::Constant(0.022f) * heather;
    const bool sleeve = std::abs(p.x()) > 0.20f;
    if (!sleeve) {
        // A pale band with a thin one above and below it.
        const float y = p.y() - 1.235f;
        const float bands = std::max(
            {band(y, 0.021f, 0.0008f), band(y - 0.036f, 0.0045f, 0.0008f), band(y + 0.036f, 0.0045f, 0.0008f)});
        look.color = mix(look.color, rgb(222, 214, 198), bands);
    }
    const float waist = std::exp(-(p.y() - 1.04f) * (p.y() - 1.04f) / 0.012f);
    const float armpit = glow(Vec3f(std::abs(p.x()), p.y(), p.z()), {0.17f, 1.36f, 0.0f}, 0.09f);
    const float pull = 0.25f + 0.9f * waist + 0.9f * armpit;
    look.height = 0.0028f * pull * folds(p, {9, 24, 9});
    look.height += 0.00010f * std::sin(p.x() * 1600) * std::sin(p.y() * 1600);
    const float rib = smooth_step(-0.017f, -0.015f, neckline(p)) * (std::abs(p.x()) < 0.12f ? 1.0f : 0.0f);
    look.color = mix(look.color, rgb(44, 72, 98), 0.7f * rib);
    look.height += rib * (0.0008f + 0.0003f * std::sin(std::atan2(p.x(), p.z() + 0.03f) * 150));
    for (const float stitch : {0.930f, 0.936f}) look.height -= 0.0006f * band(p.y() - stitch, 0.0010f, 0.0008f);
    look.color *= 0.94f + 0.06f * std::clamp(look.height / 0.002f, 0.0f, 1.0f);
    return look;
}

Appearance trousers(const Vec3f& p) {
    Appearance look{rgb(52, 58, 76), 0};
    const float twill = std::sin((p.x() + p.z() + p.y()) * 1500);
    look.color += Vec3f::Constant(0.012f) * twill + Vec3f::Constant(0.022f) * noise(p * 420);
    const Vec3f folded(std::abs(p.x()), p.y(), p.z());
    const float worn =
        std::max(glow(folded, {0.115f, 0.70f, 0.10f}, 0.11f), 0.8f * glow(folded, {0.125f, 0.50f, 0.09f}, 0.07f));
    look.color = mix(look.color, rgb(92, 102, 126), 0.55f * worn);
    const float knee = std::exp(-(p.y() - 0.49f) * (p.y() - 0.49f) / 0.006f);
    const float hem = smooth_step(0.26f, 0.10f, p.y());
    const float groin = smooth_step(0.74f, 0.86f, p.y());
    look.height = 0.0034f * (0.16f + 0.7f * knee + 0.9f * hem + 0.7f * groin) * folds(p, {8, 26, 8});
    look.height += 0.00006f * twill;
    // Side seam and hem stitches.
    const float seam = band(p.z() - 0.012f, 0.0016f, 0.0010f) * (folded.x() > 0.14f ? 1.0f : 0.0f);
    look.height -= 0.0012f * seam;
    look.color *= 1 - 0.25f * seam;
    for (const float stitch : {0.093f, 0.089f})
        look.color = mix(look.color, rgb(150, 118, 78), 0.6f * band(p.y() - stitch, 0.0007f, 0.0006f));
    return look;
}

Appearance shoe(const Vec3f& p) {
    const Vec3f folded(std::abs(p.x()), p.y(), p.z());
    Appearance look{rgb(122, 84, 58), 0};
    look.color += Vec3f(0.03f, 0.025f, 0.02f) * (noise(p * 90) * 0.6f + noise(p * 400) * 0.4f);
    look.height = 0.00012f * noise(p * 500);
    const Vec3f ankle = reference_position("foot_l").cast<float>();
    Vec3f toes = reference_position("ball_l").cast<float>() - ankle;
    toes.y() = 0;
    toes.normalize();
    const float along = toes.dot(folded - ankle);
    const float across = toes.z() * (folded.x() - ankle.x()) - toes.x() * (folded.z() - ankle.z());
    if (along > 0.045f && along < 0.125f) {
        const float lace = band(std::fmod(along, 0.016f) - 0.008f, 0.0032f, 0.0010f) * band(across, 0.021f, 0.0015f);
        look.color = mix(look.color, rgb(214, 204, 186), lace);
        look.height += 0.0014f * lace;
    }
    look.height -= 0.0010f * band(along - 0.155f, 0.0012f, 0.0010f);  // toe cap
    return look;
}

Appearance of(Stuff stuff, const Vec3f& p) {
    switch (stuff) {
        case Stuff::skin:
            return skin(p);
        case Stuff::hair:
            return hair(p);
        case Stuff::shirt:
            return shirt(p);
        case Stuff::trousers:
            return trousers(p);
        case Stuff::shoe:
            return shoe(p);
        case Stuff::sole:
            return {rgb(226, 220, 208) + Vec3f::Constant(0.02f * noise(p * 300)), 0.0004f * std::sin(p.y() * 900)};
        case Stuff::eye:
            return eye(p);
    }
    return {};
}

}  // namespace

Appearance appearance(const Field& field, const Vec3f& p, const Vec3f& normal, float openness) {
    const Field::Sample sample = field.sample(p);
    std::size_t first = 0;
    std::size_t second = 1;
    if (sample.stuffs[1] < sample.stuffs[0]) std::swap(first, second);
    for (std::size_t s = 2; s < kStuffs; ++s) {
        if (sample.stuffs[s] < sample.stuffs[first]) {
            second = first;
            first = s;
        } else if (sample.stuffs[s] < sample.stuffs[second]) {
            second = s;
        }
    }
    // The neckline is a clean cut, not the seam where neck and shirt melt together.
    const auto is = [&](std::size_t s, Stuff stuff) { return static_cast<Stuff>(s) == stuff; };
    const bool neck = p.y() > 1.44f && p.y() < 1.56f && (is(first, Stuff::skin) || is(first, Stuff::shirt)) &&
                      (is(second, Stuff::skin) || is(second, Stuff::shirt));
    float gap = sample.stuffs[second] - sample.stuffs[first];
    if (neck) {
        const float above = neckline(p);
        if (is(first, Stuff::skin) != (above > 0)) std::swap(first, second);
        gap = std::abs(above);
    }
    Appearance look = of(static_cast<Stuff>(first), p);
    const float other = 0.5f * smooth_step(0.0009f, 0.0f, gap);
    if (other > 0) {
        const Appearance beside = of(static_cast<Stuff>(second), p);
        look.color = mix(look.color, beside.color, other);
        look.height += other * (beside.height - look.height);
    }
    // Light that does not reach into creases, and a little less from below.
    if (glow(p, landmark::kMouth, 0.03f) > 0.3f) openness = std::max(openness, 0.75f);  // lips are not black between
    const float light = (0.58f + 0.42f * openness) * (0.97f + 0.03f * normal.y());
    look.color = (look.color * (static_cast<Stuff>(first) == Stuff::eye ? 1.0f : light)).cwiseMax(0.0f).cwiseMin(1.0f);
    return look;
}

}  // namespace helixavatar::test
