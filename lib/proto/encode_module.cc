#include "lib/proto/encode_module.h"

#include <string_view>

#include "lib/base/strings.h"
#include "lib/ir/rows.h"
#include "lib/proto/fields.h"

namespace hloroof::internal::inline proto {
namespace {

// Which computations are those of fusions.
std::vector<bool> find_fused(const Module& module) {
  std::vector<bool> fused(module.computation_limit(), false);
  for (ComputationView c : module.computations()) {
    for (InstructionView i : c.instructions()) {
      if (i.opcode() != Opcode::kFusion) continue;
      for (ComputationView called : i.computations(AttributeKey::kCalls)) fused[called.id().index] = true;
    }
  }
  return fused;
}

}  // namespace

ModuleEncoder::ModuleEncoder(const Module& module, const OriginalProto* original)
    : module_(module), ids_(proto_ids(module, original)), shapes_(module.shapes()), fused_(find_fused(module)) {
  if (original == nullptr) return;
  for (std::string_view text : original->module().all(fields::module::kPayloads)) payloads_.number_of(text);
}

std::string ModuleEncoder::computation(ComputationView c) {
  namespace f = fields::computation;
  WireWriter out;
  out.text(f::kName, of(c).name);
  WireWriter shape;
  std::vector<std::string_view> names;
  const std::vector<InstructionId> parameters = c.parameters();
  names.reserve(parameters.size());
  for (InstructionId id : parameters) {
    if (!id.valid()) continue;
    const InstructionView parameter = module_.instruction(id);
    shape.bytes(fields::program_shape::kParameters, shapes_.of(parameter.shape_id()));
    names.push_back(of(parameter).name);
  }
  shape.bytes(fields::program_shape::kResult, shapes_.of(c.root().shape_id()));
  for (std::string_view name : names) shape.bytes(fields::program_shape::kNames, name);
  out.bytes(f::kShape, shape.view());
  out.integer(f::kId, of(c).id);
  out.integer(f::kRoot, of(c.root()).id);
  out.integer(f::kIsFusion, fused_[c.id().index] ? 1 : 0);
  if (ModuleRows::execution_thread(c) != "main") out.text(f::kExecutionThread, ModuleRows::execution_thread(c));
  return out.take();
}

std::vector<std::pair<std::int64_t, std::string>> ModuleEncoder::sequences() const {
  std::vector<std::pair<std::int64_t, std::string>> sequences;
  sequences.reserve(module_.computations().size());
  for (ComputationView c : module_.computations()) {
    if (c.is_missing() || fused_[c.id().index]) continue;
    std::vector<std::int64_t> numbers;
    numbers.reserve(c.instruction_count());
    for (InstructionView i : c.instructions()) numbers.push_back(of(i).id);
    WireWriter sequence;
    sequence.packed(fields::schedule::kIds, numbers);
    sequences.emplace_back(of(c).id, sequence.take());
  }
  return sequences;
}

}  // namespace hloroof::internal::inline proto
