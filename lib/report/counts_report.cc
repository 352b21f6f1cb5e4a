#include "lib/report/counts_report.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "lib/report/json_writer.h"
#include "lib/report/table.h"
#include "lib/report/units.h"

namespace hloroof::inline v0 {
namespace {

// The shortest text that reads back as the same number.
std::string exact(double number) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

void add_row(CountsReport& report, InstructionView instruction, double executions, double flops, double transcendentals,
             double bytes) {
  report.rows.push_back({std::string(instruction.name()), std::string(instruction.computation().name()),
                         std::string(instruction.opcode_text()), executions, flops, transcendentals, bytes});
  report.flops += executions * flops;
  report.transcendentals += executions * transcendentals;
  report.bytes_accessed += executions * bytes;
}

// How often XLA counts each computation whose instructions get rows, by id.
std::vector<double> xla_executions(const Module& module) {
  std::vector<double> executions(module.computation_limit());
  executions[module.entry().id().index] = 1;
  const Span<ComputationId> order = module.computations().ids();
  for (std::size_t i = order.size(); i-- > 0;) {  // callers come after what they call
    const ComputationView computation = module.computation(order[i]);
    const double times = executions[computation.id().index];
    if (times == 0) continue;
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() != Opcode::kWhile && instruction.opcode() != Opcode::kCall) continue;
      for (AttributeKey key : {AttributeKey::kBody, AttributeKey::kCondition, AttributeKey::kToApply}) {
        for (ComputationView called : instruction.computations(key)) executions[called.id().index] += times;
      }
    }
  }
  return executions;
}

std::string headline(const CountsReport& report, std::size_t width) {
  const std::string_view what = report.convention == "xla"
                                    ? "as XLA's cost analysis counts: loops once, custom calls -1, no padding"
                                    : "as the hardware works: loops times trips, padded bytes, async pairs once";
  const std::string convention =
      wrap(report.convention + " convention, " + std::string(what), width == 0 ? std::string::npos : width, 2);
  return report.module + "\n" + convention + "\n" + "  flops            " + exact(report.flops) + " (" +
         format_flops(report.flops) + ")\n" +                            //
         "  transcendentals  " + exact(report.transcendentals) + "\n" +  //
         "  bytes accessed   " + exact(report.bytes_accessed) + " (" + format_bytes(report.bytes_accessed) + ")\n";
}

}  // namespace

CountsReport counts_report(const Module& module, const ModuleCounts& counts) {
  CountsReport report;
  report.module = std::string(module.name());
  report.convention = "xla";
  const std::vector<double> executions = xla_executions(module);
  const Span<ComputationId> order = module.computations().ids();
  for (std::size_t i = order.size(); i-- > 0;) {
    const ComputationView computation = module.computation(order[i]);
    const double times = executions[computation.id().index];
    if (times == 0) continue;
    for (InstructionView instruction : computation.instructions()) {
      const bool has_rows_inside = instruction.opcode() == Opcode::kWhile || instruction.opcode() == Opcode::kCall;
      const XlaCounts own = has_rows_inside ? XlaCounts() : counts.of(instruction.id());
      add_row(report, instruction, times, own.flops, own.transcendentals, own.bytes_accessed);
    }
  }
  // The totals are those of the analysis, which may have been added in float32.
  report.flops = counts.total.flops;
  report.transcendentals = counts.total.transcendentals;
  report.bytes_accessed = counts.total.bytes_accessed;
  for (InstructionId id : counts.unknown) report.unknown.emplace_back(module.instruction(id).name());
  return report;
}

CountsReport counts_report(const Module& module, const CallGraph& calls, const std::vector<Work>& work) {
  CountsReport report;
  report.module = std::string(module.name());
  report.convention = "physical";
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView instruction = module.instruction(id);
    const Work& own = work[id.index];
    add_row(report, instruction, calls.executions(instruction), own.flops, own.transcendentals, own.padded_bytes);
    if (own.source == CostSource::kUnknown) report.unknown.emplace_back(instruction.name());
  }
  return report;
}

std::string counts_text(const CountsReport& report, std::size_t limit, std::size_t width) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto total_bytes = [&](std::size_t i) { return report.rows[i].executions * report.rows[i].bytes_accessed; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return total_bytes(a) > total_bytes(b); });
  const std::size_t shown = limit == 0 ? order.size() : std::min(limit, order.size());

  Table ops({{"bytes", Align::kRight},
             {"flops", Align::kRight},
             {"transc.", Align::kRight},
             {"runs", Align::kRight},
             {"op", Align::kLeft},
             {"opcode", Align::kLeft, 20}});
  CountsRow others;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CountsRow& row = report.rows[order[i]];
    if (i >= shown) {
      others.bytes_accessed += row.executions * row.bytes_accessed;
      others.flops += row.executions * row.flops;
      others.transcendentals += row.executions * row.transcendentals;
      continue;
    }
    ops.add({format_bytes(row.executions * row.bytes_accessed), format_flops(row.executions * row.flops),
             format_count(row.executions * row.transcendentals), format_count(row.executions), row.name, row.opcode});
  }
  if (shown < order.size()) {
    ops.add({format_bytes(others.bytes_accessed), format_flops(others.flops), format_count(others.transcendentals), "",
             "[" + std::to_string(order.size() - shown) + " others]", ""});
  }
  ops.add({format_bytes(report.bytes_accessed), format_flops(report.flops), format_count(report.transcendentals), "",
           "TOTAL", ""});

  std::string text = headline(report, width) + "\n" + ops.to_string(width);
  if (!report.unknown.empty()) {
    text +=
        "\n" + std::to_string(report.unknown.size()) + " not counted in full, first " + report.unknown.front() + "\n";
  }
  return text;
}

std::string counts_json(const CountsReport& report) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "hloroof.counts/1");
  json.member("module", report.module);
  json.member("convention", report.convention);
  json.member("flops", report.flops);
  json.member("transcendentals", report.transcendentals);
  json.member("bytes_accessed", report.bytes_accessed);
  json.key("per_op");
  json.begin_array();
  for (const CountsRow& row : report.rows) {
    json.begin_object();
    json.member("name", row.name);
    json.member("computation", row.computation);
    json.member("opcode", row.opcode);
    json.member("executions", row.executions);
    json.member("flops", row.flops);
    json.member("transcendentals", row.transcendentals);
    json.member("bytes_accessed", row.bytes_accessed);
    json.end_object();
  }
  json.end_array();
  json.key("unknown");
  json.begin_array();
  for (const std::string& name : report.unknown) json.value(name);
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

std::string counts_csv(const CountsReport& report) {
  // Names of instructions and computations hold no comma, quote or line break; see the grammar of names.
  std::string out = "name,computation,opcode,executions,flops,transcendentals,bytes_accessed\n";
  for (const CountsRow& row : report.rows) {
    out += row.name + "," + row.computation + "," + row.opcode;
    for (double number : {row.executions, row.flops, row.transcendentals, row.bytes_accessed})
      out += "," + exact(number);
    out += "\n";
  }
  return out;
}

}  // namespace hloroof::inline v0
