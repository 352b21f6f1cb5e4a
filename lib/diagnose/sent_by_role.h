// What the communication that the step waits for consists of: it decides which advice helps.
#ifndef HLOROOF_LIB_DIAGNOSE_SENT_BY_ROLE_H_
#define HLOROOF_LIB_DIAGNOSE_SENT_BY_ROLE_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline diagnose {

// Seconds of the step that nothing hides, by what the collectives send.
struct SentByRole {
  double parameters = 0;   // weights and their gradients, whose bytes do not grow with the batch
  double activations = 0;  // values of the batch, whose bytes grow with it as the work of the chip does
  double all = 0;
};

SentByRole sent_by_role(const StepPrediction& prediction);

// What the communication is mostly, if that is decided.
enum class MostlySent { kParameters, kActivations, kUndecided };
MostlySent mostly_sent(const SentByRole& seconds);
MostlySent mostly_sent(AxisRole role);

// "what it sends grows with the batch, so no batch hides it. Fewer devices ... would help".
std::string help_for_activations();

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_SENT_BY_ROLE_H_
