// Reads arbitrary bytes as the body of a GPU kernel, and as PTX. Counts must be finite and not negative.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/kernel/gpu/gpu_mosaic.h"
#include "lib/kernel/gpu/gpu_ptx.h"
#include "lib/kernel/gpu/gpu_triton.h"

namespace {

using namespace hloroof::internal;  // NOLINT(google-build-using-namespace)

void check(double count) {
  if (!(count >= 0)) std::abort();
}

void check(const absl::StatusOr<GpuKernelWork>& work) {
  if (!work.ok()) {
    if (work.status().message().empty()) std::abort();
    return;
  }
  check(work->programs);
  check(work->loaded_bytes);
  check(work->stored_bytes);
  for (const GpuDotWork& dot : work->dots) check(dot.flops());
  for (const GpuElementwise& e : work->elementwise) check(e.elements);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const PtxInstruction& instruction : read_ptx(bytes)) check(instruction.elements);
  const absl::StatusOr<mlir::Module> kernel = mlir::read_module(bytes);
  if (!kernel.ok()) return 0;
  TritonLaunch launch;
  launch.grid = {3, 5, 2};
  check(triton_work(*kernel, launch));
  check(mosaic_gpu_work(*kernel));
  return 0;
}
