// The final code of a product in blocks of 512, which has too few registers on v5e.
#include "lib/explain/code_report.h"

#include "hloroof/parse.h"
#include "lib/base/strings.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

CodeReport report_of(const std::string& folder, const std::string& device) {
  const absl::StatusOr<CodeFolder> code = find_code(source_path("tests/code/samples/" + folder));
  REQUIRE(code.ok());
  CodeReport report = start_code_report(folder, *find_device(device)).value();
  for (const CodeFile& file : code->files) {
    absl::StatusOr<CodeRow> row = code_row(file, *find_device(device), kMostBytes);
    INFO(row.status().message());
    REQUIRE(row.ok());
    report.rows.push_back(*std::move(row));
  }
  for (const std::string& path : code->modules) {
    const absl::StatusOr<Module> module = load_module(path);
    INFO(module.status().message());
    REQUIRE(module.ok());
    add_sources(*module, report.rows);
  }
  sort_code(report.rows);
  return report;
}

TEST_CASE("a block that spills on v5e does not on v6e") {
  const CodeReport v5e = report_of("matmul_v5e", "tpu_v5e");
  const CodeReport v6e = report_of("matmul_v6e", "tpu_v6e");
  REQUIRE(v5e.rows.size() == 1);
  REQUIRE(v6e.rows.size() == 1);
  CHECK(v5e.rows[0].vector_fills == 257);
  CHECK(v5e.rows[0].vector_spills == 87);
  CHECK(v6e.rows[0].vector_fills == 0);
  CHECK(v6e.rows[0].vector_spills == 0);
  CHECK_THAT(code_view(v5e, {}), ContainsSubstring("257 + 87"));
  CHECK_THAT(code_view(v6e, {}), !ContainsSubstring("spills:"));
}

TEST_CASE("a row adds up, and has the place in the user's program") {
  const CodeReport report = report_of("matmul_v5e", "tpu_v5e");
  const CodeRow& row = report.rows[0];
  CHECK(row.op == "matmul.1");
  CHECK(row.opcode == "custom-call");
  CHECK(short_source(row.source_file, row.source_line) == "matmul.py:20");
  REQUIRE(row.cycles.has_value());
  CHECK(*row.cycles == *row.busy_cycles + *row.waiting_cycles + *row.draining_cycles);
  CHECK(*row.seconds == Approx(*row.cycles / 1.5e9));
  REQUIRE(row.units.size() == 9);
  CHECK(row.units[0].unit == "MXU");
  // 4096^3 products: each vmatmul multiplies a register of 16 rows by 128 x 128 weights. Weights are pushed 16 rows at
  // a time.
  const double products = 4096.0 * 4096 * 4096 / (16 * 128 * 128);
  const double pushes = 4096.0 * 4096 * 8 / (16 * 128);
  CHECK(row.units[0].instructions == products + pushes);
}

TEST_CASE("the time of a prediction stands beside that of the code") {
  CodeReport report = report_of("matmul_v5e", "tpu_v5e");
  StepPrediction step;
  step.ops.emplace_back().name = "matmul.1";
  step.ops.back().seconds = 0.5;
  add_model_times(step, report.rows);
  CHECK(report.rows[0].model_seconds == std::optional<double>(0.5));
  CHECK_THAT(code_view(report, {}), ContainsSubstring("500 ms"));
}

TEST_CASE("formats have one row for each op") {
  const CodeReport report = report_of("ops_v5e", "tpu_v5e");
  REQUIRE(report.rows.size() == 3);
  CHECK_THAT(code_json(report), ContainsSubstring("hloroof.bundles/1"));
  const std::string csv = code_csv(report);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  CHECK_THAT(csv, ContainsSubstring("mxu_cycles"));
  ViewOptions options;
  options.rows.limit = 1;
  CHECK_THAT(code_view(report, options), ContainsSubstring("2 others"));
}

TEST_CASE("numbers that are not known are no zeros") {
  CodeRow row;
  row.op = "gather";
  row.failure = "A branch depends on data.";
  const CodeReport report = {"dump", "tpu_v5e", 1.5e9, 7e11, 1e-6, {row}};
  CHECK_THAT(code_view(report, {}), ContainsSubstring("?"));
  CHECK_THAT(code_view(report, {}), ContainsSubstring("A branch depends on data."));
  CHECK_THAT(code_json(report), ContainsSubstring("\"cycles\": null"));
}

}  // namespace
}  // namespace hloroof::internal
