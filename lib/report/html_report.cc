#include "lib/report/html_report.h"

#include <unordered_map>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/report/json_writer.h"
#include "lib/report/prediction_json.h"
#include "lib/report/rows.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

// The columns of an op's row in the page's data, in this order.
constexpr const char* kColumns[] = {
    "name",  "computation", "opcode",    "category",   "executions", "seconds", "total_seconds", "exposed_seconds",
    "bound", "flops",       "hbm_bytes", "efficiency", "op_name",    "source",  "layer",         "operands"};

std::string_view file_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_report_files()) {
    if (file.name == name) return file.text;
  }
  return "";
}

void write_op(const OpPrediction& op, const Module& module,
              const std::unordered_map<std::uint32_t, std::int64_t>& index, JsonWriter& out) {
  out.begin_array();
  out.value(std::string_view(op.name));
  out.value(std::string_view(op.computation));
  out.value(std::string_view(op.opcode));
  out.value(std::string_view(op.category));
  out.value(op.executions);
  out.value(op.seconds);
  out.value(op.total_seconds);
  out.value(op.exposed_seconds);
  out.value(std::string_view(op.bound));
  out.value(op.work.flops);
  out.value(op.work.read.hbm + op.work.written.hbm);
  if (op.seconds > 0) {
    out.value(op.efficiency);
  } else {
    out.null();
  }
  out.value(std::string_view(op.op_name));
  out.value(std::string_view(short_source(op.source_file, op.source_line)));
  out.value(std::string_view(layer_key(op.op_name)));
  out.begin_array();
  for (InstructionId operand : module.instruction(op.id).operand_ids()) {
    if (const auto found = index.find(operand.index); found != index.end()) out.value(found->second);
  }
  out.end_array();
  out.end_array();
}

std::string page_data(const Module& module, const StepPrediction& prediction) {
  // The rows below carry what `ops` of the prediction would say a second time.
  StepPrediction summary = prediction;
  summary.ops.clear();
  std::unordered_map<std::uint32_t, std::int64_t> index;
  for (std::size_t i = 0; i < prediction.ops.size(); ++i) {
    index[prediction.ops[i].id.index] = static_cast<std::int64_t>(i);
  }
  JsonWriter out;
  out.begin_object();
  out.key("prediction");
  write_json(summary, out);
  out.key("roofs");
  out.begin_array();
  for (const Roof& roof : prediction.roofs) {
    out.begin_object();
    out.member("name", std::string_view(roof.name));
    out.member("is_compute", roof.is_compute);
    out.member("rate", roof.rate);
    out.end_object();
  }
  out.end_array();
  out.key("columns");
  out.begin_array();
  for (const char* column : kColumns) out.value(column);
  out.end_array();
  out.key("ops");
  out.begin_array();
  for (const OpPrediction& op : prediction.ops) write_op(op, module, index, out);
  out.end_array();
  out.key("timeline");
  out.begin_array();
  for (const TimelineEvent& event : prediction.timeline) {
    const auto found = index.find(event.id.index);
    if (found == index.end()) continue;
    out.begin_array();
    out.value(found->second);
    out.value(std::string_view(lane_name(prediction, event.lane)));
    out.value(event.begin);
    out.value(event.end);
    out.end_array();
  }
  out.end_array();
  out.key("memory_over_program");
  out.begin_array();
  for (double level : prediction.memory.hbm_over_program) out.value(level);
  out.end_array();
  out.end_object();
  // Inside a script element "<" could end it or open a comment; in JSON it stands in strings alone, where this is the
  // same.
  std::string data;
  for (char c : out.text()) {
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  return data;
}

// Puts `text` in place of the mark /*{{name}}*/.
void fill_in(std::string& page, std::string_view name, std::string_view text) {
  const std::string mark = "/*{{" + std::string(name) + "}}*/";
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string html_report(const Module& module, const StepPrediction& prediction) {
  std::string page(file_text("report.html"));
  for (const EmbeddedFile& file : embedded_report_files()) {
    if (file.name != "report.html") fill_in(page, file.name, file.text);
  }
  fill_in(page, "data", page_data(module, prediction));
  return page;
}

}  // namespace hloroof::inline v0
