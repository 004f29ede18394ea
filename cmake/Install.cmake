# SPDX-License-Identifier: MIT
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY HELIXAVATAR_LAYERS)
install(TARGETS helixavatar RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${layers} helixavatar_core EXPORT helixavatarTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/helixavatar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT helixavatarTargets NAMESPACE helixavatar:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helixavatar)
configure_package_config_file(cmake/helixavatarConfig.cmake.in "${PROJECT_BINARY_DIR}/helixavatarConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helixavatar)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/helixavatarConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/helixavatarConfig.cmake" "${PROJECT_BINARY_DIR}/helixavatarConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helixavatar)
