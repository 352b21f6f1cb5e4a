// What programs read: CSV and JSON against the schemas, and against each other.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "lib/base/csv.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/report/json_schema.h"

namespace hloroof::internal {
namespace {

constexpr char kFfn[] = "examples/ffn_block.v5e_2x4.hlo";
constexpr char kProfile[] = "tests/cli/profiles/ffn_block.v5e_2x4";

// The records of a table, the header first.
std::vector<std::vector<std::string>> records_of(const std::string& text) {
  const absl::StatusOr<CsvTable> table = parse_csv(text, "output");
  REQUIRE(table.ok());
  CHECK(text.back() == '\n');
  std::vector<std::vector<std::string>> records = {table->columns};
  for (const CsvTable::Row& row : table->rows) records.push_back(row.fields);
  return records;
}

TEST_CASE("predict's CSV has the op fields of the schema, in its order, with the JSON's values") {
  const JsonSchema schema("prediction");
  std::vector<std::string> titles = {"file", "device", "topology"};
  for (const JsonMember& property : schema.root().find("$defs")->find("op")->find("properties")->members) {
    const bool is_nested = property.name == "terms" || property.name == "waits";  // these have no place in a table
    if (!is_nested) titles.push_back(property.name);
  }
  const auto records = records_of(run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "--format", "csv"}).out);
  CHECK(records.front() == titles);
  const JsonValue json = json_of({"predict", kFfn, "--device", "tpu_v5e", "--format", "json"});
  const std::vector<JsonValue>& ops = json.find("ops")->elements;
  // The command keeps the facts until the JSON is written.
  CHECK(std::any_of(ops.begin(), ops.end(),
                    [](const JsonValue& op) { return op.find("terms")->is(JsonValue::Kind::kObject); }));
  CHECK_FALSE(json.find("parameters")->elements.empty());
  REQUIRE(records.size() == ops.size() + 1);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    REQUIRE(records[i + 1].size() == titles.size());
    CHECK(records[i + 1][0] == kFfn);
    for (std::size_t c = 3; c < titles.size(); ++c) {
      const JsonValue& value = *ops[i].find(titles[c]);
      const std::string& cell = records[i + 1][c];
      CAPTURE(i, titles[c], cell);
      if (value.is(JsonValue::Kind::kNull)) {
        CHECK(cell.empty());
      } else if (value.is(JsonValue::Kind::kString)) {
        CHECK(cell == value.string);
      } else {
        CHECK(std::strtod(cell.c_str(), nullptr) == value.number);
      }
    }
  }
}

TEST_CASE("predict's CSV follows --view, --group-by and --filter") {
  const auto csv = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"predict", kFfn, "--device", "tpu_v5e", "--format", "csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return records_of(run_hloroof(arguments).out);
  };
  const auto column = [](const std::vector<std::vector<std::string>>& records, const std::string& title) {
    const auto& titles = records.front();
    return static_cast<std::size_t>(std::find(titles.begin(), titles.end(), title) - titles.begin());
  };
  const JsonValue json = json_of({"predict", kFfn, "--device", "tpu_v5e", "--format", "json"});
  const auto collectives = csv({"--view", "collectives"});
  CHECK(collectives.size() == json.find("collectives")->elements.size() + 1);
  CHECK(column(collectives, "wire_bytes") < collectives.front().size());

  // The groups add up to the step, and there are fewer of them than ops.
  const auto groups = csv({"--group-by", "category"});
  CHECK(groups.size() < json.find("ops")->elements.size());
  double exposed = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    exposed += std::strtod(groups[i][column(groups, "exposed_seconds")].c_str(), nullptr);
  }
  CHECK(exposed == Approx(json.find("step_seconds")->number));

  // The leaves of the tree of layers add up to the step.
  const auto layers = csv({"--view", "layers"});
  CHECK(layers.size() == json.find("layers")->elements.size() + 1);
  double leaves = 0;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (layers[i][column(layers, "is_op")] != "1") continue;
    leaves += std::strtod(layers[i][column(layers, "seconds")].c_str(), nullptr);
  }
  CHECK(leaves == Approx(json.find("step_seconds")->number));

  const auto fusions = csv({"--filter", "^fusion"});
  REQUIRE(fusions.size() > 1);
  CHECK(fusions.size() < json.find("ops")->elements.size() + 1);
  for (std::size_t i = 1; i < fusions.size(); ++i) {
    CHECK(fusions[i][column(fusions, "name")].rfind("fusion", 0) == 0);
  }
}

TEST_CASE("counts as JSON") {
  const JsonSchema schema("counts");
  for (const char* convention : {"xla", "physical"}) {
    const JsonValue json =
        json_of({"counts", "examples/decode_step.v5e.hlo", "--convention", convention, "--format", "json"});
    CHECK(schema.violations(json) == std::vector<std::string>());
  }
}

TEST_CASE("diff: JSON as its schema says, and CSV with the same ops") {
  const JsonSchema schema("diff");
  const std::string before = "examples/decode_step.v5e.hlo";
  const std::string after = "examples/decode_step_free_cache.v5e.hlo.gz@tpu_v6e";
  for (const char* group : {"none", "layer"}) {
    const std::vector<std::string> arguments = {"diff",      before,       after,        "--device", "tpu_v5e",
                                                "--fail-if", "step>+900%", "--group-by", group,      "--format"};
    std::vector<std::string> as_json = arguments;
    as_json.push_back("json");
    const JsonValue json = json_of(as_json);
    CHECK(schema.violations(json) == std::vector<std::string>());
    CHECK(json.find("gates")->elements.size() == 1);
    double change = 0;
    for (const JsonValue& op : json.find("ops")->elements) change += op.find("change_seconds")->number;
    CHECK(change == Approx(json.find("step_change_seconds")->number));
    std::vector<std::string> as_csv = arguments;
    as_csv.push_back("csv");
    const bool grouped = std::string(group) != "none";
    CHECK(records_of(run_hloroof(as_csv).out).size() == json.find(grouped ? "groups" : "ops")->elements.size() + 1);
  }
}

TEST_CASE("compare as JSON and CSV: both profiles say the same, and the rows add up") {
  const JsonSchema schema("comparison");
  for (const char* form : {".hlo_stats.csv", ".trace.json.gz"}) {
    const std::string profile = kProfile + std::string(form);
    CAPTURE(profile);
    const JsonValue json = json_of({"compare", kFfn, "--device", "tpu_v5e", "--profile", profile, "--format", "json"});
    CHECK(schema.violations(json) == std::vector<std::string>());
    double ops = 0;
    bool is_flagged = false;
    for (const JsonValue& op : json.find("ops")->elements) {
      ops += op.find("measured_seconds")->number;
      const double ratio = op.find("ratio")->number;
      CAPTURE(op.find("name")->string, ratio);
      if (op.find("name")->string == "fusion.45") {
        is_flagged = op.find("over_prediction")->boolean;
        CHECK(ratio > 2);
      }
      // fusion.2 is also an op of another program of the profile.
      if (op.find("name")->string == "fusion.2") CHECK(ratio < 1.6);
    }
    CHECK(is_flagged);
    double categories = 0;
    for (const JsonValue& category : json.find("categories")->elements) {
      categories += category.find("measured_seconds")->number;
    }
    CHECK(categories == Approx(ops));
    for (const JsonValue& op : json.find("unmatched")->elements) ops += op.find("measured_seconds")->number;
    CHECK(ops == Approx(json.find("measured_op_seconds")->number));
    CHECK(json.find("explained_share")->number > 0.98);
    CHECK(json.find("other_programs_seconds")->number > 0);

    const auto csv =
        records_of(run_hloroof({"compare", kFfn, "--device", "tpu_v5e", "--profile", profile, "--format", "csv"}).out);
    const std::size_t listed = json.find("ops")->elements.size() + json.find("unmatched")->elements.size() +
                               json.find("unmeasured")->elements.size();
    CHECK(csv.size() == listed + 1);
    for (const auto& record : csv) CHECK(record.size() == csv.front().size());
  }
}

}  // namespace
}  // namespace hloroof::internal
