#include "lib/report/html_report.h"

#include <tuple>
#include <unordered_map>
#include <vector>

#include "lib/analysis/op_name.h"
#include "lib/predict/execution_terms.h"
#include "lib/predict/facts.h"
#include "lib/report/json_writer.h"
#include "lib/report/prediction_fields.h"
#include "lib/report/prediction_json.h"
#include "lib/report/record_json.h"
#include "lib/report/terms_view.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

std::string_view file_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_report_files()) {
    if (file.name == name) return file.text;
  }
  return "";
}

// Maximum number of terms in the row of an op.
constexpr std::size_t kMostTerms = 4;

// Writes the columns of the rows of `ops`: the fields of an op, then the additional values that the page needs.
void write_columns(JsonWriter& out) {
  out.key("columns");
  out.begin_array();
  const auto write = [&out](const FieldInfo& info) {
    out.begin_object();
    out.member("name", info.name);
    out.member("unit", unit_symbol(info.unit));
    out.member("meaning", info.meaning);
    out.member("title", info.title);
    out.end_object();
  };
  std::apply([&](const auto&... row) { (write(row.info), ...); }, Described<OpPrediction>::kFields);
  for (const char* name : {"layer", "operands", "terms"}) {
    out.begin_object();
    out.member("name", std::string_view(name));
    out.end_object();
  }
  out.end_array();
}

// Writes the values of the columns above.
void write_op(const OpPrediction& op, const StepFacts& facts, DeviceFamily family,
              const std::unordered_map<std::uint32_t, std::int64_t>& index, JsonWriter& out) {
  out.begin_array();
  for_each_field(op, [&](const FieldInfo&, const auto& value) { write_json_value(value, out, family); });
  out.value(std::string_view(layer_key(op.op_name, facts.module->name())));
  out.begin_array();
  for (InstructionId operand : facts.module->instruction(op.id).operand_ids()) {
    if (const auto found = index.find(operand.index); found != index.end()) out.value(found->second);
  }
  out.end_array();
  out.value(std::string_view(main_terms(execution_terms(facts, op.id), kMostTerms)));
  out.end_array();
}

std::string page_data(const StepPrediction& prediction) {
  // The ops are written below as rows without field names.
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
  write_json_value(prediction.roofs, out);
  write_columns(out);
  out.key("ops");
  out.begin_array();
  for (const OpPrediction& op : prediction.ops) write_op(op, *prediction.facts, prediction.family, index, out);
  out.end_array();
  out.key("timeline");
  out.begin_array();
  for (const TimelineEvent& event : prediction.timeline) {
    const auto found = index.find(event.id.index);
    if (found == index.end()) continue;
    out.begin_array();
    out.value(found->second);
    out.value(to_string(event.lane, prediction.family));
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
  // Inside a script element, "<" could end the element or open a comment. In JSON it occurs only in strings, where the
  // escape has the same meaning.
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

// Replaces the placeholder /*{{name}}*/ by `text`.
void fill_in(std::string& page, std::string_view name, std::string_view text) {
  const std::string mark = "/*{{" + std::string(name) + "}}*/";
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string html_report(const StepPrediction& prediction) {
  std::string page(file_text("report.html"));
  for (const EmbeddedFile& file : embedded_report_files()) {
    if (file.name != "report.html") fill_in(page, file.name, file.text);
  }
  fill_in(page, "data", page_data(prediction));
  return page;
}

}  // namespace hloroof::internal
