// SPDX-License-Identifier: MIT
// What an avatar is doing in a conversation. A pure reducer without a clock: whoever has one sends idle_timeout.
#pragma once

#include <optional>
#include <string_view>

namespace helixavatar::humanoid {

enum class AvatarState { idle_active, idle_passive, listening, thinking, talking };
inline constexpr AvatarState kAvatarStates[] = {AvatarState::idle_active, AvatarState::idle_passive,
                                                AvatarState::listening, AvatarState::thinking, AvatarState::talking};

/// "idleActive", "idlePassive", "listening", "thinking", "talking".
const char* to_string(AvatarState state);
std::optional<AvatarState> avatar_state(std::string_view name);

enum class Signal {
    listening_started,
    listening_stopped,
    response_requested,
    talking_started,
    talking_stopped,
    idle_timeout,
    reset
};
inline constexpr Signal kSignals[] = {Signal::listening_started,
                                      Signal::listening_stopped,
                                      Signal::response_requested,
                                      Signal::talking_started,
                                      Signal::talking_stopped,
                                      Signal::idle_timeout,
                                      Signal::reset};

const char* to_string(Signal signal);  ///< the enumerator's own name
std::optional<Signal> signal(std::string_view name);

/// The end of listening is the start of thinking: an answer is due. Talk that ends, and a reset, leave an avatar that
/// is still engaged; passive idling is reached from there by a timeout alone.
AvatarState next_state(AvatarState current, Signal signal);

}  // namespace helixavatar::humanoid
