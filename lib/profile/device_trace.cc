#include "lib/profile/device_trace.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hloroof::internal::inline profile {
namespace {

constexpr std::size_t kNoRun = SIZE_MAX;
constexpr std::size_t kMostGaps = 1000;          // of a program
constexpr std::size_t kMostSamples = 256;        // of an op, for its median
constexpr std::size_t kScatter = 2654435761;     // a prime, which chooses among the further occurrences
constexpr std::size_t kMostTimelineOps = 20000;  // the events of a longer run are not kept

double seconds_of(std::int64_t picoseconds) { return static_cast<double>(picoseconds) * kSecondsPerPicosecond; }

bool encloses(const TracedOp& a, const TracedOp& b) { return a.line == b.line && b.end <= a.end; }

// Sets the self times. On one line an event contains those that begin and end within it.
void find_self_times(std::vector<TracedOp>& ops) {
  std::sort(ops.begin(), ops.end(), [](const TracedOp& a, const TracedOp& b) {
    return std::tuple(a.line, a.begin, -a.end) < std::tuple(b.line, b.begin, -b.end);
  });
  std::vector<TracedOp*> open;
  for (TracedOp& op : ops) {
    op.self = op.end - op.begin;
    while (!open.empty() && (open.back()->line != op.line || open.back()->end <= op.begin)) open.pop_back();
    // Events that overlap may take more time together than the one they are in. It stays at -1 then, so as not to
    // overflow.
    if (!open.empty() && encloses(*open.back(), op)) {
      open.back()->self = std::max<std::int64_t>(-1, open.back()->self - (op.end - op.begin));
    }
    open.push_back(&op);
  }
  for (TracedOp& op : ops) op.self = std::max<std::int64_t>(0, op.self);
}

std::vector<std::size_t> in_order_of_begin(const std::vector<TracedOp>& ops) {
  std::vector<std::size_t> order(ops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ops[a].begin < ops[b].begin; });
  return order;
}

// Makes runs from the keys of the ops. Ops of a program that have the same key are one run.
std::vector<std::size_t> runs_by_key(DeviceTrace& trace, const std::vector<std::size_t>& order) {
  std::map<std::pair<std::string_view, std::int64_t>, std::size_t> runs;
  std::vector<std::size_t> run_of(trace.ops.size(), kNoRun);
  for (std::size_t i : order) {
    const TracedOp& op = trace.ops[i];
    const auto [found, is_new] = runs.try_emplace({op.program, op.run}, trace.runs.size());
    if (is_new) trace.runs.push_back({op.program, op.begin, op.end});
    TracedRun& run = trace.runs[found->second];
    run.end = std::max(run.end, op.end);
    run_of[i] = found->second;
  }
  return run_of;
}

// Makes runs where the profile says nothing of them: a run of a program begins with the op that its first run begins
// with. One op may be several kernels in a row.
std::vector<std::size_t> runs_by_first_op(DeviceTrace& trace, const std::vector<std::size_t>& order) {
  struct State {
    std::string_view first;
    std::string_view previous;
    std::size_t run = kNoRun;
  };
  std::map<std::string_view, State> states;
  std::vector<std::size_t> run_of(trace.ops.size(), kNoRun);
  for (std::size_t i : order) {
    const TracedOp& op = trace.ops[i];
    if (op.program.empty()) continue;  // a copy, say, that belongs to no program
    State& state = states[op.program];
    if (state.run == kNoRun) state.first = op.name;
    if (state.run == kNoRun || (op.name == state.first && state.previous != state.first)) {
      state.run = trace.runs.size();
      trace.runs.push_back({op.program, op.begin, op.end});
    }
    state.previous = op.name;
    TracedRun& run = trace.runs[state.run];
    run.end = std::max(run.end, op.end);
    run_of[i] = state.run;
  }
  return run_of;
}

// The run that contains the middle of each op. `runs` are in order and do not overlap.
std::vector<std::size_t> runs_by_time(const std::vector<TracedRun>& runs, const std::vector<TracedOp>& ops) {
  std::vector<std::size_t> run_of(ops.size(), kNoRun);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int64_t middle = ops[i].begin + (ops[i].end - ops[i].begin) / 2;
    const auto after = std::upper_bound(runs.begin(), runs.end(), middle,
                                        [](std::int64_t at, const TracedRun& run) { return at < run.begin; });
    if (after == runs.begin() || middle > std::prev(after)->end) continue;
    run_of[i] = static_cast<std::size_t>(std::prev(after) - runs.begin());
  }
  return run_of;
}

MeasuredOp& op_named(std::string_view name, std::vector<MeasuredOp>& ops,
                     std::map<std::string, std::size_t, std::less<>>& index) {
  const auto found = index.find(name);
  if (found != index.end()) return ops[found->second];
  index.emplace(std::string(name), ops.size());
  ops.emplace_back();
  ops.back().name = std::string(name);
  return ops.back();
}

void add_times(const TracedOp& op, std::size_t device, MeasuredOp& to) {
  const double seconds = seconds_of(op.self);
  to.occurrences += 1;
  to.seconds += seconds;
  if (to.by_device.size() <= device) to.by_device.resize(device + 1);
  to.by_device[device] += seconds;
}

// Keeps an even choice of the occurrences of an op, of which `count` came before.
void add_sample(double seconds, std::size_t count, std::vector<double>& samples) {
  if (count < kMostSamples) return samples.push_back(seconds);
  const std::size_t place = (count * kScatter) % (count + 1);
  if (place < kMostSamples) samples[place] = seconds;
}

double median_of_samples(std::vector<double>& samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// The run of the median length among those of `program`.
std::size_t median_run(const std::vector<TracedRun>& runs, std::string_view program) {
  std::vector<std::size_t> own;
  own.reserve(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].program == program) own.push_back(r);
  }
  if (own.empty()) return kNoRun;
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
  std::nth_element(own.begin(), middle, own.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(runs[a].end - runs[a].begin, a) < std::pair(runs[b].end - runs[b].begin, b);
  });
  return *middle;
}

std::vector<MeasuredEvent> timeline_of(const DeviceTrace& trace, const std::vector<std::size_t>& order,
                                       const std::vector<std::size_t>& run_of, std::size_t run) {
  std::vector<MeasuredEvent> timeline;
  for (std::size_t i : order) {
    if (run_of[i] != run) continue;
    if (timeline.size() == kMostTimelineOps) return {};
    const TracedOp& op = trace.ops[i];
    timeline.push_back(
        {std::string(op.name), op.line, seconds_of(op.begin - trace.runs[run].begin), seconds_of(op.end - op.begin)});
  }
  return timeline;
}

}  // namespace

std::size_t TraceCollector::index_of(std::string_view program) {
  const auto found = by_name_.find(program);
  if (found != by_name_.end()) return found->second;
  by_name_.emplace(std::string(program), programs_.size());
  programs_.emplace_back();
  programs_.back().measured.name = std::string(program);
  return programs_.size() - 1;
}

void TraceCollector::add_runs(const DeviceTrace& trace, const std::vector<std::size_t>& order,
                              const std::vector<std::size_t>& run_of) {
  // The op of each run that ends last so far.
  struct Reached {
    std::int64_t end = 0;
    std::string_view op;
  };
  std::vector<Reached> reached(trace.runs.size());
  std::vector<std::size_t> program_of_run(trace.runs.size());
  for (std::size_t r = 0; r < trace.runs.size(); ++r) program_of_run[r] = index_of(trace.runs[r].program);
  std::vector<std::int64_t> idle(trace.runs.size());
  for (std::size_t i : order) {
    if (run_of[i] == kNoRun) continue;
    const TracedOp& op = trace.ops[i];
    Reached& last = reached[run_of[i]];
    if (last.op.empty()) {
      idle[run_of[i]] += std::max<std::int64_t>(0, op.begin - trace.runs[run_of[i]].begin);
    } else if (op.begin > last.end) {
      idle[run_of[i]] += op.begin - last.end;
      MeasuredGap& gap = programs_[program_of_run[run_of[i]]].gaps[{last.op, op.name}];
      gap.occurrences += 1;
      gap.seconds += seconds_of(op.begin - last.end);
    }
    if (last.op.empty() || op.end > last.end) last = {op.end, op.name};
  }
  std::int64_t previous_end = 0;
  for (std::size_t r = 0; r < trace.runs.size(); ++r) {
    const TracedRun& run = trace.runs[r];
    MeasuredProgram& measured = programs_[program_of_run[r]].measured;
    const std::int64_t wall = run.end - run.begin;
    measured.executions += 1;
    measured.wall_seconds += seconds_of(wall);
    MeasuredDevice& device = measured.devices.back();
    device.runs += 1;
    device.wall_seconds += seconds_of(wall);
    if (!reached[r].op.empty()) {
      idle[r] += std::max<std::int64_t>(0, run.end - reached[r].end);
      device.busy_seconds += seconds_of(std::max<std::int64_t>(0, wall - idle[r]));
    }
    if (r > 0) device.between_seconds += seconds_of(std::max<std::int64_t>(0, run.begin - previous_end));
    previous_end = r == 0 ? run.end : std::max(previous_end, run.end);
  }
}

void TraceCollector::add_device(DeviceTrace trace) {
  find_self_times(trace.ops);
  const std::vector<std::size_t> order = in_order_of_begin(trace.ops);
  std::vector<std::size_t> run_of;
  std::sort(trace.runs.begin(), trace.runs.end(), [](const TracedRun& a, const TracedRun& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  if (!trace.runs.empty()) {
    run_of = runs_by_time(trace.runs, trace.ops);
  } else {
    run_of = trace.has_run_keys ? runs_by_key(trace, order) : runs_by_first_op(trace, order);
  }
  const auto program_of = [&](const TracedOp& op, std::size_t run) -> std::string_view {
    return run == kNoRun ? std::string_view(op.program) : std::string_view(trace.runs[run].program);
  };
  // Each program has an entry for each device that ran it; the last one is that of this device.
  std::vector<bool> has_device(programs_.size());
  std::string_view last_name;
  std::size_t last_index = SIZE_MAX;  // of last_name
  const auto on_device = [&](std::string_view name) -> Program& {
    if (last_index == SIZE_MAX || name != last_name) {
      last_name = name;
      last_index = index_of(name);
    }
    has_device.resize(programs_.size());
    Program& of = programs_[last_index];
    if (!has_device[last_index]) of.measured.devices.push_back({trace.host, trace.name, 0, 0, 0, 0});
    has_device[last_index] = true;
    return of;
  };
  for (std::size_t i : order) {
    Program& of = on_device(program_of(trace.ops[i], run_of[i]));
    MeasuredOp& op = op_named(trace.ops[i].name, of.measured.ops, of.ops);
    const std::size_t index = static_cast<std::size_t>(&op - of.measured.ops.data());
    of.samples.resize(of.measured.ops.size());
    add_sample(seconds_of(trace.ops[i].self), static_cast<std::size_t>(op.occurrences), of.samples[index]);
    add_times(trace.ops[i], of.measured.devices.size() - 1, op);
  }
  for (const TracedRun& run : trace.runs) on_device(run.program);
  const std::vector<std::size_t> run_of_transfer = runs_by_time(trace.runs, trace.transfers);
  for (std::size_t i = 0; i < trace.transfers.size(); ++i) {
    TracedOp& transfer = trace.transfers[i];
    transfer.self = transfer.end - transfer.begin;  // transfers overlap, and none contains another one
    Program& of = on_device(program_of(transfer, run_of_transfer[i]));
    add_times(transfer, of.measured.devices.size() - 1, op_named(transfer.name, of.measured.transfers, of.transfers));
  }
  add_runs(trace, order, run_of);
  for (std::size_t p = 0; p < has_device.size(); ++p) {
    MeasuredProgram& measured = programs_[p].measured;
    if (!has_device[p] || !measured.timeline.empty()) continue;
    const std::size_t run = median_run(trace.runs, measured.name);
    if (run != kNoRun) measured.timeline = timeline_of(trace, order, run_of, run);
  }
}

std::vector<MeasuredProgram> TraceCollector::take() {
  std::vector<MeasuredProgram> result;
  result.reserve(programs_.size());
  for (Program& program : programs_) {
    MeasuredProgram& measured = program.measured;
    if (measured.ops.empty()) continue;
    for (std::size_t i = 0; i < measured.ops.size(); ++i) {
      measured.ops[i].by_device.resize(measured.devices.size());
      measured.ops[i].median_seconds = median_of_samples(program.samples[i]);
    }
    for (MeasuredOp& op : measured.transfers) op.by_device.resize(measured.devices.size());
    measured.gaps.reserve(program.gaps.size());
    for (auto& [ops, gap] : program.gaps) {
      gap.after = std::string(ops.first);
      gap.before = std::string(ops.second);
      measured.gaps.push_back(std::move(gap));
    }
    std::stable_sort(measured.gaps.begin(), measured.gaps.end(),
                     [](const MeasuredGap& a, const MeasuredGap& b) { return a.seconds > b.seconds; });
    if (measured.gaps.size() > kMostGaps) measured.gaps.resize(kMostGaps);
    result.push_back(std::move(measured));
  }
  programs_.clear();
  by_name_.clear();
  return result;
}

}  // namespace hloroof::internal::inline profile
