#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/analysis/megascale.h"
#include "lib/base/nearest.h"
#include "lib/base/source_text.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/infer/infer_shape.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return absl::StrFormat("%d %s", count, std::string(count == 1 ? one : many));
}

class TextDiagnoser {
 public:
  explicit TextDiagnoser(Diagnosis& diagnosis) : diagnosis_(diagnosis), module_(diagnosis.module) {}

  void run() {
    unknown_opcodes();
    mismatched_operands();
    missing_distributions();
    slice_transfers();
    other_unknowns();
  }

 private:
  void add(DiagnosticCode code, Severity severity, std::string message) {
    diagnosis_.add({.code = code, .severity = severity, .message = std::move(message)});
  }

  // Returns " at line 3, column 7" for text of the source, and nothing for text that an edit added.
  std::string place(std::string_view text) const {
    const SourceText& source = ModuleRows::source(module_);
    if (text.data() < source.begin() || text.data() >= source.end()) return "";
    const LineColumn at = line_column(source.view(), static_cast<std::size_t>(text.data() - source.begin()));
    return absl::StrFormat(" at line %d, column %d", at.line, at.column);
  }

  void unknown_opcodes() {
    if (module_.unknowns().opcodes == 0) return;
    const std::vector<std::string> known = opcode_names();
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (instruction.opcode() != Opcode::kUnknown) continue;
        const std::string opcode(instruction.opcode_text());
        diagnosis_.add(
            {.code = kUnknownOpcode,
             .message = absl::StrFormat(
                 "opcode %s%s is not known: it is misspelt, or newer than this version (the nearest known opcode is "
                 "%s). Only its operands and result are charged, as bytes",
                 opcode, place(instruction.opcode_text()), nearest_names(opcode, known, 1).front()),
             .cause = opcode,
             .op = std::string(instruction.name()),
             .parts = {{TimePart::Kind::kWork, instruction.id(), {}}}});
      }
    }
  }

  // Checks the products, which take most of the time of most programs. XLA's verifier checks all opcodes.
  void mismatched_operands() {
    std::optional<ShapeTable> shapes;  // a copy, because inference adds shapes
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        const bool is_product = instruction.opcode() == Opcode::kDot || instruction.opcode() == Opcode::kConvolution;
        if (!is_product || instruction.has(AttributeKey::kSparsity)) continue;
        if (!shapes) shapes = module_.shapes();
        const absl::StatusOr<ShapeId> inferred = infer_shape(instruction, *shapes);
        if (inferred.ok() || inferred.status().code() == absl::StatusCode::kUnimplemented) continue;
        diagnosis_.add({.code = kOperandMismatch,
                        .message = absl::StrCat(std::string(instruction.opcode_text()), place(instruction.name()), ": ",
                                                inferred.status().message(),
                                                ". XLA rejects such a module, and its time here means little"),
                        .cause = diagnosis_.place(instruction),
                        .op = std::string(instruction.name())});
      }
    }
  }

  // The distribution decides which numbers come out, and hardly how long they take.
  void missing_distributions() {
    std::string first;
    std::int64_t count = 0;
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (instruction.opcode() != Opcode::kRng || instruction.has(AttributeKey::kDistribution)) continue;
        if (count++ == 0) first = place(instruction.name());
      }
    }
    if (count == 0) return;
    add(kMissingAttribute, Severity::kWarning,
        absl::StrFormat("%s no distribution, the first%s: uniform is assumed. XLA rejects such a text",
                        counted(count, "rng states", "rngs state"), first));
  }

  // Reports transfers between slices whose attributes do not say what is exchanged.
  void slice_transfers() {
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (instruction.opcode() != Opcode::kSend && instruction.opcode() != Opcode::kRecv) continue;
        const std::optional<std::string> fault = megascale_fault(instruction);
        if (!fault) continue;
        diagnosis_.add({.code = kUnreadableSliceTransfer,
                        .message = absl::StrCat(*fault, place(instruction.name()),
                                                ". Only the bytes between the device and its host are charged"),
                        .cause = std::string(instruction.opcode_text()),
                        .op = std::string(instruction.name()),
                        .parts = {{TimePart::Kind::kWork, instruction.id(), {}}}});
      }
    }
  }

  void other_unknowns() {
    const Module::Unknowns& unknowns = module_.unknowns();
    if (unknowns.attributes > 0) {
      add(kUnknownAttribute, Severity::kInfo,
          absl::StrFormat("%s an unknown name and no meaning here",
                          counted(unknowns.attributes, "attribute has", "attributes have")));
    }
    if (unknowns.missing_operands > 0) {
      add(kMissingOperand, Severity::kInfo,
          absl::StrFormat("%s not defined in the text: parameters of the printed shape stand in",
                          counted(unknowns.missing_operands, "operand is", "operands are")));
    }
    if (unknowns.missing_predecessors > 0) {
      add(kMissingPredecessor, Severity::kInfo,
          absl::StrFormat(
              "%s not in the text, which elides get-tuple-elements",
              counted(unknowns.missing_predecessors, "control predecessor is", "control predecessors are")));
    }
    if (unknowns.missing_computations > 0) {
      add(kMissingComputation, Severity::kWarning,
          absl::StrFormat("%s not in the text: what is computed there is not known",
                          counted(unknowns.missing_computations, "called computation is", "called computations are")));
    }
  }

  Diagnosis& diagnosis_;
  const Module& module_;
};

}  // namespace

void diagnose_text(Diagnosis& diagnosis) { TextDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
