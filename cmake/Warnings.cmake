# SPDX-License-Identifier: MIT
add_library(helixavatar_flags INTERFACE)
target_compile_features(helixavatar_flags INTERFACE cxx_std_20)
target_compile_options(helixavatar_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual
  # g++ 12 reports std::optional members of values that are set; clang and the sanitizers guard the same ground.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # The same bytes from every build: no fused multiply-add where the source has none, no relaxed maths.
  -ffp-contract=off)
if(HELIXAVATAR_SANITIZE)
  target_compile_options(helixavatar_flags INTERFACE -fsanitize=${HELIXAVATAR_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined)
  target_link_options(helixavatar_flags INTERFACE -fsanitize=${HELIXAVATAR_SANITIZE})
endif()
if(HELIXAVATAR_FUZZ)
  target_compile_options(helixavatar_flags INTERFACE -fsanitize=fuzzer-no-link
    "-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/eigen.txt"
    "-fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/eigen-coverage.txt")
endif()
