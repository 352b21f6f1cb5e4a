// How much VMEM the compiler of TPUs lets an op use for what it does not show: --xla_tpu_scoped_vmem_limit_kib, or the
// vmem_limit_bytes of a Pallas kernel. libtpu writes it into backend_config as `scoped_memory_configs`.
#ifndef HLOROOF_LIB_VALUES_SCOPED_MEMORY_H_
#define HLOROOF_LIB_VALUES_SCOPED_MEMORY_H_

#include <cstdint>
#include <optional>

#include "hloroof/module.h"

namespace hloroof::internal::inline values {

// Bytes of VMEM that the config of `instruction` allows it; nullopt if it states none, or zero.
std::optional<std::int64_t> scoped_vmem_limit(InstructionView instruction);

// Bytes of VMEM that the program allows every op that has no limit of its own; nullopt if its text does not say.
//
// libtpu states it on the ops of programs for TPU7x and of some programs for v5p and v6e; in others it stands nowhere.
// Some ops have zero or a part of the limit, so that the largest is taken. Custom calls are left out, as are calls and
// asynchronous ops, which may carry the limit of a kernel.
std::optional<std::int64_t> scoped_vmem_limit(const Module& module);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_SCOPED_MEMORY_H_
