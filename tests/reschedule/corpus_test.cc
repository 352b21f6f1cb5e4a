// What holds for the result of any module: it is legal, no slower, needs no more memory, and is the same in each run.
#include "tests/predict/corpus.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/print.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/reschedule/in_flight.h"
#include "lib/step/order_rules.h"
#include "tests/any_backend.h"
#include "tests/paths.h"
#include "tests/reschedule/run.h"

namespace hloroof::internal {
namespace {

constexpr std::uintmax_t kLargest = 4'000'000;

// The collectives of each computation in order, by name.
std::map<std::string, std::vector<std::string>> collectives_of(const Module& module) {
  std::map<std::string, std::vector<std::string>> found;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (!is_collective(instruction.opcode())) continue;
      found[std::string(computation.name())].emplace_back(instruction.name());
    }
  }
  return found;
}

InFlight in_flight(const StepPrediction& step, const Module& module) {
  Transfers transfers = {step.facts->calls, step.facts->pairs, {}, {}};
  for (std::size_t i = 0; i < step.facts->costs.demand.size(); ++i) {
    const Demand& demand = step.facts->costs.demand[i];
    transfers.step.push_back(demand.step);
    transfers.lane.push_back(demand.lane);
  }
  return most_in_flight(module, transfers);
}

// The pairs of `rules` that the order of `module` does not keep.
std::size_t broken_pairs(const OrderRules& rules, const Module& module) {
  std::vector<std::size_t> place(module.instruction_limit(), 0);
  for (ComputationView computation : module.computations()) {
    std::size_t at = 0;
    for (InstructionView instruction : computation.instructions()) place[instruction.id().index] = at++;
  }
  std::size_t broken = 0;
  for (std::size_t second = 0; second < rules.before.size(); ++second) {
    for (InstructionId first : rules.before[second]) broken += place[first.index] < place[second] ? 0 : 1;
  }
  return broken;
}

void check_result(const std::filesystem::path& path) {
  INFO(path.string());
  const absl::StatusOr<Module> original = load_module(path.string());
  const absl::StatusOr<Device> device = find_device(device_of(path));
  REQUIRE(device.ok());
  if (!original.ok() || !original->is_scheduled()) return;
  const absl::StatusOr<StepPrediction> before = predict_step_time(*original, *device, any_backend());
  if (!before.ok()) return;
  Module module = *original;
  const absl::StatusOr<Rescheduling> result = search_order(module, *device, without_clock());
  INFO(result.status().message());
  REQUIRE(result.ok());
  CHECK(result->before.step_seconds == before->step_seconds);

  const std::string text = print_module(module);
  const absl::StatusOr<Module> again = parse_module(text);
  INFO(again.status().message());
  REQUIRE(again.ok());
  std::string difference;
  CHECK(equal(module, *again, &difference));
  CHECK(difference.empty());
  const absl::StatusOr<StepPrediction> after = predict_step_time(*again, *device, any_backend());
  REQUIRE(after.ok());
  CHECK(after->step_seconds == result->after.step_seconds);
  CHECK(after->step_seconds <= before->step_seconds);
  CHECK(after->memory.hbm_peak_bytes <= before->memory.hbm_peak_bytes);
  CHECK(after->memory.vmem_peak_bytes <= before->memory.vmem_peak_bytes);
  CHECK(after->memory.host_peak_bytes <= before->memory.host_peak_bytes);

  const absl::StatusOr<OrderRules> rules = find_order_rules(*before->facts);
  REQUIRE(rules.ok());
  const absl::StatusOr<OrderRules> of_module = hloroof::find_order_rules(*original);
  REQUIRE(of_module.ok());
  CHECK(of_module->before == rules->before);
  CHECK(broken_pairs(*rules, *original) == 0);
  CHECK(broken_pairs(*rules, module) == 0);
  CHECK(collectives_of(module) == collectives_of(*original));
  const InFlight had = in_flight(*before, *original);
  const InFlight has = in_flight(*before, module);
  for (std::size_t lane = 0; lane < had.size(); ++lane) {
    CHECK(has[lane] <= std::max<std::int64_t>(had[lane], device->schedule.transfers_ahead));
  }
  if (result->moves.empty()) return;
  CHECK((after->step_seconds < before->step_seconds || after->memory.hbm_peak_bytes < before->memory.hbm_peak_bytes));
  Module second = *original;
  REQUIRE(search_order(second, *device, without_clock()).ok());
  CHECK(print_module(second) == text);
}

TEST_CASE("dumps of the repository") {
  std::size_t checked = 0;
  for (const char* folder : {"examples", "tests/report/dumps", "tests/predict/dumps", "tests/corpus"}) {
    for (const std::filesystem::path& path : dumps_in(source_path(folder))) {
      check_result(path);
      ++checked;
    }
  }
  CHECK(checked > 10);
}

TEST_CASE("dumps of the large corpus") {
  std::size_t at = 0;
  for (const char* folder : {"corpus/tpu", "corpus/gpu", "corpus/cpu", "corpus/step"}) {
    for (const std::filesystem::path& path : dumps_in(shared_path(folder))) {
      if (std::filesystem::file_size(path) > kLargest) continue;
      // Every fourth small one, and all large ones.
      if (++at % 4 != 0 && std::filesystem::file_size(path) < 200'000) continue;
      check_result(path);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
