#include "lib/proto/write_proto.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"
#include "lib/proto/encode_module.h"
#include "lib/proto/fields.h"
#include "lib/proto/proto_ids.h"
#include "lib/proto/wire.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline proto {
namespace {

// Three forms of a message. `now` is written from the module, `before` from the module as it was read, and `original`
// is what was read. The last two are null for a new part.
struct MessageForms {
  const WireMessage* now = nullptr;
  const WireMessage* before = nullptr;
  const WireMessage* original = nullptr;
};

using Same = absl::FunctionRef<std::uint32_t(std::uint32_t)>;
using FieldsByNumber = std::map<std::uint32_t, std::vector<const WireField*>>;

FieldsByNumber by_number(const WireMessage& message, Same same) {
  FieldsByNumber fields;
  for (const WireField& field : message.fields()) fields[same(field.number)].push_back(&field);
  return fields;
}

bool equal_fields(const std::vector<const WireField*>& a, const std::vector<const WireField*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const WireField* x, const WireField* y) { return *x == *y; });
}

// The fields of the result in ascending order of their numbers: those of the original if `now` equals `before`, and
// otherwise those of `now`. `same` maps the alternatives of one fact, such as the members of a oneof, to one number, so
// that they are kept or replaced together. The result points into the messages.
std::vector<WireField> merged_fields(const MessageForms& forms, Same same) {
  FieldsByNumber now = by_number(*forms.now, same);
  if (forms.original != nullptr && forms.before != nullptr) {
    FieldsByNumber before = by_number(*forms.before, same);
    FieldsByNumber original = by_number(*forms.original, same);
    for (const auto& entry : original) now[entry.first];  // fields that only the original has
    for (auto& [number, fields] : now) {
      if (equal_fields(fields, before[number])) fields = original[number];
    }
  }
  std::vector<WireField> merged;
  for (const auto& [number, fields] : now) {
    for (const WireField* field : fields) merged.push_back(*field);
  }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const WireField& a, const WireField& b) { return a.number < b.number; });
  return merged;
}

// Whether the fields that `same` maps to `number` are equal in both.
bool have_same_field(const WireMessage& a, const WireMessage& b, std::uint32_t number, Same same) {
  const auto of = [&](const WireMessage& message) {
    std::vector<const WireField*> fields;
    for (const WireField& field : message.fields()) {
      if (same(field.number) == number) fields.push_back(&field);
    }
    return fields;
  };
  return equal_fields(of(a), of(b));
}

// The fields of an instruction that exclude one another.
std::uint32_t same_in_instruction(std::uint32_t number) {
  namespace f = fields::instruction;
  switch (number) {
    case f::kReplicaGroups:
    case f::kIotaGroups:
    case f::kMeshGroups: return f::kDeviceList;
    case f::kBackendConfigPayload: return f::kBackendConfig;
    default: return number;
  }
}
std::uint32_t only_itself(std::uint32_t number) { return number; }

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
    namespace f = fields::module;
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
                                                                          fields::instruction::kLiteral, only_itself));
    if (lacks_values && elided_ == ElidedConstants::kRefuse) {
      return invalid_argument(absl::StrCat(to_absl(i.name()), " in ", to_absl(i.computation().name()),
                                           ": the text has {...} in place of the values of this constant, which a "
                                           "proto must have; use a text or a proto with all values"));
    }
    return message_of(merged_fields({&message, was_read ? &message_before : nullptr, was_read ? original : nullptr},
                                    same_in_instruction));
  }

  absl::StatusOr<std::string> computation(ComputationView c) {
    namespace f = fields::computation;
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
    const std::uint32_t references[] = {fields::instruction::kOperands, fields::instruction::kControlPredecessors};
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
      for (std::string_view instruction : WireMessage(bytes).all(fields::computation::kInstructions)) {
        for (std::int64_t called : WireMessage(instruction).integers(fields::instruction::kCalled)) {
          if (seen.count(called) == 0) return;
        }
      }
      seen.insert(id);
    }
    computations = std::move(sorted);
  }

  // Reuses an original sequence if its computation's order is unchanged. There may be some of computations that do
  // not run by themselves.
  std::string schedule_proto(const Numbered& computations) const {
    namespace f = fields::schedule;
    WireWriter out;
    const auto append = [&out](std::int64_t id, std::string_view sequence) {
      WireWriter entry;
      entry.present(fields::map_entry::kKey, id);  // an entry of a map has its key and its value in any case
      entry.bytes(fields::map_entry::kValue, sequence);
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
      const WireMessage original = original_->module().message(fields::module::kSchedule);
      for (std::string_view bytes : original.all(f::kSequences)) {
        const WireMessage entry(bytes);
        const std::int64_t id = entry.integer(fields::map_entry::kKey);
        if (existing.count(id) == 0) continue;
        done.insert(id);
        const auto found = by_id.find(id);
        const auto found_before = before_by_id.find(id);
        const bool is_same =
            found == by_id.end() || (found_before != before_by_id.end() && found->second == found_before->second);
        append(id, is_same ? entry.bytes(fields::map_entry::kValue) : found->second);
      }
    }
    const bool was_scheduled = original_ != nullptr && original_->module().has(fields::module::kSchedule);
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

}  // namespace hloroof::internal::inline proto

namespace hloroof::inline v0 {

absl::StatusOr<std::string> write_proto(const Module& module) {
  return internal::module_proto(module, internal::ElidedConstants::kRefuse);
}

}  // namespace hloroof::inline v0
