#include "lib/schedule/machine.h"

#include <algorithm>
#include <limits>

namespace hloroof::internal {

SharedSeconds Machine::shares(double seconds, const SharedSeconds& busy) {
  SharedSeconds share = {};
  if (seconds <= 0) return share;
  for (int r = 0; r < kSharedCount; ++r) share[r] = std::min(1.0, busy[r] / seconds);
  share[static_cast<int>(Resource::kLatency)] = 0;  // latency is not a shared resource
  return share;
}

double Machine::start(InstructionId id, const Demand& demand) {
  const double stalled = wait(id);
  if (demand.seconds > 0) {
    flights_.push_back(
        {id, demand.lane, std::min(demand.seconds, kForever), shares(demand.seconds, demand.busy), now_});
  }
  return stalled;
}

void Machine::adopt(const Flight& flight) { flights_.push_back(flight); }

void Machine::advance(double* remaining, const SharedSeconds* share) {
  SharedSeconds load = {};
  if (share != nullptr) load = *share;
  for (const Flight& flight : flights_) {
    for (int r = 0; r < kSharedCount; ++r) load[r] += flight.share[r];
  }
  const auto speed = [&load](const SharedSeconds& asked) {
    double crowd = 1;
    for (int r = 0; r < kSharedCount; ++r) {
      if (asked[r] > 0) crowd = std::max(crowd, load[r]);
    }
    return 1 / crowd;
  };

  double step = std::numeric_limits<double>::infinity();
  const double own_speed = share != nullptr ? speed(*share) : 0;
  if (share != nullptr) step = *remaining / own_speed;
  speeds_.resize(flights_.size());
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    speeds_[i] = speed(flights_[i].share);
    step = std::min(step, flights_[i].remaining / speeds_[i]);
  }

  now_ += step;
  // An activity that would end within a billionth of the step ends now. Otherwise rounding errors would leave
  // remainders that cost another iteration.
  const double crumb = 1e-9 * step;
  if (share != nullptr) {
    *remaining -= step * own_speed;
    if (*remaining <= crumb) *remaining = 0;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    Flight& flight = flights_[i];
    flight.remaining -= step * speeds_[i];
    if (flight.remaining <= crumb) {
      finished_.push_back({flight.start, flight.lane, flight.begin, now_});
    } else {
      if (kept != i) flights_[kept] = flight;
      ++kept;
    }
  }
  flights_.resize(kept);
}

double Machine::run(double seconds, const SharedSeconds& busy) {
  if (seconds <= 0) return 0;
  const double began = now_;
  seconds = std::min(seconds, kForever);
  if (flights_.empty()) {
    now_ += seconds;
    return now_ - began;
  }
  const SharedSeconds share = shares(seconds, busy);
  double remaining = seconds;
  while (remaining > 0) {
    if (flights_.empty()) {
      now_ += remaining;
      break;
    }
    advance(&remaining, &share);
  }
  return now_ - began;
}

double Machine::wait(InstructionId start) {
  const double began = now_;
  const auto under_way = [&] {
    return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& f) { return f.start == start; });
  };
  while (under_way()) advance(nullptr, nullptr);
  return now_ - began;
}

double Machine::drain() {
  const double began = now_;
  while (!flights_.empty()) advance(nullptr, nullptr);
  return now_ - began;
}

std::vector<FinishedFlight> Machine::take_finished() {
  std::vector<FinishedFlight> finished;
  finished.swap(finished_);
  return finished;
}

}  // namespace hloroof::internal
