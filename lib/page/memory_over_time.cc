#include "lib/page/memory_over_time.h"

#include <algorithm>
#include <cstddef>

#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/schedule/memory.h"

namespace hloroof::internal::inline page {
namespace {

constexpr std::size_t kParts = 600;

// Collects levels in the order of time.
class Levels {
 public:
  explicit Levels(double seconds) : seconds_(seconds), levels_(kParts, 0) {}

  void raise(double begin, double end, double bytes) {
    for (std::size_t i = part_of(begin); i <= part_of(end); ++i) levels_[i] = std::max(levels_[i], bytes);
  }

  double highest(double begin, double end) const {
    double bytes = 0;
    for (std::size_t i = part_of(begin); i <= part_of(end); ++i) bytes = std::max(bytes, levels_[i]);
    return bytes;
  }

  std::vector<double> take() { return std::move(levels_); }

 private:
  std::size_t part_of(double at) const {
    const double part = at / seconds_ * static_cast<double>(kParts);
    return std::min(kParts - 1, static_cast<std::size_t>(std::max(0.0, part)));
  }

  double seconds_;
  std::vector<double> levels_;
};

}  // namespace

absl::flat_hash_map<std::uint32_t, Interval> times_on_compute(const std::vector<TimelineEvent>& events) {
  absl::flat_hash_map<std::uint32_t, Interval> times;
  for (const TimelineEvent& event : events) {
    if (event.lane != Lane::kCompute) continue;
    const auto [found, is_new] = times.try_emplace(event.id.index, Interval{event.begin, event.end});
    if (is_new) continue;
    found->second.begin = std::min(found->second.begin, event.begin);
    found->second.end = std::max(found->second.end, event.end);
  }
  return times;
}

MemoryOverTime memory_over_time(const StepFacts& facts) {
  MemoryOverTime result;
  for (const TimelineEvent& event : facts.timeline.events) result.seconds = std::max(result.seconds, event.end);
  const Module& module = *facts.module;
  const MemoryAnalysis memory = analyze_memory(module, facts.calls, facts.target.device, facts.schedule);
  if (result.seconds <= 0 || memory.levels.empty()) return result;
  const auto times = times_on_compute(facts.timeline.events);
  Levels levels(result.seconds);
  double now = 0;
  double last = memory.levels.front().bytes;
  for (const MemoryLevel& level : memory.levels) {
    const auto found = times.find(level.instruction.index);
    const Interval time = found != times.end() ? found->second : Interval{now, now};
    const double begin = std::max(now, time.begin);
    const double end = std::max(begin, time.end);
    levels.raise(now, begin, last);
    if (level.bytes > result.peak_bytes) {
      result.peak_bytes = level.bytes;
      result.peak_seconds = begin;
      result.peak = level.instruction;
    }
    last = level.bytes;
    if (calls_schedules(row_of(module, level.instruction).opcode) && time.begin < now) {
      levels.raise(now, end, levels.highest(time.begin, now));
    }
    levels.raise(begin, end, last);
    now = end;
  }
  levels.raise(now, result.seconds, last);
  result.levels = levels.take();
  return result;
}

}  // namespace hloroof::internal::inline page
