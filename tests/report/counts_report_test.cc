#include "lib/report/counts_report.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "hloroof/parse.h"
#include "lib/work/work.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/dump.h"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

constexpr std::string_view kText = R"(HloModule step

body {
  t = (s32[], f32[1024]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[1024] get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[1024] exponential(x)
  ROOT r = (s32[], f32[1024]) tuple(next, y)
}

until {
  t = (s32[], f32[1024]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  bound = s32[] constant(7)
  ROOT c = pred[] compare(i, bound), direction=LT
}

ENTRY main {
  p = f32[1024] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[1024]) tuple(zero, p)
  w = (s32[], f32[1024]) while(t), condition=until, body=body
  x = f32[1024] get-tuple-element(w), index=1
  ROOT kernel = f32[1024] custom-call(x), custom_call_target="somebody's"
}
)";

CountsReport xla_report(const Module& module) { return counts_report(module, *count_xla(module)); }

void check_rows_add_up(const CountsReport& report) {
  double flops = 0, transcendentals = 0, bytes = 0;
  for (const CountsRow& row : report.rows) {
    flops += row.executions * row.flops;
    transcendentals += row.executions * row.transcendentals;
    bytes += row.executions * row.bytes_accessed;
  }
  CHECK(flops == report.flops);
  CHECK(transcendentals == report.transcendentals);
  CHECK(bytes == report.bytes_accessed);
}

const CountsRow& row(const CountsReport& report, std::string_view computation, std::string_view name) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const CountsRow& r) { return r.computation == computation && r.name == name; });
  REQUIRE(found != report.rows.end());
  return *found;
}

TEST_CASE("the rows of the xla convention add up to XLA's totals") {
  const Module module = parsed(kText);
  const CountsReport report = xla_report(module);
  CHECK(report.convention == "xla");
  CHECK(report.flops == 1);  // add 1, compare 1, custom-call -1
  CHECK(report.transcendentals == 1024);
  check_rows_add_up(report);
  CHECK(row(report, "main", "w").bytes_accessed == 0);  // its instructions have rows
  CHECK(row(report, "body", "y").transcendentals == 1024);
  CHECK(row(report, "body", "y").executions == 1);  // whatever its trip count
  CHECK(row(report, "main", "kernel").bytes_accessed == -1);
}

TEST_CASE("the rows of the physical convention count every trip") {
  const Module module = parsed(kText);
  const CallGraph calls = analyze_calls(module);
  const CountsReport report = counts_report(module, calls, compute_work(module, calls));
  CHECK(report.convention == "physical");
  CHECK(report.transcendentals == 7 * 1024);
  CHECK(row(report, "body", "y").executions == 7);
  check_rows_add_up(report);
  CHECK(report.unknown == std::vector<std::string>{"kernel"});
}

TEST_CASE("counts as JSON") {
  const Module module = parsed(kText);
  const nlohmann::json json = nlohmann::json::parse(counts_json({xla_report(module)}));
  CHECK(json["schema"] == "hloroof.counts/1");
  CHECK(json["module"] == "step");
  CHECK(json["convention"] == "xla");
  CHECK(json["flops"] == 1.0);
  CHECK(json["transcendentals"] == 1024.0);
  CHECK(json["per_op"].size() == 6 + 4 + 7);
  for (const char* key :
       {"name", "computation", "opcode", "category", "executions", "flops", "transcendentals", "bytes_accessed"}) {
    CHECK(json["per_op"][0].contains(key));
  }
}

TEST_CASE("counts as text keep to the width and end in a total") {
  const Module module = parsed(kText);
  CountsTextOptions options;
  options.limit = 3;
  const std::string text = counts_text(xla_report(module), options);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
  CHECK_THAT(text, ContainsSubstring("[14 others]"));
  CHECK_THAT(text, ContainsSubstring("TOTAL"));
  CHECK_THAT(text, ContainsSubstring("transcendentals  1,024"));
}

TEST_CASE("counts as CSV have a line an op") {
  const Module module = parsed(kText);
  const std::string csv = counts_csv({xla_report(module)});
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 17);
  CHECK_THAT(csv, ContainsSubstring("\nstep,y,body,exponential,non-fusion elementwise,1,0,1024,8192\n"));
}

}  // namespace
