# Finds RE2 and defines re2::re2. Newer releases ship re2Config.cmake; Debian bookworm's package has only a pkg-config file.
find_package(re2 CONFIG QUIET)
if(TARGET re2::re2)
  set(re2_FOUND TRUE)
  return()
endif()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_RE2 QUIET re2)
endif()
find_path(RE2_INCLUDE_DIR re2/re2.h HINTS ${PC_RE2_INCLUDE_DIRS})
find_library(RE2_LIBRARY re2 HINTS ${PC_RE2_LIBRARY_DIRS})
mark_as_advanced(RE2_INCLUDE_DIR RE2_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  re2
  REQUIRED_VARS RE2_LIBRARY RE2_INCLUDE_DIR
  VERSION_VAR PC_RE2_VERSION)
if(re2_FOUND)
  find_package(Threads REQUIRED)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES IMPORTED_LOCATION "${RE2_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                              "${RE2_INCLUDE_DIR}")
  target_link_libraries(re2::re2 INTERFACE Threads::Threads)
endif()
