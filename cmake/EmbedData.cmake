# SPDX-License-Identifier: MIT
# helixavatar_embed(TARGET SYMBOL FILE): FILE's text as `extern const std::string_view helixavatar::embedded::SYMBOL`,
# split over raw string literals (compilers cap one literal's length).
function(helixavatar_embed target symbol file)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp")
  add_custom_command(OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" -DFILE=${file} -DSYMBOL=${symbol} -DOUT=${out} -P "${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake"
    DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
