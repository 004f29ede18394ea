# SPDX-License-Identifier: MIT
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY HELIXAVATAR_LAYERS)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS helixavatar RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${layers} helixavatar_core EXPORT helixavatarTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/helixavatar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT helixavatarTargets NAMESPACE helixavatar::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helixavatar COMPONENT development)
configure_package_config_file(cmake/helixavatarConfig.cmake.in "${PROJECT_BINARY_DIR}/helixavatarConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helixavatar)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/helixavatarConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/helixavatarConfig.cmake" "${PROJECT_BINARY_DIR}/helixavatarConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/helixavatar COMPONENT development)

# Man pages and completions come from the program itself, so that they cannot differ from what it parses.
set(described "${PROJECT_BINARY_DIR}/described")
set(commands import conform lod preflight dynamics-validate dynamics-apply dynamics-probe face-preview
  repair-lod-skeletons inspect skeleton summarize rigs completion)  # tests/package/deb.sh compares them with --help
set(description_files "${described}/helixavatar" "${described}/_helixavatar" "${described}/helixavatar.fish")
set(description_lines
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${described}"
  COMMAND helixavatar man > "${described}/helixavatar.1"
  COMMAND helixavatar completion bash > "${described}/helixavatar"
  COMMAND helixavatar completion zsh > "${described}/_helixavatar"
  COMMAND helixavatar completion fish > "${described}/helixavatar.fish")
set(pages "${described}/helixavatar.1")
foreach(command IN LISTS commands)
  list(APPEND pages "${described}/helixavatar-${command}.1")
  list(APPEND description_lines COMMAND helixavatar man ${command} > "${described}/helixavatar-${command}.1")
endforeach()
# Compressed as Debian wants them, without a name or a time inside: the same program gives the same package.
list(TRANSFORM pages APPEND .gz OUTPUT_VARIABLE compressed)
list(APPEND compressed "${described}/changelog.gz")
add_custom_command(OUTPUT ${description_files} ${compressed} ${description_lines}
  COMMAND "${CMAKE_COMMAND}" -E copy "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${described}/changelog"
  COMMAND gzip -9nf ${pages} "${described}/changelog"
  DEPENDS helixavatar "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
add_custom_target(helixavatar_description ALL DEPENDS ${description_files} ${compressed})
list(POP_BACK compressed)
install(FILES ${compressed} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES "${described}/helixavatar" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES "${described}/_helixavatar" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES "${described}/helixavatar.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/batch DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(packages helixavatar helixavatar-dev)
set(components program development)
# Debian wants licence and changes under these names, in both packages.
foreach(package component IN ZIP_LISTS packages components)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright COMPONENT ${component})
  install(FILES "${described}/changelog.gz" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()

set(HELIXAVATAR_PACKAGER "the helixavatar authors <maintainers@users.noreply.a-seed-7e028401.example>" CACHE STRING
  "Maintainer of the package: name and address of whoever builds it; by default the licence's and the commits'")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${HELIXAVATAR_PACKAGER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Turns any humanoid character into a HELIX avatar and judges avatars")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME helixavatar)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)  # the libraries' packages, as the linker sees them
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "parallel, slurm-client")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "One GLB on the 68-joint helix-humanoid@1 skeleton, with levels, face,
textures and a receipt, from GLB, glTF, VRM or FBX; and everything that
the platform would refuse or drop in silence, said before it is published.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME helixavatar-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What helixavatarConfig.cmake looks for.
string(JOIN ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libeigen3-dev nlohmann-json3-dev libspdlog-dev libtinygltf-dev
  libmeshoptimizer-dev libdraco-dev libssl-dev libwebp-dev libstb-dev libspng-dev libassimp-dev pkg-config)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Static libraries, headers and the CMake package of helixavatar::core.")
include(CPack)
