#include "lib/report/trace.h"

#include <map>
#include <unordered_map>
#include <vector>

#include "lib/report/json_writer.h"

namespace hloroof::inline v0 {
namespace {

// Overlapping events of one lane go to rows of their own, since a row nests what overlaps.
class Rows {
 public:
  std::int64_t row(const std::string& lane, double begin, double end) {
    std::vector<std::pair<std::int64_t, double>>& rows = lanes_[lane];
    for (auto& [id, busy_until] : rows) {
      if (begin >= busy_until) {
        busy_until = end;
        return id;
      }
    }
    rows.emplace_back(next_, end);
    names_.emplace_back(next_, rows.size() == 1 ? lane : lane + " " + std::to_string(rows.size()));
    return next_++;
  }
  const std::vector<std::pair<std::int64_t, std::string>>& names() const { return names_; }

 private:
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> lanes_;
  std::vector<std::pair<std::int64_t, std::string>> names_;
  std::int64_t next_ = 1;
};

}  // namespace

std::string chrome_trace(const StepPrediction& prediction) {
  std::unordered_map<std::uint32_t, const OpPrediction*> ops;
  for (const OpPrediction& op : prediction.ops) ops[op.id.index] = &op;
  JsonWriter out;
  out.begin_object();
  out.member("displayTimeUnit", "ns");
  out.key("traceEvents");
  out.begin_array();
  Rows rows;
  for (const TimelineEvent& event : prediction.timeline) {
    const auto found = ops.find(event.id.index);
    if (found == ops.end()) continue;
    const OpPrediction& op = *found->second;
    const bool contains_others = op.opcode == "while" || op.opcode == "conditional" || op.opcode == "call";
    out.begin_object();
    out.member("name", std::string_view(op.name));
    out.member("cat", std::string_view(op.category));
    out.member("ph", "X");
    out.member("pid", std::int64_t{1});
    out.member("tid", rows.row(contains_others ? "control flow" : event.lane, event.begin, event.end));
    out.member("ts", event.begin * 1e6);
    out.member("dur", (event.end - event.begin) * 1e6);
    out.key("args");
    out.begin_object();
    out.member("computation", std::string_view(op.computation));
    out.member("executions", event.executions);
    out.member("bound", std::string_view(op.bound));
    out.member("flops", op.work.flops);
    out.member("hbm_bytes", op.work.read.hbm + op.work.written.hbm);
    if (!op.op_name.empty()) out.member("op_name", std::string_view(op.op_name));
    out.end_object();
    out.end_object();
  }
  const auto name = [&](const char* what, std::int64_t row, std::string_view text) {
    out.begin_object();
    out.member("name", what);
    out.member("ph", "M");
    out.member("pid", std::int64_t{1});
    out.member("tid", row);
    out.key("args");
    out.begin_object();
    out.member("name", text);
    out.end_object();
    out.end_object();
  };
  name("process_name", 0, prediction.module_name + " on " + prediction.device);
  for (const auto& [row, text] : rows.names()) name("thread_name", row, text);
  out.end_array();
  out.end_object();
  std::string text = out.take();
  text += '\n';
  return text;
}

}  // namespace hloroof::inline v0
