// A module that verify() accepts and its printed text have the same prediction, to the last bit.

#include <filesystem>
#include <string>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "lib/ir/rows.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"
#include "tests/predict/compare.h"
#include "tests/predict/corpus.h"
#include "tests/predict/random_edits.h"

namespace hloroof::internal {
namespace {

void check_printed(const Module& module, const Device& device) {
  const absl::StatusOr<Module> again = parse_module(print_module(module));
  REQUIRE(again.ok());
  const absl::StatusOr<StepPrediction> in_memory = predict_step_time(module, device);
  const absl::StatusOr<StepPrediction> printed = predict_step_time(*again, device);
  REQUIRE(in_memory.ok() == printed.ok());
  if (in_memory.ok()) REQUIRE(difference(static_cast<const StepSummary&>(*in_memory), *printed) == "");
}

// Returns how often the module was acceptable after some edits.
int edit_and_print(const std::filesystem::path& path, int count, std::uint32_t seed) {
  absl::StatusOr<Module> module = load_module(path.string());
  if (!module.ok() || !module->has_entry()) return 0;
  const absl::StatusOr<Device> device = find_device(device_of(path));
  REQUIRE(device.ok());
  ModuleEditor edit(*module);
  RandomEdits edits(edit, seed);
  std::string history = path.string() + "\n";
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    history += edits.next() + "\n";
    if (i % 5 != 4 || !verify(*module).ok()) continue;
    INFO(history);
    ++accepted;
    check_printed(*module, *device);
  }
  return accepted;
}

TEST_CASE("a program that edits changed and its printed text take the same time") {
  int accepted = 0;
  for (const char* folder : {"tests/corpus", "examples", "tests/predict/dumps"}) {
    for (const std::filesystem::path& path : dumps_in(source_path(folder))) {
      for (std::uint32_t seed = 0; seed < 4; ++seed) accepted += edit_and_print(path, 40, seed);
    }
  }
  CHECK(accepted > 100);
  for (const char* file :
       {"tpu/coll_a2a_64mb.v5e_4x4.hlo", "cpu/ring_attention.cpu_8.hlo", "tpu/llm_2d_16.v5e_4x4.hlo"}) {
    const std::filesystem::path path = std::filesystem::path(shared_path("corpus")) / file;
    if (std::filesystem::exists(path)) (void)edit_and_print(path, 40, 1);
  }
}

// The all-to-all is under way while a short product runs.
constexpr std::string_view kWrapped = R"(HloModule wrapped, is_scheduled=true, num_partitions=8

ENTRY main {
  x = bf16[1024,8192]{1,0:T(8,128)(2,1)} parameter(0)
  y = bf16[256,256]{1,0:T(8,128)(2,1)} parameter(1)
  start = ((bf16[1024,8192]{1,0:T(8,128)(2,1)}), bf16[8192,1024]{1,0:T(8,128)(2,1)}, u32[]) all-to-all-start(x), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
  product = bf16[256,256]{1,0:T(8,128)(2,1)} dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  done = bf16[8192,1024]{1,0:T(8,128)(2,1)} all-to-all-done(start)
  ROOT t = (bf16[8192,1024]{1,0:T(8,128)(2,1)}, bf16[256,256]{1,0:T(8,128)(2,1)}) tuple(done, product)
})";

TEST_CASE("an edit of X in X-start changes the time in memory and in the text alike") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());
  const auto seconds = [&](const Module& module) { return predict_step_time(module, *target)->step_seconds; };
  for (const char* instruction : {"start", "all-to-all"}) {
    for (const char* groups : {"{{0,1},{2,3},{4,5},{6,7}}", "{{0,4},{1,5},{2,6},{3,7}}"}) {
      CAPTURE(instruction, groups);
      absl::StatusOr<Predictor> predictor = Predictor::create(parsed(kWrapped), *target);
      REQUIRE(predictor.ok());
      const double before = predictor->summary()->step_seconds;
      const InstructionId id = named(predictor->module(), instruction);
      REQUIRE(predictor->edit().set_attribute(id, AttributeKey::kReplicaGroups, groups).ok());
      const double after = predictor->summary()->step_seconds;
      CHECK(after != before);
      CHECK(after == seconds(predictor->module()));
      CHECK(after == seconds(parsed(print_module(predictor->module()))));
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
