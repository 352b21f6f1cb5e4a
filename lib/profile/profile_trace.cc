// Reads a trace that jax.profiler wrote (NAME.trace.json.gz) in the Trace Event Format. On a TPU each device is a
// process "/device:TPU:0". Its threads include "XLA Modules" (one event for each run of a program, "jit_step(1234)")
// and "XLA Ops" (one event for each op; the events of a loop body are nested in the event of the loop). On a GPU or
// CPU, ops are the events with an argument hlo_op, on any thread of a device, and hlo_module names the program.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "lib/profile/profile_collector.h"

namespace hloroof::internal::inline profile {
namespace {

using Thread = std::pair<double, double>;  // pid and tid

struct Event {
  std::string_view name;
  std::string_view program;
  double begin = 0;  // us
  double end = 0;
  double inside = 0;  // us, of nested events
};

bool starts_before(const Event& a, const Event& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; }

class TraceReader {
 public:
  explicit TraceReader(const OrderedJson& events) : events_(events) {}

  absl::StatusOr<MeasuredProfile> run(std::string_view path) {
    name_threads();
    for (const OrderedJson& event : events_) read(event);
    const double device = first_device();
    for (auto& [thread, list] : runs_) {
      if (thread.first != device) continue;
      std::stable_sort(list.begin(), list.end(), starts_before);
      for (const Event& run : list) collector_.add_execution(run.name, (run.end - run.begin) * kMicrosecond);
    }
    for (auto& [thread, list] : ops_) {
      if (thread.first == device) add_thread(thread, list);
    }
    return collector_.take("Chrome trace", path);
  }

 private:
  static Thread thread_of(const OrderedJson& event) {
    // A missing id counts as 0, and so does an id that is not a number and therefore has no order.
    const auto id = [&event](std::string_view name) {
      const double value = number_in(find(event, {name}));
      return std::isfinite(value) ? value : 0;
    };
    return {id("pid"), id("tid")};
  }

  void name_threads() {
    for (const OrderedJson& event : events_) {
      if (string_in(find(event, {"ph"})) != "M" || string_in(find(event, {"name"})) != "thread_name") continue;
      const OrderedJson* arguments = find(event, {"args"});
      if (arguments == nullptr) continue;
      const std::string& name = string_in(find(*arguments, {"name"}));
      names_[thread_of(event)] = name;
      has_op_threads_ = has_op_threads_ || name.rfind("XLA Ops", 0) == 0;
    }
  }

  // Keeps an event if it is an op or a run of a program.
  void read(const OrderedJson& event) {
    if (string_in(find(event, {"ph"})) != "X") return;
    const double begin = number_in(find(event, {"ts"}));
    const double duration = number_in(find(event, {"dur"}));
    if (!std::isfinite(begin) || !std::isfinite(begin + duration) || !(duration >= 0)) return;
    const Thread thread = thread_of(event);
    const OrderedJson* arguments = find(event, {"args"});
    const auto argument = [&](std::string_view name) -> std::string_view {
      return string_in(arguments != nullptr ? find(*arguments, {name}) : nullptr);
    };
    Event read{string_in(find(event, {"name"})), argument("hlo_module"), begin, begin + duration, 0};
    const auto name = names_.find(thread);
    if (name != names_.end() && name->second.rfind("XLA Modules", 0) == 0) {
      runs_[thread].push_back(read);
      return;
    }
    const std::string_view op = argument("hlo_op");
    if (has_op_threads_ && (name == names_.end() || name->second.rfind("XLA Ops", 0) != 0)) return;
    if (!op.empty()) {
      if (!has_op_arguments_ && !has_op_threads_) ops_.clear();  // the events so far are not ops
      has_op_arguments_ = true;
      read.name = op;
    } else if (has_op_arguments_ && !has_op_threads_) {
      return;  // host functions
    }
    ops_[thread].push_back(read);
  }

  // Returns the first device with ops, which represents all devices.
  double first_device() const {
    double first = INFINITY;
    for (const auto& [thread, list] : ops_) first = std::min(first, thread.first);
    return ops_.empty() || !std::isfinite(first) ? 0 : first;
  }

  // Returns the run that contains an event.
  std::string_view program_at(double device, double time) const {
    for (const auto& [thread, runs] : runs_) {
      if (thread.first != device) continue;
      const auto after =
          std::upper_bound(runs.begin(), runs.end(), time, [](double at, const Event& run) { return at < run.begin; });
      if (after != runs.begin() && time <= std::prev(after)->end) return std::prev(after)->name;
    }
    return "";
  }

  // Adds the self times of the events of one thread: the duration of an event without its nested events.
  void add_thread(const Thread& thread, std::vector<Event>& list) {
    std::stable_sort(list.begin(), list.end(), starts_before);
    // Removes duplicates of an event.
    list.erase(std::unique(list.begin(), list.end(),
                           [](const Event& a, const Event& b) {
                             return a.begin == b.begin && a.end == b.end && a.name == b.name;
                           }),
               list.end());
    std::vector<Event*> open;
    for (Event& event : list) {
      while (!open.empty() && open.back()->end <= event.begin) open.pop_back();
      if (!open.empty() && event.end <= open.back()->end) open.back()->inside += event.end - event.begin;
      open.push_back(&event);
    }
    for (const Event& event : list) {
      const std::string_view run = program_at(thread.first, (event.begin + event.end) / 2);
      collector_.add(run.empty() ? event.program : run, event.name, 1,
                     std::max(0.0, event.end - event.begin - event.inside) * kMicrosecond);
    }
  }

  const OrderedJson& events_;
  std::map<Thread, std::string> names_;
  bool has_op_threads_ = false;
  bool has_op_arguments_ = false;
  std::map<Thread, std::vector<Event>> runs_;  // of programs
  std::map<Thread, std::vector<Event>> ops_;
  ProfileCollector collector_;
};

}  // namespace

absl::StatusOr<MeasuredProfile> read_trace_events(const OrderedJson& events, std::string_view path) {
  return TraceReader(events).run(path);
}

}  // namespace hloroof::internal::inline profile
