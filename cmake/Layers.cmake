# SPDX-License-Identifier: MIT
# helixavatar_layer(NAME [BELOW layer...] [USES target...]): the static library of src/NAME.
# BELOW are the layers that it may include and link; USES are third-party targets, private to the layer.
function(helixavatar_layer name)
  cmake_parse_arguments(ARG "" "" "BELOW;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    message(FATAL_ERROR "src/${name} has no source file")
  endif()
  add_library(helixavatar_${name} STATIC ${sources})
  target_include_directories(helixavatar_${name}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>"
    PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(helixavatar_${name} PUBLIC Eigen3::Eigen nlohmann_json::nlohmann_json)
  target_link_libraries(helixavatar_${name} PRIVATE "$<BUILD_INTERFACE:helixavatar_flags>" ${ARG_USES})
  foreach(below IN LISTS ARG_BELOW)
    target_link_libraries(helixavatar_${name} PUBLIC helixavatar_${below})
  endforeach()
  target_compile_features(helixavatar_${name} PUBLIC cxx_std_20)
  set_target_properties(helixavatar_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY HELIXAVATAR_LAYERS helixavatar_${name})
endfunction()

# helixavatar_test(NAME [USES target...]): the test program of tests/NAME, one CTest entry a case.
function(helixavatar_test name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  # stb first: libdraco.a carries another one, and whoever takes that takes its tinygltf along.
  target_link_libraries(test_${name} PRIVATE helixavatar_flags PkgConfig::STB ${ARG_USES} test_support Catch2::Catch2WithMain)
  # A test may look into its own layer's private headers.
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(test_${name} PRIVATE
    HELIXAVATAR_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    HELIXAVATAR_BINARY="$<TARGET_FILE:helixavatar>")
  if(HELIXAVATAR_SANITIZE)
    target_compile_options(test_${name} PRIVATE -O0)  # half the time to build; what takes long to run lies elsewhere
  endif()
  add_dependencies(test_${name} helixavatar)
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST)
endfunction()
