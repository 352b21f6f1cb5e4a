// Profiles as the tools write them, and what comparing a prediction with them says.
#include "lib/measured/compare.h"

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kModule[] = R"(HloModule m, is_scheduled=true

ENTRY main {
  p = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  dot.1 = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT negate.2 = bf16[4096,4096]{1,0:T(8,128)(2,1)} negate(dot.1)
}
)";

// XProf's hlo_stats as it is downloaded: quoted texts with commas, microseconds.
constexpr char kCsv[] =
    "Rank,Program id,HLO op category,HLO op name,HLO op text,Framework op name,#Occurrences,Total time (us),Avg. time "
    "(us),"
    "Total self time (us),Avg. self time (us),Total self time (%)\r\n"
    "1,42,dot,dot.1,\"%dot.1 = bf16[4096,4096]{1,0} dot(%p, %p), "
    "metadata={op_name=\"\"a\"\"}\",jit(f)/dot,10,8000,800,8000,800,0.8\r\n"
    "2,42,elementwise,%negate.2,\"%negate.2 = bf16[4096,4096]{1,0} "
    "negate(%dot.1)\",jit(f)/neg,10,5000,500,5000,500,0.2\r\n"
    "3,42,copy,copy.9,x,y,10,1000,100,1000,100,0.1\r\n";

constexpr char kTable[] = R"json({"cols": [{"id": "rank", "label": "Rank", "type": "number"},
  {"id": "hlo_op_name", "label": "HLO op name", "type": "string"}, {"id": "occurrences", "label": "#Occurrences", "type": "number"},
  {"id": "total_time", "label": "Total time (us)", "type": "number"}, {"id": "total_self_time", "label": "Total self time (us)", "type": "number"}],
 "rows": [{"c": [{"v": 1}, {"v": "dot.1"}, {"v": 10}, {"v": 8000}, {"v": 8000}]},
          {"c": [{"v": 2}, {"v": "negate.2"}, {"v": 10}, {"v": 5000}, {"v": 5000}]},
          {"c": [{"v": 3}, {"v": "copy.9"}, {"v": 10}, {"v": 1000}, {"v": 1000}]}], "p": {}})json";

constexpr char kRecords[] = R"([{"hlo_op_name": "dot.1", "occurrences": 10, "total_self_time": 8000},
  {"hlo_op_name": "negate.2", "occurrences": 10, "total_self_time": 5000}, {"hlo_op_name": "copy.9", "occurrences": 10, "total_self_time": 1000}])";

// Two devices, a step thread that is no op thread, and an op nested in another.
std::string trace() {
  std::string text = R"({"displayTimeUnit": "ns", "traceEvents": [
    {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:TPU:0"}},
    {"ph": "M", "pid": 3, "tid": 1, "name": "thread_name", "args": {"name": "Steps"}},
    {"ph": "M", "pid": 3, "tid": 2, "name": "thread_name", "args": {"name": "XLA Ops"}},
    {"ph": "M", "pid": 4, "tid": 2, "name": "thread_name", "args": {"name": "XLA Ops"}})";
  for (int step = 0; step < 10; ++step) {
    const std::string at = std::to_string(step * 2000);
    text += R"(,{"ph": "X", "pid": 3, "tid": 1, "ts": )" + at + R"(, "dur": 1400, "name": "7"})";
    text += R"(,{"ph": "X", "pid": 3, "tid": 2, "ts": )" + at +
            R"(, "dur": 900, "name": "dot.1", "args": {"hlo_op": "dot.1"}})";
    text += R"(,{"ph": "X", "pid": 3, "tid": 2, "ts": )" + at + R"(.5, "dur": 100, "name": "copy.9"})";
    text += R"(,{"ph": "X", "pid": 3, "tid": 2, "ts": )" + std::to_string(step * 2000 + 900) +
            R"(, "dur": 500, "name": "negate.2"})";
    text += R"(,{"ph": "X", "pid": 4, "tid": 2, "ts": )" + at + R"(, "dur": 7777, "name": "dot.1"})";
  }
  return text + "]}";
}

TEST_CASE("profiles: the same table in every form") {
  const auto prediction = predict_step_time(kModule, "tpu_v5e");
  REQUIRE(prediction.ok());
  for (const std::string& text :
       {std::string(kCsv), std::string("\xEF\xBB\xBF") + kCsv, std::string(kTable), std::string(kRecords), trace()}) {
    const auto profile = read_profile(text, "profile");
    CAPTURE(text, std::string(profile.status().message()));
    REQUIRE(profile.ok());
    const auto comparison = compare(*prediction, *profile);
    REQUIRE(comparison.ok());
    CHECK(comparison->steps == 10);
    REQUIRE(comparison->ops.size() == 2);
    CHECK(comparison->ops[0].name == "dot.1");
    CHECK(comparison->ops[0].measured == Approx(800e-6));
    CHECK(comparison->ops[1].measured == Approx(500e-6));
    CHECK(comparison->measured_seconds == Approx(1400e-6));
    CHECK(comparison->explained_seconds == Approx(1300e-6));
    REQUIRE(comparison->unmatched.size() == 1);
    CHECK(comparison->unmatched[0].name == "copy.9");
  }
}

TEST_CASE("comparing: what takes over twice its prediction is marked, and rows add up") {
  const auto prediction = predict_step_time(kModule, "tpu_v5e");
  const auto profile = read_profile(kCsv, "profile.csv");
  REQUIRE((prediction.ok() && profile.ok()));
  const auto comparison = compare(*prediction, *profile);
  REQUIRE(comparison.ok());
  const std::string text = compare_view(*prediction, *comparison, {});
  INFO(text);
  // A negate of 64 MB takes some 90 us at 819 GB/s, not 500; the dot is near its roof.
  CHECK_THAT(text, ContainsSubstring("xr  negate.2"));
  CHECK_THAT(text, !ContainsSubstring("xr  dot.1"));
  CHECK_THAT(text, ContainsSubstring("[1 not in the module]"));
  CHECK_THAT(text, ContainsSubstring("92.9 %"));
  CHECK_THAT(text, ContainsSubstring("TOTAL"));
}

// The words of the line that ends with `name`, or begins with it.
std::vector<std::string> line_words(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty() && (words.back() == name || words.front() == name)) return words;
  }
  FAIL("no line of " << name << " in\n" << text);
  return {};
}

TEST_CASE("comparing: the total is the measured and the predicted step of the first lines") {
  const auto prediction = predict_step_time(kModule, "tpu_v5e");
  REQUIRE(prediction.ok());
  // The first profile lacks the dot, which takes most of the prediction. In the second, ops overlap: they take longer
  // than the step.
  const char* const csv = "HLO op name,#Occurrences,Total self time (us)\nnegate.2,1,500\ncopy.9,1,100\n";
  ProfileComparison lacking;
  ProfileComparison overlapping;
  for (ProfileComparison* result : {&lacking, &overlapping}) {
    const auto profile = read_profile(csv, "profile.csv");
    REQUIRE(profile.ok());
    auto comparison = compare(*prediction, *profile);
    REQUIRE(comparison.ok());
    *result = *std::move(comparison);
  }
  overlapping.step_seconds = 450e-6;
  for (const ProfileComparison* comparison : {&lacking, &overlapping}) {
    const std::string text = compare_view(*prediction, *comparison, {});
    INFO(text);
    const std::vector<std::string> measured = line_words(text, "measured");
    const std::vector<std::string> predicted = line_words(text, "predicted");
    const std::vector<std::string> total = line_words(text, "TOTAL");
    REQUIRE((measured.size() > 3 && predicted.size() > 3 && total.size() == 8));
    CHECK(total[0] + total[1] == "100.0%");
    CHECK(total[2] + total[3] == measured[1] + measured[2]);
    CHECK(total[4] + total[5] == predicted[1] + predicted[2]);
    CHECK(total[6] == predicted.back());
    CHECK_THAT(text, ContainsSubstring("[1 not in the profile]"));
  }
  CHECK_THAT(compare_view(*prediction, overlapping, {}), ContainsSubstring("[overlap of ops]"));
}

// An event of the Trace Event Format.
std::string event(int pid, int tid, double begin, double duration, const std::string& name,
                  const std::string& arguments = "") {
  return R"({"ph": "X", "pid": )" + std::to_string(pid) + R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )" +
         std::to_string(begin) + R"(, "dur": )" + std::to_string(duration) + R"(, "name": ")" + name + "\"" +
         (arguments.empty() ? "" : ", \"args\": {" + arguments + "}") + "}";
}

std::string thread(int pid, int tid, const std::string& name) {
  return R"({"ph": "M", "pid": )" + std::to_string(pid) + R"(, "tid": )" + std::to_string(tid) +
         R"(, "name": "thread_name", "args": {"name": ")" + name + "\"}}";
}

std::string trace_of(const std::vector<std::string>& events) {
  std::string text = "{\"traceEvents\": [";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",\n") + events[i];
  return text + "]}";
}

ProfileComparison comparison_of(const std::string& text) {
  const auto prediction = predict_step_time(kModule, "tpu_v5e");
  REQUIRE(prediction.ok());
  const auto profile = read_profile(text, "trace.json");
  CAPTURE(text, std::string(profile.status().message()));
  REQUIRE(profile.ok());
  auto comparison = compare(*prediction, *profile);
  CAPTURE(std::string(comparison.status().message()));
  REQUIRE(comparison.ok());
  return *std::move(comparison);
}

TEST_CASE("traces: the runs of a program are its steps, and other programs do not count") {
  const ProfileComparison c = comparison_of(trace_of({
      thread(3, 1, "XLA Modules"),
      thread(3, 2, "XLA Ops"),
      event(3, 1, 0, 1500, "m(17)"),
      event(3, 2, 0, 900, "dot.1"),
      event(3, 2, 950, 500, "negate.2"),
      event(3, 1, 2000, 300, "jit_other(4)"),
      event(3, 2, 2000, 250, "dot.1"),
      event(3, 1, 3000, 1700, "m(17)"),
      event(3, 2, 3000, 1100, "dot.1"),
      event(3, 2, 4150, 500, "negate.2"),
  }));
  CHECK(c.program == "m(17)");
  CHECK(c.steps == 2);
  REQUIRE(c.step_seconds);
  CHECK(*c.step_seconds == Approx(1600e-6));
  REQUIRE(c.ops.size() == 2);
  CHECK(c.ops[0].measured == Approx(1000e-6));
  CHECK(c.ops[1].measured == Approx(500e-6));
  CHECK(c.other_seconds == Approx(250e-6));
}

TEST_CASE("traces: an event written twice counts once, what is nested is taken from what is around it") {
  const ProfileComparison c = comparison_of(trace_of({
      thread(3, 2, "XLA Ops"),
      event(3, 2, 0, 1000, "while.5"),
      event(3, 2, 0, 1000, "while.5"),
      event(3, 2, 100, 300, "dot.1"),
      event(3, 2, 100, 300, "dot.1"),
      event(3, 2, 500, 400, "negate.2"),
  }));
  CHECK(c.steps == 1);
  CHECK(c.measured_seconds == Approx(1000e-6));
  REQUIRE(c.ops.size() == 2);
  CHECK(c.ops[0].measured == Approx(400e-6));
  CHECK(c.ops[1].measured == Approx(300e-6));
  REQUIRE(c.unmatched.size() == 1);
  CHECK(c.unmatched[0].seconds == Approx(300e-6));
}

TEST_CASE("traces without op threads: the events that name an op, of the first device") {
  const std::string dot = R"("hlo_op": "dot.1", "hlo_module": "m")";
  const std::string negate = R"("hlo_op": "negate.2", "hlo_module": "m")";
  const ProfileComparison c = comparison_of(trace_of({
      thread(1, 1, "Stream #13(Compute)"),
      thread(1, 2, "Stream #14(Compute)"),
      thread(2, 1, "Stream #13(Compute)"),
      event(9, 1, 0, 5000, "python"),
      event(1, 1, 0, 700, "sm90_gemm", dot),
      event(1, 1, 700, 100, "splitk", dot),
      event(1, 2, 10, 500, "loop_negate", negate),
      event(2, 1, 0, 9999, "sm90_gemm", dot),
      event(9, 1, 6000, 5000, "python"),
  }));
  CHECK(c.program == "m");
  REQUIRE(c.ops.size() == 2);
  CHECK(c.unmatched.empty());
  CHECK(c.measured_seconds * c.steps == Approx(1300e-6));
}

TEST_CASE("tables of several programs: the one whose ops the module has") {
  const std::string csv =
      "Program id,HLO op name,#Occurrences,Total self time (us)\n"
      "7,fusion.1,10,90000\n7,dot.1,10,100\n"
      "8,dot.1,10,8000\n8,negate.2,10,5000\n";
  const ProfileComparison c = comparison_of(csv);
  CHECK(c.program == "8");
  CHECK(c.measured_seconds == Approx(1300e-6));
  CHECK(c.other_seconds == Approx(90100e-6));
}

TEST_CASE("what the profile has not seen is listed") {
  const ProfileComparison c = comparison_of("HLO op name,#Occurrences,Total self time (us)\ndot.1,1,800\n");
  REQUIRE(c.unmeasured.size() == 1);
  CHECK(c.unmeasured[0].name == "negate.2");
  CHECK(c.unmeasured[0].predicted > 0);
}

TEST_CASE("profiles with odd numbers are read as far as they make sense") {
  // Events without ids, one that ends beyond all numbers, sums that do.
  const auto trace = read_profile(R"([{"ph": "X", "ts": 0, "dur": 1, "name": "a"},
                                      {"ph": "X", "ts": 1e308, "dur": 1e308, "name": "b"}])",
                                  "p");
  REQUIRE(trace.ok());
  REQUIRE(trace->programs.size() == 1);
  REQUIRE(trace->programs[0].ops.size() == 1);
  CHECK(trace->programs[0].ops[0].name == "a");
  const auto sums =
      read_profile("HLO op name,#Occurrences,Total self time (us)\na,1e308,1e308\na,1e308,1e308\na,1e308,1e308\n", "p");
  REQUIRE(sums.ok());
  CHECK(std::isfinite(sums->programs[0].ops[0].occurrences));
  CHECK(std::isfinite(sums->programs[0].ops[0].seconds));
  // A program's id that has more digits than fit.
  const auto table = read_profile(R"([{"program_id": 1e300, "hlo_op_name": "a", "total_self_time": 1}])", "p");
  REQUIRE(table.ok());
  CHECK(table->programs[0].name == "1e+300");
}

TEST_CASE("profiles that are none are refused with what is missing") {
  struct Case {
    std::string text;
    const char* message;
  };
  const Case cases[] = {
      {"", "empty"},
      {"  \n", "empty"},
      {"a,b,c\n1,2,3\n", "HLO op name"},
      {"HLO op name,#Occurrences\nx,1\n", "Total self time"},
      {"HLO op name,Total self time (us)\n", "no op with a time"},
      {"{\"cols\": []}", "hlo_stats"},
      {"{\"traceEvents\": []}", "no op with a time"},
      {"[", "p:1:"},
      {"[]", "empty"},
      {std::string("\x0a\x05\x00host", 7), ".xplane.pb"},
      {"[{\"x\": 1}]", "hlo_stats"},
      {"{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\", \"ts\": \"x\", \"dur\": null}]}", "no op with a time"},
  };
  for (const Case& c : cases) {
    const auto profile = read_profile(c.text, "p");
    CAPTURE(c.text);
    REQUIRE_FALSE(profile.ok());
    CHECK_THAT(std::string(profile.status().message()), ContainsSubstring(c.message));
  }
  const auto prediction = predict_step_time(kModule, "tpu_v5e");
  const auto other = read_profile("HLO op name,#Occurrences,Total self time (us)\nfusion.7,1,10\n", "p");
  REQUIRE((prediction.ok() && other.ok()));
  const auto comparison = compare(*prediction, *other);
  REQUIRE_FALSE(comparison.ok());
  CHECK_THAT(std::string(comparison.status().message()), ContainsSubstring("fusion.7"));
}

}  // namespace
}  // namespace hloroof::internal
