# Functions that declare the project's targets, so that every CMakeLists.txt below lib/, tests/ and bench/ is a plain list
# of files.

# Flags every target of the project is compiled with. Warnings are on for all of our own builds; they are errors only with
# HLOROOF_DEVELOPER.
add_library(hloroof_compile_options INTERFACE)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(hloroof_compile_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 warns about its own std::string once it has inlined enough of it (GCC bugs 105329 and 105651).
    target_compile_options(hloroof_compile_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                                                             -Wno-stringop-overread)
  endif()
  if(HLOROOF_DEVELOPER)
    target_compile_options(hloroof_compile_options INTERFACE -Werror)
  endif()
endif()
if(HLOROOF_SANITIZE)
  target_compile_options(hloroof_compile_options INTERFACE -fsanitize=${HLOROOF_SANITIZE} -fno-omit-frame-pointer
                                                           -fno-sanitize-recover=all)
  target_link_options(hloroof_compile_options INTERFACE -fsanitize=${HLOROOF_SANITIZE})
  # Tests that predict many times do so less often.
  target_compile_definitions(hloroof_compile_options INTERFACE HLOROOF_SANITIZED)
endif()
if(NOT HLOROOF_SIMD)
  target_compile_definitions(hloroof_compile_options INTERFACE HLOROOF_NO_SIMD)
endif()
if(HLOROOF_FUZZ)
  target_compile_options(hloroof_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Turns the names in DEPS into targets: a layer's short name (ir) into its target (hloroof_ir), anything else as it is.
function(_hloroof_resolve_deps out)
  set(resolved)
  foreach(dep IN LISTS ARGN)
    if(TARGET hloroof_${dep})
      list(APPEND resolved hloroof_${dep})
    elseif(TARGET ${dep})
      list(APPEND resolved ${dep})
    else()
      message(FATAL_ERROR "'${dep}' is neither a layer declared earlier nor a target. Layers may only depend on the layers "
                          "below them; lib/CMakeLists.txt lists the order.")
    endif()
  endforeach()
  set(${out} "${resolved}" PARENT_SCOPE)
endfunction()

function(_hloroof_common_properties target)
  set(visibility hidden)
  if(BUILD_SHARED_LIBS)
    set(visibility default)  # cmake/hloroof.map says what the shared library exports
  endif()
  set_target_properties(
    ${target}
    PROPERTIES CXX_STANDARD 20
               CXX_STANDARD_REQUIRED ON
               CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET ${visibility}
               VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Precompiled headers. Each file includes what it uses and compiles without them: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
# A precompiled header fits only targets that are compiled with the same flags, so there is one for the layers, one for the
# tests and one for the tools next to the tests. They hold headers of other projects only: ours change too often.
set(HLOROOF_PCH_HEADERS
    <algorithm>
    <array>
    <charconv>
    <cmath>
    <cstdint>
    <functional>
    <limits>
    <map>
    <memory>
    <optional>
    <set>
    <span>
    <string>
    <string_view>
    <unordered_map>
    <utility>
    <variant>
    <vector>
    <absl/container/flat_hash_map.h>
    <absl/status/status.h>
    <absl/status/statusor.h>
    <absl/strings/str_cat.h>
    <absl/strings/str_format.h>
    <absl/strings/str_join.h>)

# hloroof_precompile(<name> <header>... LINK <target>...)
#
# Declares hloroof_<name>, which compiles the headers and nothing else. Targets take them with hloroof_reuse_precompiled.
function(hloroof_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  set(source "${PROJECT_BINARY_DIR}/precompiled/${name}.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Precompiled headers need a target, and a target needs a file.\n")
  add_library(hloroof_${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  _hloroof_common_properties(hloroof_${name})
  target_include_directories(hloroof_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(hloroof_${name} PRIVATE hloroof_compile_options ${arg_LINK})
  target_precompile_headers(hloroof_${name} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Without the time stamp a precompiled header depends on what went into it alone, and ccache can keep it.
    target_compile_options(hloroof_${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

function(hloroof_reuse_precompiled target name)
  if(TARGET hloroof_${name})
    target_precompile_headers(${target} REUSE_FROM hloroof_${name})
  endif()
endfunction()

# hloroof_optimize_lightly(<target>)
#
# Compiles the target at -O1 in release builds. Tests and the command's front end run for a moment but are half of what a build
# compiles.
function(hloroof_optimize_lightly target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# hloroof_cc_library(NAME <layer> [SRCS <file>...] [HDRS <file>...] [PUBLIC <file>...] [DEPS <layer or target>...])
#
# Declares one layer as the target hloroof_<layer>: a static library that tests link on its own and whose objects the
# installed library is put together from. DEPS are the layers below and the packages it uses; they are what enforces the
# layer order, since a test that links this layer gets nothing else. Without SRCS the layer is header-only. PUBLIC are the headers
# of include/hloroof that declare what this layer makes.
function(hloroof_cc_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;HDRS;PUBLIC;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloroof_cc_library: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target hloroof_${arg_NAME})
  _hloroof_resolve_deps(deps ${arg_DEPS})
  set_property(GLOBAL APPEND PROPERTY HLOROOF_LAYERS ${arg_NAME})

  if(arg_SRCS)
    add_library(${target} STATIC ${arg_SRCS} ${arg_HDRS})
    _hloroof_common_properties(${target})
    set_target_properties(${target} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/layers"
                                               POSITION_INDEPENDENT_CODE ${HLOROOF_PIC}
                                               UNITY_BUILD ${HLOROOF_UNITY}
                                               UNITY_BUILD_BATCH_SIZE 12)
    target_link_libraries(${target} PRIVATE hloroof_compile_options)
    hloroof_reuse_precompiled(${target} pch)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include"
                             "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(${target} ${scope} ${deps})

  # For the test `layers`: the folder, its public headers, and the layers that this one reaches.
  set(reached)
  foreach(dep IN LISTS arg_DEPS)
    get_property(of_dep GLOBAL PROPERTY HLOROOF_MAY_USE_${dep})
    if(TARGET hloroof_${dep})
      list(APPEND reached ${dep} ${of_dep})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES reached)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/lib" "${CMAKE_CURRENT_SOURCE_DIR}")
  set_property(GLOBAL PROPERTY HLOROOF_MAY_USE_${arg_NAME} "${reached}")
  set_property(GLOBAL PROPERTY HLOROOF_FOLDER_${arg_NAME} "${folder}")
  set_property(GLOBAL PROPERTY HLOROOF_PUBLIC_${arg_NAME} "${arg_PUBLIC}")
endfunction()

# Declares an executable that is not installed, in <build>/<folder>.
function(_hloroof_program target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SRCS;DEPS")
  _hloroof_resolve_deps(deps ${arg_DEPS})
  add_executable(${target} ${arg_SRCS})
  _hloroof_common_properties(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE hloroof_compile_options ${deps})
endfunction()

# hloroof_long(<target>)
#
# The target belongs to tests with the label `accuracy` or `long`. These go through the same code as the others and take ten times
# as long under sanitizers, so that a build with sanitizers leaves them to the target `long_tests`, and the test preset `asan` to
# `asan_long`.
function(hloroof_long target)
  if(NOT TARGET long_tests)
    add_custom_target(long_tests)
  endif()
  add_dependencies(long_tests ${target})
  if(HLOROOF_SANITIZE)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# hloroof_cc_test(NAME <name> SRCS <file>... [DEPS <layer or target>...] [LABELS <label>...])
#
# Declares a Catch2 executable and the test that runs it, from the source folder. DEPS are what it tests. The label `accuracy`
# is for tests of what measured programs take, `long` for those that go over many dumps or devices again for what other tests
# look at once (hloroof_long).
function(hloroof_cc_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;DEPS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloroof_cc_test: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _hloroof_program(${arg_NAME} tests/bin SRCS ${arg_SRCS} DEPS hloroof_catch_main hloroof_test_paths ${arg_DEPS})
  hloroof_optimize_lightly(${arg_NAME})
  hloroof_reuse_precompiled(${arg_NAME} test_pch)
  if("accuracy" IN_LIST arg_LABELS OR "long" IN_LIST arg_LABELS)
    hloroof_long(${arg_NAME})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
endfunction()

# hloroof_cc_test_tool(NAME <name> SRCS <file>... [DEPS <layer or target>...])
#
# Declares a program that tests run or that prints what a document quotes, next to the tests.
function(hloroof_cc_test_tool)
  cmake_parse_arguments(PARSE_ARGV 0 arg "EXCLUDE_FROM_ALL" "NAME" "SRCS;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloroof_cc_test_tool: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _hloroof_program(${arg_NAME} tests/bin SRCS ${arg_SRCS} DEPS hloroof_test_paths ${arg_DEPS})
  set_target_properties(${arg_NAME} PROPERTIES EXCLUDE_FROM_ALL ${arg_EXCLUDE_FROM_ALL})
  hloroof_optimize_lightly(${arg_NAME})
  hloroof_reuse_precompiled(${arg_NAME} tool_pch)
endfunction()

# hloroof_cc_bench(NAME <name> SRCS <file>... [DEPS <layer or target>...])
#
# Declares a program that measures, with google-benchmark if DEPS name it. It is built, never run, by the tests.
function(hloroof_cc_bench)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloroof_cc_bench: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _hloroof_program(${arg_NAME} bench/bin SRCS ${arg_SRCS} DEPS ${arg_DEPS})
  target_compile_definitions(${arg_NAME} PRIVATE HLOROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                 HLOROOF_SHARED_DIR="${HLOROOF_SHARED_DIR}")
endfunction()

# hloroof_fuzz_target(NAME <name> SRCS <file>... [DEPS <layer or target>...])
#
# Declares a libFuzzer executable in <build>/fuzz/. Does nothing without HLOROOF_FUZZ.
function(hloroof_fuzz_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloroof_fuzz_target: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT HLOROOF_FUZZ)
    return()
  endif()
  _hloroof_program(${arg_NAME} fuzz SRCS ${arg_SRCS} DEPS ${arg_DEPS})
  target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
endfunction()

# _hloroof_objects(<objects> <packages> <layer>...)
#
# Returns the objects of the layers and the packages that they use.
function(_hloroof_objects out_objects out_packages)
  set(objects)
  set(packages)
  foreach(layer IN LISTS ARGN)
    get_target_property(type hloroof_${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:hloroof_${layer}>)
    endif()
    get_target_property(links hloroof_${layer} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND packages ${links})
    endif()
  endforeach()
  list(FILTER packages EXCLUDE REGEX "^hloroof_|LINK_ONLY")
  list(REMOVE_DUPLICATES packages)
  set(${out_objects} "${objects}" PARENT_SCOPE)
  set(${out_packages} "${packages}" PARENT_SCOPE)
endfunction()

# hloroof_installed_libraries(CORE <layer>... TESTING <layer>...)
#
# Declares the two libraries that C++ programs link. `hloroof`, alias hloroof::hloroof, has the objects of the layers CORE:
# whoever predicts links these and nothing else. hloroof::testing adds the layers TESTING, for hloroof/testing.h. Both are
# static by default. With BUILD_SHARED_LIBS one shared library has all of them, because it exports no internal name that a
# second one could use, and hloroof::testing is another name for it.
function(hloroof_installed_libraries)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "CORE;TESTING")
  _hloroof_objects(objects packages ${arg_CORE})
  _hloroof_objects(testing_objects testing_packages ${arg_TESTING})
  if(BUILD_SHARED_LIBS)
    list(APPEND objects ${testing_objects})
    list(APPEND packages ${testing_packages})
    list(REMOVE_DUPLICATES packages)
  endif()

  # Until 1.0 a minor version may break the interface.
  set(soversion ${PROJECT_VERSION_MAJOR})
  if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(soversion 0.${PROJECT_VERSION_MINOR})
  endif()
  add_library(hloroof ${objects})
  add_library(hloroof::hloroof ALIAS hloroof)
  set_target_properties(
    hloroof
    PROPERTIES LINKER_LANGUAGE CXX
               VERSION ${PROJECT_VERSION}
               SOVERSION ${soversion}
               LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
               ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  target_compile_features(hloroof PUBLIC cxx_std_17)
  target_include_directories(
    hloroof PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # The public headers mention Status, StatusOr and Span and no other package's types.
  target_link_libraries(hloroof PUBLIC absl::span absl::status absl::statusor)
  list(REMOVE_ITEM packages absl::span absl::status absl::statusor)
  list(FILTER packages EXCLUDE REGEX "^(Eigen3|nlohmann_json)::")  # header-only: whoever links the library needs none
  target_link_libraries(hloroof PRIVATE ${packages})
  if(BUILD_SHARED_LIBS AND NOT APPLE)
    target_link_options(hloroof PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/hloroof.map")
    set_property(TARGET hloroof APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/hloroof.map")
  endif()
  if(HLOROOF_SANITIZE)
    target_link_options(hloroof PUBLIC $<BUILD_INTERFACE:-fsanitize=${HLOROOF_SANITIZE}>)
  endif()

  # The layer has the plain name of the target.
  if(BUILD_SHARED_LIBS)
    add_library(hloroof_testing_library INTERFACE)
    target_link_libraries(hloroof_testing_library INTERFACE hloroof)
  else()
    add_library(hloroof_testing_library STATIC ${testing_objects})
    set_target_properties(hloroof_testing_library PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME hloroof_testing
                                                             ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
    list(REMOVE_ITEM testing_packages ${packages})
    list(FILTER testing_packages EXCLUDE REGEX "^(Eigen3|nlohmann_json)::")
    target_link_libraries(hloroof_testing_library PUBLIC hloroof PRIVATE ${testing_packages})
  endif()
  set_target_properties(hloroof_testing_library PROPERTIES EXPORT_NAME testing)
  add_library(hloroof::testing ALIAS hloroof_testing_library)
endfunction()

# hloroof_c_library(<version>)
#
# Declares the shared library hloroof_c, alias hloroof::c, with the C interface and all that it needs of the library.
# <version> is HLOROOF_C_VERSION, and the number in the SONAME. Needs the layer `c`.
function(hloroof_c_library version)
  add_library(hloroof_c_shared SHARED $<TARGET_OBJECTS:hloroof_c>)
  add_library(hloroof::c ALIAS hloroof_c_shared)
  set_target_properties(
    hloroof_c_shared
    PROPERTIES LINKER_LANGUAGE CXX
               OUTPUT_NAME hloroof_c
               EXPORT_NAME c
               VERSION ${version}.${PROJECT_VERSION}
               SOVERSION ${version}
               LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  target_include_directories(hloroof_c_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  get_target_property(layers hloroof_c INTERFACE_LINK_LIBRARIES)
  target_link_libraries(hloroof_c_shared PRIVATE hloroof_compile_options ${layers})
  if(NOT APPLE)
    target_link_options(hloroof_c_shared PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/hloroof_c.map")
    set_property(TARGET hloroof_c_shared APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/hloroof_c.map")
  endif()
endfunction()

# hloroof_cc_command(NAME <command> SRCS <file>... [DEPS <layer or target>...])
#
# Declares an installed command at the top of the build folder. The target is <command>_command, because the library has the
# plain name.
function(hloroof_cc_command)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hloroof_cc_command: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target ${arg_NAME}_command)
  _hloroof_resolve_deps(deps ${arg_DEPS})
  add_executable(${target} ${arg_SRCS})
  _hloroof_common_properties(${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_NAME} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE hloroof_compile_options ${deps})
endfunction()
