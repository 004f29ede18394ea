// SPDX-License-Identifier: MIT
#include <algorithm>

#include <helixavatar/avatar/manifest_faults.hpp>
#include <helixavatar/face/preview.hpp>
#include <helixavatar/humanoid/phonemes.hpp>

namespace helixavatar::face {
namespace {

using avatar::ManifestFaults;
using avatar::ManifestPlace;
using gltf::Json;
using Words = std::vector<std::string>;

constexpr avatar::NumberRange kSeconds{0, 3600, false, "0..3600", "s"};
constexpr avatar::NumberRange kWeight{0, 1, false, "0..1"};

class ScriptParse {
public:
    explicit ScriptParse(const Json& json) : faults_("face-script", std::nullopt), top_{&json, "", {}} {}

    ParsedScript run() {
        if (faults_.object(top_, Words{"signals", "visemes", "phonemes"})) {
            each("signals", {"t", "signal"}, [&](const ManifestPlace& at, double t) { signal(at, t); });
            each("visemes", {"t", "viseme", "weight"}, [&](const ManifestPlace& at, double t) { viseme(at, t); });
            each("phonemes", {"t", "phoneme", "weight"}, [&](const ManifestPlace& at, double t) { phoneme(at, t); });
        }
        const auto earlier = [](const auto& a, const auto& b) { return a.seconds < b.seconds; };
        std::stable_sort(out_.script.signals.begin(), out_.script.signals.end(), earlier);
        std::stable_sort(out_.script.visemes.begin(), out_.script.visemes.end(), earlier);
        out_.findings = faults_.take();
        return std::move(out_);
    }

private:
    template <class Read>
    void each(const char* key, const Words& keys, Read read) {
        const auto list = faults_.member(top_, key);
        if (!list || !faults_.array(*list, key)) return;
        for (std::size_t i = 0; i < list->value->size(); ++i) {
            const ManifestPlace at = list->at(i);
            if (!faults_.object(at, keys)) continue;
            const auto time = faults_.required(at, "t", "write the seconds from the start");
            const auto t = time ? faults_.number(*time, kSeconds) : std::nullopt;
            if (t) read(at, *t);
        }
    }

    double weight(const ManifestPlace& at) {
        const auto place = faults_.member(at, "weight");
        return place ? faults_.number(*place, kWeight).value_or(1) : 1;
    }

    void signal(const ManifestPlace& at, double t) {
        Words names;
        for (const humanoid::Signal known : humanoid::kSignals) names.emplace_back(humanoid::to_string(known));
        const auto place = faults_.required(at, "signal", "name the signal");
        const auto name = place ? faults_.one_of(*place, names) : std::nullopt;
        if (name) out_.script.signals.push_back({t, *humanoid::signal(*name)});
    }

    void viseme(const ManifestPlace& at, double t) {
        const Words names(humanoid::kVisemes.begin(), humanoid::kVisemes.end());
        const auto place = faults_.required(at, "viseme", "name the viseme");
        const auto name = place ? faults_.one_of(*place, names) : std::nullopt;
        if (name) out_.script.visemes.push_back({t, *name, weight(at)});
    }

    void phoneme(const ManifestPlace& at, double t) {
        const auto place = faults_.required(at, "phoneme", "name the phoneme in ARPAbet");
        const auto name = place ? faults_.text(*place) : std::nullopt;
        if (!name) return;
        if (const auto viseme = humanoid::viseme_of_phoneme(*name))
            out_.script.visemes.push_back({t, *viseme, weight(at)});
        else
            faults_.add(Severity::error, *place, "an ARPAbet phoneme", *name + " is no ARPAbet phoneme",
                        "write AA, B, CH ..., SIL for silence");
    }

    ManifestFaults faults_;
    ManifestPlace top_;
    ParsedScript out_;
};

}  // namespace

ParsedScript parse_script(const Json& json) {
    return ScriptParse(json).run();
}

}  // namespace helixavatar::face
