#include "lib/proto/proto_ids.h"

#include <algorithm>
#include <limits>

#include "lib/ir/rows.h"
#include "lib/proto/fields.h"

namespace hloroof::internal::inline proto {
namespace {

bool is_short_start(InstructionView i) {
  return i.opcode() == Opcode::kAsyncStart && (row_of(i).flags & InstructionData::kSugaredAsync) != 0;
}

// The instruction of a wrapped computation in the original: a parameter by its number, the other one by being it.
const WireMessage* find_wrapped(const OriginalProto::Computation& original, InstructionView i) {
  namespace f = fields::instruction;
  const bool is_parameter = i.opcode() == Opcode::kParameter;
  for (const WireMessage& message : original.instructions) {
    const bool is_theirs = message.bytes(f::kOpcode) == "parameter";
    if (is_theirs != is_parameter) continue;
    if (!is_parameter || message.integer(f::kParameter) == i.parameter_number()) return &message;
  }
  return nullptr;
}

// Finds what the parts of a module were in the proto, and numbers and names the rest.
class Numbering {
 public:
  Numbering(const Module& module, const OriginalProto* original) : module_(module), original_(original) {}

  ProtoIds take() {
    ids_.computations.resize(module_.computation_limit());
    ids_.instructions.resize(module_.instruction_limit());
    if (original_ != nullptr) find_originals();
    number_computations();
    for (ComputationView c : module_.computations()) number_instructions(c);
    return std::move(ids_);
  }

 private:
  ProtoComputation& of(ComputationView c) { return ids_.computations[c.id().index]; }
  ProtoInstruction& of(InstructionView i) { return ids_.instructions[i.id().index]; }

  void find_originals() {
    for (ComputationView c : module_.computations()) {
      if ((row_of(c).flags & ComputationData::kSynthesized) == 0) adopt(c, original_->find(c.name()));
    }
    for (ComputationView c : module_.computations()) {
      for (InstructionView i : c.instructions()) {
        if (of(i).original == nullptr || !is_short_start(i)) continue;
        const std::vector<std::int64_t> called = of(i).original->integers(fields::instruction::kCalled);
        const auto calls = i.computations(AttributeKey::kCalls);
        if (!called.empty() && !calls.empty()) adopt(calls[0], original_->find_id(called[0]));
      }
    }
    for (ComputationView c : module_.computations()) {
      if (of(c).original != nullptr) computation_names_.unique(of(c).name);
      for (InstructionView i : c.instructions()) {
        if (of(i).original != nullptr) instruction_names_.unique(of(i).name);
      }
    }
    for (const OriginalProto::Computation& c : original_->computations()) {
      next_computation_ = std::max(next_computation_, c.id < kMost ? c.id + 1 : 0);
      for (std::size_t i = 0; i < c.ids.size(); ++i) {
        is_by_computation_ = is_by_computation_ && c.ids[i] >> 32 == c.id;
        next_instruction_ = std::max(next_instruction_, c.ids[i] < kMost ? c.ids[i] + 1 : 0);
      }
    }
  }

  void adopt(ComputationView c, const OriginalProto::Computation* original) {
    if (original == nullptr) return;
    of(c).original = original;
    of(c).id = original->id;
    of(c).name = std::string(original->message.bytes(fields::computation::kName));
    const bool is_wrapped = (row_of(c).flags & ComputationData::kSynthesized) != 0;
    for (InstructionView i : c.instructions()) {
      const WireMessage* message = nullptr;
      if (is_wrapped) {
        message = find_wrapped(*original, i);
      } else if (const auto found = original->names.find(i.name()); found != original->names.end()) {
        message = &original->instructions[found->second];
      }
      if (message == nullptr) continue;
      of(i).id = message->integer(fields::instruction::kId);
      of(i).name = std::string(message->bytes(fields::instruction::kName));
      of(i).original = message;
    }
  }

  void number_computations() {
    for (ComputationView c : module_.computations()) {
      if (c.is_missing() || of(c).original != nullptr) continue;
      const bool is_wrapped = (row_of(c).flags & ComputationData::kSynthesized) != 0;
      of(c).id = next_computation_++;
      of(c).name = computation_names_.unique(is_wrapped ? std::string_view("async_wrapped") : c.name());
    }
  }

  void number_instructions(ComputationView c) {
    if (c.is_missing()) return;
    const bool is_wrapped = (row_of(c).flags & ComputationData::kSynthesized) != 0;
    std::int64_t next = static_cast<std::int64_t>(static_cast<std::uint64_t>(of(c).id) << 32);
    if (of(c).original != nullptr) {
      for (std::int64_t id : of(c).original->ids) next = std::max(next, id < kMost ? id + 1 : 0);
    }
    for (InstructionView i : c.instructions()) {
      if (of(i).original != nullptr) {
        // Under the same name it may be something else by now. It keeps its number.
        if (of(i).original->bytes(fields::instruction::kOpcode) != opcode_in_proto(i)) of(i).original = nullptr;
        continue;
      }
      of(i).id = is_by_computation_ ? next++ : next_instruction_++;
      const bool is_parameter = is_wrapped && i.opcode() == Opcode::kParameter;
      of(i).name = instruction_names_.unique(is_parameter ? std::string_view("async_param") : i.name());
    }
  }

  static std::string_view opcode_in_proto(InstructionView i) {
    return i.opcode() == Opcode::kUnknown ? i.opcode_text() : to_string(i.opcode());
  }

  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;

  const Module& module_;
  const OriginalProto* original_;
  ProtoIds ids_;
  UniqueNames computation_names_;
  UniqueNames instruction_names_;
  std::int64_t next_computation_ = 0;
  std::int64_t next_instruction_ = 0;
  // The upper half of the number of an instruction is that of its computation.
  bool is_by_computation_ = true;
};

}  // namespace

OriginalProto::OriginalProto(std::string_view module_proto) : module_(module_proto) {
  const std::vector<std::string_view> all = module_.all(fields::module::kComputations);
  computations_.reserve(all.size());
  for (std::string_view bytes : all) {
    Computation& c = computations_.emplace_back();
    c.message = WireMessage(bytes);
    c.id = c.message.integer(fields::computation::kId);
    const std::vector<std::string_view> instructions = c.message.all(fields::computation::kInstructions);
    c.instructions.reserve(instructions.size());
    c.ids.reserve(instructions.size());
    for (std::string_view instruction : instructions) {
      const WireMessage& message = c.instructions.emplace_back(instruction);
      c.ids.push_back(message.integer(fields::instruction::kId));
      c.by_id[c.ids.back()] = c.instructions.size() - 1;
      c.names[message.bytes(fields::instruction::kName)] = c.instructions.size() - 1;
    }
    names_[c.message.bytes(fields::computation::kName)] = computations_.size() - 1;
    ids_[c.id] = computations_.size() - 1;
  }
}

const OriginalProto::Computation* OriginalProto::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &computations_[found->second];
}

const OriginalProto::Computation* OriginalProto::find_id(std::int64_t id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? nullptr : &computations_[found->second];
}

std::string UniqueNames::unique(std::string_view given) {
  // An element that the text writes as %t#0 has no name that XLA accepts.
  std::string name(given);
  std::replace(name.begin(), name.end(), '#', '.');
  // name := root ('.' number)?
  std::string root = name;
  std::int64_t number = 0;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const bool has_number = digits > 1 && digits < name.size() && name.size() - digits < 18 && name[digits - 1] == '.' &&
                          (name[digits] != '0' || name.size() == digits + 1);
  if (has_number) {
    root = name.substr(0, digits - 1);
    for (char c : name.substr(digits)) number = number * 10 + (c - '0');
  }
  Numbers& taken = roots_[root];
  if (taken.used.insert(number).second) return name;
  while (!taken.used.insert(taken.next).second) ++taken.next;  // ends: `next` only grows
  return root + "." + std::to_string(taken.next++);
}

ProtoIds proto_ids(const Module& module, const OriginalProto* original) { return Numbering(module, original).take(); }

}  // namespace hloroof::internal::inline proto
