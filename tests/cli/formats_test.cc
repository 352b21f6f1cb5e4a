// What programs read: CSV and JSON against the schemas, and against each other.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "lib/base/csv.h"
#include "lib/fronts/cli/descriptions.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/golden.h"
#include "tests/report/json_schema.h"

namespace hloroof::internal {
namespace {

constexpr char kFfn[] = "examples/ffn_block.v5e_2x4.hlo";
constexpr char kAttention[] = "tests/report/dumps/flash_attention.v5e.hlo";
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

TEST_CASE("what other programs rely on follows from the fields of the results") {
  for (const auto& [path, text] : description_files()) check_golden("tests/describe/" + path, text);
}

TEST_CASE("predict's CSV has the op fields of the schema, in its order, with the JSON's values") {
  const JsonSchema schema("prediction");
  std::vector<std::string> titles = {"file", "device", "topology"};
  for (const auto& property : schema.root().at("$defs").at("op").at("properties").items()) {
    const bool is_nested = property.key() == "terms" || property.key() == "waits";  // these have no place in a table
    if (!is_nested) titles.push_back(property.key());
  }
  const auto records = records_of(run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "--format", "csv"}).out);
  CHECK(records.front() == titles);
  const OrderedJson json = json_of({"predict", kFfn, "--device", "tpu_v5e", "--format", "json"});
  const OrderedJson& ops = json.at("ops");
  // The command keeps the facts until the JSON is written.
  CHECK(std::any_of(ops.begin(), ops.end(), [](const OrderedJson& op) { return op.at("terms").is_number(); }));
  CHECK_FALSE(json.at("parameters").empty());
  REQUIRE(records.size() == ops.size() + 1);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    REQUIRE(records[i + 1].size() == titles.size());
    CHECK(records[i + 1][0] == kFfn);
    for (std::size_t c = 3; c < titles.size(); ++c) {
      const OrderedJson& value = ops[i].at(titles[c]);
      const std::string& cell = records[i + 1][c];
      CAPTURE(i, titles[c], cell);
      if (value.is_null()) {
        CHECK(cell.empty());
      } else if (value.is_string()) {
        CHECK(cell == value.get<std::string>());
      } else {
        CHECK(std::strtod(cell.c_str(), nullptr) == value.get<double>());
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
  const OrderedJson json = json_of({"predict", kFfn, "--device", "tpu_v5e", "--format", "json"});
  const auto collectives = csv({"--view", "collectives"});
  CHECK(collectives.size() == json.at("collectives").size() + 1);
  CHECK(column(collectives, "wire_bytes") < collectives.front().size());

  // The groups add up to the step, and there are fewer of them than ops.
  const auto groups = csv({"--group-by", "category"});
  CHECK(groups.size() < json.at("ops").size());
  double exposed = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    exposed += std::strtod(groups[i][column(groups, "exposed_seconds")].c_str(), nullptr);
  }
  CHECK(exposed == Approx(json.at("step_seconds").get<double>()));

  // The leaves of the tree of layers add up to the step.
  const auto layers = csv({"--view", "layers"});
  CHECK(layers.size() == json.at("layers").size() + 1);
  double leaves = 0;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (layers[i][column(layers, "is_op")] != "1") continue;
    leaves += std::strtod(layers[i][column(layers, "seconds")].c_str(), nullptr);
  }
  CHECK(leaves == Approx(json.at("step_seconds").get<double>()));

  const auto fusions = csv({"--filter", "^fusion"});
  REQUIRE(fusions.size() > 1);
  CHECK(fusions.size() < json.at("ops").size() + 1);
  for (std::size_t i = 1; i < fusions.size(); ++i) {
    CHECK(fusions[i][column(fusions, "name")].rfind("fusion", 0) == 0);
  }
}

TEST_CASE("every view with records has CSV, and its lines are those of the JSON") {
  struct Case {
    const char* view;
    const char* member;
    const char* part;  // of the member
  };
  const std::vector<Case> cases = {
      {"sensitivity", "sensitivity", "numbers"}, {"breakdown", "breakdown", ""},       {"roofline", "resources", ""},
      {"critical", "critical_path", ""},         {"memory", "memory", "live_at_peak"}, {"padding", "ops", ""},
      {"diagnostics", "diagnostics", ""}};
  for (const Case& c : cases) {
    CAPTURE(c.view);
    // The view asks for what only it shows.
    const OrderedJson json = json_of({"predict", kFfn, "--device", "tpu_v5e", "--format", "json", "--view", c.view});
    const auto records =
        records_of(run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "--format", "csv", "--view", c.view}).out);
    const OrderedJson& member = json.at(c.member);
    const OrderedJson& list = *c.part == '\0' ? member : member.at(c.part);
    CHECK(records.size() == list.size() + 1);
    for (const auto& record : records) CHECK(record.size() == records.front().size());
  }
}

// The tables of a Markdown text: each line of cells has as many as its heading.
std::size_t count_markdown_tables(const std::string& text) {
  std::size_t tables = 0;
  std::size_t bars = 0;
  std::istringstream lines(text);
  std::string previous;
  for (std::string line; std::getline(lines, line); previous = line) {
    if (line.empty() || line.front() != '|') {
      bars = 0;
      continue;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i) count += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (bars == 0) {
      ++tables;
      CHECK(previous.empty());
      bars = count;
    }
    CAPTURE(line);
    CHECK(count == bars);
    CHECK(line.back() == '|');
  }
  return tables;
}

TEST_CASE("tables as Markdown") {
  struct Case {
    std::vector<std::string> arguments;
    std::size_t tables;
    const char* text;
  };
  const std::string profile = kProfile + std::string(".hlo_stats.csv");
  const std::vector<Case> cases = {
      {{"predict", kFfn, "--device", "tpu_v5e"}, 2, "| `fusion.2` |"},
      {{"predict", kFfn, "--device", "tpu_v5e,tpu_v6e"}, 1, "| tpu_v6e"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--view",
        "layers,collectives,critical,sensitivity,roofline,padding,timeline"},
       13,
       "&emsp;"},
      {{"sweep", kFfn, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1x,2x"}, 1, "| 2x (1.64 TB/s) |"},
      {{"memory", kFfn, "--device", "tpu_v5e"}, 2, "**TOTAL**"},
      {{"kernel", kAttention, "--device", "tpu_v5e"}, 2, "| `flash_attention.1` |"},
      {{"counts", kFfn}, 1, "**TOTAL**"},
      {{"compare", kFfn, "--device", "tpu_v5e", "--profile", profile}, 2, "**TOTAL**"},
      {{"diff", kFfn, kFfn, "--device", "tpu_v5e"}, 2, "**TOTAL**"},
      {{"explain", kFfn, "fusion.2", "--device", "tpu_v5e"}, 0, "### `fusion.2`"},
      {{"devices", "list"}, 1, "| tpu_v5e |"},
      {{"devices", "show", "tpu_v5e"}, 1, "| hbm.bandwidth | 819 GB/s |"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments = c.arguments;
    arguments.insert(arguments.end(), {"--format", "markdown"});
    const CliResult result = run_hloroof(arguments);
    CAPTURE(arguments, result.err, result.out);
    CHECK(result.code == kExitOk);
    CHECK_THAT(result.out, ContainsSubstring(c.text));
    CHECK(count_markdown_tables((c.tables > 0 ? "\n" : "") + result.out) == c.tables);
  }
}

TEST_CASE("explain, memory and devices as JSON and CSV") {
  const OrderedJson op = json_of({"explain", kFfn, "fusion.2", "--device", "tpu_v5e", "--format", "json"});
  CHECK(JsonSchema("explanation").violations(op) == std::vector<std::string>());
  CHECK(op.at("op").at("terms").is_object());
  CHECK_FALSE(op.at("parameters").empty());
  const auto terms =
      records_of(run_hloroof({"explain", kFfn, "fusion.2", "--device", "tpu_v5e", "--format", "csv"}).out);
  REQUIRE(terms.size() > 2);
  CHECK(terms[1][0] == "0");  // the level of the whole
  CHECK(std::strtod(terms[1][2].c_str(), nullptr) == op.at("op").at("terms").at("seconds").get<double>());

  const OrderedJson memory = json_of({"memory", kFfn, "--device", "tpu_v5e", "--format", "json"});
  CHECK(JsonSchema("memory").violations(memory) == std::vector<std::string>());
  const auto buffers = records_of(run_hloroof({"memory", kFfn, "--device", "tpu_v5e", "--format", "csv"}).out);
  CHECK(buffers.size() == memory.at("memory").at("live_at_peak").size() + 1);

  const OrderedJson devices = json_of({"devices", "list", "--format", "json"});
  CHECK(JsonSchema("devices").violations(devices) == std::vector<std::string>());
  CHECK(records_of(run_hloroof({"devices", "list", "--format", "csv"}).out).size() == devices.at("devices").size() + 1);
  const OrderedJson device = json_of({"devices", "show", "h100_sxm", "--format", "json"});
  CHECK(JsonSchema("device_numbers").violations(device) == std::vector<std::string>());
  CHECK(records_of(run_hloroof({"devices", "show", "h100_sxm", "--format", "csv"}).out).size() ==
        device.at("parameters").size() + 1);
}

TEST_CASE("kernels as JSON and CSV") {
  const OrderedJson json = json_of({"kernel", kAttention, "--device", "tpu_v5e", "--format", "json"});
  CHECK(JsonSchema("kernels").violations(json) == std::vector<std::string>());
  REQUIRE(json.at("kernels").size() == 1);
  const OrderedJson& kernel = json.at("kernels")[0];
  CHECK(kernel.at("op").get<std::string>() == "flash_attention.1");
  const OrderedJson op =
      json_of({"explain", kAttention, "flash_attention.1", "--device", "tpu_v5e", "--format", "json"});
  CHECK(JsonSchema("explanation").violations(op) == std::vector<std::string>());
  CHECK(op.at("kernel").at("vector_seconds").get<double>() == kernel.at("vector_seconds").get<double>());

  const auto lines = records_of(run_hloroof({"kernel", kAttention, "--device", "tpu_v5e", "--format", "csv"}).out);
  REQUIRE(lines.size() == 2);
  const auto cell = [&](const char* title) {
    return lines[1][std::find(lines[0].begin(), lines[0].end(), title) - lines[0].begin()];
  };
  CHECK(cell("op") == "flash_attention.1");
  CHECK(cell("grid") == "4x16x16x16");
  CHECK(cell("failure").empty());

  const OrderedJson none = json_of({"kernel", kFfn, "--device", "tpu_v5e", "--format", "json"});
  CHECK(JsonSchema("kernels").violations(none) == std::vector<std::string>());
  CHECK(none.at("kernels").empty());
  CHECK(records_of(run_hloroof({"kernel", kFfn, "--device", "tpu_v5e", "--format", "csv"}).out).size() == 1);
}

TEST_CASE("calibrate in its formats") {
  const TemporaryFolder folder;
  std::string csv = "m,n,k,dtype,seconds\n";
  for (int size = 1024; size <= 8192; size += 512) {
    const double seconds = 2.0 * size * size * size / 1.6e14 + 5e-6;
    csv += std::to_string(size) + "," + std::to_string(size) + "," + std::to_string(size) + ",bf16," +
           std::to_string(seconds) + "\n";
  }
  const std::vector<std::string> arguments = {"calibrate", "--device", "tpu_v5e", "--measurements",
                                              folder.write("matmuls.csv", csv)};
  const auto with = [&](const std::string& format) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--format", format});
    return all;
  };
  const OrderedJson json = json_of(with("json"));
  CHECK(JsonSchema("calibration").violations(json) == std::vector<std::string>());
  const OrderedJson& parts = json.at("errors");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].at("median_after").get<double>() <= parts[0].at("median_before").get<double>());
  const auto records = records_of(run_hloroof(with("csv")).out);
  CHECK(records.size() == json.at("parameters").size() + 1);
  CHECK(records.front() == std::vector<std::string>{"path", "unit", "before", "after", "least", "most"});
  const CliResult fitted = run_hloroof(arguments);
  const std::string text = fitted.out;
  CHECK(widest_line(text) <= 80);
  CHECK_THAT(text, ContainsSubstring(records[1][0]));
  CHECK(fitted.err.empty());  // it carries over
  CHECK(count_markdown_tables(run_hloroof(with("markdown")).out) == 2);
}

TEST_CASE("counts as JSON") {
  const JsonSchema schema("counts");
  for (const char* convention : {"xla", "physical"}) {
    const OrderedJson json =
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
    const OrderedJson json = json_of(as_json);
    CHECK(schema.violations(json) == std::vector<std::string>());
    CHECK(json.at("gates").size() == 1);
    double change = 0;
    for (const OrderedJson& op : json.at("ops")) change += op.at("change_seconds").get<double>();
    CHECK(change == Approx(json.at("step_change_seconds").get<double>()));
    std::vector<std::string> as_csv = arguments;
    as_csv.push_back("csv");
    const bool grouped = std::string(group) != "none";
    CHECK(records_of(run_hloroof(as_csv).out).size() == json.at(grouped ? "groups" : "ops").size() + 1);
  }
}

TEST_CASE("calibrate to a profile of the CPU starts from the generic one and writes a file with which it is closer") {
  const std::string profile = "tests/profile/samples/cpu";
  const std::string before = "cpu";
  const TemporaryFolder folder;
  const std::string after = folder.path() + "/fitted.json";
  const CliResult run = run_hloroof({"calibrate", "--profile", profile, "-o", after, "--format", "json"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const OrderedJson report = parse_json(run.out, "report").value();
  const OrderedJson& held_back = report.at("errors")[1];
  CHECK(held_back.at("median_after").get<double>() < 0.7 * held_back.at("median_before").get<double>());
  CHECK(run.err.empty());
  // The errors of all ops, as powers of e.
  const auto error_on = [&](const std::string& device) {
    double sum = 0;
    const OrderedJson comparison = json_of({"compare", profile, "--device", device, "--format", "json"});
    for (const OrderedJson& op : comparison.at("ops")) {
      sum += std::abs(std::log(op.at("ratio").get<double>()));
    }
    return sum;
  };
  CHECK(error_on(after) < 0.9 * error_on(before));
  const CliResult both =
      run_hloroof({"calibrate", "--profile", profile, "--measurements", "x.csv", "--device", before});
  CHECK_THAT(both.err, ContainsSubstring("either --measurements or --profile"));
  const CliResult page = run_hloroof({"compare", profile, "--device", before, "--format", "html"});
  CHECK(page.err.empty());
  CHECK_THAT(page.out, ContainsSubstring("measured") && !ContainsSubstring("was compiled for the CPU"));
  CHECK_THAT(run_hloroof({"compare", "nosuch"}).err, ContainsSubstring("nosuch: no such file"));
  CHECK_THAT(run_hloroof({"compare", profile}).out, ContainsSubstring("on 1 host, cpu; predicted for cpu 1"));
}

TEST_CASE("calibrate says that a fit does not carry over to the ops that it did not see") {
  const auto number = [](const char* value, const char* unit) {
    return R"({"value": )" + std::string(value) + R"(, "unit": ")" + unit +
           R"(", "per": "chip", "kind": "assumed", "source": "round"})";
  };
  const std::string flops = number("2e11", "flop/s");
  const std::string ops = number("2e10", "op/s");
  const TemporaryFolder folder;
  const std::string device = folder.write(
      "round.json",
      R"({"schema": "hloroof.device/1", "name": "round", "extends": "cpu", "display_name": "A slow CPU", "matrix": {"peak": {"f32": )" +
          flops + R"(}}, "vector": {"f32_rate": )" + ops + R"(, "transcendental_rate": )" + number("2e9", "op/s") +
          R"(}, "hbm": {"bandwidth": )" + number("2e10", "B/s") + "}}");
  const CliResult run = run_hloroof({"calibrate", "--profile", "tests/profile/samples/cpu", "--device", device});
  CAPTURE(run.out);
  CHECK(run.code == kExitOk);
  CHECK_THAT(run.err, ContainsSubstring("held back worse than those before: median error"));
}

TEST_CASE("compare as JSON and CSV: both profiles say the same, and the rows add up") {
  const JsonSchema schema("comparison");
  for (const char* form : {".hlo_stats.csv", ".trace.json.gz"}) {
    const std::string profile = kProfile + std::string(form);
    CAPTURE(profile);
    const OrderedJson json =
        json_of({"compare", kFfn, "--device", "tpu_v5e", "--profile", profile, "--format", "json"});
    CHECK(schema.violations(json) == std::vector<std::string>());
    double ops = 0;
    bool is_flagged = false;
    for (const OrderedJson& op : json.at("ops")) {
      ops += op.at("measured_seconds").get<double>();
      const double ratio = op.at("ratio").is_null() ? 0 : op.at("ratio").get<double>();
      CAPTURE(op.at("name").get<std::string>(), ratio);
      if (op.at("name").get<std::string>() == "fusion.45") {
        is_flagged = op.at("over_prediction").get<bool>();
        CHECK(ratio > 2);
      }
      // fusion.2 is also an op of another program of the profile.
      if (op.at("name").get<std::string>() == "fusion.2") CHECK(ratio < 1.6);
    }
    CHECK(is_flagged);
    double categories = 0;
    for (const OrderedJson& category : json.at("categories")) {
      categories += category.at("measured_seconds").get<double>();
    }
    CHECK(categories == Approx(ops));
    for (const OrderedJson& op : json.at("unmatched")) ops += op.at("measured_seconds").get<double>();
    CHECK(ops == Approx(json.at("measured_op_seconds").get<double>()));
    CHECK(json.at("explained_share").get<double>() > 0.98);
    CHECK(json.at("other_programs_seconds").get<double>() > 0);

    const auto csv =
        records_of(run_hloroof({"compare", kFfn, "--device", "tpu_v5e", "--profile", profile, "--format", "csv"}).out);
    const std::size_t listed = json.at("ops").size() + json.at("unmatched").size() + json.at("unmeasured").size();
    CHECK(csv.size() == listed + 1);
    for (const auto& record : csv) CHECK(record.size() == csv.front().size());
  }
}

}  // namespace
}  // namespace hloroof::internal
