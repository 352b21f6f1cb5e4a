// What an author can change about a Pallas kernel: the order of its grid, its blocks, the shapes of its products.
#ifndef HLOROOF_LIB_DIAGNOSE_KERNEL_FINDINGS_H_
#define HLOROOF_LIB_DIAGNOSE_KERNEL_FINDINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/time/kernel_time.h"

namespace hloroof::internal::inline diagnose {

struct KernelFinding {
  DiagnosticCode code = DiagnosticCode::kKernelRefetch;
  double seconds = 0;  // that a remedy saves at most, of one run of the kernel
  std::string message;
  Severity severity = Severity::kWarning;  // kInfo if nothing can be done
};

// `terms` are those of `run` on `device`, a TPU; `limit`, the bytes of VMEM that the compiler allows it, if known. A
// kernel has at most one finding about the room for larger blocks.
std::vector<KernelFinding> kernel_findings(const KernelRun& run, const KernelTime<double>& terms, const Device& device,
                                           std::optional<double> limit);

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_KERNEL_FINDINGS_H_
