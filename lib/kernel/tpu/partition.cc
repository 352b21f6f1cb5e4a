#include "lib/kernel/tpu/partition.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::size_t kMostSources = 4096;  // instructions that are searched for a common source
constexpr std::size_t kMostShares = 64;     // calls in a partition; longer chains are not looked at

// What `value` is a copy or another form of.
InstructionView origin_of(InstructionView value) {
  return origin(value, [](InstructionView at) {
    return at.opcode() == Opcode::kBitcast || at.opcode() == Opcode::kCopy || at.opcode() == Opcode::kCopyStart ||
           at.opcode() == Opcode::kCopyDone || at.opcode() == Opcode::kReshape;
  });
}

bool is_integer(InstructionView value) {
  return value.shape().is_array() && value.shape().element_type == ElementType::kS32 &&
         value.shape().dimensions.size() < 2;
}

bool is_candidate(InstructionView call) {
  if (call.opcode() != Opcode::kCustomCall || !call.has(AttributeKey::kOutputToOperandAliasing)) return false;
  return call.operand_count() > 0 && is_integer(call.operand(0));
}

// The call whose results `call` updates in place, all of them; nullopt if there is none.
std::optional<InstructionView> call_before(InstructionView call) {
  std::optional<InstructionView> before;
  for (const OperandAlias& alias : output_to_operand_aliasing(call)) {
    if (alias.operand < 0 || static_cast<std::size_t>(alias.operand) >= call.operand_count()) return std::nullopt;
    InstructionView source = origin_of(call.operand(static_cast<std::size_t>(alias.operand)));
    if (source.opcode() == Opcode::kGetTupleElement && source.operand_count() == 1) source = source.operand(0);
    if (!is_candidate(source) || source == call || (before && *before != source)) return std::nullopt;
    before = source;
  }
  return before;
}

std::set<std::size_t> updated_operands(InstructionView call) {
  std::set<std::size_t> updated;
  for (const OperandAlias& alias : output_to_operand_aliasing(call)) {
    updated.insert(static_cast<std::size_t>(alias.operand));
  }
  return updated;
}

// The integers that the lists of `call` are computed from, without constants and iotas.
std::set<std::uint32_t> integer_sources(InstructionView call) {
  std::set<std::uint32_t> seen;
  std::vector<InstructionView> work = {call};
  while (!work.empty() && seen.size() < kMostSources) {
    const InstructionView at = work.back();
    work.pop_back();
    for (const InstructionView operand : at.operands()) {
      const bool is_tuple = operand.shape().is_tuple();
      if (!is_tuple && (at == call ? !is_integer(operand) : operand.shape().element_type != ElementType::kS32))
        continue;
      if (operand.opcode() == Opcode::kConstant || operand.opcode() == Opcode::kIota || is_candidate(operand)) continue;
      if (seen.insert(operand.id().index).second) work.push_back(operand);
    }
  }
  return seen;
}

bool share_work(InstructionView a, InstructionView b) {
  if (a.operand_count() != b.operand_count() || a.shape_id() != b.shape_id()) return false;
  const std::set<std::size_t> updated = updated_operands(a);
  if (updated != updated_operands(b)) return false;
  for (std::size_t i = 0; i < a.operand_count(); ++i) {
    if (updated.count(i) > 0) continue;
    if (is_integer(a.operand(i)) != is_integer(b.operand(i))) return false;
    if (!is_integer(a.operand(i)) && origin_of(a.operand(i)) != origin_of(b.operand(i))) return false;
  }
  const std::set<std::uint32_t> of_a = integer_sources(a);
  const std::set<std::uint32_t> of_b = integer_sources(b);
  return std::any_of(of_a.begin(), of_a.end(), [&](std::uint32_t id) { return of_b.count(id) > 0; });
}

}  // namespace

std::vector<InstructionView> partition_of(InstructionView call) {
  std::vector<InstructionView> calls;
  if (!is_candidate(call)) return calls;
  calls.push_back(call);
  for (auto before = call_before(call); before && share_work(*before, calls.front());
       before = call_before(calls.front())) {
    if (calls.size() == kMostShares) return {};
    calls.insert(calls.begin(), *before);
  }
  bool is_behind = false;
  for (const InstructionView other : call.computation().instructions()) {
    is_behind = is_behind || other == call;
    if (!is_behind || other == call || !is_candidate(other)) continue;
    const auto before = call_before(other);
    if (!before || *before != calls.back() || !share_work(calls.back(), other)) continue;
    if (calls.size() == kMostShares) return {};
    calls.push_back(other);
  }
  if (calls.size() < 2) calls.clear();
  return calls;
}

}  // namespace hloroof::internal::inline kernel
