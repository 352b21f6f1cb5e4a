// Diagnostics by cause: what is grouped, and that each second of the step has one cause.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

StepPrediction predicted(const std::string& text, const char* device) {
  auto prediction = predict_step_time(text, device);
  INFO(text);
  INFO(std::string(prediction.status().message()));
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

std::vector<Diagnostic> with_code(const StepPrediction& prediction, DiagnosticCode code) {
  std::vector<Diagnostic> found;
  for (const Diagnostic& diagnostic : prediction.diagnostics) {
    if (diagnostic.code == code) found.push_back(diagnostic);
  }
  return found;
}

double sum_of_seconds(const StepPrediction& prediction) {
  double sum = 0;
  for (const Diagnostic& diagnostic : prediction.diagnostics) sum += diagnostic.seconds_at_stake.value_or(0);
  return sum;
}

// Copies that reorder an array, one for each op_name.
std::string relayouts(const std::vector<std::string>& op_names) {
  std::string text = "HloModule m, is_scheduled=true\n\nENTRY main {\n";
  std::string roots;
  for (std::size_t i = 0; i < op_names.size(); ++i) {
    const std::string n = std::to_string(i);
    text += "  p" + n + " = bf16[2048,2048]{0,1:T(8,128)(2,1)} parameter(" + n + ")\n";
    text += "  copy." + n + " = bf16[2048,2048]{1,0:T(8,128)(2,1)} copy(p" + n + ")" +
            (op_names[i].empty() ? "" : ", metadata={op_name=\"" + op_names[i] + "\"}") + "\n";
    roots += (i == 0 ? "copy." : ", copy.") + n;
  }
  std::string shapes;
  for (std::size_t i = 0; i < op_names.size(); ++i) {
    shapes += std::string(i == 0 ? "" : ", ") + "bf16[2048,2048]{1,0:T(8,128)(2,1)}";
  }
  return text + "  ROOT t = (" + shapes + ") tuple(" + roots + ")\n}\n";
}

// A copy that reorders an array while a gather of `gathered` rows from each of 8 devices is in flight.
std::string copy_beside_gather(int gathered) {
  const std::string part = "f32[" + std::to_string(gathered) + ",8192]{1,0:T(8,128)}";
  const std::string whole = "f32[" + std::to_string(8 * gathered) + ",8192]{1,0:T(8,128)}";
  return "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY main {\n  p = " + part +
         " parameter(0)\n  w = bf16[16384,16384]{0,1:T(8,128)(2,1)} parameter(1)\n  s = (" + part + ", " + whole +
         ") all-gather-start(p), channel_id=1, dimensions={0}, use_global_device_ids=true, "
         "replica_groups={{0,1,2,3,4,5,6,7}}\n"
         "  c = bf16[16384,16384]{1,0:T(8,128)(2,1)} copy(w)\n  g = " +
         whole + " all-gather-done(s)\n  ROOT t = (" + whole +
         ", bf16[16384,16384]{1,0:T(8,128)(2,1)}) tuple(g, c)\n}\n";
}

TEST_CASE("a warning promises no more than a replay of the step without the op saves") {
  struct Case {
    const char* what;
    int gathered;
    bool waits;  // for the gather, once the copy is gone
  };
  for (const Case& c :
       {Case{"a gather much shorter than the copy", 1, false}, Case{"one of half its time", 512, true}}) {
    CAPTURE(c.what);
    const StepPrediction prediction = predicted(copy_beside_gather(c.gathered), "tpu_v5e:2x4");
    double gather = 0;
    double copy = 0;
    for (const OpPrediction& op : prediction.ops) (op.name == "c" ? copy : gather) += op.total_seconds;
    const std::vector<Diagnostic> found = with_code(prediction, DiagnosticCode::kLayoutChange);
    REQUIRE(found.size() == 1);
    CAPTURE(copy, gather, *found[0].seconds_at_stake, found[0].message);
    CHECK(*found[0].seconds_at_stake <= copy);
    CHECK((*found[0].seconds_at_stake < 0.9 * copy) == c.waits);
    CHECK((found[0].message.find("would wait") != std::string::npos) == c.waits);
  }
}

TEST_CASE("findings of one cause are one diagnostic") {
  struct Case {
    const char* what;
    std::vector<std::string> op_names;
    std::vector<std::size_t> counts;  // of ops, by diagnostic
  };
  const std::vector<Case> cases = {
      {"the layers of one model",
       {"jit(f)/layers_0/mlp/transpose", "jit(f)/layers_1/mlp/transpose", "jit(f)/layers_12/mlp/transpose"},
       {3}},
      {"two places in the program", {"jit(f)/mlp/transpose", "jit(f)/attention/transpose"}, {1, 1}},
      {"no op_name: the same shape", {"", "", "", ""}, {4}},
      {"with and without op_name", {"", "jit(f)/mlp/transpose"}, {1, 1}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const StepPrediction prediction = predicted(relayouts(c.op_names), "tpu_v5e");
    std::vector<std::size_t> counts;
    for (const Diagnostic& diagnostic : with_code(prediction, DiagnosticCode::kLayoutChange)) {
      counts.push_back(diagnostic.ops.size());
      CHECK(diagnostic.op == diagnostic.ops.front());
      double seconds = 0;
      for (const OpPrediction& op : prediction.ops) {
        if (std::count(diagnostic.ops.begin(), diagnostic.ops.end(), op.name) > 0) seconds += op.exposed_seconds;
      }
      REQUIRE(diagnostic.seconds_at_stake.has_value());
      CHECK(*diagnostic.seconds_at_stake == Approx(seconds));
      // The message and the cause are the same after another compilation, which numbers instructions anew.
      CHECK(diagnostic.cause.find("copy.") == std::string::npos);
    }
    CHECK(counts == c.counts);
  }
}

TEST_CASE("many small findings of one cause matter together") {
  // Each copy is under 1 % of the step, and all of them are most of it.
  std::vector<std::string> op_names;
  op_names.reserve(120);
  for (int i = 0; i < 120; ++i) op_names.push_back("jit(f)/layers_" + std::to_string(i) + "/mlp/transpose");
  const StepPrediction prediction = predicted(relayouts(op_names), "tpu_v5e");
  const auto found = with_code(prediction, DiagnosticCode::kLayoutChange);
  REQUIRE(found.size() == 1);
  CHECK(found[0].ops.size() == 120);
  CHECK(*found[0].seconds_at_stake > 0.5 * prediction.step_seconds);
}

TEST_CASE("advice about little of the step is for information, doubts and larger causes are warnings") {
  const StepPrediction prediction = predicted(R"(HloModule m, is_scheduled=true

ENTRY main {
  p = bf16[65536,2048]{0,1:T(8,128)(2,1)} parameter(0)
  q = bf16[2048,2048]{0,1:T(8,128)(2,1)} parameter(1)
  large = bf16[65536,2048]{1,0:T(8,128)(2,1)} copy(p)
  small = bf16[2048,2048]{1,0:T(8,128)(2,1)} copy(q)
  unknown = bf16[2048,2048]{1,0:T(8,128)(2,1)} custom-call(small), custom_call_target="mine"
  ROOT t = (bf16[65536,2048]{1,0:T(8,128)(2,1)}, bf16[2048,2048]{1,0:T(8,128)(2,1)}) tuple(large, unknown)
})",
                                              "tpu_v5e");
  const auto small = [&](const Diagnostic& diagnostic) {
    return diagnostic.seconds_at_stake.value_or(0) < 0.05 * prediction.step_seconds;
  };
  const auto copies = with_code(prediction, DiagnosticCode::kLayoutChange);
  REQUIRE(copies.size() == 2);
  CHECK_FALSE(small(copies[0]));
  CHECK(copies[0].severity == Severity::kWarning);
  CHECK(small(copies[1]));
  CHECK(copies[1].severity == Severity::kInfo);
  const auto unknown = with_code(prediction, DiagnosticCode::kUnknownCustomCall);
  REQUIRE(unknown.size() == 1);
  CHECK(small(unknown[0]));
  CHECK(unknown[0].severity == Severity::kWarning);
}

// An all-gather that is waited for, whose result is only reduced.
constexpr char kGatherReduced[] = R"(HloModule m, is_scheduled=true, num_partitions=8

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  p = f32[1024,8192]{1,0:T(8,128)} parameter(0)
  z = f32[]{:T(128)} constant(0)
  g = f32[8192,8192]{1,0:T(8,128)} all-gather(p), channel_id=1, dimensions={0}, use_global_device_ids=true, replica_groups={{0,1,2,3,4,5,6,7}}
  ROOT r = f32[8192]{0:T(1024)} reduce(g, z), dimensions={0}, to_apply=add
})";

TEST_CASE("time that several causes share counts for the most specific one") {
  const StepPrediction prediction = predicted(kGatherReduced, "tpu_v5e");
  const double exposed = prediction.exposed_communication_seconds;
  REQUIRE(exposed > 0);
  const auto seconds = [&](DiagnosticCode code) {
    const auto found = with_code(prediction, code);
    REQUIRE(found.size() == 1);
    return std::make_pair(*found[0].seconds_at_stake, found[0].counted_elsewhere_seconds);
  };
  const auto cut = seconds(DiagnosticCode::kGatherThenCut);
  CHECK(cut.first == Approx(exposed));
  CHECK(cut.second == 0);
  const auto waits = seconds(DiagnosticCode::kExposedCommunication);
  CHECK(waits.first < 1e-9 * exposed);
  CHECK(waits.second == Approx(exposed));
  CHECK(sum_of_seconds(prediction) <= prediction.step_seconds * (1 + 1e-9));
}

// The dumps of this project, and those of the large corpus if it is there.
TEST_CASE("the seconds of all causes never add up to more than the step") {
  std::vector<std::filesystem::path> dumps;
  const auto add = [&](const std::filesystem::path& folder) {
    const auto found = dumps_in(folder);
    dumps.insert(dumps.end(), found.begin(), found.end());
  };
  for (const char* folder : {"examples", "tests/corpus", "tests/predict/dumps", "tests/report/dumps"}) add(folder);
  REQUIRE(dumps.size() > 5);
  const std::filesystem::path corpus = shared_path("corpus/");
  if (std::filesystem::exists(corpus)) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
      if (entry.is_directory()) add(entry.path());
    }
  }
  std::size_t checked = 0;
  for (const auto& dump : dumps) {
    CAPTURE(dump.string());
    const auto module = load_module(dump.string());
    const auto device = find_device(device_of(dump));
    if (!module.ok() || !device.ok()) continue;
    const auto prediction = predict_step_time(*module, *device);
    if (!prediction.ok()) continue;
    ++checked;
    CHECK(sum_of_seconds(*prediction) <= prediction->step_seconds * (1 + 1e-9));
    for (const Diagnostic& diagnostic : prediction->diagnostics) {
      CAPTURE(diagnostic.message);
      CHECK(diagnostic.seconds_at_stake.value_or(0) >= 0);
      // The cause of these is a sentence. Reports write the message after the cause, so it does not repeat it.
      constexpr std::size_t kLong = 40;
      if (diagnostic.code == DiagnosticCode::kUnknownCustomCall && diagnostic.cause.size() > kLong) {
        const std::string end = diagnostic.cause.substr(diagnostic.cause.size() - kLong);
        CHECK(diagnostic.message.find(end) == std::string::npos);
      }
      CHECK(diagnostic.op == (diagnostic.ops.empty() ? "" : diagnostic.ops.front()));
      std::vector<std::string> ops = diagnostic.ops;
      std::sort(ops.begin(), ops.end());
      CHECK(std::adjacent_find(ops.begin(), ops.end()) == ops.end());
    }
  }
  CHECK(checked > 5);
}

}  // namespace
}  // namespace hloroof::internal
