#include "lib/text/write_proto.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"
#include "lib/proto/fields.h"
#include "lib/text/encode.h"
#include "lib/text/merge_proto.h"
#include "lib/text/module_parser.h"
#include "lib/text/proto_ids.h"

namespace hloroof::internal {
namespace {

// The fields of an instruction that exclude one another.
std::uint32_t same_in_instruction(std::uint32_t number) {
  namespace f = proto::instruction;
  switch (number) {
    case f::kReplicaGroups:
    case f::kIotaGroups:
    case f::kMeshGroups: return f::kDeviceList;
    case f::kBackendConfigPayload: return f::kBackendConfig;
    default: return number;
  }
}
std::uint32_t only_itself(std::uint32_t number) { return number; }

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

// Writes the messages of one module with given numbers, each as if there were no original.
class ModuleEncoder {
 public:
  ModuleEncoder(const Module& module, const OriginalProto* original)
      : module_(module),
        ids_(proto_ids(module, original)),
        shapes_(module.shapes()),
        encoder_(shapes_, payloads_),
        fused_(find_fused(module)) {
    if (original == nullptr) return;
    for (std::string_view text : original->module().all(proto::module::kPayloads)) payloads_.number_of(text);
  }

  const Module& module() const { return module_; }
  const ProtoIds& ids() const { return ids_; }
  const ProtoInstruction& of(InstructionView i) const { return ids_.instructions[i.id().index]; }
  const ProtoComputation& of(ComputationView c) const { return ids_.computations[c.id().index]; }

  struct Encoded {
    std::string message;
    bool elided = false;  // it lacks the values of a constant
    std::string fault;    // the attribute that it lacks
  };
  Encoded instruction(InstructionView i) {
    namespace f = proto::instruction;
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

  // Without its instructions.
  std::string computation(ComputationView c) {
    namespace f = proto::computation;
    WireWriter out;
    out.text(f::kName, of(c).name);
    WireWriter shape;
    std::vector<std::string_view> names;
    const std::vector<InstructionId> parameters = c.parameters();
    names.reserve(parameters.size());
    for (InstructionId id : parameters) {
      if (!id.valid()) continue;
      const InstructionView parameter = module_.instruction(id);
      shape.bytes(proto::program_shape::kParameters, shapes_.of(parameter.shape_id()));
      names.push_back(of(parameter).name);
    }
    shape.bytes(proto::program_shape::kResult, shapes_.of(c.root().shape_id()));
    for (std::string_view name : names) shape.bytes(proto::program_shape::kNames, name);
    out.bytes(f::kShape, shape.view());
    out.integer(f::kId, of(c).id);
    out.integer(f::kRoot, of(c.root()).id);
    out.integer(f::kIsFusion, fused_[c.id().index] ? 1 : 0);
    if (ModuleRows::execution_thread(c) != "main") out.text(f::kExecutionThread, ModuleRows::execution_thread(c));
    return out.take();
  }

  // Without its computations and its schedule.
  std::string header() {
    namespace f = proto::module;
    WireWriter out;
    out.text(f::kName, module_.name().empty() ? of(module_.entry()).name : module_.name());  // XLA needs one
    out.text(f::kEntryName, of(module_.entry()).name);
    out.bytes(f::kHostProgramShape, host_shape());
    out.integer(f::kEntryId, of(module_.entry()).id);
    WireWriter aliases;
    for (const ParameterAlias& alias : input_output_alias(module_)) {
      WireWriter entry;
      entry.packed(proto::alias::kOutputIndex, alias.output);
      entry.integer(proto::alias::kParameter, alias.parameter);
      entry.packed(proto::alias::kParameterIndex, alias.parameter_index);
      entry.integer(proto::alias::kKind, alias.must_alias ? 2 : 1);
      aliases.bytes(proto::alias::kEntries, entry.view());
    }
    if (!aliases.empty()) out.bytes(f::kInputOutputAlias, aliases.view());
    append_devices(out);
    const std::string_view tables = ModuleRows::stack_frame_tables(module_);
    if (!tables.empty()) out.text(f::kStackFrames, stack_frames_proto(tables).value_or(""));
    WireWriter donors;
    for (const BufferDonor& donor : buffer_donors(module_)) {
      WireWriter entry;
      entry.integer(proto::donor::kParameter, donor.parameter);
      entry.packed(proto::donor::kParameterIndex, donor.parameter_index);
      donors.bytes(proto::donor::kEntries, entry.view());
    }
    if (!donors.empty()) out.bytes(f::kBufferDonor, donors.view());
    const FrontendAttributes attributes = frontend_attributes(module_);
    if (!attributes.empty()) out.bytes(f::kFrontendAttributes, frontend_attributes_proto(attributes));
    for (const std::string& text : payloads_.texts()) out.bytes(f::kPayloads, text);
    return out.take();
  }

  // The numbers of the instructions of each scheduled computation, by the number of the computation.
  std::vector<std::pair<std::int64_t, std::string>> sequences() const {
    std::vector<std::pair<std::int64_t, std::string>> sequences;
    sequences.reserve(module_.computations().size());
    for (ComputationView c : module_.computations()) {
      if (c.is_missing() || fused_[c.id().index]) continue;
      std::vector<std::int64_t> numbers;
      numbers.reserve(c.instruction_count());
      for (InstructionView i : c.instructions()) numbers.push_back(of(i).id);
      WireWriter sequence;
      sequence.packed(proto::schedule::kIds, numbers);
      sequences.emplace_back(of(c).id, sequence.take());
    }
    return sequences;
  }

 private:
  // The layouts of the caller, or those of the entry computation.
  std::string host_shape() {
    namespace f = proto::program_shape;
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
  void append_devices(WireWriter& out) const {
    namespace f = proto::device_assignment;
    const std::int64_t replicas = module_.replica_count();
    const std::int64_t partitions = module_.num_partitions();
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
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
    out.bytes(proto::module::kDeviceAssignment, devices.view());
  }

  const Module& module_;
  ProtoIds ids_;
  ShapeProtos shapes_;
  Payloads payloads_;
  InstructionEncoder encoder_;
  std::vector<bool> fused_;
};

std::string message_of(const std::vector<WireField>& fields) {
  WireWriter out;
  for (const WireField& field : fields) out.field(field);
  return out.take();
}

// Writes a module, with what it was when it was read if it was read from a proto.
class ModuleMerger {
 public:
  ModuleMerger(const Module& module, ElidedConstants elided, const OriginalProto* original, const Module* before)
      : elided_(elided), original_(original), now_(module, original) {
    if (before == nullptr) return;
    before_.emplace(*before, original);
    for (ComputationView c : before->computations()) {
      if (before_->of(c).original != nullptr) computations_before_.emplace(before_->of(c).original, c);
      for (InstructionView i : c.instructions()) {
        if (before_->of(i).original != nullptr) instructions_before_.emplace(before_->of(i).original, i);
      }
    }
  }

  absl::StatusOr<std::string> take() {
    const Module& module = now_.module();
    std::vector<std::pair<std::int64_t, std::string>> computations;
    for (ComputationView c : module.computations()) {
      if (c.is_missing()) continue;
      absl::StatusOr<std::string> message = computation(c);
      if (!message.ok()) return message.status();
      computations.emplace_back(now_.of(c).id, *std::move(message));
    }
    restore_order(computations);
    const std::string schedule = module.is_scheduled() ? schedule_proto(computations) : std::string();
    const std::string header = now_.header();
    const std::string header_before = before_ ? before_->header() : std::string();
    const WireMessage now(header);
    const WireMessage before(header_before);
    const MessageForms forms{&now, before_ ? &before : nullptr, original_ != nullptr ? &original_->module() : nullptr};
    return assemble(merged_fields(forms, only_itself), computations, module.is_scheduled(), schedule);
  }

 private:
  static std::string assemble(const std::vector<WireField>& fields,
                              const std::vector<std::pair<std::int64_t, std::string>>& computations, bool is_scheduled,
                              std::string_view schedule) {
    namespace f = proto::module;
    WireWriter out;
    const auto append = [&](std::uint32_t from, std::uint32_t to) {
      for (const WireField& field : fields) {
        const bool is_own = field.number == f::kComputations || field.number == f::kSchedule;
        if (field.number >= from && field.number < to && !is_own) out.field(field);
      }
    };
    append(0, f::kComputations);
    for (const auto& [id, message] : computations) out.bytes(f::kComputations, message);
    append(f::kComputations, f::kSchedule);
    if (is_scheduled) out.bytes(f::kSchedule, schedule);
    append(f::kSchedule, 0xffffffff);
    return out.take();
  }

  absl::StatusOr<std::string> instruction(InstructionView i) {
    const ModuleEncoder::Encoded now = now_.instruction(i);
    ModuleEncoder::Encoded before;
    const WireMessage* original = now_.of(i).original;
    const auto found = instructions_before_.find(original);
    if (original != nullptr && found != instructions_before_.end()) before = before_->instruction(found->second);
    const WireMessage message(now.message);
    const WireMessage message_before(before.message);
    const bool was_read = !before.message.empty();
    const bool is_same_fault = was_read && now.fault == before.fault;
    if (!now.fault.empty() && !is_same_fault) {
      return invalid_argument(absl::StrCat(to_absl(i.name()), " in ", to_absl(i.computation().name()),
                                           ": a proto cannot hold its ", now.fault));
    }
    const bool lacks_values = now.elided && !(was_read && have_same_field(message, message_before,
                                                                          proto::instruction::kLiteral, only_itself));
    if (lacks_values && elided_ == ElidedConstants::kRefuse) {
      return invalid_argument(absl::StrCat(to_absl(i.name()), " in ", to_absl(i.computation().name()),
                                           ": the text has {...} in place of the values of this constant, which a "
                                           "proto must have; use a text or a proto with all values"));
    }
    return message_of(merged_fields({&message, was_read ? &message_before : nullptr, was_read ? original : nullptr},
                                    same_in_instruction));
  }

  absl::StatusOr<std::string> computation(ComputationView c) {
    namespace f = proto::computation;
    if (c.instruction_count() == 0 || !row_of(c).root.valid()) {
      return invalid_argument(absl::StrCat("computation ", to_absl(c.name()), " has no root"));
    }
    std::vector<std::pair<std::int64_t, std::string>> instructions;
    instructions.reserve(c.instruction_count());
    for (InstructionView i : c.instructions()) {
      absl::StatusOr<std::string> message = instruction(i);
      if (!message.ok()) return message.status();
      instructions.emplace_back(now_.of(i).id, *std::move(message));
    }
    const OriginalProto::Computation* original = now_.of(c).original;
    const auto found = computations_before_.find(original);
    const bool was_read = original != nullptr && found != computations_before_.end();
    const std::string text = now_.computation(c);
    const std::string text_before = was_read ? before_->computation(found->second) : std::string();
    const WireMessage now(text);
    const WireMessage before(text_before);
    if (was_read && is_in_same_order(c, found->second)) restore_instructions(*original, instructions);
    WireWriter out;
    const std::vector<WireField> fields =
        merged_fields({&now, was_read ? &before : nullptr, was_read ? &original->message : nullptr}, only_itself);
    for (const WireField& field : fields) {
      if (field.number < f::kInstructions) out.field(field);
    }
    for (const auto& [id, message] : instructions) out.bytes(f::kInstructions, message);
    for (const WireField& field : fields) {
      if (field.number > f::kInstructions) out.field(field);
    }
    return out.take();
  }

  bool is_in_same_order(ComputationView now, ComputationView before) const {
    if (now.instruction_count() != before.instruction_count()) return false;
    auto of_before = before.instructions().begin();
    for (InstructionView i : now.instructions()) {
      if (now_.of(i).id != before_->of(*of_before).id) return false;
      ++of_before;
    }
    return true;
  }

  using Numbered = std::vector<std::pair<std::int64_t, std::string>>;

  // Whether each message refers with the fields `references` only to those before it.
  static bool refers_backwards(const Numbered& messages, absl::Span<const std::uint32_t> references) {
    std::unordered_set<std::int64_t> seen;
    for (const auto& [id, bytes] : messages) {
      const WireMessage message(bytes);
      for (std::uint32_t field : references) {
        for (std::int64_t to : message.integers(field)) {
          if (seen.count(to) == 0) return false;
        }
      }
      seen.insert(id);
    }
    return true;
  }

  // Puts `messages` in the order of `ids` if these are the same.
  static bool sort_as(absl::Span<const std::int64_t> ids, Numbered& messages) {
    if (ids.size() != messages.size()) return false;
    std::unordered_map<std::int64_t, std::size_t> by_id;
    for (std::size_t m = 0; m < messages.size(); ++m) by_id.emplace(messages[m].first, m);
    if (by_id.size() != messages.size()) return false;
    Numbered sorted;
    sorted.reserve(messages.size());
    for (std::int64_t id : ids) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) return false;
      sorted.emplace_back(id, messages[found->second].second);
      by_id.erase(found);
    }
    messages = std::move(sorted);
    return true;
  }

  // The proto need not list instructions in the order of the schedule.
  static void restore_instructions(const OriginalProto::Computation& original, Numbered& instructions) {
    Numbered sorted = instructions;
    const std::uint32_t references[] = {proto::instruction::kOperands, proto::instruction::kControlPredecessors};
    if (sort_as(original.ids, sorted) && refers_backwards(sorted, references)) instructions = std::move(sorted);
  }

  void restore_order(Numbered& computations) const {
    if (original_ == nullptr) return;
    std::vector<std::int64_t> ids;
    ids.reserve(original_->computations().size());
    for (const OriginalProto::Computation& c : original_->computations()) ids.push_back(c.id);
    Numbered sorted = computations;
    if (!sort_as(ids, sorted)) return;
    std::unordered_set<std::int64_t> seen;
    for (const auto& [id, bytes] : sorted) {
      for (std::string_view instruction : WireMessage(bytes).all(proto::computation::kInstructions)) {
        for (std::int64_t called : WireMessage(instruction).integers(proto::instruction::kCalled)) {
          if (seen.count(called) == 0) return;
        }
      }
      seen.insert(id);
    }
    computations = std::move(sorted);
  }

  // A sequence of the original stands if the order of its computation does. There may be some of computations that do
  // not run by themselves.
  std::string schedule_proto(const Numbered& computations) const {
    namespace f = proto::schedule;
    WireWriter out;
    const auto append = [&out](std::int64_t id, std::string_view sequence) {
      WireWriter entry;
      entry.present(proto::map_entry::kKey, id);  // an entry of a map has its key and its value in any case
      entry.bytes(proto::map_entry::kValue, sequence);
      out.bytes(f::kSequences, entry.view());
    };
    const Numbered now = now_.sequences();
    std::unordered_map<std::int64_t, std::string_view> by_id;
    for (const auto& [id, sequence] : now) by_id.emplace(id, sequence);
    std::unordered_set<std::int64_t> done;
    if (original_ != nullptr && before_) {
      std::unordered_set<std::int64_t> existing;
      for (const auto& [id, message] : computations) existing.insert(id);
      const Numbered before = before_->sequences();
      std::unordered_map<std::int64_t, std::string_view> before_by_id;
      for (const auto& [id, sequence] : before) before_by_id.emplace(id, sequence);
      const WireMessage original = original_->module().message(proto::module::kSchedule);
      for (std::string_view bytes : original.all(f::kSequences)) {
        const WireMessage entry(bytes);
        const std::int64_t id = entry.integer(proto::map_entry::kKey);
        if (existing.count(id) == 0) continue;
        done.insert(id);
        const auto found = by_id.find(id);
        const auto found_before = before_by_id.find(id);
        const bool is_same =
            found == by_id.end() || (found_before != before_by_id.end() && found->second == found_before->second);
        append(id, is_same ? entry.bytes(proto::map_entry::kValue) : found->second);
      }
    }
    const bool was_scheduled = original_ != nullptr && original_->module().has(proto::module::kSchedule);
    for (const auto& [id, sequence] : now) {
      // The original may leave out computations whose order does not matter.
      const bool is_new = !was_scheduled || original_->find_id(id) == nullptr;
      if (is_new && done.count(id) == 0) append(id, sequence);
    }
    return out.take();
  }

  ElidedConstants elided_;
  const OriginalProto* original_;
  ModuleEncoder now_;
  std::optional<ModuleEncoder> before_;
  std::unordered_map<const OriginalProto::Computation*, ComputationView> computations_before_;
  std::unordered_map<const WireMessage*, InstructionView> instructions_before_;
};

}  // namespace

absl::StatusOr<std::string> module_proto(const Module& module, ElidedConstants elided) {
  if (!module.has_entry() || ModuleRows::is_single_instruction(module)) {
    return invalid_argument(
        absl::StrCat(ModuleRows::path(module), ": a proto holds a module, not a single instruction or a part of one"));
  }
  if (module.unknowns().missing_operands > 0) {
    return invalid_argument(absl::StrCat(ModuleRows::path(module), ": the text lacks operands of its instructions"));
  }
  const std::string& bytes = ModuleRows::source(module).proto();
  if (bytes.empty()) return ModuleMerger(module, elided, nullptr, nullptr).take();
  // The module as it was read, to see what has changed since.
  ParseOptions options;
  options.path = ModuleRows::path(module);
  Module before;
  ModuleParser parser;
  if (absl::Status status = parser.parse(ModuleRows::shared_source(module), options, before); !status.ok())
    return status;
  const OriginalProto original(bytes);
  return ModuleMerger(module, elided, &original, &before).take();
}

}  // namespace hloroof::internal

namespace hloroof::inline v0 {

absl::StatusOr<std::string> write_proto(const Module& module) {
  return internal::module_proto(module, internal::ElidedConstants::kRefuse);
}

}  // namespace hloroof::inline v0
