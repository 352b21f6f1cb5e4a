# Builds the dependencies from the sources in third_party/, which only the Python package's source distribution has
# (cmake/third_party.sh). They become static libraries, so that the wheel needs no library besides the C runtime.
set(bundled "${PROJECT_SOURCE_DIR}/third_party")
find_package(Threads REQUIRED)

function(hloroof_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SRCS;INCLUDES;FLAGS;LINK;ALIASES")
  add_library(hloroof_bundled_${name} STATIC ${arg_SRCS})
  _hloroof_common_properties(hloroof_bundled_${name})
  set_target_properties(hloroof_bundled_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(hloroof_bundled_${name} SYSTEM PUBLIC ${arg_INCLUDES})
  target_compile_options(hloroof_bundled_${name} PRIVATE -w -ffunction-sections -fdata-sections ${arg_FLAGS})
  target_link_libraries(hloroof_bundled_${name} PUBLIC ${arg_LINK})
  foreach(alias IN LISTS arg_ALIASES)
    add_library(${alias} ALIAS hloroof_bundled_${name})
  endforeach()
endfunction()

# On macOS abseil asks CoreFoundation for the local time zone, and links it so (absl/time/CMakeLists.txt).
file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${bundled}/abseil/absl/*.cc")
hloroof_bundle(
  absl
  SRCS ${sources}
  INCLUDES "${bundled}/abseil"
  LINK Threads::Threads $<$<PLATFORM_ID:Darwin>:-Wl,-framework,CoreFoundation>
  ALIASES absl::cord absl::flat_hash_map absl::flat_hash_set absl::inlined_vector absl::span absl::status absl::statusor
          absl::str_format absl::strings)
# Compiled together they take a quarter of the time. Some files of the folder time define the same names.
list(FILTER sources INCLUDE REGEX "/absl/time/")
set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_target_properties(hloroof_bundled_absl PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)

file(GLOB sources CONFIGURE_DEPENDS "${bundled}/re2/re2/*.cc" "${bundled}/re2/util/*.cc")
hloroof_bundle(re2 SRCS ${sources} INCLUDES "${bundled}/re2" LINK Threads::Threads ALIASES re2::re2)

enable_language(C)
file(GLOB sources CONFIGURE_DEPENDS "${bundled}/zlib/*.c")
# zlib 1.2 takes macOS for the Mac OS that had no fdopen(), unless that is a macro.
hloroof_bundle(
  zlib
  SRCS ${sources}
  INCLUDES "${bundled}/zlib"
  FLAGS -DHAVE_UNISTD_H $<$<PLATFORM_ID:Darwin>:-Dfdopen=fdopen>
  ALIASES ZLIB::ZLIB)

# Libraries of headers.
function(hloroof_bundle_headers name folder alias)
  add_library(hloroof_bundled_${name} INTERFACE)
  target_include_directories(hloroof_bundled_${name} SYSTEM INTERFACE "${bundled}/${folder}")
  add_library(${alias} ALIAS hloroof_bundled_${name})
endfunction()
hloroof_bundle_headers(json nlohmann_json/single_include nlohmann_json::nlohmann_json)
hloroof_bundle_headers(cli11 cli11/include CLI11::CLI11)
hloroof_bundle_headers(eigen eigen Eigen3::Eigen)
