# SPDX-License-Identifier: MIT
# helixavatar_take_draco(TARGET): Draco's codec, as objects of the static library TARGET.
# Both libdraco.a and libdraco.so also hold a tinygltf of another layout than ours and all of stb_image under their usual
# names; linked as a library, whatever order the linker is given decides which of two tinygltfs and stbs a program gets.
function(helixavatar_take_draco target)
  get_target_property(archive draco::draco_static LOCATION)
  set(folder "${PROJECT_BINARY_DIR}/draco")
  if(NOT EXISTS "${folder}/done")
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "${CMAKE_AR}" x "${archive}" WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB unwanted "${folder}/*gltf*.o")
    file(REMOVE ${unwanted})
    file(TOUCH "${folder}/done")
  endif()
  file(GLOB objects "${folder}/*.o")
  target_sources(${target} PRIVATE ${objects})
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
