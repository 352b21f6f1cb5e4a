// Tables over the values of parameters, devices and files.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/csv.h"
#include "lib/base/json.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/report/json_schema.h"

namespace hloroof::internal {
namespace {

constexpr char kFfn[] = "examples/ffn_block.v5e_2x4.hlo";
constexpr char kDecode[] = "examples/decode_step.v5e.hlo";

JsonValue points_of(const std::vector<std::string>& arguments) {
  const JsonValue json = json_of(arguments);
  CAPTURE(arguments);
  CHECK(JsonSchema("sweep").violations(json) == std::vector<std::string>());
  return *json.find("points");
}

double step_of(const JsonValue& point) { return point.find("step_seconds")->number; }

TEST_CASE("a sweep is the product of files, devices and values, the last varying fastest") {
  const JsonValue points =
      points_of({"sweep", kDecode, kFfn, "--device", "tpu_v5e,tpu_v6e", "--set", "hbm.bandwidth=4e11,8e11,16e11",
                 "--set", "clock=1x,2x", "--sort", "none", "--format", "json"});
  REQUIRE(points.elements.size() == 2 * 2 * 3 * 2);
  const auto value = [&](std::size_t i, const char* parameter) {
    return points.elements[i].find("set")->find(parameter)->number;
  };
  CHECK(value(0, "hbm.bandwidth") == 4e11);
  CHECK(value(1, "hbm.bandwidth") == 4e11);
  CHECK(value(2, "hbm.bandwidth") == 8e11);
  CHECK(value(1, "clock") == 2 * value(0, "clock"));
  CHECK(points.elements[0].find("file")->string == kDecode);
  CHECK(points.elements[5].find("device")->string == "tpu_v5e");
  CHECK(points.elements[6].find("device")->string == "tpu_v6e");
  CHECK(points.elements[12].find("file")->string == kFfn);
}

TEST_CASE("each point is what predict says of it") {
  const JsonValue points =
      points_of({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=4e11,8e11", "--format", "json"});
  REQUIRE(points.elements.size() == 2);
  CHECK(step_of(points.elements[0]) > step_of(points.elements[1]));
  for (const JsonValue& point : points.elements) {
    const std::string value = point.find("set")->find("hbm.bandwidth")->number == 4e11 ? "4e11" : "8e11";
    const CliResult one =
        run_hloroof({"predict", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=" + value, "--format", "json"});
    const auto json = parse_json(one.out, "one");
    REQUIRE(json.ok());
    CHECK(json->find("step_seconds")->number == step_of(point));
    CHECK(json->find("device")->find("set")->find("hbm.bandwidth")->number ==
          point.find("set")->find("hbm.bandwidth")->number);
  }
  const JsonValue same =
      points_of({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1x", "--format", "json"});
  const JsonValue plain = points_of({"sweep", kDecode, "--device", "tpu_v5e", "--format", "json"});
  CHECK(step_of(same.elements.front()) == step_of(plain.elements.front()));
}

TEST_CASE("sweeps as text and CSV, and predict with several values") {
  const std::vector<std::string> tail = {kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=4e11,8e11"};
  std::vector<std::string> arguments = {"sweep"};
  arguments.insert(arguments.end(), tail.begin(), tail.end());
  const CliResult text = run_hloroof(arguments);
  REQUIRE(text.code == kExitOk);
  CHECK(widest_line(text.out) <= 80);
  CHECK_THAT(text.out, ContainsSubstring("hbm.bandwidth"));
  CHECK_THAT(text.out, ContainsSubstring("x (800 GB/s)"));
  arguments[0] = "predict";
  CHECK(run_hloroof(arguments).out == text.out);

  arguments[0] = "sweep";
  arguments.insert(arguments.end(), {"--format", "csv"});
  const CliResult csv = run_hloroof(arguments);
  const absl::StatusOr<CsvTable> table = parse_csv(csv.out, "output");
  REQUIRE(table.ok());
  CHECK(std::count(table->columns.begin(), table->columns.end(), "hbm.bandwidth") == 1);
  CHECK(table->rows.size() == 2);
}

TEST_CASE("a sweep shows factors and keeps HFU and memory") {
  const std::string text =
      run_hloroof({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=0.5x,2x", "--set", "clock=1x,2x"})
          .out;
  CHECK_THAT(text, ContainsSubstring("0.5x (410 GB/s)"));
  CHECK_THAT(text, ContainsSubstring("HFU"));
  CHECK_THAT(text, ContainsSubstring("memory"));
  CHECK(widest_line(text) <= 80);
  const JsonValue points =
      points_of({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=0.5x", "--format", "json"});
  CHECK(points.elements[0].find("factors")->find("hbm.bandwidth")->number == 0.5);
}

TEST_CASE("files, devices and topologies are ranked by step time") {
  const std::vector<std::string> sweep = {"sweep", kFfn, kDecode, "--device", "tpu_v5e,tpu_v6e", "--format", "json"};
  const auto sorted = [&](const std::string& by) {
    std::vector<std::string> arguments = sweep;
    if (!by.empty()) arguments.insert(arguments.end(), {"--sort", by});
    return points_of(arguments).elements;
  };
  const auto is_sorted = [](const std::vector<JsonValue>& points, const auto& key) {
    return std::is_sorted(points.begin(), points.end(),
                          [&](const JsonValue& a, const JsonValue& b) { return key(a) < key(b); });
  };
  REQUIRE(sorted("").size() == 4);
  CHECK(is_sorted(sorted(""), step_of));
  CHECK_FALSE(is_sorted(sorted("none"), step_of));
  CHECK(is_sorted(sorted("memory"), [](const JsonValue& point) { return point.find("hbm_peak_bytes")->number; }));
  CHECK(is_sorted(sorted("hfu"), [](const JsonValue& point) { return -point.find("hfu")->number; }));

  const JsonValue topologies =
      points_of({"sweep", kFfn, "--device", "tpu_v5e", "--topology", "2x4,4x2", "--sort", "none", "--format", "json"});
  REQUIRE(topologies.elements.size() == 2);
  CHECK(topologies.elements[0].find("topology")->string == "2x4");
  CHECK(topologies.elements[1].find("topology")->string == "4x2");
  const std::string text = run_hloroof({"sweep", kFfn, "--device", "tpu_v5e", "--topology", "2x4,4x2"}).out;
  CHECK_THAT(text, ContainsSubstring("topology"));
}

TEST_CASE("too many combinations are refused before any is predicted") {
  std::string values = "hbm.bandwidth=1e11";
  for (int i = 2; i <= 200; ++i) values += "," + std::to_string(i) + "e11";
  std::string clocks = "clock=1e9";
  for (int i = 2; i <= 200; ++i) clocks += "," + std::to_string(i) + "e8";
  const CliResult result = run_hloroof({"sweep", kDecode, "--device", "tpu_v5e", "--set", values, "--set", clocks});
  CHECK(result.code == kExitBadInput);
  CHECK_THAT(result.err, ContainsSubstring("10000"));
}

}  // namespace
}  // namespace hloroof::internal
