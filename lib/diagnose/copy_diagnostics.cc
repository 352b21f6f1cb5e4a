// Findings about updates of a slice that rewrite the whole array.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/module.h"
#include "lib/base/units.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/moves.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

// An update of more than this share of the array is a rewrite.
constexpr double kMostOfArray = 0.25;
// An op that writes less than this share of the array updates it in place.
constexpr double kLeastRewritten = 0.5;

bool is_renamed(InstructionView at) { return flow(at.opcode()) == Flow::kRenames; }

class CopyDiagnoser {
 public:
  explicit CopyDiagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis), module_(diagnosis.module), prediction_(diagnosis.prediction) {}

  void run() {
    for (const OpPrediction& op : prediction_.ops) {
      if (diagnosis_.may_matter(op.exposed_seconds)) update(op);
    }
  }

 private:
  static bool is_update(InstructionView at) {
    return at.opcode() == Opcode::kDynamicUpdateSlice || at.opcode() == Opcode::kScatter;
  }

  // Returns the share of the array that one update writes.
  static double updated_share(InstructionView update) {
    const bool is_scatter = update.opcode() == Opcode::kScatter;
    if (update.operand_count() < (is_scatter ? 3 : 2)) return 1;
    const Shape& array = update.operand(0).shape();
    const Shape& part = update.operand(is_scatter ? update.operand_count() - 1 : 1).shape();
    if (!array.is_array() || !part.is_array() || element_count(array) <= 0) return 1;
    return static_cast<double>(element_count(part)) / static_cast<double>(element_count(array));
  }

  void update(const OpPrediction& op) {
    const InstructionView instruction = module_.instruction(op.id);
    if (is_update(instruction)) return rewritten(op, instruction, instruction.operand(0));
    if (flow(instruction.opcode()) != Flow::kFuses) return;
    for (ComputationView inside : instruction.computations(AttributeKey::kCalls)) {
      for (InstructionView at : inside.instructions()) {
        if (!is_update(at) || at.operand_count() == 0) continue;
        // The array that is updated is an argument of the fusion, in the same order of elements.
        const InstructionView array =
            origin(at.operand(0), [](InstructionView value) { return keeps_order(value.opcode()); });
        if (array.opcode() != Opcode::kParameter) continue;
        const InstructionId argument_id = argument(instruction, inside.id(), array.parameter_number());
        if (argument_id.valid()) return rewritten(op, at, module_.instruction(argument_id));
      }
    }
  }

  // Reports that `op` runs `update` on `array` and all of the array is written again, by the op or by a copy before it.
  void rewritten(const OpPrediction& op, InstructionView update, InstructionView array) {
    const double share = updated_share(update);
    if (share > kMostOfArray) return;
    const std::string what =
        absl::StrFormat("%s changes %s of %s", std::string(update.opcode_text()), format_percent(share),
                        to_string(module_.shapes(), array.shape_id(), ShapeText::kWithoutLayout));
    const InstructionView source = origin(array, is_renamed);
    const OpPrediction* const copy = diagnosis_.op(source.id());
    if (copies_as_is(source) && copy != nullptr && diagnosis_.loop_copies.count(source.id().index) == 0) {
      const InstructionView copied = origin(source.operand(0), is_renamed);
      const bool is_argument = copied.opcode() == Opcode::kParameter && copied.computation().is_entry();
      diagnosis_.add_work(
          kUnfusedUpdate, *copy, copy->exposed_seconds * (1 - share),
          absl::StrCat(what, ", and the whole array is copied first, because its old value is still needed: ",
                       is_argument ? "donate the argument " + std::string(copied.name())
                                   : "read the old value before the update"));
    }
    const double written = op.work->written.total();
    const auto bytes = static_cast<double>(padded_bytes(array.shape()));
    const InstructionView first = origin(array, is_renamed);
    const bool is_new = first.opcode() == Opcode::kBroadcast || first.opcode() == Opcode::kConstant;
    if (is_new || bytes <= 0 || written < kLeastRewritten * bytes) return;
    if (op.work->partial_tile_elements > 0) return;  // the rest of each tile, which is narrow-update
    diagnosis_.add_work(kUnfusedUpdate, op, op.exposed_seconds * (1 - share),
                        what +
                            ", and the op writes the whole array instead of the slice in place: give the result the "
                            "type and layout of the array, and do not use the old value afterwards");
  }

  Diagnosis& diagnosis_;
  const Module& module_;
  const StepPrediction& prediction_;
};

}  // namespace

void diagnose_copies(Diagnosis& diagnosis) { CopyDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
