// Follows the scalar code of a program: which bundles run how often, and what the core waits for.
#ifndef HLOROOF_LIB_CODE_EXECUTOR_H_
#define HLOROOF_LIB_CODE_EXECUTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "lib/code/program.h"
#include "lib/code/transfers.h"

namespace hloroof::internal::inline code {

// The numbers of one core of `device`. Errors: InvalidArgument if it is no TPU or does not state the numbers that
// only code has.
absl::StatusOr<CodeCore> code_core(const Device& device);

struct CodeRun {
  // Why the bundles that run are not known, as a sentence; empty if they are. The numbers below are then those up to
  // there, and no result.
  std::string failure;
  // Why the transfers and waits are not known; empty if they are. The bundles are known all the same.
  std::string transfer_failure;

  std::vector<std::int64_t> runs;  // of each bundle
  double busy = 0;                 // cycles: bundles that ran
  double waiting = 0;              // cycles in which the core waits for transfers
  double draining = 0;             // cycles after the last bundle until the last transfer is done
  TransferTotals totals;
  bool loads_core_id = false;  // cores may run different bundles
};

// At most this many bundles with scalar instructions run; a loop that takes more is a failure.
inline constexpr std::int64_t kMostBundles = 8'000'000;

// Runs `program` on core number `core_id`. Its arguments, and words of SMEM that it does not write itself, are unknown;
// what depends on them is no failure unless a branch or a transfer does. `text` and messages as for read_bundles().
CodeRun run_code(const CodeProgram& program, const CodeCore& core, std::uint32_t core_id, std::string_view text,
                 std::int64_t most_bundles = kMostBundles);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_EXECUTOR_H_
