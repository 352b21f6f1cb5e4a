#include "lib/proto/encode_module.h"

#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
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

// The computations that an instruction names, in the order of the proto.
std::vector<ComputationView> called_in_proto(InstructionView i) {
  std::vector<ComputationView> called;
  if (i.opcode() == Opcode::kAsyncUpdate || i.opcode() == Opcode::kAsyncDone) return called;  // their start names it
  const auto add = [&](AttributeKey key) {
    for (ComputationView c : i.computations(key)) called.push_back(c);
  };
  if (i.opcode() == Opcode::kAsyncStart) {  // X-start( has the attributes of X too
    add(AttributeKey::kCalls);
    return called;
  }
  if (i.opcode() == Opcode::kWhile) {
    add(AttributeKey::kBody);
    add(AttributeKey::kCondition);
    return called;
  }
  for (AttributeKey key : {AttributeKey::kSelect, AttributeKey::kScatter, AttributeKey::kToApply, AttributeKey::kCalls,
                           AttributeKey::kTrueComputation, AttributeKey::kFalseComputation,
                           AttributeKey::kBranchComputations, AttributeKey::kCalledComputations}) {
    add(key);
  }
  return called;
}

}  // namespace

ModuleEncoder::ModuleEncoder(const Module& module, const OriginalProto* original)
    : module_(module),
      ids_(proto_ids(module, original)),
      shapes_(module.shapes()),
      encoder_(shapes_, payloads_),
      fused_(find_fused(module)) {
  if (original == nullptr) return;
  for (std::string_view text : original->module().all(fields::module::kPayloads)) payloads_.number_of(text);
}

ModuleEncoder::Encoded ModuleEncoder::instruction(InstructionView i) {
  namespace f = fields::instruction;
  WireWriter out;
  out.text(f::kName, of(i).name);
  out.text(f::kOpcode, i.opcode() == Opcode::kUnknown ? i.opcode_text() : to_string(i.opcode()));
  out.bytes(f::kShape, shapes_.of(i.shape_id()));
  out.integer(f::kId, of(i).id);
  std::vector<std::int64_t> numbers;
  numbers.reserve(i.operand_count());
  for (InstructionView operand : i.operands()) numbers.push_back(of(operand).id);
  out.packed(f::kOperands, numbers);
  numbers.clear();
  for (InstructionView predecessor : i.control_predecessors()) numbers.push_back(of(predecessor).id);
  out.packed(f::kControlPredecessors, numbers);
  numbers.clear();
  Encoded encoded;
  for (ComputationView called : called_in_proto(i)) {
    numbers.push_back(of(called).id);
    if (called.is_missing()) encoded.fault = absl::StrCat("call of ", to_absl(called.name()));
  }
  out.packed(f::kCalled, numbers);
  encoder_.elided = false;
  if (!encoder_.append(i, out)) encoded.fault = encoder_.fault;
  encoded.elided = encoder_.elided;
  encoded.message = out.take();
  return encoded;
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

std::string ModuleEncoder::header() {
  namespace f = fields::module;
  WireWriter out;
  out.text(f::kName, module_.name().empty() ? of(module_.entry()).name : module_.name());  // XLA needs one
  out.text(f::kEntryName, of(module_.entry()).name);
  out.bytes(f::kHostProgramShape, host_shape());
  out.integer(f::kEntryId, of(module_.entry()).id);
  WireWriter aliases;
  for (const ParameterAlias& alias : input_output_alias(module_)) {
    WireWriter entry;
    entry.packed(fields::alias::kOutputIndex, alias.output);
    entry.integer(fields::alias::kParameter, alias.parameter);
    entry.packed(fields::alias::kParameterIndex, alias.parameter_index);
    entry.integer(fields::alias::kKind, alias.must_alias ? 2 : 1);
    aliases.bytes(fields::alias::kEntries, entry.view());
  }
  if (!aliases.empty()) out.bytes(f::kInputOutputAlias, aliases.view());
  append_devices(out);
  const std::string_view tables = ModuleRows::stack_frame_tables(module_);
  if (!tables.empty()) out.text(f::kStackFrames, stack_frames_proto(tables).value_or(""));
  WireWriter donors;
  for (const BufferDonor& donor : buffer_donors(module_)) {
    WireWriter entry;
    entry.integer(fields::donor::kParameter, donor.parameter);
    entry.packed(fields::donor::kParameterIndex, donor.parameter_index);
    donors.bytes(fields::donor::kEntries, entry.view());
  }
  if (!donors.empty()) out.bytes(f::kBufferDonor, donors.view());
  const FrontendAttributes attributes = frontend_attributes(module_);
  if (!attributes.empty()) out.bytes(f::kFrontendAttributes, frontend_attributes_proto(attributes));
  for (const std::string& text : payloads_.texts()) out.bytes(f::kPayloads, text);
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

// The layouts of the caller, or those of the entry computation.
std::string ModuleEncoder::host_shape() {
  namespace f = fields::program_shape;
  std::optional<EntryLayout> layout = entry_computation_layout(module_, shapes_.table());
  if (!layout) {
    layout.emplace();
    const std::vector<InstructionId> parameters = module_.entry().parameters();
    layout->parameters.reserve(parameters.size());
    for (InstructionId id : parameters) {
      if (id.valid()) layout->parameters.push_back(module_.instruction(id).shape_id());
    }
    layout->result = module_.entry().root().shape_id();
  }
  WireWriter out;
  for (ShapeId id : layout->parameters) out.bytes(f::kParameters, shapes_.of(id));
  out.bytes(f::kResult, shapes_.of(layout->result));
  for (std::size_t p = 0; p < layout->parameters.size(); ++p) out.bytes(f::kNames, absl::StrCat("p", p));
  return out.take();
}

// The proto has the number of replicas and partitions only as part of an assignment of devices. The text does not say
// which devices, so they are numbered in the order in which XLA numbers them by default.
void ModuleEncoder::append_devices(WireWriter& out) const {
  namespace f = fields::device_assignment;
  const std::int64_t replicas = module_.replica_count();
  const std::int64_t partitions = module_.num_partitions();
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  if (ModuleRows::counts_are_implied(module_)) return;  // readers infer them again, from the module as it is then
  if (replicas < 1 || partitions < 1 || (replicas == 1 && partitions == 1)) return;
  WireWriter devices;
  devices.integer(f::kReplicas, replicas);
  devices.integer(f::kComputations, partitions);
  for (std::int64_t p = 0; replicas <= kMost / partitions && p < partitions; ++p) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(replicas));
    for (std::int64_t r = 0; r < replicas; ++r) ids[static_cast<std::size_t>(r)] = r * partitions + p;
    WireWriter devices_of_partition;
    devices_of_partition.packed(f::kReplicaDevices, ids);
    devices.bytes(f::kDevices, devices_of_partition.view());
  }
  out.bytes(fields::module::kDeviceAssignment, devices.view());
}

}  // namespace hloroof::internal::inline proto
