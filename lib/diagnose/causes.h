// Findings grouped by cause, and the division of the step's time among the causes.
//
// A check adds one finding for each op. Findings of one code with the same cause become one Diagnostic: 40 waits for
// all-gathers over one axis are one entry with 40 ops. Each finding names the parts of the step that a remedy could
// save. Several findings can name the same part: an all-gather can be waited for, be cut again, and belong to
// links that are busy for longer than all other ops take. The part then counts for the code that comes first in
// diagnostic.def, and within a code for the larger cause. So the seconds of all diagnostics never add up to more than
// the step.
//
// Where transfers run beside the ops, a sum of times promises too much: a copy that is gone may have hidden one. Each
// warning is therefore replayed as its advice would have it (what_if.h), and no more is promised than that saves.
//
// What is left to a cause also decides how severe it is: advice about little time is no warning. Doubts about the
// prediction and findings about memory keep their severity, however little time they concern.
#ifndef HLOROOF_LIB_DIAGNOSE_CAUSES_H_
#define HLOROOF_LIB_DIAGNOSE_CAUSES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hloroof/predict.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline diagnose {

// Advice about less than this share of the step is for information: following it hardly changes the step.
inline constexpr double kWorthOfWarning = 0.05;

// A part of the step.
struct TimePart {
  enum class Kind : std::uint8_t {
    kWork,      // `op` runs, without waits
    kWaitsIn,   // `op` waits, for any transfer
    kWaitsFor,  // `op` waits for `transfer`, also for transfers that it queues behind
    kWaitsBy,   // any op waits, and the transfer `op` is the cause
  };
  Kind kind = Kind::kWork;
  InstructionId op;
  InstructionId transfer;
};

struct Finding {
  DiagnosticCode code = DiagnosticCode::kUnknownOpcode;
  Severity severity = Severity::kWarning;
  std::string message{};
  // What findings of one cause share. It must not contain names of instructions, because those change with every
  // compilation.
  std::string cause{};
  std::string op{};                                               // name of the instruction; empty for the whole module
  std::vector<TimePart> parts{};                                  // empty if the finding is not about time
  double most_seconds = std::numeric_limits<double>::infinity();  // of the parts
  // Share of the step below which a cause is noise. Causes of findings without parts are always reported.
  double least_share = 0;
  std::optional<double> bytes{};  // of memory that a remedy could save
};

// The time of the step that no finding has taken yet.
class StepLedger {
 public:
  explicit StepLedger(const StepFacts& facts);

  double available(const TimePart& part) const;
  // Takes up to `most` seconds and returns how many.
  double take(const TimePart& part, double most);

 private:
  // Calls visit(seconds) with a reference to each remaining amount that belongs to the part.
  template <typename Ledger, typename Visit>
  static void for_each_amount(Ledger& ledger, const TimePart& part, Visit visit);

  const StepFacts& facts_;
  std::vector<double> work_;                                                // by InstructionId
  std::vector<double> waits_;                                               // by index in Timeline::waits
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waits_by_;  // by InstructionId of the cause
};

// Appends one diagnostic for each cause, in the order of the codes; only of the codes for which is_read() holds. The
// causes of others take their seconds all the same. `prediction` must have its ops.
void group_by_cause(const StepFacts& facts, const std::vector<Finding>& findings, bool (*is_read)(DiagnosticCode),
                    StepPrediction& prediction);

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_CAUSES_H_
