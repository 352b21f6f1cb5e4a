#include "lib/page/trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloroof/shape.h"
#include "lib/base/units.h"
#include "lib/describe/json_writer.h"
#include "lib/describe/record_json.h"
#include "lib/page/trace_counters.h"
#include "lib/report/views.h"
#include "lib/results/prediction_fields.h"
#include "lib/schedule/async_pairs.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline page {
namespace {

constexpr double kMicroseconds = 1e6;
// Sums of many times differ in their last digits. A smaller relative overlap does not count as one.
constexpr double kTolerance = 1e-9;

// The rows of one lane, each busy until a time that only grows. Finds the first row that is free in O(log n): a binary
// tree in an array holds the earliest of these times of the rows below each node.
class FirstFreeRow {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The first row that is free at `begin`, or kNone.
  std::size_t find(double begin) const {
    if (earliest_.empty() || !is_free(earliest_[1], begin)) return kNone;
    std::size_t node = 1;
    while (node < leaves_) node = is_free(earliest_[2 * node], begin) ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  void occupy(std::size_t row, double end) {
    std::size_t node = leaves_ + row;
    earliest_[node] = std::max(earliest_[node], end);
    while (node > 1) {
      node /= 2;
      earliest_[node] = std::min(earliest_[2 * node], earliest_[2 * node + 1]);
    }
  }

  // Adds a row that is busy until `end`.
  void add(double end) {
    if (size_ == leaves_) grow();
    const std::size_t row = size_++;
    earliest_[leaves_ + row] = end;
    occupy(row, end);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  static bool is_free(double busy_until, double begin) { return begin >= busy_until * (1 - kTolerance); }

  void grow() {
    const std::size_t leaves = std::max<std::size_t>(1, 2 * leaves_);
    std::vector<double> earliest(2 * leaves, kNever);
    for (std::size_t i = 0; i < size_; ++i) earliest[leaves + i] = earliest_[leaves_ + i];
    for (std::size_t node = leaves - 1; node > 0; --node) {
      earliest[node] = std::min(earliest[2 * node], earliest[2 * node + 1]);
    }
    leaves_ = leaves;
    earliest_ = std::move(earliest);
  }

  std::size_t size_ = 0;
  std::size_t leaves_ = 0;        // a power of two, at least size_
  std::vector<double> earliest_;  // node i has the children 2i and 2i + 1; the leaves come last
};

// Assigns overlapping events of one lane to separate rows, because a viewer nests overlapping events in a row.
class Rows {
 public:
  std::int64_t row(const std::string& lane, double begin, double end) {
    LaneRows& rows = lanes_[lane];
    if (const std::size_t found = rows.free.find(begin); found != FirstFreeRow::kNone) {
      rows.free.occupy(found, end);
      return rows.ids[found];
    }
    rows.free.add(end);
    rows.ids.push_back(next_);
    names_.emplace_back(next_, rows.ids.size() == 1 ? lane : lane + " " + std::to_string(rows.ids.size()));
    return next_++;
  }
  const std::vector<std::pair<std::int64_t, std::string>>& names() const { return names_; }

 private:
  struct LaneRows {
    FirstFreeRow free;
    std::vector<std::int64_t> ids;
  };
  std::map<std::string, LaneRows> lanes_;
  std::vector<std::pair<std::int64_t, std::string>> names_;
  std::int64_t next_ = 1;
};

struct Placed {
  std::int64_t row = 0;
  double begin = 0;
  double end = 0;
};

// An event of the trace.
struct Slice {
  TimelineEvent event;
  std::int64_t iteration = 1;  // of the loop that contains it
  double folded = 0;           // number of iterations that it stands for; 0 if it is one op
};

bool contains_others(const OpPrediction& op) {
  return op.opcode == "while" || op.opcode == "conditional" || op.opcode == "call";
}

class TraceWriter {
 public:
  explicit TraceWriter(const StepPrediction& prediction)
      : facts_(*prediction.facts), module_(*facts_.module), prediction_(prediction) {
    for (const OpPrediction& op : prediction.ops) ops_[op.id.index] = &op;
  }

  std::string run() {
    out_.begin_object();
    out_.member("displayTimeUnit", "ns");
    out_.key("traceEvents");
    out_.begin_array();
    std::vector<TimelineEvent> events = prediction_.timeline;
    add_dones(events);
    for (const Slice& slice : all_slices(events)) complete(slice);
    flows();
    for (const CounterTrack& track : counter_tracks(facts_)) counter(track);
    name("process_name", 0, prediction_.module_name + " on " + prediction_.device);
    for (const auto& [row, text] : rows_.names()) {
      name("thread_name", row, text);
      sort_index(row);
    }
    out_.end_array();
    out_.end_object();
    return out_.take_document();
  }

 private:
  // A done that does not wait takes no time and has no event in the timeline. It is added at the begin of the next op
  // of its computation, or at the end of the last one.
  void add_dones(std::vector<TimelineEvent>& events) const {
    std::unordered_map<std::uint32_t, const TimelineEvent*> on_compute;
    for (const TimelineEvent& event : prediction_.timeline) {
      if (event.lane == Lane::kCompute) on_compute[event.id.index] = &event;
    }
    std::vector<TimelineEvent> added;
    for (ComputationView computation : module_.computations()) {
      std::vector<InstructionId> waiting;  // dones since the last op that has an event
      const TimelineEvent* last = nullptr;
      const auto place = [&](double at, double executions) {
        for (InstructionId done : waiting) added.push_back({done, Lane::kCompute, at, at, executions, {}});
        waiting.clear();
      };
      for (InstructionView instruction : computation.instructions()) {
        const auto found = on_compute.find(instruction.id().index);
        if (found != on_compute.end()) {
          last = found->second;
          place(last->begin, last->executions);
        } else if (async_role(instruction) == AsyncRole::kDone && ops_.count(instruction.id().index) > 0) {
          waiting.push_back(instruction.id());
        }
      }
      if (last != nullptr) place(last->end, last->executions);
    }
    events.insert(events.end(), added.begin(), added.end());
  }

  // Returns the first iterations, which are `events`, and the others in the order of time.
  std::vector<Slice> all_slices(const std::vector<TimelineEvent>& events) const {
    std::vector<Slice> slices;
    for (const TimelineEvent& event : events) slices.push_back({event, 1, 0});
    for (const LoopRest& loop : facts_.timeline.loops) {
      std::int64_t number = 1;
      for (const std::vector<TimelineEvent>& iteration : loop.iterations) {
        ++number;
        for (const TimelineEvent& event : iteration) slices.push_back({event, number, 0});
      }
      if (loop.rest <= 0) continue;
      slices.push_back({{loop.loop, Lane::kCompute, loop.rest_begin, loop.rest_end, 1, {}}, number + 1, loop.rest});
    }
    // A slice of zero length comes before others with the same begin. After them, it would seem to overlap and get
    // another row.
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      if (a.event.begin != b.event.begin) return a.event.begin < b.event.begin;
      return a.event.end == a.event.begin && b.event.end != b.event.begin;
    });
    return slices;
  }

  void begin_event(std::string_view name, const char* phase, std::int64_t row) {
    out_.begin_object();
    out_.member("name", name);
    out_.member("ph", phase);
    out_.member("pid", std::int64_t{1});
    out_.member("tid", row);
  }

  void complete(const Slice& slice) {
    const TimelineEvent& event = slice.event;
    const auto found = ops_.find(event.id.index);
    if (found == ops_.end()) return;
    const OpPrediction& op = *found->second;
    // Loops and calls have separate rows, because their events enclose ops in other rows.
    Placed placed{0, event.begin, event.end};
    placed.row =
        rows_.row(contains_others(op) && slice.folded == 0 ? "control flow"
                                                           : std::string(to_string(event.lane, prediction_.family)),
                  event.begin, event.end);
    if (slice.iteration == 1) placed_[event.id.index] = placed;
    const bool waits = event.awaited.valid();
    begin_event(slice.folded > 0 ? "×" + format_count(slice.folded) + " more"
                : waits          ? "wait for " + std::string(module_.instruction(event.awaited).name())
                                 : op.name,
                "X", placed.row);
    out_.member("cat", std::string_view(slice.folded > 0 ? "iterations" : waits ? "wait" : op.category));
    if (waits) out_.member("cname", "terrible");  // a colour of its own in the viewer
    out_.member("ts", event.begin * kMicroseconds);
    out_.member("dur", (event.end - event.begin) * kMicroseconds);
    out_.key("args");
    out_.begin_object();
    if (slice.iteration > 1) {
      if (slice.folded > 0) {
        out_.member("loop", op.name);
        out_.member("iterations", slice.folded);
      } else {
        out_.member("iteration", slice.iteration);
      }
      out_.end_object();
      out_.end_object();
      return;
    }
    for_each_field(op, [this](const FieldInfo& info, const auto& value) {
      if (info.name == "name") return;
      out_.key(info.name);
      write_json_value(value, out_, prediction_.family);
    });
    out_.member("shape", std::string_view(to_string(module_.shapes(), module_.instruction(op.id).shape_id())));
    out_.end_object();
    out_.end_object();
  }

  // A counter has a track by its name. Its value lasts until the next sample.
  void counter(const CounterTrack& track) {
    const std::string title = track.name + ", " + track.unit;
    for (const CounterSample& sample : track.samples) {
      begin_event(title, "C", 0);
      out_.member("ts", sample.seconds * kMicroseconds);
      out_.key("args");
      out_.begin_object();
      out_.member(track.unit, sample.value);
      out_.end_object();
      out_.end_object();
    }
  }

  void flow(std::string_view phase, std::int64_t id, const Placed& at, double time) {
    begin_event("async", phase == "s" ? "s" : "f", at.row);
    out_.member("cat", "async");
    out_.member("id", id);
    out_.member("ts", time * kMicroseconds);
    if (phase == "f") out_.member("bp", "e");  // the flow ends at the enclosing event, not at the next one
    out_.end_object();
  }

  void flows() {
    std::int64_t id = 0;
    for (const OpPrediction& op : prediction_.ops) {
      const auto done = placed_.find(op.id.index);
      if (done == placed_.end() || async_role(module_.instruction(op.id)) != AsyncRole::kDone) continue;
      for (InstructionId start : facts_.pairs.starts_of(op.id)) {
        const auto from = placed_.find(start.index);
        // If a loop carries a transfer to the next iteration, the start of one iteration is after the done of the
        // previous iteration.
        if (from == placed_.end() || from->second.begin > done->second.begin * (1 + kTolerance)) continue;
        ++id;
        flow("s", id, from->second, from->second.begin);
        flow("f", id, done->second, std::max(done->second.begin, from->second.begin));
      }
    }
  }

  void name(const char* what, std::int64_t row, std::string_view text) {
    begin_event(what, "M", row);
    out_.key("args");
    out_.begin_object();
    out_.member("name", text);
    out_.end_object();
    out_.end_object();
  }

  void sort_index(std::int64_t row) {
    begin_event("thread_sort_index", "M", row);
    out_.key("args");
    out_.begin_object();
    out_.member("sort_index", row);
    out_.end_object();
    out_.end_object();
  }

  const StepFacts& facts_;
  const Module& module_;
  const StepPrediction& prediction_;
  std::unordered_map<std::uint32_t, const OpPrediction*> ops_;
  std::unordered_map<std::uint32_t, Placed> placed_;
  Rows rows_;
  JsonWriter out_{JsonLayout::kCompact};
};

}  // namespace

std::string chrome_trace(const StepPrediction& prediction) { return TraceWriter(prediction).run(); }

}  // namespace hloroof::internal::inline page
