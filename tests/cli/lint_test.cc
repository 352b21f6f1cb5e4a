// `lint`: waivers, and the formats for machines.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/lint/waivers.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/golden.h"
#include "tests/report/json_schema.h"

namespace hloroof::internal {
namespace {

const std::string kHeadsDump = "examples/narrow_heads.v5e.hlo";
const std::string kFrozenTpu = "tests/devices/tpu_x.json";

std::vector<std::string> lint(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"lint", kHeadsDump, "--device", kFrozenTpu};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

OrderedJson json_of_lint(const std::vector<std::string>& more) {
  const CliResult result = run_hloroof(lint(more));
  CAPTURE(result.err);
  REQUIRE((result.code == kExitOk || result.code == kExitGateFailed));
  auto json = parse_json(result.out, "out");
  REQUIRE(json.ok());
  return *std::move(json);
}

const OrderedJson& member(const OrderedJson& value, std::string_view key) {
  const OrderedJson* const found = find(value, {key});
  CAPTURE(std::string(key));
  REQUIRE(found != nullptr);
  return *found;
}

TEST_CASE("errors of a waiver file say the place and what was expected") {
  const struct {
    const char* text;
    const char* place;
    const char* expected;
  } cases[] = {
      {"layout-chnage\n", "waivers.txt:1:1", "expected the code of a diagnostic, not 'layout-chnage'"},
      {"layout-chnage\n", "\n  layout-chnage\n  ^", "the nearest are layout-change"},
      {"# first\n\n  padding a\n", "waivers.txt:3:3", "expected the code of a diagnostic, not 'padding'"},
      {"layout-change  (a\n", "waivers.txt:1:16", "expected a regular expression (RE2) after the code: missing )"},
      {"layout-change # until tomorrow\n", "waivers.txt:1:23", "expected a date as YYYY-MM-DD after 'until'"},
      {"layout-change # until 2026-13-01\n", "waivers.txt:1:23", "expected a date"},
      {"layout-change # until", "waivers.txt:1:22", "expected a date"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto waivers = parse_waivers(c.text, "waivers.txt");
    REQUIRE_FALSE(waivers.ok());
    const std::string message(waivers.status().message());
    CHECK_THAT(message, ContainsSubstring(c.place));
    CHECK_THAT(message, ContainsSubstring(c.expected));
  }
}

TEST_CASE("rules of a waiver file") {
  const auto waivers = parse_waivers(
      "# comment\r\n\r\nlayout-change\n padding-waste \t a b#c$   # until 2027-03-31 heads are merged # later\n"
      "latency-bound-loop #reason",
      "w");
  REQUIRE(waivers.ok());
  REQUIRE(waivers->rules.size() == 3);
  CHECK(waivers->rules[0].code == DiagnosticCode::kLayoutChange);
  CHECK(waivers->rules[0].regex == nullptr);
  CHECK(waivers->rules[0].line == 3);
  CHECK(waivers->rules[1].text == "padding-waste \t a b#c$");
  CHECK(waivers->rules[1].regex != nullptr);
  CHECK(waivers->rules[1].until == "2027-03-31");
  CHECK(waivers->rules[1].reason == "heads are merged # later");
  CHECK(waivers->rules[2].reason == "reason");
  CHECK(waivers->rules[2].line == 5);
}

TEST_CASE("a waiver applies to the ops that it matches, until its day") {
  StepPrediction prediction;
  const auto add_op = [&](const char* name, const char* op_name, const char* file, int line) {
    OpPrediction& op = prediction.ops.emplace_back();
    op.name = name;
    op.op_name = op_name;
    op.source_file = file;
    op.source_line = line;
  };
  add_op("copy.1", "jit(f)/layers_0/mlp", "model.py", 12);
  add_op("copy.2", "jit(f)/layers_1/mlp", "model.py", 12);
  Diagnostic about_ops;
  about_ops.code = DiagnosticCode::kLayoutChange;
  about_ops.ops = {"copy.1", "copy.2"};
  Diagnostic about_all;
  about_all.code = DiagnosticCode::kMeshAssumed;
  about_all.cause = "the mesh is a guess";
  const struct {
    const char* rule;
    const Diagnostic* diagnostic;
    bool applies;
  } cases[] = {
      {"layout-change", &about_ops, true},
      {"padding-waste", &about_ops, false},
      {"layout-change mlp$", &about_ops, true},
      {"layout-change layers_0", &about_ops, false},  // not the second op
      {"layout-change model\\.py:12$", &about_ops, true},
      {"layout-change model\\.py:1$", &about_ops, false},
      {"layout-change # until 2026-06-15", &about_ops, true},
      {"layout-change # until 2026-06-14", &about_ops, false},
      {"mesh-assumed a guess", &about_all, true},
      {"mesh-assumed no guess", &about_all, false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.rule);
    const auto waivers = parse_waivers(c.rule, "w");
    REQUIRE(waivers.ok());
    CHECK((waivers->find(*c.diagnostic, prediction, "2026-06-15") == 0) == c.applies);
  }
}

TEST_CASE("waived diagnostics are counted and do not fail") {
  const TemporaryFolder folder;
  const std::string all = folder.write("all.txt", "layout-change\npadding-waste # heads of 33 are the model's\n");
  const CliResult waived = run_hloroof(lint({"--waivers", all}));
  CHECK(waived.code == kExitOk);
  CHECK_THAT(waived.out, ContainsSubstring("Diagnostics: none\n"));
  CHECK_THAT(waived.out, ContainsSubstring("diagnostics are waived\n"));

  const std::string some = folder.write("some.txt", "layout-change\nreshard\nlayout-change x # until 2020-01-01 old\n");
  const CliResult failed = run_hloroof(lint({"--waivers", some}));
  CHECK(failed.code == kExitGateFailed);
  CHECK_THAT(failed.out, ContainsSubstring("[padding-waste]"));
  CHECK(failed.out.find("[layout-change]") == std::string::npos);
  // The lines of the file may be wrapped.
  const CliResult wide = run_hloroof(lint({"--waivers", some, "-w"}));
  CHECK_THAT(wide.out, ContainsSubstring(":2: unused waiver 'reshard': nothing matches\n"));
  CHECK_THAT(wide.out, ContainsSubstring(":3: unused waiver 'layout-change x': expired on 2020-01-01\n"));

  const CliResult broken = run_hloroof(lint({"--waivers", folder.write("broken.txt", "layout-change [")}));
  CHECK(broken.code == kExitBadInput);
  CHECK_THAT(broken.err, ContainsSubstring("broken.txt:1:15: error: expected a regular expression"));
}

TEST_CASE("lint --format json follows its schema") {
  const TemporaryFolder folder;
  const std::string waivers = folder.write("w.txt", "layout-change # accepted\nreshard\n");
  const OrderedJson json = json_of_lint({"--format", "json", "--waivers", waivers});
  CHECK(JsonSchema("lint").violations(json) == std::vector<std::string>());
  CHECK(member(json, "unused_waivers").size() == 1);
  const OrderedJson& found = member(member(json, "files").at(0), "diagnostics");
  double waived = 0;
  for (const OrderedJson& diagnostic : found) {
    const bool is_layout = member(diagnostic, "code").get<std::string>() == "layout-change";
    CHECK(member(diagnostic, "is_waived").get<bool>() == is_layout);
    waived += is_layout ? 1 : 0;
  }
  CHECK(waived > 0);
  CHECK(member(json, "waived").get<double>() == waived);
}

TEST_CASE("lint --format sarif") {
  const TemporaryFolder folder;
  const std::string waivers = folder.write("w.txt", "layout-change # accepted\n");
  const OrderedJson json = json_of_lint({"--format", "sarif", "--waivers", waivers});
  CHECK(member(json, "version").get<std::string>() == "2.1.0");
  REQUIRE(member(json, "runs").size() == 1);
  const OrderedJson& run = member(json, "runs")[0];
  const OrderedJson& rules = member(member(member(run, "tool"), "driver"), "rules");
  REQUIRE(rules.size() == diagnosis_kinds().size());
  const OrderedJson& results = member(run, "results");
  REQUIRE(results.size() > 2);
  std::ifstream file(kHeadsDump);
  std::vector<std::string> lines(1);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  for (const OrderedJson& result : results) {
    const std::string code = member(result, "ruleId").get<std::string>();
    CAPTURE(code);
    CHECK(member(rules.at(static_cast<std::size_t>(member(result, "ruleIndex").get<double>())), "id")
              .get<std::string>() == code);
    const std::string& level = member(result, "level").get<std::string>();
    CHECK((level == "warning" || level == "note"));  // note: less than 5 % of the step
    CHECK(!member(member(result, "message"), "text").get<std::string>().empty());
    const OrderedJson& location = member(result, "locations").at(0);
    const OrderedJson& place = member(location, "physicalLocation");
    CHECK(member(member(place, "artifactLocation"), "uri").get<std::string>() == kHeadsDump);
    const auto line = static_cast<std::size_t>(member(member(place, "region"), "startLine").get<double>());
    const auto column = static_cast<std::size_t>(member(member(place, "region"), "startColumn").get<double>());
    const std::string& op = member(member(location, "logicalLocations").at(0), "name").get<std::string>();
    CHECK(lines.at(line).substr(column - 1, op.size()) == op);
    CHECK(member(member(result, "partialFingerprints"), "hloroofCause/v1").get<std::string>().size() == 64);
    CHECK(member(result, "suppressions").size() == (code == "layout-change" ? 1 : 0));
  }
}

// Another compilation numbers the instructions anew. The op_names stay.
TEST_CASE("fingerprints are the same after another compilation") {
  std::ifstream file(kHeadsDump);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto fingerprints = [&](const std::string& dump) {
    std::vector<std::string> found;
    const TemporaryFolder folder;
    const CliResult result =
        run_hloroof({"lint", folder.write("m.hlo", dump), "--device", kFrozenTpu, "--format", "json"});
    const auto json = parse_json(result.out, "out");
    REQUIRE(json.ok());
    for (const OrderedJson& d : member(member(*json, "files").at(0), "diagnostics")) {
      found.push_back(member(d, "fingerprint").get<std::string>());
    }
    return found;
  };
  const std::vector<std::string> before = fingerprints(text);
  REQUIRE(before.size() > 2);
  for (const char* name : {"copy.2", "fusion.4", "fusion.5"}) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += 3) text.replace(at, 1, "renamed_");
  }
  CHECK(fingerprints(text) == before);
}

TEST_CASE("the formats of lint, word for word") {
  for (const char* format : {"json", "sarif", "markdown"}) {
    const CliResult result = run_hloroof(lint({"--format", format, "--waivers", "tests/cli/heads_waivers.txt"}));
    CAPTURE(format, result.err);
    CHECK(result.code == kExitGateFailed);
    check_golden("tests/cli/golden/lint_heads." + std::string(format), result.out);
  }
}

}  // namespace
}  // namespace hloroof::internal
