// Recognizes the same program in two texts of it.
#ifndef HLOROOF_LIB_VERSIONS_PROGRAM_HASH_H_
#define HLOROOF_LIB_VERSIONS_PROGRAM_HASH_H_

#include <cstdint>

#include "hloroof/module.h"

namespace hloroof::internal::inline versions {

// A hash of what the entry computation runs: opcodes, shapes with layouts, attributes and backend configurations, and
// the order of instructions if the module is scheduled. It does not depend on names and numbers of instructions,
// computations and channels, on the order in which an unscheduled module lists its instructions, on the order of the
// operands of an add and the like, on metadata and hints to the compiler, or on whether get-tuple-elements are written
// out.
std::uint64_t program_hash(const Module& module);

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_PROGRAM_HASH_H_
