// Two compiles: which states belong together, where the programs part, and which passes made the difference.
#include "lib/versions/compare_passes.h"

#include <cmath>
#include <sstream>

#include "hloroof/parse.h"
#include "lib/page/passes_page.h"
#include "lib/versions/align_passes.h"
#include "lib/versions/program_hash.h"
#include "tests/catch.h"
#include "tests/report/json_schema.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

std::uint64_t hash_of(const std::string& text) {
  const absl::StatusOr<Module> module = parse_module(text);
  INFO(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return program_hash(*module);
}

TEST_CASE("a program is the same whatever its names and numbers are") {
  const std::string head = "HloModule m\nENTRY e {\n  a = f32[8]{0} parameter(0)\n  b = f32[8]{0} parameter(1)\n";
  const std::string scheduled = "HloModule m, is_scheduled=true\n" + head.substr(head.find("ENTRY"));
  struct Case {
    const char* name;
    std::string first;
    std::string second;
    bool is_same;
  };
  const Case cases[] = {
      {"names", head + "  c = f32[8]{0} add(a, b)\n ROOT d = f32[8]{0} negate(c)\n}\n",
       head + "  x.7 = f32[8]{0} add(a, b)\n ROOT y.8 = f32[8]{0} negate(x.7)\n}\n", true},
      {"the order of what is not scheduled",
       head + "  c = f32[8]{0} negate(a)\n  d = f32[8]{0} abs(b)\n  ROOT r = f32[8]{0} add(c, d)\n}\n",
       head + "  d = f32[8]{0} abs(b)\n  c = f32[8]{0} negate(a)\n  ROOT r = f32[8]{0} add(c, d)\n}\n", true},
      {"a schedule",
       scheduled + "  c = f32[8]{0} negate(a)\n  d = f32[8]{0} abs(b)\n  ROOT r = f32[8]{0} add(c, d)\n}\n",
       scheduled + "  d = f32[8]{0} abs(b)\n  c = f32[8]{0} negate(a)\n  ROOT r = f32[8]{0} add(c, d)\n}\n", false},
      {"whether it is scheduled", head + "  ROOT r = f32[8]{0} add(a, b)\n}\n",
       scheduled + "  ROOT r = f32[8]{0} add(a, b)\n}\n", false},
      {"metadata and channels",
       head + "  ROOT r = f32[8]{0} all-to-all(a), channel_id=1, replica_groups={{0,1}}, dimensions={0}, "
              "metadata={op_name=\"x\"}\n}\n",
       head + "  ROOT r = f32[8]{0} all-to-all(a), channel_id=9, replica_groups={{0,1}}, dimensions={0}\n}\n", true},
      {"groups", head + "  ROOT r = f32[8]{0} all-to-all(a), replica_groups={{0,1}}, dimensions={0}\n}\n",
       head + "  ROOT r = f32[8]{0} all-to-all(a), replica_groups={{1,0}}, dimensions={0}\n}\n", false},
      {"operands", head + "  ROOT r = f32[8]{0} subtract(a, b)\n}\n", head + "  ROOT r = f32[8]{0} subtract(b, a)\n}\n",
       false},
      {"operands of a sum", head + "  ROOT r = f32[8]{0} add(a, b)\n}\n", head + "  ROOT r = f32[8]{0} add(b, a)\n}\n",
       true},
      {"a sum with itself", head + "  ROOT r = f32[8]{0} add(a, a)\n}\n", head + "  ROOT r = f32[8]{0} add(b, b)\n}\n",
       false},
      {"partitions", "HloModule m, num_partitions=1\n" + head.substr(12) + "  ROOT r = f32[8]{0} add(a, b)\n}\n",
       head + "  ROOT r = f32[8]{0} add(a, b)\n}\n", true},
      {"other partitions", "HloModule m, num_partitions=2\n" + head.substr(12) + "  ROOT r = f32[8]{0} add(a, b)\n}\n",
       head + "  ROOT r = f32[8]{0} add(a, b)\n}\n", false},
      {"a layout", "HloModule m\nENTRY e {\n  ROOT a = f32[8,8]{1,0} parameter(0)\n}\n",
       "HloModule m\nENTRY e {\n  ROOT a = f32[8,8]{0,1} parameter(0)\n}\n", false},
      {"a configuration", head + "  ROOT r = f32[8]{0} negate(a), backend_config={\"x\":1}\n}\n",
       head + "  ROOT r = f32[8]{0} negate(a), backend_config={\"x\":2}\n}\n", false},
      {"a comparison as older and newer XLA print it",
       head + "  ROOT r = pred[8]{0} compare(a, b), direction=LT, type=TOTALORDER\n}\n",
       head + "  ROOT r = pred[8]{0} compare(a, b), direction=LT, order=TOTAL\n}\n", true},
      {"another order of a comparison", head + "  ROOT r = pred[8]{0} compare(a, b), direction=LT\n}\n",
       head + "  ROOT r = pred[8]{0} compare(a, b), direction=LT, order=TOTAL\n}\n", false},
      {"a usual type", head + "  ROOT r = pred[8]{0} compare(a, b), direction=LT, type=FLOAT\n}\n",
       head + "  ROOT r = pred[8]{0} compare(a, b), direction=LT\n}\n", true},
      {"a top-k as older and newer XLA print it",
       head + "  ROOT r = (f32[2]{0}, s32[2]{0}) topk(a), k=2, largest=true\n}\n",
       head + "  ROOT r = (f32[2]{0}, s32[2]{0}) topk(a), k=2, largest=true, is_stable=true\n}\n", true},
      {"a top-k that is not stable", head + "  ROOT r = (f32[2]{0}, s32[2]{0}) topk(a), k=2, largest=true\n}\n",
       head + "  ROOT r = (f32[2]{0}, s32[2]{0}) topk(a), k=2, largest=true, is_stable=false\n}\n", false},
      {"a value", "HloModule m\nENTRY e {\n  ROOT a = f32[] constant(1)\n}\n",
       "HloModule m\nENTRY e {\n  ROOT a = f32[] constant(2)\n}\n", false},
      {"one that is used twice, and two", head + "  c = f32[8]{0} negate(a)\n  ROOT r = f32[8]{0} add(c, c)\n}\n",
       head + "  c = f32[8]{0} negate(a)\n  d = f32[8]{0} negate(a)\n  ROOT r = f32[8]{0} add(c, d)\n}\n", false},
      {"tuple elements, written out or not",
       "HloModule m\nENTRY e {\n  t = (f32[8]{0}, f32[8]{0}) parameter(0)\n  ROOT r = f32[8]{0} negate(t#1)\n}\n",
       "HloModule m\nENTRY e {\n  t = (f32[8]{0}, f32[8]{0}) parameter(0)\n  g = f32[8]{0} get-tuple-element(t), "
       "index=1\n  ROOT r = f32[8]{0} negate(g)\n}\n",
       true},
      {"another tuple element",
       "HloModule m\nENTRY e {\n  t = (f32[8]{0}, f32[8]{0}) parameter(0)\n  ROOT r = f32[8]{0} negate(t#1)\n}\n",
       "HloModule m\nENTRY e {\n  t = (f32[8]{0}, f32[8]{0}) parameter(0)\n  ROOT r = f32[8]{0} negate(t#0)\n}\n",
       false},
      {"the names of computations",
       "HloModule m\nf {\n  p = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} negate(p)\n}\n" + head.substr(12) +
           "  ROOT r = f32[8]{0} fusion(a), kind=kLoop, calls=f\n}\n",
       "HloModule m\ng.2 {\n  q = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} negate(q)\n}\n" + head.substr(12) +
           "  ROOT r = f32[8]{0} fusion(a), kind=kLoop, calls=g.2\n}\n",
       true},
      {"what a fusion does",
       "HloModule m\nf {\n  p = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} negate(p)\n}\n" + head.substr(12) +
           "  ROOT r = f32[8]{0} fusion(a), kind=kLoop, calls=f\n}\n",
       "HloModule m\nf {\n  p = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} abs(p)\n}\n" + head.substr(12) +
           "  ROOT r = f32[8]{0} fusion(a), kind=kLoop, calls=f\n}\n",
       false},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK((hash_of(c.first) == hash_of(c.second)) == c.is_same);
  }
}

TEST_CASE("damaged texts have a hash or are refused") {
  const std::string text =
      "HloModule m, is_scheduled=true\nf {\n  p = (f32[8]{0}, f32[]) parameter(0)\n  ROOT n = f32[8]{0} "
      "negate(p#0)\n}\nENTRY e {\n  t = (f32[8]{0}, f32[]) parameter(0)\n  g = f32[] get-tuple-element(t), index=1\n"
      "  c = f32[] add(g, g), control-predecessors={t}\n  ROOT r = f32[8]{0} fusion(t), kind=kLoop, calls=f, "
      "control-predecessors={c}\n}\n";
  const std::uint64_t whole = hash_of(text);
  std::size_t same = 0;
  std::size_t read = 0;
  const auto check = [&](const std::string& damaged) {
    const absl::StatusOr<Module> module = parse_module(damaged);
    if (!module.ok()) return;
    ++read;
    same += program_hash(*module) == whole ? 1 : 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    check(text.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      check(damaged);
    }
  }
  CHECK(read > 100);
  CHECK(same > 20);  // other names
  CHECK(same < read);
}

// Rows of "PASS:PROGRAM:MILLISECONDS:STATE": the pipeline is that of all, P means not partitioned, ? not predicted.
PassReport report_of(const std::string& folder, const std::string& states) {
  PassReport report;
  report.folder = folder;
  report.module = "module_0001.m";
  report.program = "m";
  report.device = "tpu_v5e";
  report.topology = "1x1";
  std::istringstream words(states);
  std::string word;
  while (words >> word) {
    PassRow& row = report.rows.emplace_back();
    std::istringstream parts(word);
    std::string program;
    std::string milliseconds;
    std::string state;
    std::getline(parts, row.pass, ':');
    std::getline(parts, program, ':');
    std::getline(parts, milliseconds, ':');
    std::getline(parts, state, ':');
    row.pipeline = row.pass == "input" || row.pass == "result" ? "" : "pipe";
    row.file = folder + "/" + std::to_string(report.rows.size());
    row.number = static_cast<std::int64_t>(report.rows.size());
    row.program = std::hash<std::string>()(program);
    row.step.value = milliseconds.empty() ? 0 : std::stod(milliseconds) * 1e-3;
    row.peak.value = 1024;
    row.state = state == "P" ? "not partitioned" : "";
    row.error = state == "?" ? row.file + ":3:4: error: instruction 'x' is not defined" : "";
  }
  return report;
}

TEST_CASE("passes are aligned by name, and by program where a pass runs several times") {
  struct Case {
    const char* before;
    const char* after;
    const char* aligned;  // pairs of indices
  };
  const Case cases[] = {
      {"a:1 b:2", "a:1 b:3", "0-0 1-1 "},
      {"a:1 b:2 c:3", "a:1 c:3", "0-0 1-. 2-1 "},
      {"a:1 c:3", "a:1 b:2 c:3", "0-0 .-1 1-2 "},
      {"a:1 b:2", "c:1 d:2", "0-. 1-. .-0 .-1 "},
      {"a:1 d:2 d:3 b:4", "a:1 d:3 b:4", "0-0 1-. 2-1 3-2 "},
      {"a:1 d:2 d:3 b:4", "a:1 d:2 b:4", "0-0 1-1 2-. 3-2 "},
      {"", "a:1", ".-0 "},
  };
  for (const Case& c : cases) {
    INFO(c.before << " and " << c.after);
    const auto aligned = align_passes(report_of("x", c.before).rows, report_of("y", c.after).rows);
    REQUIRE(aligned.ok());
    std::string text;
    for (const AlignedPass& pass : *aligned) {
      text += (pass.before ? std::to_string(*pass.before) : ".") + "-" +
              (pass.after ? std::to_string(*pass.after) : ".") + " ";
    }
    CHECK(text == c.aligned);
  }
  const std::vector<PassRow> many(9000);
  CHECK(align_passes(many, many).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("where two compiles part, and which passes made the difference") {
  struct Case {
    const char* name;
    const char* before;
    const char* after;
    const char* summary;
  };
  const Case cases[] = {
      {"the same", "input:1:5 a:2:4 result:2:4", "input:1:5 a:2:4 result:2:4",
       "The compiles have the same program after each pass. Both steps take 4.00 ms."},
      {"one pass", "input:1:5 a:2:4 b:3:3 result:3:3", "input:1:5 a:2:4 b:4:3.5 result:4:3.5",
       "They part at b of pipeline pipe. The step goes from 3.00 ms to 3.50 ms; +500 us come all at b of pipeline "
       "pipe."},
      {"a pass that only one has", "input:1:5 a:2:4 b:3:3 result:3:3", "input:1:5 a:2:4 result:2:4",
       "They part at b of pipeline pipe, which only BEFORE has. The step goes from 3.00 ms to 4.00 ms; +1.00 ms come "
       "all "
       "at b of pipeline pipe, which only BEFORE has."},
      {"what another pass makes good is not named", "input:1:5 a:2:4 b:3:3 result:3:3",
       "input:1:5 a:9:9 b:4:3.25 result:4:3.25",
       "They part at a of pipeline pipe. The step goes from 3.00 ms to 3.25 ms; +250 us come all at a of pipeline "
       "pipe."},
      {"faster, at two passes", "input:1:9 a:2:8 b:3:7 result:3:7", "input:1:9 a:4:5 b:5:3 result:5:3",
       "They part at a of pipeline pipe. The step goes from 7.00 ms to 3.00 ms; of the -4.00 ms, -3.00 ms come at a of "
       "pipeline pipe; -1.00 ms at b of pipeline pipe."},
      {"apart, together and apart", "input:1:5 a:2:4 b:3:4 c:4:4 result:4:4", "input:1:5 a:7:4 b:3:4 c:5:4 result:5:4",
       "They part at a of pipeline pipe. Later they have the same program again, and part for good at c of pipeline "
       "pipe. "
       "Both steps take 4.00 ms."},
      {"together in the end", "input:1:5 a:2:4 result:3:4", "input:1:5 a:7:4 result:3:4",
       "They part at a of pipeline pipe. They end with the same program. Both steps take 4.00 ms."},
      {"before all passes", "input:1:5 a:2:4 result:2:4", "input:2:6 a:3:5 result:3:5",
       "The programs differ before the first pass. The step goes from 4.00 ms to 5.00 ms; +1.00 ms come all at the "
       "input."},
      {"a time of a module that nothing runs", "input:1:50:P a:2:40:P b:3:4 result:3:4",
       "input:1:50:P a:7:41:P b:8:6 result:8:6",
       "They part at a of pipeline pipe. The step goes from 4.00 ms to 6.00 ms; of the +2.00 ms, [+1.00 ms] come at a "
       "of "
       "pipeline pipe; +1.00 ms at b of pipeline pipe."},
      {"states at different points of the compile are not compared", "input:1:5:P a:2:4:P b:3:4 result:3:4",
       "input:1:5:P a:2:1 b:3:5 result:8:5",
       "They part at the result. The step goes from 4.00 ms to 5.00 ms; +1.00 ms come all at b of pipeline pipe."},
      {"the last states are not predicted", "input:1:5 a:2:4 result:3:0:?", "input:1:5 a:4:3 result:3:7",
       "They part at a of pipeline pipe. The step goes from 4.00 ms to 3.00 ms after a of pipeline pipe; -1.00 ms come "
       "all at a of pipeline pipe."},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const auto comparison = compare_passes(report_of("BEFORE", c.before), report_of("AFTER", c.after));
    REQUIRE(comparison.ok());
    CHECK(pass_summary(*comparison) == c.summary);
    // The growths lead to the last difference, and the lasting parts add up to it.
    double growth = 0;
    double lasting = 0;
    for (const PassPair& pair : comparison->rows) {
      growth += pair.growth.value_or(0);
      lasting += pair.lasting.value_or(0);
      if (pair.difference) CHECK(growth == Approx(*pair.difference).margin(1e-9));
    }
    CHECK(lasting == Approx(*comparison->rows[*comparison->last].difference).margin(1e-9));
  }
}

TEST_CASE("compiles that cannot be compared say why") {
  PassReport other = report_of("AFTER", "input:1:5 a:2:4");
  other.program = "n";
  PassReport gpu = report_of("AFTER", "input:1:5 a:2:4");
  gpu.backend = Backend::kGpu;
  struct Case {
    PassReport after;
    const char* message;
  };
  const Case cases[] = {
      {other, "BEFORE has the compile of module m, and AFTER that of n"},
      {report_of("AFTER", "input:1:5 z:2:4"),
       "no pass in common: the first of BEFORE is pipe: a, that of AFTER is pipe: z"},
      {report_of("AFTER", "input:1:5"), "that of AFTER is none"},
      {gpu, "BEFORE has a compile for a TPU, and AFTER one for a GPU"},
  };
  for (const Case& c : cases) {
    PassReport before = report_of("BEFORE", "input:1:5 a:2:4");
    before.backend = Backend::kTpu;
    const absl::Status status = compare_passes(before, c.after).status();
    INFO(status.message());
    CHECK(status.message().find(c.message) != absl::string_view::npos);
  }
}

TEST_CASE("the pass to look around is the one that changed the difference") {
  const auto comparison = compare_passes(report_of("BEFORE", "input:1:5 dce:2:4 a:3:4 dce:4:3 result:4:3"),
                                         report_of("AFTER", "input:1:5 dce:2:4 a:3:4 dce:5:4 result:5:4"));
  REQUIRE(comparison.ok());
  CHECK(find_pass_pair(*comparison, "dce").value() == 3);
  CHECK(find_pass_pair(*comparison, "a").value() == 2);
  CHECK(find_pass_pair(*comparison, "pipe: a").value() == 2);
  CHECK(find_pass_pair(*comparison, "2").value() == 1);
  CHECK(find_pass_pair(*comparison, "dec").status().message().find("closest name is dce") != absl::string_view::npos);
}

TEST_CASE("a comparison as text, CSV and a page") {
  const auto comparison = compare_passes(report_of("BEFORE", "input:1:50:P a:2:40:P b:3:4 x:4:4:? y:4:4:? result:3:4"),
                                         report_of("AFTER", "input:1:50:P a:7:41:P </script>:8:5 b:8:6 result:8:6"));
  REQUIRE(comparison.ok());
  const std::string text = pass_comparison_view(*comparison, false, {});
  INFO(text);
  for (const char* part :
       {"before BEFORE, 6 states", "They part at a of pipeline pipe.", "[40.0 ms]  [41.0 ms]  [+1.00 ms]", "P/-",
        "x and 1 more in BEFORE: not predicted: error: instruction 'x' is not defined",
        "4 more passes did not change the difference", "A time in brackets"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(pass_comparison_view(*comparison, true, {}).find("more passes") == std::string::npos);
  const std::string csv = pass_comparison_csv(*comparison);
  CHECK(csv.substr(0, csv.find('\n')) ==
        "pipeline,pass,before_file,after_file,before_state,after_state,same_program,before_step_seconds,after_step_"
        "seconds,difference_seconds,growth_seconds,lasting_seconds,before_peak_bytes,after_peak_bytes,before_error,"
        "after_error");
  CHECK(csv.find("pipe,b,BEFORE/3,AFTER/4,,,0,0.004,0.006,") != std::string::npos);
  const auto json = parse_json(pass_comparison_json(*comparison), "json");
  REQUIRE(json.ok());
  CHECK(JsonSchema("pass_comparison").violations(*json).empty());
  const std::string page = pass_comparison_html(*comparison);
  CHECK(page.find("/*{{") == std::string::npos);
  CHECK(page.find("\"</script>\"") == std::string::npos);
  CHECK(page.find("\\u003c/script>") != std::string::npos);
}

}  // namespace
}  // namespace hloroof::internal
