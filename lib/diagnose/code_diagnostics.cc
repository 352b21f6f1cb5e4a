// Findings about the final code that ops are priced with: ops that have none, and code that is not theirs.
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/step/program_code.h"

namespace hloroof::internal::inline diagnose {
namespace {

class CodeDiagnoser {
 public:
  CodeDiagnoser(const ProgramCode& code, Diagnosis& diagnosis) : code_(code), diagnosis_(diagnosis) {}

  void run() {
    for (const OpPrediction& op : diagnosis_.prediction.ops) {
      if (!may_have_code(op)) continue;
      ++all_;
      if (op.time->source == CostSource::kCode) ++priced_;
    }
    counts_ = absl::StrCat(priced_, " of ", all_, " ops that take time are priced by the code in ", code_.folder);
    for (const OpPrediction& op : diagnosis_.prediction.ops) {
      if (may_have_code(op) && op.time->source != CostSource::kCode) add(op);
    }
    add_doubts();
  }

 private:
  // Whether the op runs on a core. The network decides the time of a collective.
  bool may_have_code(const OpPrediction& op) const {
    return op.seconds > 0 && diagnosis_.facts.costs.demand[op.id.index].step == Step::kRun &&
           !diagnosis_.facts.collectives.by_carrier.contains(op.id.index);
  }

  void add(const OpPrediction& op) {
    const FoundCode found = find_code_of(code_, diagnosis_.module.instruction(op.id));
    switch (found.use) {
      case CodeUse::kOtherOp:
        return add(op, DiagnosticCode::kCodeMismatch, Severity::kWarning, "another instruction",
                   "the code of this name is of another instruction, and the op is modelled. Dump the code and the "
                   "text in one compile");
      case CodeUse::kNotKnown:
        return add(op, DiagnosticCode::kCodeIncomplete, Severity::kInfo, "not followed",
                   absl::StrCat("the code of the op cannot be followed, and the op is modelled: ", to_absl(found.why)));
      case CodeUse::kNone:
        return add(op, DiagnosticCode::kCodeIncomplete, Severity::kInfo, "no code",
                   "the folder has no code of the op, and the op is modelled");
      case CodeUse::kUsed: return;  // its seconds are the user's
    }
  }

  void add(const OpPrediction& op, DiagnosticCode code, Severity severity, std::string_view cause,
           const std::string& what) {
    diagnosis_.add({.code = code,
                    .severity = severity,
                    .message = absl::StrCat(counts_, "; ", what),
                    .cause = std::string(cause),
                    .op = op.name,
                    .parts = {{TimePart::Kind::kWork, op.id, {}}}});
  }

  void add_doubts() {
    if (!code_.doubt.empty()) {
      diagnosis_.add({.code = DiagnosticCode::kCodeMismatch,
                      .severity = Severity::kWarning,
                      .message = absl::StrCat("the code in ", code_.folder, " may be of another TPU: ", code_.doubt),
                      .cause = "another TPU"});
    }
    std::size_t unchecked = 0;
    for (const auto& [name, op] : code_.ops) {
      if (!op.identity) ++unchecked;
    }
    if (unchecked == 0) return;
    diagnosis_.add(
        {.code = DiagnosticCode::kCodeMismatch,
         .severity = Severity::kWarning,
         .message = absl::StrCat("the folder ", code_.folder, " lacks the program of its code (*-TLP-hlo.txt): that ",
                                 unchecked, " ops have their own code follows from their names alone"),
         .cause = "no program"});
  }

  const ProgramCode& code_;
  Diagnosis& diagnosis_;
  std::size_t all_ = 0;
  std::size_t priced_ = 0;
  std::string counts_;
};

}  // namespace

void diagnose_code(Diagnosis& diagnosis) {
  if (diagnosis.facts.code != nullptr) CodeDiagnoser(*diagnosis.facts.code, diagnosis).run();
}

}  // namespace hloroof::internal::inline diagnose
