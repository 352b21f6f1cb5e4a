// Fields that records about a whole step have in common, described once. A record that has them provides an overload
// of step_of(), which returns its prediction.
#ifndef HLOROOF_LIB_RESULTS_STEP_FIELDS_H_
#define HLOROOF_LIB_RESULTS_STEP_FIELDS_H_

#include "hloroof/predict.h"
#include "lib/describe/record.h"

namespace hloroof::internal::inline results {

// Returns a member of the prediction of a record.
template <auto kMember>
struct StepMember {
  template <typename Record>
  const auto& operator()(const Record& record) const {
    return step_of(record).*kMember;
  }
};

// Where the step runs.
inline constexpr auto kPlaceFields =
    fields(field("device", "Name of the device.", StepMember<&StepPrediction::device>()),
           field("topology", "Topology of one slice.", StepMember<&StepPrediction::topology>()),
           field("slices", Unit::kCount, "Number of slices.", StepMember<&StepPrediction::slices>()).at_least(1));

inline constexpr auto kStepSecondsField =
    field("step_seconds", Unit::kSeconds, "Predicted step time.", StepMember<&StepPrediction::step_seconds>());

inline constexpr auto kExposedField =
    field("exposed_communication_seconds", Unit::kSeconds, "Time during which the step waits for communication.",
          StepMember<&StepPrediction::exposed_communication_seconds>());

inline constexpr auto kHbmPeakField = field("hbm_peak_bytes", Unit::kBytes, "Peak of HBM.",
                                            [](const auto& record) { return step_of(record).memory.hbm_peak_bytes; });

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_STEP_FIELDS_H_
