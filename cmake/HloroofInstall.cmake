# Installs the library, the headers, the device files and the ways to find them: find_package(hloroof), pkg-config, and the
# build tree itself for projects that point hloroof_DIR at it.
include(CMakePackageConfigHelpers)

# Builds what the installation copies, and no test or example: demo.sh.
add_custom_target(hloroof_installed DEPENDS hloroof hloroof_testing_library)
foreach(target IN ITEMS hloroof_c_shared hloroof_descriptions)
  if(TARGET ${target})
    add_dependencies(hloroof_installed ${target})
  endif()
endforeach()

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hloroof")

install(
  TARGETS hloroof hloroof_testing_library
  EXPORT hloroofTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET hloroof_c_shared)
  install(TARGETS hloroof_c_shared EXPORT hloroofTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/hloroof" "${PROJECT_BINARY_DIR}/include/hloroof"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*.def")
# The device files are compiled into the library. They are also installed as templates for users' device files.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/hardware" DESTINATION "${CMAKE_INSTALL_DATADIR}/hloroof")
install(DIRECTORY "${HLOROOF_DESCRIPTIONS}/schema" DESTINATION "${CMAKE_INSTALL_DATADIR}/hloroof")
if(TARGET hloroof_command)
  add_dependencies(hloroof_installed hloroof_command)
  install(TARGETS hloroof_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  # The command generates its manual page and completions, unless the build is a cross build.
  if(NOT CMAKE_CROSSCOMPILING)
    set(generated "${PROJECT_BINARY_DIR}/generated")
    set(outputs "${generated}/hloroof.1" "${generated}/hloroof.bash" "${generated}/_hloroof" "${generated}/hloroof.fish")
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${CMAKE_COMMAND} -E make_directory "${generated}"
      COMMAND hloroof_command man > "${generated}/hloroof.1"
      COMMAND hloroof_command completion bash > "${generated}/hloroof.bash"
      COMMAND hloroof_command completion zsh > "${generated}/_hloroof"
      COMMAND hloroof_command completion fish > "${generated}/hloroof.fish"
      DEPENDS hloroof_command
      COMMENT "Writing the manual page and the completions"
      VERBATIM)
    add_custom_target(hloroof_generated ALL DEPENDS ${outputs})
    add_dependencies(hloroof_installed hloroof_generated)
    install(FILES "${generated}/hloroof.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${generated}/hloroof.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME hloroof)
    install(FILES "${generated}/_hloroof" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${generated}/hloroof.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  endif()
endif()

install(
  EXPORT hloroofTargets
  NAMESPACE hloroof::
  DESTINATION "${config_dir}")
export(
  EXPORT hloroofTargets
  NAMESPACE hloroof::
  FILE "${PROJECT_BINARY_DIR}/hloroofTargets.cmake")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/hloroofConfig.cmake.in" "${PROJECT_BINARY_DIR}/hloroofConfig.cmake"
  INSTALL_DESTINATION "${config_dir}"
  NO_SET_AND_CHECK_MACRO)
# Until 1.0 a minor version may break the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hloroofConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
file(COPY "${PROJECT_SOURCE_DIR}/cmake/Findre2.cmake" DESTINATION "${PROJECT_BINARY_DIR}")
install(FILES "${PROJECT_BINARY_DIR}/hloroofConfig.cmake" "${PROJECT_BINARY_DIR}/hloroofConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/Findre2.cmake" DESTINATION "${config_dir}")

# Users of a static library must link its dependencies; a shared library links them itself. The names of Debian's pkg-config
# files are derived from the targets: absl::status is absl_status.
set(pc_requires absl_span absl_status absl_statusor)
if(NOT BUILD_SHARED_LIBS)
  get_target_property(links hloroof LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "^(absl)::(.+)$")
      list(APPEND pc_requires "absl_${CMAKE_MATCH_2}")
    elseif(link STREQUAL "re2::re2")
      list(APPEND pc_requires re2)
    elseif(link STREQUAL "ZLIB::ZLIB")
      list(APPEND pc_requires zlib)
    endif()
  endforeach()
endif()
list(REMOVE_DUPLICATES pc_requires)
list(JOIN pc_requires " " pc_requires)
file(RELATIVE_PATH pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/hloroof.pc.in" "${PROJECT_BINARY_DIR}/hloroof.pc" @ONLY)
set(pc_testing_libs -lhloroof_testing)
if(BUILD_SHARED_LIBS)
  set(pc_testing_libs)
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/hloroof_testing.pc.in" "${PROJECT_BINARY_DIR}/hloroof_testing.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/hloroof.pc" "${PROJECT_BINARY_DIR}/hloroof_testing.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(TARGET hloroof_c_shared)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/hloroof_c.pc.in" "${PROJECT_BINARY_DIR}/hloroof_c.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/hloroof_c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
