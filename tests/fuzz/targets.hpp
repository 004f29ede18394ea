// SPDX-License-Identifier: MIT
// What the fuzzers feed with bytes. A target must take any bytes: a crash, a sanitizer report or an unmet promise is a
// finding. The corpus is tests/fuzz/corpus/NAME; docs/FUZZING.md says how to run.
#pragma once

#include <span>

#include <helixavatar/base/bytes.hpp>

namespace helixavatar::test {

struct FuzzTarget {
    const char* name;
    const char* bytes;  ///< what the bytes are, for people
    void (*run)(ByteView bytes);
};

/// Sorted by name.
std::span<const FuzzTarget> fuzz_targets();

/// An unmet promise: prints it and aborts, which a fuzzer keeps as a finding.
void promise(bool kept, const char* what);

/// A GLB of `bytes`, which are JSON text, a NUL byte and the BIN chunk: a fuzzer that has to guess chunk lengths and
/// padding never comes past them.
Bytes glb_of(ByteView bytes);

}  // namespace helixavatar::test
