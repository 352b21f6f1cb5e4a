// --kernel: the contents of the lists that a kernel reads.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/request/kernel_list.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

using Values = std::vector<std::int64_t>;

constexpr char kGrouped[] = "tests/kernel/samples/grouped.hlo";

TEST_CASE("a list is written out, repeated or in a file") {
  const TemporaryFolder folder;
  const std::string file = folder.write("sizes.json", "[4, 5,\n 6]");
  const struct {
    std::string text;
    std::string kernel;
    std::string operand;
    Values values;
  } rows[] = {
      {"gmm.group_sizes=[1,2,3]", "gmm", "group_sizes", {1, 2, 3}},
      {"gmm.0=[ 7 ]", "gmm", "0", {7}},
      {"gmm.2=4x128", "gmm", "2", {128, 128, 128, 128}},
      {"gmm.2=2x-1", "gmm", "2", {-1, -1}},
      {"%tpu_custom_call.1.3=[0]", "tpu_custom_call.1", "3", {0}},
      {"gmm.group_sizes=" + file, "gmm", "group_sizes", {4, 5, 6}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const absl::StatusOr<KernelList> list = parse_kernel_list(row.text, "--kernel");
    REQUIRE(list.ok());
    CHECK(list->kernel == row.kernel);
    CHECK(list->operand == row.operand);
    CHECK(list->values == row.values);
  }
}

TEST_CASE("a list that cannot be read says what is expected") {
  const TemporaryFolder folder;
  const std::string words = folder.write("words.json", "[\"a\"]");
  const struct {
    std::string text;
    const char* message;
  } rows[] = {
      {"gmm", "NAME.OPERAND=VALUES"},
      {"gmm=[1]", "NAME.OPERAND=VALUES"},
      {"gmm.=[1]", "NAME.OPERAND=VALUES"},
      {".0=[1]", "NAME.OPERAND=VALUES"},
      {"gmm.0=", "NAME.OPERAND=VALUES"},
      {"gmm.0=[1.5]", "a list of integers"},
      {"gmm.0=[1e300]", "a list of integers"},
      {"gmm.0=[1", "1:"},
      {"gmm.0=0x128", "4x128"},
      {"gmm.0=999999999999x1", "4x128"},
      {"gmm.0=" + words, "a list of integers"},
      {"gmm.0=/no/such/file", "/no/such/file"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const absl::StatusOr<KernelList> list = parse_kernel_list(row.text, "--kernel");
    REQUIRE_FALSE(list.ok());
    CHECK_THAT(std::string(list.status().message()), ContainsSubstring(row.message));
  }
}

TEST_CASE("the commands that predict take lists") {
  const std::string wrong = "grouped_products.group_sizes=3x1";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"predict", kGrouped},
                                                  {"explain", kGrouped, "pallas_call.1"},
                                                  {"sweep", kGrouped, "--set", "hbm.bandwidth=1x,2x"}}) {
    std::vector<std::string> arguments = command;
    for (const char* argument : {"--device", "tpu_v5e", "--kernel"}) arguments.emplace_back(argument);
    arguments.push_back(wrong);
    const CliResult result = run_hloroof(arguments);
    CAPTURE(command.front(), result.out, result.err);
    CHECK(result.code == kExitBadInput);
    CHECK_THAT(result.err, ContainsSubstring("expected 4 numbers, one for each group; there are 3"));
    arguments.back() = "grouped_products.group_sizes=4x256";
    CHECK(run_hloroof(arguments).code == kExitOk);
  }
}

TEST_CASE("nothing is assumed about a list that is stated") {
  const auto assumed = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"lint", kGrouped, "--device", "tpu_v5e", "-w"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_hloroof(arguments).out.find("kernel-assumed") != std::string::npos;
  };
  CHECK(assumed({}));
  CHECK_FALSE(assumed({"--kernel", "grouped_products.group_sizes=4x256"}));
}

TEST_CASE("the sizes of groups bring measured kernels near") {
  const std::string corpus = shared_path("corpus/pallas/");
  const struct {
    const char* file;
    Values sizes;
    double measured;
  } rows[] = {
      {"ragged_dot.01.tpu_v5e.hlo", {4096, 0, 0, 0, 0, 0, 0, 0}, 763e-6},
      {"ragged_dot.06.tpu_v5e.hlo", Values(8, 1024), 5255e-6},
  };
  for (const auto& row : rows) {
    if (!std::ifstream(corpus + row.file).good()) HLOROOF_SKIP("the large corpus is not there");
    const absl::StatusOr<Module> module = load_module(corpus + row.file);
    REQUIRE(module.ok());
    PredictOptions options;
    options.kernel_lists = {{"pallas_tpu_ragged_dot_gmm", "group_sizes", row.sizes}};
    const auto given = predict_step_time(*module, *find_target("tpu_v5e"), options);
    const auto assumed = predict_step_time(*module, *find_target("tpu_v5e"));
    REQUIRE(given.ok());
    REQUIRE(assumed.ok());
    CAPTURE(row.file, given->step_seconds, assumed->step_seconds);
    CHECK(given->step_seconds > 0.8 * row.measured);
    CHECK(given->step_seconds < 1.2 * row.measured);
    CHECK(assumed->step_seconds > given->step_seconds);
  }
}

}  // namespace
}  // namespace hloroof::internal
