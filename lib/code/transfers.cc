#include "lib/code/transfers.h"

#include <algorithm>

namespace hloroof::internal::inline code {

void TransferPipe::start(const CodeTransfer& transfer, double bytes, std::uint32_t flag, std::uint32_t granules,
                         double now) {
  ++totals_.transfers;
  const bool reads = transfer.from == CodeMemory::kHbm;
  const bool writes = transfer.to == CodeMemory::kHbm;
  const bool is_unknown = transfer.from == CodeMemory::kUnknown;
  double done = now;
  if (reads || writes || is_unknown) {
    const double rate = is_unknown || (reads && writes) ? core_.hbm_rate : reads ? core_.read_rate : core_.write_rate;
    if (now > pipe_) {
      pipe_ = now;
      read_alone_ = written_alone_ = 0;
    }
    pipe_ += bytes / rate;
    if (reads != writes) pipe_ += turn(reads ? bytes : 0, writes ? bytes : 0);
    done = pipe_ + core_.latency;
    if (is_unknown) {
      totals_.bytes_either += bytes;
    } else {
      if (reads) totals_.bytes_read += bytes;
      if (writes) totals_.bytes_written += bytes;
    }
  } else {
    done = now + bytes / core_.vmem_rate;
  }
  end_ = std::max(end_, done);
  std::vector<Pending>& pending = flag_at(flag, now).pending;
  const auto place = std::upper_bound(pending.begin(), pending.end(), done,
                                      [](double at, const Pending& other) { return at < other.done; });
  pending.insert(place, Pending{done, granules});
  ++pending_;
}

double TransferPipe::turn(double read, double written) {
  read_alone_ += read;
  written_alone_ += written;
  const double turned = std::min(read_alone_, written_alone_);
  read_alone_ -= turned;
  written_alone_ -= turned;
  totals_.bytes_turned += turned;
  return turned * core_.turn;
}

TransferPipe::Flag& TransferPipe::flag_at(std::uint32_t flag, double now) {
  Flag& found = flags_[flag];
  std::size_t done = 0;
  for (; done < found.pending.size() && found.pending[done].done <= now; ++done) {
    found.value += found.pending[done].granules;
  }
  found.pending.erase(found.pending.begin(), found.pending.begin() + static_cast<std::ptrdiff_t>(done));
  pending_ -= done;
  return found;
}

void TransferPipe::set_flag(std::uint32_t flag, std::uint32_t value, double now) { flag_at(flag, now).value = value; }

void TransferPipe::add_to_flag(std::uint32_t flag, std::uint32_t value, double now) {
  flag_at(flag, now).value += value;
}

std::optional<double> TransferPipe::wait(std::uint32_t flag, std::uint32_t value, double now) {
  Flag& found = flag_at(flag, now);
  const double begin = now;
  std::size_t taken = 0;
  while (found.value < value && taken < found.pending.size()) {
    now = std::max(now, found.pending[taken].done);
    found.value += found.pending[taken].granules;
    ++taken;
  }
  found.pending.erase(found.pending.begin(), found.pending.begin() + static_cast<std::ptrdiff_t>(taken));
  pending_ -= taken;
  if (found.value < value) return std::nullopt;
  if (now > begin) ++totals_.waits;
  return now;
}

}  // namespace hloroof::internal::inline code
