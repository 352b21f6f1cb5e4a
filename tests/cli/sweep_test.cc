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

OrderedJson points_of(const std::vector<std::string>& arguments) {
  const OrderedJson json = json_of(arguments);
  CAPTURE(arguments);
  CHECK(JsonSchema("sweep").violations(json) == std::vector<std::string>());
  return json.at("points");
}

double step_of(const OrderedJson& point) { return point.at("step_seconds").get<double>(); }

TEST_CASE("a sweep is the product of files, devices and values, the last varying fastest") {
  const OrderedJson points =
      points_of({"sweep", kDecode, kFfn, "--device", "tpu_v5e,tpu_v6e", "--set", "hbm.bandwidth=4e11,8e11,16e11",
                 "--set", "clock=1x,2x", "--sort", "none", "--format", "json"});
  REQUIRE(points.size() == 2 * 2 * 3 * 2);
  const auto value = [&](std::size_t i, const char* parameter) {
    return points[i].at("set").at(parameter).get<double>();
  };
  CHECK(value(0, "hbm.bandwidth") == 4e11);
  CHECK(value(1, "hbm.bandwidth") == 4e11);
  CHECK(value(2, "hbm.bandwidth") == 8e11);
  CHECK(value(1, "clock") == 2 * value(0, "clock"));
  CHECK(points[0].at("file").get<std::string>() == kDecode);
  CHECK(points[5].at("device").get<std::string>() == "tpu_v5e");
  CHECK(points[6].at("device").get<std::string>() == "tpu_v6e");
  CHECK(points[12].at("file").get<std::string>() == kFfn);
}

TEST_CASE("each point is what predict says of it") {
  const OrderedJson points =
      points_of({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=4e11,8e11", "--format", "json"});
  REQUIRE(points.size() == 2);
  CHECK(step_of(points[0]) > step_of(points[1]));
  for (const OrderedJson& point : points) {
    const std::string value = point.at("set").at("hbm.bandwidth").get<double>() == 4e11 ? "4e11" : "8e11";
    const CliResult one =
        run_hloroof({"predict", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=" + value, "--format", "json"});
    const auto json = parse_json(one.out, "one");
    REQUIRE(json.ok());
    CHECK(json->at("step_seconds").get<double>() == step_of(point));
    CHECK(json->at("device").at("set").at("hbm.bandwidth").get<double>() ==
          point.at("set").at("hbm.bandwidth").get<double>());
  }
  const OrderedJson same =
      points_of({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1x", "--format", "json"});
  const OrderedJson plain = points_of({"sweep", kDecode, "--device", "tpu_v5e", "--format", "json"});
  CHECK(step_of(same.front()) == step_of(plain.front()));
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
  const OrderedJson points =
      points_of({"sweep", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=0.5x", "--format", "json"});
  CHECK(points[0].at("factors").at("hbm.bandwidth").get<double>() == 0.5);
}

TEST_CASE("files, devices and topologies are ranked by step time") {
  const std::vector<std::string> sweep = {"sweep", kFfn, kDecode, "--device", "tpu_v5e,tpu_v6e", "--format", "json"};
  const auto sorted = [&](const std::string& by) {
    std::vector<std::string> arguments = sweep;
    if (!by.empty()) arguments.insert(arguments.end(), {"--sort", by});
    return points_of(arguments);
  };
  const auto is_sorted = [](const OrderedJson& points, const auto& key) {
    return std::is_sorted(points.begin(), points.end(),
                          [&](const OrderedJson& a, const OrderedJson& b) { return key(a) < key(b); });
  };
  REQUIRE(sorted("").size() == 4);
  CHECK(is_sorted(sorted(""), step_of));
  CHECK_FALSE(is_sorted(sorted("none"), step_of));
  CHECK(is_sorted(sorted("memory"), [](const OrderedJson& point) { return point.at("hbm_peak_bytes").get<double>(); }));
  CHECK(is_sorted(sorted("hfu"), [](const OrderedJson& point) { return -point.at("hfu").get<double>(); }));

  const OrderedJson topologies =
      points_of({"sweep", kFfn, "--device", "tpu_v5e", "--topology", "2x4,4x2", "--sort", "none", "--format", "json"});
  REQUIRE(topologies.size() == 2);
  CHECK(topologies[0].at("topology").get<std::string>() == "2x4");
  CHECK(topologies[1].at("topology").get<std::string>() == "4x2");
  const std::string text = run_hloroof({"sweep", kFfn, "--device", "tpu_v5e", "--topology", "2x4,4x2"}).out;
  CHECK_THAT(text, ContainsSubstring("topology"));
}

TEST_CASE("a machine that is larger than the program is not replaced without a word") {
  const std::string sentence = "The program needs 8 of the 16 devices of 4x4: a part of 2x4";
  const CliResult sweep = run_hloroof({"sweep", kFfn, "--device", "tpu_v5e", "--topology", "2x4,4x4"});
  CHECK_THAT(sweep.err, ContainsSubstring("no program needs all devices of 4x4"));
  CHECK_THAT(sweep.err, !ContainsSubstring("of 2x4"));
  CHECK_THAT(run_hloroof({"predict", kFfn, "--device", "tpu_v5e:4x4", "-w"}).out, ContainsSubstring(sentence));
  CHECK_THAT(run_hloroof({"predict", kFfn, "--device", "tpu_v5e:2x4", "-w"}).out,
             !ContainsSubstring("is assumed to run it"));
}

TEST_CASE("a device with a topology and another one in --topology are refused") {
  for (const char* command : {"predict", "sweep", "lint"}) {
    CAPTURE(command);
    const CliResult other = run_hloroof({command, kFfn, "--device", "tpu_v5e:2x4", "--topology", "4x4"});
    CHECK(other.code == kExitBadInput);
    CHECK_THAT(other.err, ContainsSubstring("name two machines"));
    CHECK(run_hloroof({command, kFfn, "--device", "tpu_v5e:2x4", "--topology", "2x4"}).code != kExitBadInput);
  }
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
