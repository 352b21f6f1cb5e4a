#include "lib/schedule/machine.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hloroof::internal::inline schedule {

namespace {

// Lists of causes up to this length are searched from the front, which is faster than a hash.
constexpr std::size_t kFewCauses = 16;

// With more transfers in flight, they become a Crowd: looking at each of them whenever one ends would take time that
// grows with the square of their number. (A program that starts 200,000 copies of different sizes
// at once takes 4 s to read and predict, and more than 250 s with a list.)
constexpr std::size_t kMostInList = 1024;

// The kernels that run beside the transfer share the units that compute with it.
void hold_units(double load, Flight& flight) {
  for (const Resource resource : {Resource::kMatrix, Resource::kVector}) {
    const int unit = static_cast<int>(resource);
    flight.share[unit] += load;
    flight.felt &= ~(SharedUnits{1} << unit);
  }
  flight.units = used_units(flight.share);
}

}  // namespace

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
    const double seconds = std::min(demand.seconds, kForever);
    double moving = 0;
    for (int r = 0; r < kFirstSparseCore; ++r) {
      if (r != static_cast<int>(Resource::kLatency)) moving = std::max(moving, std::min(demand.busy[r], seconds));
    }
    SharedSeconds share = shares(moving, demand.busy);
    for (int r = kFirstSparseCore; r < kSharedCount; ++r) share[r] = std::min(1.0, demand.busy[r] / seconds);
    Flight flight = {id, demand.lane, seconds, moving, share, now(), used_units(share)};
    if (demand.held_units > 0) hold_units(demand.held_units, flight);
    add(flight);
  }
  return stalled;
}

void Machine::adopt(const Flight& flight) { add(flight); }

void Machine::add(const Flight& flight) {
  if (crowd_.size() > 0) {
    crowd_.add(flight);
  } else {
    flights_.push_back(flight);
  }
  ++flying_[flight.start.index];
}

void Machine::finish(const Flight& flight) {
  finished_.push_back({flight.start, flight.lane, flight.begin, now()});
  const auto flying = flying_.find(flight.start.index);
  if (--flying->second == 0) flying_.erase(flying);
}

bool Machine::is_crowded() {
  if (flights_.size() > kMostInList) {
    for (const Flight& flight : flights_) crowd_.add(flight);
    flights_.clear();
  } else if (crowd_.size() > 0 && crowd_.size() < kMostInList / 2) {
    flights_ = crowd_.take();
  }
  return crowd_.size() > 0;
}

const std::vector<Flight>& Machine::in_flight() {
  if (crowd_.size() > 0) flights_ = crowd_.take();
  return flights_;
}

void Machine::charge(InstructionId cause, double seconds) {
  if (causes_.size() <= kFewCauses) {
    for (WaitPart& part : causes_) {
      if (part.cause == cause) {
        part.seconds += seconds;
        return;
      }
    }
    causes_.push_back({cause, seconds});
    return;
  }
  if (cause_at_.empty()) {
    for (std::size_t i = 0; i < causes_.size(); ++i) cause_at_[causes_[i].cause.index] = i;
  }
  const auto [at, is_new] = cause_at_.try_emplace(cause.index, causes_.size());
  if (is_new) {
    causes_.push_back({cause, seconds});
  } else {
    causes_[at->second].seconds += seconds;
  }
}

void Machine::clear_causes() {
  causes_.clear();
  if (!cause_at_.empty()) cause_at_ = {};  // clear() would keep and zero the buckets of the longest list
}

// Charges `seconds` of waiting for `awaited`. It causes the time that it would take alone. The rest is queueing: it is
// charged to the transfers that share a crowded resource with it, directly or through others, in proportion to their
// speeds. No transfer is thus charged with more time than it progresses: the transfers on the most crowded resource
// together progress by at least `seconds`.
void Machine::charge_wait(InstructionId awaited, const SharedSeconds& load, double seconds) {
  if (!finds_causes_) return;
  const std::size_t count = flights_.size();
  std::size_t own = 0;
  while (flights_[own].start != awaited) ++own;
  if (speeds_[own] == 1) return charge(awaited, seconds);  // nothing slows it down
  std::vector<bool> shares(count, false);
  std::vector<std::size_t> open = {own};
  std::array<bool, kSharedCount> spread = {};  // whether all flights on this resource are in `shares`
  shares[own] = true;
  double others = 0;
  while (!open.empty()) {
    const Flight& flight = flights_[open.back()];
    open.pop_back();
    for_each_unit(flight.felt_now(), [&](int r) {
      if (load[r] <= 1 || spread[r]) return;
      spread[r] = true;
      for (std::size_t i = 0; i < count; ++i) {
        if (shares[i] || (flights_[i].felt_now() >> r & 1) == 0) continue;
        shares[i] = true;
        others += speeds_[i];
        open.push_back(i);
      }
    });
  }
  charge(awaited, others > 0 ? seconds * speeds_[own] : seconds);
  if (others <= 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == own || !shares[i]) continue;
    charge(flights_[i].start, seconds * (1 - speeds_[own]) * speeds_[i] / others);
  }
}

void Machine::advance(double* remaining, const SharedSeconds* share, InstructionId awaited, double left) {
  const bool in_crowd = is_crowded();
  SharedSeconds load = {};
  if (share != nullptr) load = *share;
  if (in_crowd) {
    const SharedSeconds of_crowd = crowd_.load();
    for (int r = 0; r < kSharedCount; ++r) load[r] += of_crowd[r];
  }
  for (const Flight& flight : flights_) {
    for_each_unit(flight.units_now(), [&](int r) { load[r] += flight.share[r]; });
  }

  double step = std::numeric_limits<double>::infinity();
  const double own_speed = share != nullptr ? 1 / crowd_on(used_units(*share), load) : 0;
  if (in_crowd) return advance_crowd(remaining, own_speed, load, awaited, left);
  if (share != nullptr) step = *remaining / own_speed;
  speeds_.resize(flights_.size());
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    const Flight& flight = flights_[i];
    speeds_[i] = 1 / crowd_on(flight.felt_now(), load);
    double phase = flight.is_moving() ? flight.remaining : flight.remaining - flight.moving;
    if (flight.start == awaited && flight.remaining > left) phase = std::min(phase, flight.remaining - left);
    step = std::min(step, phase / speeds_[i]);
  }

  now_ += step;
  if (awaited.valid()) charge_wait(awaited, load, step);
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
    const bool was_moving = flight.is_moving();
    flight.remaining -= step * speeds_[i];
    if (!was_moving && flight.remaining <= flight.moving + crumb) flight.remaining = flight.moving;
    if (flight.remaining <= crumb) {
      finish(flight);
    } else {
      if (kept != i) flights_[kept] = flight;
      ++kept;
    }
  }
  flights_.resize(kept);
}

void Machine::advance_crowd(double* remaining, double own_speed, const SharedSeconds& load, InstructionId awaited,
                            double left) {
  double step = crowd_.next_event(load, awaited, left);
  if (remaining != nullptr) step = std::min(step, *remaining / own_speed);
  now_ += step;
  if (awaited.valid()) charge(awaited, step);
  if (remaining != nullptr) {
    *remaining -= step * own_speed;
    if (*remaining <= 1e-9 * step) *remaining = 0;
  }
  std::vector<Flight> ended;
  crowd_.advance(load, step, ended);
  for (const Flight& flight : ended) finish(flight);
}

double Machine::run(double seconds, const SharedSeconds& busy) {
  if (seconds <= 0) return 0;
  const double began = now_;
  seconds = std::min(seconds, kForever);
  if (size() == 0) {
    now_ += seconds;
    return now_ - began;
  }
  const SharedSeconds share = shares(seconds, busy);
  double remaining = seconds;
  while (remaining > 0) {
    if (size() == 0) {
      now_ += remaining;
      break;
    }
    advance(&remaining, &share);
  }
  return now_ - began;
}

double Machine::wait(InstructionId start, double left) {
  const double began = now_;
  clear_causes();
  if (left <= 0) {
    while (flying_.count(start.index) != 0) advance(nullptr, nullptr, start);
    return now_ - began;
  }
  const auto has_more = [&](const Flight& flight) {
    return flight.start == start && flight.remaining > left * (1 + 1e-9);
  };
  while (std::any_of(flights_.begin(), flights_.end(), has_more) || crowd_.has_more(start, left)) {
    advance(nullptr, nullptr, start, left);
  }
  return now_ - began;
}

double Machine::drain() {
  const double began = now_;
  clear_causes();
  double waited = 0;  // since the last end in a crowd
  while (size() > 0) {
    if (is_crowded()) {
      const double before = now_;
      const std::size_t ended = finished_.size();
      advance(nullptr, nullptr);
      waited += now_ - before;
      if (finished_.size() == ended) continue;
      charge(finished_.back().start, waited);
      waited = 0;
      continue;
    }
    const auto longest = std::max_element(flights_.begin(), flights_.end(),
                                          [](const Flight& a, const Flight& b) { return a.remaining < b.remaining; });
    if (waited > 0) charge(longest->start, waited);
    waited = 0;
    advance(nullptr, nullptr, longest->start);
  }
  return now_ - began;
}

std::vector<FinishedFlight> Machine::take_finished() {
  std::vector<FinishedFlight> finished;
  finished.swap(finished_);
  return finished;
}

}  // namespace hloroof::internal::inline schedule
