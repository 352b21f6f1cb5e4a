// Diagnostics: limitations of a prediction and advice for the reader who acts on it.
#ifndef HLOROOF_LIB_DIAGNOSE_DIAGNOSTICS_H_
#define HLOROOF_LIB_DIAGNOSE_DIAGNOSTICS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/diagnose/causes.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline diagnose {

// Minimum share of the step or of the capacity. Causes below it are noise.
inline constexpr double kWorthOfStep = 0.01;
inline constexpr double kWorthOfMemory = 0.01;

// Every code with its meaning and the suggested action, in the order of precedence.
struct DiagnosisKind {
  DiagnosticCode code;
  std::string_view name;  // "unknown-trip-count"
  std::string_view meaning;
  std::string_view remedy;  // may be empty
};
absl::Span<const DiagnosisKind> diagnosis_kinds();

// What the checks read, and the findings that they add.
class Diagnosis {
 public:
  Diagnosis(const StepFacts& facts, const StepPrediction& prediction);

  const StepFacts& facts;
  const Module& module;
  const StepPrediction& prediction;
  std::vector<Finding> findings;
  // The copies that are findings about a loop, by InstructionId. No other check reports them.
  std::set<std::uint32_t> loop_copies;
  // The products in f32 whose operands hold narrower values, by InstructionId. That is more than that they are in f32.
  std::set<std::uint32_t> needless_f32;

  // Returns the prediction of an instruction; nullptr if it is not executed on its own.
  const OpPrediction* op(InstructionId id) const { return ops_[id.index]; }
  // Returns the users of `id`. Builds the table on first use, because few predictions have a finding that needs it.
  absl::Span<const InstructionId> users_of(InstructionId id);
  // Whether an op takes so much of the step that its repetitions in other layers can make it matter.
  bool may_matter(double seconds) const;
  // Names where in the program the op is, for causes: its op_name as a path with * for the numbers of layers, or else
  // its shape; the opcode if that is a tuple.
  std::string place(const OpPrediction& op) const;
  std::string place(InstructionView instruction) const;

  void add(Finding finding) { findings.push_back(std::move(finding)); }
  // Adds a finding about the work of one op, of which a remedy saves up to `most_seconds`.
  void add_work(DiagnosticCode code, const OpPrediction& op, double most_seconds, std::string message,
                Severity severity = Severity::kWarning);

 private:
  std::string shape_text(InstructionView instruction) const;

  std::vector<const OpPrediction*> ops_;  // by InstructionId
  std::optional<Users> users_;
};

// Adds findings about the origin of the module: its backend, its generation and its stage.
void diagnose_origin(Diagnosis& diagnosis);

// Whether a finding says that the module is not one that the device would run. Such a finding precedes all results.
bool is_about_origin(DiagnosticCode code);
// Whether the view summary reads findings of the code.
bool is_read_by_summary(DiagnosticCode code);
inline bool is_about_origin(const Diagnostic& diagnostic) { return is_about_origin(diagnostic.code); }

// Adds findings about what the text has, lacks or contradicts: unknown opcodes, a missing ENTRY, operands that do not
// fit together.
void diagnose_text(Diagnosis& diagnosis);

// Adds findings about products in f32 whose operands hold narrower values. Precedes the other checks of products.
void diagnose_precision(Diagnosis& diagnosis);

// Adds findings about single ops.
void diagnose_ops(Diagnosis& diagnosis);

// Adds findings about Pallas kernels, and about what is made for kernels alone.
void diagnose_kernels(Diagnosis& diagnosis);

// Adds findings about arrays that a loop carries and only moves. Precedes the other checks of copies.
void diagnose_loop_copies(Diagnosis& diagnosis);

// Adds findings about updates of a part of a buffer that rewrite all of it.
void diagnose_copies(Diagnosis& diagnosis);

// Adds findings about collectives: those that the step waits for, and those whose result is not needed as it is.
void diagnose_communication(Diagnosis& diagnosis);

// Adds findings about arguments that are not donated, or whose donation has no effect.
void diagnose_donations(Diagnosis& diagnosis);

// Adds findings about numbers of the text that cannot be right, and about an unknown number of devices.
void diagnose_numbers(Diagnosis& diagnosis);

// Adds a finding for each number that the device file lacks and the time of some op needs.
void diagnose_device_numbers(Diagnosis& diagnosis);

// Adds findings about PredictOptions::code: ops that it does not price, and code that may not be of this program.
void diagnose_code(Diagnosis& diagnosis);

// Adds a finding if a program spans nodes of GPUs whose network the target does not name.
void diagnose_network(Diagnosis& diagnosis);

// Adds a finding if a GPU would be used better than in any published step.
void diagnose_utilization(Diagnosis& diagnosis);

// Appends all findings to prediction.diagnostics, grouped by cause (causes.h) and ordered by severity and then by cost,
// highest first. Findings about the origin come before all others. All other members of the prediction must be filled
// in.
void add_diagnostics(const StepFacts& facts, bool memory_complete, StepPrediction& prediction);

// Appends only the findings that the view summary reads (is_read_by_summary()), each as add_diagnostics() has it.
void add_diagnostics_of_summary(const StepFacts& facts, StepPrediction& prediction);

// Appends only the findings about the origin. Reads only prediction.origin.
void diagnose_origin_alone(const StepFacts& facts, StepPrediction& prediction);

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_DIAGNOSTICS_H_
