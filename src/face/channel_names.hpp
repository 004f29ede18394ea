// SPDX-License-Identifier: MIT
// The channels of helix/avatar-face@1, in the order in which a manifest lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace helixavatar::face {

inline constexpr const char* kContract = "helix/avatar-face@1";
inline constexpr double kMaxBoneDegrees = 45;  ///< of a bone channel (reference text, "The capability ladder")

/// Every channel name: visemes, jawOpen, blinks, gaze, expressions.
const std::vector<std::string>& channel_names();
const std::vector<std::string>& viseme_channels();  ///< all 15, sil first
const std::vector<std::string>& vowel_channels();   ///< viseme.aa, E, ih, oh, ou
const std::vector<std::string>& capabilities();     ///< best first

/// Channels whose name alone is a statement: rest.
bool may_rest(std::string_view channel);

/// What a set of channels can do: "viseme15", "vowel5", "jaw" or "none".
std::string capability_of(const std::function<bool(const std::string&)>& has_channel);

}  // namespace helixavatar::face
