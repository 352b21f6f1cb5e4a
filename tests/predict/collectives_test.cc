// Every collective of every program has a price, in whatever fusion, call or thread it is.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "lib/analysis/wrapped.h"
#include "lib/ir/opcode_facts.h"
#include "lib/predict/costs.h"
#include "lib/text/attribute_values.h"
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
  const absl::StatusOr<CollectiveCosts> costs = cost_collectives(*module, calls, target);
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
  CHECK(checked > 1000);
}

}  // namespace
}  // namespace hloroof::internal
