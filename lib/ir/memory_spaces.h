// The numbers of the memory spaces, S(n) of a layout, as XLA's TPU and GPU compilers print them.
#ifndef HLOROOF_LIB_IR_MEMORY_SPACES_H_
#define HLOROOF_LIB_IR_MEMORY_SPACES_H_

#include <cstdint>

namespace hloroof::internal::inline ir {

inline constexpr std::int64_t kVmemSpace = 1;
inline constexpr std::int64_t kSyncSpace = 2;  // semaphores
inline constexpr std::int64_t kCmemSpace = 3;  // of v4
inline constexpr std::int64_t kHostSpace = 5;

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_MEMORY_SPACES_H_
