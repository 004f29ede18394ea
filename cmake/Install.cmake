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

# Man pages and completions come from the program itself, so that they cannot differ from what it parses.
set(described "${PROJECT_BINARY_DIR}/described")
set(commands import conform lod preflight dynamics-validate repair-lod-skeletons summarize)
set(description_files "${described}/helixavatar.1" "${described}/helixavatar" "${described}/_helixavatar"
  "${described}/helixavatar.fish")
set(description_lines
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${described}"
  COMMAND helixavatar man > "${described}/helixavatar.1"
  COMMAND helixavatar completion bash > "${described}/helixavatar"
  COMMAND helixavatar completion zsh > "${described}/_helixavatar"
  COMMAND helixavatar completion fish > "${described}/helixavatar.fish")
set(man_pages "${described}/helixavatar.1")
foreach(command IN LISTS commands)
  list(APPEND man_pages "${described}/helixavatar-${command}.1")
  list(APPEND description_lines COMMAND helixavatar man ${command} > "${described}/helixavatar-${command}.1")
endforeach()
list(APPEND description_files ${man_pages})
list(REMOVE_DUPLICATES description_files)
add_custom_command(OUTPUT ${description_files} ${description_lines} DEPENDS helixavatar)
add_custom_target(helixavatar_description ALL DEPENDS ${description_files})
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES "${described}/helixavatar" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES "${described}/_helixavatar" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES "${described}/helixavatar.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/batch DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "helixavatar maintainers <maintainers@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries' packages, as the linker sees them
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "parallel, slurm-client")
include(CPack)
