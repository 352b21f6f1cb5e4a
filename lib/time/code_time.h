// The time of an operation whose final code is known: what is modelled otherwise is read from it.
#ifndef HLOROOF_LIB_TIME_CODE_TIME_H_
#define HLOROOF_LIB_TIME_CODE_TIME_H_

#include <optional>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/time/terms.h"

namespace hloroof::internal::inline time {

// Cycles of one run on the core that takes longest, at the clock of the device.
struct CodeCycles {
  double busy = 0;                // bundles that run: a core runs them in order, one a cycle
  std::optional<double> waiting;  // while the core waits for transfers, at the end as well; nullopt: not known
  double hbm = 0;                 // of the transfers from and to HBM, which run beside the bundles; 0 if not known
  bool is_kernel = false;         // a Pallas kernel, whose author starts its transfers
};

// Replaces the time of the model in `time`, which op_time() made of `work`. The bundles are the time of the unit that
// the work keeps busy for longest, and the transfers are that of HBM. An operation of the compiler runs its bundles and
// waits. The bundles of a kernel join its transfers as compute and memory do, and so do those of any operation whose
// waits are not known, with the HBM time of the model.
void time_by_code(const Work& work, const CodeCycles& code, const Device& device, OpTime& time);

// The same as a tree of terms, whose seconds are those to the last bit. `model` is what op_time() returns.
Term code_terms(const CodeCycles& code, const Device& device, const OpTime& model);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_CODE_TIME_H_
