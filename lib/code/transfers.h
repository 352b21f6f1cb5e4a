// The transfers of one core and the flags that tell when they are done.
#ifndef HLOROOF_LIB_CODE_TRANSFERS_H_
#define HLOROOF_LIB_CODE_TRANSFERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/code/program.h"

namespace hloroof::internal::inline code {

// What a core's code takes, from the numbers of a device. Rates are in bytes a cycle, latencies in cycles.
struct CodeCore {
  double clock = 0;  // Hz
  std::int64_t delay_slots = 0;
  double granule_bytes = 0;
  double hbm_rate = 0;  // of transfers whose direction the code does not say
  double read_rate = 0;
  double write_rate = 0;
  double turn = 0;         // cycles that HBM loses for a byte that is read and one that is written beside it
  double vmem_rate = 0;    // between on-chip memories
  double latency = 0;      // of transfers from and to HBM, in addition to their bytes
  std::int64_t cores = 1;  // that run a program of the device together

  friend bool operator==(const CodeCore&, const CodeCore&) = default;
};

struct TransferTotals {
  double bytes_read = 0;     // from HBM
  double bytes_written = 0;  // to HBM
  double bytes_either = 0;   // from or to HBM: the code does not say which
  double bytes_turned = 0;   // read beside as many that are written
  std::int64_t transfers = 0;
  std::int64_t waits = 0;  // that stopped the core
};

// Transfers from and to HBM share one pipe, in the order in which they start. While it is busy, HBM turns between what
// is read and what is written (hbm_seconds in lib/time/op_time.cc). Others move at once. A flag counts the granules of
// finished transfers.
class TransferPipe {
 public:
  explicit TransferPipe(const CodeCore& core) : core_(core) {}

  // Starts a transfer in cycle `now`.
  void start(const CodeTransfer& transfer, double bytes, std::uint32_t flag, std::uint32_t granules, double now);

  void set_flag(std::uint32_t flag, std::uint32_t value, double now);
  void add_to_flag(std::uint32_t flag, std::uint32_t value, double now);

  // The cycle, `now` or later, in which `flag` has at least `value`. Nullopt if no transfer that was started brings
  // that about.
  std::optional<double> wait(std::uint32_t flag, std::uint32_t value, double now);

  // The cycle in which the last transfer is done.
  double end() const { return end_; }
  const TransferTotals& totals() const { return totals_; }
  // Flags, and transfers that are not known to be done: what takes memory.
  std::size_t kept() const { return flags_.size() + pending_; }

 private:
  struct Pending {
    double done = 0;
    std::uint32_t granules = 0;
  };
  struct Flag {
    std::uint32_t value = 0;
    std::vector<Pending> pending;  // in the order in which they are done
  };
  // The cycles of HBM's turns for a transfer, whose bytes either have the other direction beside them or wait for it.
  double turn(double read, double written);
  // The flag, with what is done in cycle `now`.
  Flag& flag_at(std::uint32_t flag, double now);

  const CodeCore& core_;
  TransferTotals totals_;
  double pipe_ = 0;  // the cycle in which the pipe is free
  // Bytes since the pipe was idle that had none of the other direction beside them.
  double read_alone_ = 0;
  double written_alone_ = 0;
  double end_ = 0;
  std::size_t pending_ = 0;  // of all flags
  absl::flat_hash_map<std::uint32_t, Flag> flags_;
};

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_TRANSFERS_H_
