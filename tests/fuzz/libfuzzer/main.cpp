// SPDX-License-Identifier: MIT
// One program a target: built once with HELIXAVATAR_FUZZ_TARGET for each.
#include <cstdint>
#include <string_view>

#include <helixavatar/base/log.hpp>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const helixavatar::test::FuzzTarget* const target = [] {
        helixavatar::log::configure(helixavatar::log::Level::quiet, false);
        for (const helixavatar::test::FuzzTarget& one : helixavatar::test::fuzz_targets()) {
            if (std::string_view(one.name) == HELIXAVATAR_FUZZ_TARGET) return &one;
        }
        __builtin_trap();
    }();
    target->run({data, size});
    return 0;
}
