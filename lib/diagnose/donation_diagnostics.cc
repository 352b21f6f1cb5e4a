// Findings about arguments that are not donated although a result could live in their memory, and about donations that
// have no effect or cost a copy. Each says why.
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

constexpr double kBytesInGib = 1024.0 * 1024 * 1024;

bool has_same_array(const Shape& a, const Shape& b) {
  return a.is_array() && b.is_array() && a.element_type == b.element_type && a.dimensions == b.dimensions;
}

class DonationDiagnoser {
 public:
  explicit DonationDiagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis), module_(diagnosis.module), memory_(diagnosis.prediction.memory) {}

  void run() {
    if (!module_.has_entry() || !row_of(module_.entry()).root.valid()) return;
    parameters_ = module_.entry().parameters();
    std::size_t position = 0;
    for (InstructionView instruction : module_.entry().instructions()) {
      if (position_.size() <= instruction.id().index) position_.resize(instruction.id().index + 1, 0);
      position_[instruction.id().index] = ++position;
    }
    not_donated();
    // Before optimization, XLA has not matched donors with results yet.
    if (diagnosis_.prediction.is_scheduled) unused_donors();
    copied_into_argument();
  }

 private:
  Severity severity() const { return memory_.fits ? Severity::kInfo : Severity::kWarning; }

  void add(InstructionView argument, double bytes, const std::string& why, const std::string& message) {
    if (bytes < kWorthOfMemory * memory_.capacity_bytes) return;
    diagnosis_.add({.code = kDonationMissed,
                    .severity = severity(),
                    .message = message,
                    .cause = why,
                    .op = std::string(argument.name()),
                    .bytes = bytes});
  }

  std::optional<InstructionView> parameter(std::int64_t number) const {
    if (number < 0 || static_cast<std::size_t>(number) >= parameters_.size()) return std::nullopt;
    const InstructionId id = parameters_[static_cast<std::size_t>(number)];
    if (!id.valid()) return std::nullopt;
    return module_.instruction(id);
  }

  // Returns the instruction that makes element `path` of the result; nullopt if the root is no plain tuple.
  std::optional<InstructionView> result_at(const std::vector<std::int64_t>& path) const {
    InstructionView at = module_.entry().root();
    for (const std::int64_t index : path) {
      if (at.opcode() != Opcode::kTuple || index < 0 || static_cast<std::size_t>(index) >= at.operand_count()) {
        return std::nullopt;
      }
      at = at.operand(static_cast<std::size_t>(index));
    }
    return at;
  }

  // Returns the last instruction that reads `argument` after `result` is written; nullopt if there is none.
  std::optional<InstructionView> late_reader(InstructionView argument, InstructionView result) {
    std::optional<InstructionView> last;
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    walk_uses(module_, argument.id(), 256, users, [&](InstructionView user, InstructionId) {
      if (user.computation().id() != argument.computation().id()) return Go::kStop;
      if (is_alias(user.opcode())) return Go::kOn;
      if (user != result && place(user) > place(result) && (!last || place(user) > place(*last))) last = user;
      return Go::kStop;
    });
    return last;
  }

  std::size_t place(InstructionView instruction) const { return position_[instruction.id().index]; }

  // Arguments for which the program asks no donation.
  void not_donated() {
    for (const DonatableArgument& donatable : memory_.donatable) {
      const std::optional<InstructionView> argument = parameter(donatable.number);
      if (!argument) continue;
      add(*argument, donatable.bytes, "not donated",
          absl::StrFormat("argument %d is not donated though a result has its shape: donating it would save %.2f GiB",
                          donatable.number, donatable.bytes / kBytesInGib));
    }
  }

  // Donations that XLA could not use.
  void unused_donors() {
    std::set<std::pair<std::int64_t, std::vector<std::int64_t>>> aliased;
    std::set<std::vector<std::int64_t>> taken;
    for (const ParameterAlias& alias : input_output_alias(module_)) {
      aliased.insert({alias.parameter, {alias.parameter_index.begin(), alias.parameter_index.end()}});
      taken.insert({alias.output.begin(), alias.output.end()});
    }
    for (const BufferDonor& donor : buffer_donors(module_)) {
      const std::optional<InstructionView> argument = parameter(donor.parameter);
      if (!argument || !argument->shape().is_array() || aliased.count({donor.parameter, {}}) != 0) continue;
      explain_unused(donor.parameter, *argument, taken);
    }
  }

  void explain_unused(std::int64_t number, InstructionView argument, const std::set<std::vector<std::int64_t>>& taken) {
    std::string why = "no result has its shape and type";
    std::string detail = "return a result of the same shape and type, or do not donate it";
    const InstructionView root = module_.entry().root();
    const bool is_tuple = root.shape().is_tuple();
    const std::size_t count = is_tuple ? root.shape().elements.size() : 1;
    int rank = 0;  // of the reason found so far: the nearer to a match, the higher
    const auto found = [&](int of, std::string reason, std::string remedy) {
      if (of <= rank) return;
      rank = of;
      why = std::move(reason);
      detail = std::move(remedy);
    };
    for (std::size_t i = 0; i < count; ++i) {
      const Shape& result = is_tuple ? module_.shape(root.shape().elements[i]) : root.shape();
      if (!has_same_array(result, argument.shape())) continue;
      const std::vector<std::int64_t> path =
          is_tuple ? std::vector<std::int64_t>{static_cast<std::int64_t>(i)} : std::vector<std::int64_t>{};
      const std::string text = to_string(module_.shapes(), is_tuple ? root.shape().elements[i] : root.shape_id());
      if (memory_space(result) != memory_space(argument.shape())) {
        found(1, "the result of its shape is in another memory", "result " + std::to_string(i) + " is " + text);
      } else if (result.layout != argument.shape().layout) {
        found(2, "the result of its shape has another layout",
              absl::StrCat("result ", i, " is ", text, ": give both the same layout"));
      } else if (taken.count(path) != 0) {
        found(3, "every result of its shape already lives in another argument", "donate one argument for each result");
      } else {
        const std::optional<InstructionView> made = result_at(path);
        const std::optional<InstructionView> reader = made ? late_reader(argument, *made) : std::nullopt;
        if (reader) {
          found(4, "it is still read after the result is written",
                absl::StrCat(std::string(reader->name()), " reads it after ", std::string(made->name()),
                             " writes result ", i));
        } else {
          found(4, "the compiler did not use the donation", absl::StrCat("result ", i, " has its shape and layout"));
        }
      }
    }
    const auto bytes = static_cast<double>(padded_bytes(argument.shape()));
    add(argument, bytes, why,
        absl::StrFormat("argument %d is donated without effect, because %s: %s", number, why, detail));
  }

  // Donations that cost a copy of the result at the end, because the argument is read after the result is computed.
  void copied_into_argument() {
    for (const ParameterAlias& alias : input_output_alias(module_)) {
      const std::optional<InstructionView> argument = parameter(alias.parameter);
      const std::optional<InstructionView> result = result_at({alias.output.begin(), alias.output.end()});
      if (!argument || !result || !alias.parameter_index.empty()) continue;
      const OpPrediction* const op = diagnosis_.op(result->id());
      if (result->opcode() != Opcode::kCopy || op == nullptr || !diagnosis_.may_matter(op->exposed_seconds)) continue;
      if (diagnosis_.loop_copies.count(op->id.index) != 0) continue;
      const InstructionView computed =
          origin(result->operand(0), [](InstructionView at) { return flow(at.opcode()) == Flow::kRenames; });
      const std::optional<InstructionView> reader = late_reader(*argument, computed);
      if (computed.opcode() == Opcode::kParameter || !reader) continue;
      diagnosis_.add(
          {.code = kDonationMissed,
           .severity = severity(),
           .message = absl::StrFormat("argument %d is donated, but its result is copied into it at the end, "
                                      "because %s reads the argument after %s writes the result",
                                      alias.parameter, std::string(reader->name()), std::string(computed.name())),
           .cause = "it is still read after the result is written",
           .op = op->name,
           .parts = {{TimePart::Kind::kWork, op->id, {}}},
           .least_share = kWorthOfStep});
    }
  }

  Diagnosis& diagnosis_;
  const Module& module_;
  const MemoryPrediction& memory_;
  std::vector<InstructionId> parameters_;
  std::vector<std::size_t> position_;  // by InstructionId
};

}  // namespace

void diagnose_donations(Diagnosis& diagnosis) { DonationDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
