// How much VMEM the compiler of TPUs lets an op use for what it does not show: --xla_tpu_scoped_vmem_limit_kib, or the
// vmem_limit_bytes of a Pallas kernel. libtpu writes it into backend_config as `scoped_memory_configs`.
#ifndef HLOROOF_LIB_VALUES_SCOPED_MEMORY_H_
#define HLOROOF_LIB_VALUES_SCOPED_MEMORY_H_

#include <cstdint>
#include <optional>

#include "hloroof/module.h"

namespace hloroof::internal::inline values {

// Bytes of VMEM that the compiler gave an op for what it does not show: `used_scoped_memory_configs`; 0 if nothing
// says.
std::int64_t used_scoped_vmem(InstructionView op);

// The limits of the kernels of one program. What the text says of the program is looked for once, if a kernel needs it.
class ScopedVmemLimits {
 public:
  // `given_kib` is PredictOptions::scoped_vmem_limit_kib.
  ScopedVmemLimits(const Module& module, std::optional<std::int64_t> given_kib)
      : module_(&module), given_kib_(given_kib) {}

  // Bytes of VMEM that `kernel` may use: what its config allows it, otherwise what the text allows every op, otherwise
  // what was given, otherwise what a file beside the dump says; nullopt if nothing does.
  std::optional<std::int64_t> of(InstructionView kernel);

 private:
  const Module* module_;
  std::optional<std::int64_t> given_kib_;
  std::optional<std::int64_t> of_program_;
  bool is_read_ = false;
};

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_SCOPED_MEMORY_H_
