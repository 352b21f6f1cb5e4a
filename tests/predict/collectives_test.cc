// Every collective of every program has a price, in whatever fusion, call or thread it is.
#include "lib/analysis/collectives.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/analysis/wrapped.h"
#include "lib/ir/opcode_facts.h"
#include "lib/step/costs.h"
#include "lib/values/attribute_values.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

bool is_with_host(InstructionView instruction) {
  return (instruction.opcode() == Opcode::kSend || instruction.opcode() == Opcode::kRecv) &&
         flag(instruction, AttributeKey::kIsHostTransfer);
}

// The collectives that run as part of `instruction`, and itself.
std::vector<InstructionView> collectives_of(InstructionView instruction) {
  std::vector<InstructionView> result;
  const auto add = [&result](InstructionView at) {
    if (is_collective(at.opcode()) && async_role(at.opcode()) != AsyncRole::kDone && !is_with_host(at)) {
      result.push_back(at);
    }
  };
  add(instruction);
  if (!wraps_computation(instruction.opcode())) return result;
  for (const WrappedComputation& wrapped : wrapped_computations(instruction)) {
    for (InstructionView inside : instruction.module().computation(wrapped.id).instructions()) add(inside);
  }
  return result;
}

int check_dump(const std::filesystem::path& path) {
  INFO(path.string());
  const absl::StatusOr<Module> module = load_module(path.string());
  if (!module.ok()) return 0;
  const absl::StatusOr<Device> device = find_device(device_of(path));
  REQUIRE(device.ok());
  const CallGraph calls = analyze_calls(*module);
  Target target;
  target.device = *device;
  const absl::StatusOr<CollectiveCosts> costs =
      cost_collectives(*module, calls, find_collectives(*module, calls), target);
  if (!costs.ok()) return 0;  // such as more partitions than the largest slice has
  std::set<std::uint32_t> found;
  std::set<std::int64_t> channels;  // one collective may be split into several instructions of one channel
  for (std::size_t i = 0; i < costs->collectives.size(); ++i) {
    const Collective& collective = costs->collectives[i];
    const InstructionView instruction = module->instruction(collective.instruction);
    found.insert(collective.instruction.index);
    if (const auto channel = integer(instruction, AttributeKey::kChannelId)) channels.insert(*channel);
    INFO(instruction.name());
    const bool communicates = costs->costs[i].algorithm != "no communication";
    CHECK((costs->costs[i].seconds > 0) == communicates);
    CHECK((costs->costs[i].wire_bytes > 0 || collective.bytes == 0) == communicates);
  }
  int checked = 0;
  for (InstructionId id : calls.scheduled_instructions()) {
    for (InstructionView collective : collectives_of(module->instruction(id))) {
      const auto channel = integer(collective, AttributeKey::kChannelId);
      INFO(collective.name());
      CHECK((found.count(collective.id().index) > 0 || (channel && channels.count(*channel) > 0)));
      ++checked;
    }
  }
  return checked;
}

// Two gathers over different axes of 16 x 16 devices, in flight at the same time on these SparseCores.
double step_on_cores(const std::string& first, const std::string& second) {
  const auto gather = [](const std::string& number, const std::string& groups) {
    return "called" + number +
           " {\n  x = bf16[64,8192]{1,0:T(8,128)(2,1)} parameter(0)\n  ROOT g = bf16[1024,8192]{1,0:T(8,128)(2,1)} "
           "all-gather(x), dimensions={0}, channel_id=" +
           number + ", replica_groups=" + groups +
           ", use_global_device_ids=true\n}, execution_thread=\"sparsecore\"\n\nwrapped" + number +
           " {\n  x = bf16[64,8192]{1,0:T(8,128)(2,1)} parameter(0)\n  ROOT c = bf16[1024,8192]{1,0:T(8,128)(2,1)} "
           "call(x), to_apply=called" +
           number + "\n}, execution_thread=\"sparsecore\"\n\n";
  };
  const auto start = [](const std::string& number, const std::string& core) {
    return "  begin" + number +
           " = ((bf16[64,8192]{1,0:T(8,128)(2,1)}), bf16[1024,8192]{1,0:T(8,128)(2,1)}, s32[]) async-start(p), "
           "async_execution_thread=\"sparsecore\", calls=wrapped" +
           number + ", backend_config={\"megachip_parallelism_config\":{\"cores\":[\"" + core + "\"]}}\n";
  };
  const std::string text = "HloModule m, is_scheduled=true, num_partitions=256\n\n" + gather("1", "[16,16]<=[256]") +
                           gather("2", "[16,16]<=[16,16]T(1,0)") +
                           "ENTRY e {\n  p = bf16[64,8192]{1,0:T(8,128)(2,1)} parameter(0)\n" + start("1", first) +
                           start("2", second) +
                           "  d1 = bf16[1024,8192]{1,0:T(8,128)(2,1)} async-done(begin1)\n"
                           "  ROOT d2 = bf16[1024,8192]{1,0:T(8,128)(2,1)} async-done(begin2)\n}\n";
  const absl::StatusOr<StepPrediction> prediction = predict_step_time(text, "tpu_v5e:16x16");
  INFO(text << prediction.status().message());
  REQUIRE(prediction.ok());
  REQUIRE(prediction->collectives.size() == 2);
  return prediction->step_seconds;
}

TEST_CASE("collectives on one SparseCore wait for one another, on two they run side by side") {
  const double apart = step_on_cores("0", "1");
  CHECK(step_on_cores("0", "0") > 1.8 * apart);
  CHECK(step_on_cores("1", "1") == Approx(step_on_cores("0", "0")));
}

TEST_CASE("no collective goes without a price: shipped dumps") {
  int checked = 0;
  for (const char* folder : {"examples", "tests/predict/dumps"}) {
    for (const std::filesystem::path& path : dumps_in(std::filesystem::path(source_path()) / folder))
      checked += check_dump(path);
  }
  CHECK(checked > 0);
}

TEST_CASE("no collective goes without a price: dumps of the large corpus") {
  const std::filesystem::path corpus = shared_path("corpus");
  if (!std::filesystem::exists(corpus)) {
    WARN("skipped: no corpus at " << corpus);
    return;
  }
  int checked = 0;
  for (const char* folder : {"tpu", "gpu", "step"}) {
    for (const std::filesystem::path& path : dumps_in(corpus / folder)) checked += check_dump(path);
  }
  CHECK(checked > 100);
}

}  // namespace
}  // namespace hloroof::internal
