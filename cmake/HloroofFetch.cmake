# Downloads pinned releases of the dependencies and builds them with hloroof. Only with HLOROOF_FETCH_DEPENDENCIES; for
# offline builds, FETCHCONTENT_SOURCE_DIR_<NAME> names an existing source tree.
#
# Fetched dependencies are linked into the build but not installed: the install rules need installed dependencies.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)

# hloroof_fetch(NAME [OPTION=VALUE...]): what dependencies.csv calls NAME. The options are set before the dependency's CMakeLists.txt
# is read.
macro(hloroof_fetch name)
  foreach(setting ${ARGN})
    string(REGEX MATCH "^([^=]+)=(.*)$" matched "${setting}")
    set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" CACHE INTERNAL "")
  endforeach()
  file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/dependencies.csv" row REGEX "^${name},")
  if(NOT row MATCHES ",([^,]+),([^,]+)$")
    message(FATAL_ERROR "cmake/dependencies.csv has no repository and tag of ${name}")
  endif()
  FetchContent_Declare(
    ${name}
    GIT_REPOSITORY "${CMAKE_MATCH_1}"
    GIT_TAG "${CMAKE_MATCH_2}"
    GIT_SHALLOW TRUE
    OVERRIDE_FIND_PACKAGE)
  FetchContent_MakeAvailable(${name})
endmacro()

# Disable warnings, tests and install rules of the dependencies.
set(hloroof_build_testing ${BUILD_TESTING})
set(BUILD_TESTING OFF)

# abseil comes first, because re2 depends on it.
hloroof_fetch(absl ABSL_PROPAGATE_CXX_STD=ON ABSL_ENABLE_INSTALL=OFF)
hloroof_fetch(re2 RE2_BUILD_TESTING=OFF)
hloroof_fetch(nlohmann_json JSON_BuildTests=OFF JSON_Install=OFF)
if(HLOROOF_BUILD_CALIBRATE)
  hloroof_fetch(Eigen3 EIGEN_BUILD_DOC=OFF EIGEN_BUILD_PKGCONFIG=OFF)
endif()
hloroof_fetch(ZLIB ZLIB_BUILD_EXAMPLES=OFF SKIP_INSTALL_ALL=ON)
if(NOT TARGET ZLIB::ZLIB)
  # zlib's project defines plain targets and configures zconf.h into its build folder.
  add_library(hloroof_zlib INTERFACE)
  target_link_libraries(hloroof_zlib INTERFACE zlibstatic)
  target_include_directories(hloroof_zlib INTERFACE "${zlib_SOURCE_DIR}" "${zlib_BINARY_DIR}")
  add_library(ZLIB::ZLIB ALIAS hloroof_zlib)
endif()
if(HLOROOF_BUILD_CLI OR HLOROOF_BUILD_PYTHON)
  hloroof_fetch(CLI11 CLI11_BUILD_TESTS=OFF CLI11_BUILD_EXAMPLES=OFF)
endif()
if(HLOROOF_BUILD_TESTS)
  hloroof_fetch(Catch2)
endif()
if(HLOROOF_BUILD_BENCH)
  hloroof_fetch(benchmark BENCHMARK_ENABLE_TESTING=OFF BENCHMARK_ENABLE_INSTALL=OFF)
endif()

set(BUILD_TESTING ${hloroof_build_testing})
