// SPDX-License-Identifier: MIT
#include <helixavatar/humanoid/state.hpp>

namespace helixavatar::humanoid {

const char* to_string(AvatarState state) {
    switch (state) {
        case AvatarState::idle_active:
            return "idleActive";
        case AvatarState::idle_passive:
            return "idlePassive";
        case AvatarState::listening:
            return "listening";
        case AvatarState::thinking:
            return "thinking";
        case AvatarState::talking:
            break;
    }
    return "talking";
}

const char* to_string(Signal signal) {
    switch (signal) {
        case Signal::listening_started:
            return "listening_started";
        case Signal::listening_stopped:
            return "listening_stopped";
        case Signal::response_requested:
            return "response_requested";
        case Signal::talking_started:
            return "talking_started";
        case Signal::talking_stopped:
            return "talking_stopped";
        case Signal::idle_timeout:
            return "idle_timeout";
        case Signal::reset:
            break;
    }
    return "reset";
}

std::optional<AvatarState> avatar_state(std::string_view name) {
    for (const AvatarState state : kAvatarStates)
        if (name == to_string(state)) return state;
    return {};
}

std::optional<Signal> signal(std::string_view name) {
    for (const Signal known : kSignals)
        if (name == to_string(known)) return known;
    return {};
}

AvatarState next_state(AvatarState current, Signal signal) {
    switch (signal) {
        case Signal::listening_started:
            return AvatarState::listening;
        case Signal::listening_stopped:
        case Signal::response_requested:
            return AvatarState::thinking;
        case Signal::talking_started:
            return AvatarState::talking;
        case Signal::talking_stopped:
        case Signal::reset:
            return AvatarState::idle_active;
        case Signal::idle_timeout:
            break;
    }
    return current == AvatarState::idle_active ? AvatarState::idle_passive : current;
}

}  // namespace helixavatar::humanoid
