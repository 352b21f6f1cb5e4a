#include "lib/code/code_folder.h"

#include "lib/base/strings.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("the name of a file says whose code it has") {
  struct Case {
    const char* path;
    const char* instruction;  // empty: none
  };
  const Case cases[] = {
      {"dump/17957-fusion.6-01-packed-bundles-post-ra.txt", "fusion.6"},
      {"17957-fusion.6-01-packed-bundles-post-ra.txt.gz", "fusion.6"},
      {"17957-reduce-window.1-60-packed-bundles-post-ra.txt", "reduce-window.1"},
      {"17957-TLP-01-packed-bundles-post-ra.txt", ""},
      {"17957-<late-finalization>-01-packed-bundles-post-ra.txt", ""},
      {"17957-fusion.6-00-schedule-analysis_packed-bundles-post-ra.txt", ""},
      {"17957-fusion.6-04-final_bundles.txt", ""},
      {"fusion.6-01-packed-bundles-post-ra.txt", ""},
      {"17957-01-packed-bundles-post-ra.txt", ""},
      {"17957--01-packed-bundles-post-ra.txt", ""},
      {"-packed-bundles-post-ra.txt", ""},
      {"", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    const std::optional<CodeFile> file = code_file(c.path);
    CHECK((file ? file->instruction : "") == c.instruction);
    if (file) CHECK(file->stamp == "17957");
  }
}

TEST_CASE("a folder has code and the program that it belongs to") {
  const absl::StatusOr<CodeFolder> folder = find_code(source_path("tests/code/samples/matmul_v5e"));
  REQUIRE(folder.ok());
  REQUIRE(folder->files.size() == 1);
  CHECK(folder->files[0].instruction == "matmul.1");
  CHECK(folder->modules.size() == 1);
}

TEST_CASE("code belongs to the last program that was written before it") {
  CodeFolder folder;
  folder.modules = {"d/900-TLP-hlo.txt", "d/1000-TLP-hlo.txt.gz", "d/2000-TLP-hlo.txt"};
  const auto of = [&](const std::string& stamp) { return folder.module_of({"", stamp, "fusion"}); };
  CHECK(of("899") == std::nullopt);
  CHECK(of("900") == 0u);
  CHECK(of("999") == 0u);
  CHECK(of("1500") == 1u);
  CHECK(of("2001") == 2u);
}

TEST_CASE("a path may name one file") {
  const std::string path =
      source_path("tests/code/samples/ops_v5e/1795704197751250973-copy.21-01-packed-bundles-post-ra.txt");
  const absl::StatusOr<CodeFolder> folder = find_code(path);
  REQUIRE(folder.ok());
  REQUIRE(folder->files.size() == 1);
  CHECK(folder->files[0].instruction == "copy.21");
}

TEST_CASE("a folder without code is an error that says how to make one") {
  const absl::Status none = find_code(source_path("tests/code")).status();
  CHECK(none.code() == absl::StatusCode::kNotFound);
  CHECK_THAT(std::string(none.message()), Catch::Matchers::ContainsSubstring("--xla_jf_dump_to=FOLDER"));
  CHECK(find_code(source_path("tests/no_such_folder")).status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hloroof::internal
