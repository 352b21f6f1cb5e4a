// Modules printed with their predicted times: what the comments say, and that parsers do not see them.
#include "lib/report/annotated_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

// The prediction on the first device that runs the module.
std::optional<StepPrediction> predict_anywhere(const Module& module) {
  for (const char* device : {"tpu_v5e", "tpu_v5p", "h100_sxm"}) {
    absl::StatusOr<StepPrediction> prediction = predict_step_time(module, *find_target(device));
    if (prediction.ok()) return *std::move(prediction);
  }
  return std::nullopt;
}

// Parsing the annotated text gives the module and its text back. Returns whether the module could be predicted.
bool check_annotated(const Module& module, const std::vector<double>& least_shares = {0, 0.01}) {
  const std::optional<StepPrediction> prediction = predict_anywhere(module);
  if (!prediction) return false;
  for (const double least_share : least_shares) {
    const std::string text = annotated_text(module, *prediction, PrintOptions(), least_share);
    const absl::StatusOr<Module> again = parse_module(text);
    INFO(std::string(again.status().message()));
    REQUIRE(again.ok());
    std::string difference;
    const bool is_same = equal(module, *again, &difference);
    INFO(difference);
    CHECK(is_same);
    CHECK(print_module(*again) == print_module(module));
    CHECK_THAT(text, ContainsSubstring(" on " + prediction->device));
  }
  return true;
}

int check_folder(const fs::path& folder, const std::vector<double>& least_shares = {0, 0.01}) {
  int predicted = 0;
  if (!fs::exists(folder)) return predicted;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    INFO(entry.path().string());
    const absl::StatusOr<Module> module = load_module(entry.path().string());
    if (module.ok() && check_annotated(*module, least_shares)) ++predicted;
  }
  return predicted;
}

TEST_CASE("annotated text is the same module") {
  CHECK(check_folder(source_path("tests/corpus")) > 10);
  CHECK(check_folder(source_path("examples")) > 2);
}

TEST_CASE("annotated text of real dumps is the same module", "[corpus]") {
  const int predicted = check_folder(shared_path("corpus"), {0.001});
  if (predicted == 0) HLOROOF_SKIP("no corpus in " + shared_path("corpus"));
  WARN(predicted << " dumps are the same module after they were annotated");
}

TEST_CASE("comments say what the table of ops says, in columns") {
  const absl::StatusOr<Module> module = load_module("examples/narrow_heads.v5e.hlo");
  REQUIRE(module.ok());
  const absl::StatusOr<StepPrediction> prediction =
      predict_step_time(*module, *load_device("tests/devices/tpu_x.json"));
  REQUIRE(prediction.ok());
  const std::string text = annotated_text(*module, *prediction, PrintOptions(), 0.05);
  std::istringstream lines(text);
  std::string comments;
  std::size_t end_of_comments = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("// ", 0) == 0) comments += line + "\n";
    if (line.rfind("/* ", 0) != 0) continue;
    const std::size_t end = line.find("*/");
    REQUIRE(end != std::string::npos);
    if (end_of_comments == 0) end_of_comments = end;
    CHECK(end == end_of_comments);
    comments += line.substr(0, end + 40) + "\n";
  }
  check_golden("tests/report/annotated_heads.txt", comments);
}

TEST_CASE("nothing in a dump ends a comment") {
  const std::string text =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[1024,1024] parameter(0)\n"
      "  ROOT r = f32[1024,1024] negate(p), metadata={op_name=\"f\" source_file=\"x*/y*\\n//\xc3\xa4.py\" "
      "source_line=3}\n}\n";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  CHECK(check_annotated(*module));
  const std::string annotated = annotated_text(*module, *predict_anywhere(*module), PrintOptions(), 0);
  for (std::size_t at = annotated.find("/*"); at != std::string::npos; at = annotated.find("/*", at + 2)) {
    const std::size_t end = annotated.find("*/", at);
    REQUIRE(end != std::string::npos);
    for (const char c : annotated.substr(at, end - at)) CHECK((c >= ' ' && c <= '~'));
  }
}

TEST_CASE("a single instruction is annotated on its line") {
  const absl::StatusOr<Module> module =
      parse_module("%a = f32[1024,1024]{1,0} add(f32[1024,1024]{1,0} %x, f32[1024,1024]{1,0} %y)\n");
  REQUIRE(module.ok());
  CHECK(check_annotated(*module));
}

}  // namespace
}  // namespace hloroof::internal
