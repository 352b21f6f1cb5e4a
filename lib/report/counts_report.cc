#include "lib/report/counts_report.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "hloroof/attributes.h"
#include "lib/analysis/names.h"
#include "lib/analysis/op_name.h"
#include "lib/base/decimal.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/ir/rows.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline report {
namespace {

// Returns the shortest text that reads back as the same number.
std::string exact(double number) {
  if (number == std::floor(number) && std::abs(number) < 9e15) return format_integer(number);
  return shortest(number);
}

CountsRow named_row(InstructionView instruction, double executions, const StackFrames& frames) {
  CountsRow row;
  row.name = std::string(instruction.name());
  row.computation = std::string(instruction.computation().name());
  row.opcode = std::string(instruction.opcode_text());
  row.category = op_category(instruction);
  row.op_name = op_name(instruction);
  row.layer = layer_key(row.op_name, instruction.module().name());
  const SourceLocation source = source_location(instruction, frames);
  row.source_file = source.file;
  row.source_line = source.line;
  row.executions = executions;
  return row;
}

// Returns, by id, how often XLA counts each computation whose instructions get rows.
std::vector<double> xla_executions(const Module& module) {
  std::vector<double> executions(module.computation_limit());
  executions[module.entry().id().index] = 1;
  const std::vector<ComputationId>& order = ModuleRows::computation_order(module);
  for (std::size_t i = order.size(); i-- > 0;) {  // callers come after their callees
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

// Adds the matrix and vector work of `times` executions of one instruction.
void add_units(const Work& work, double times, CountsReport& report) {
  for (const MatrixWork& product : work.matrix) {
    const auto same = [&](const MatrixTotal& t) {
      return t.lhs == product.lhs && t.rhs == product.rhs && t.passes == product.passes;
    };
    auto at = std::find_if(report.matrix.begin(), report.matrix.end(), same);
    if (at == report.matrix.end()) {
      at = report.matrix.insert(at, {product.lhs, product.rhs, product.passes, 0});
    }
    at->flops += times * product.flops;
  }
  for (const VectorWork& v : work.vector) {
    VectorWork counted = v;
    counted.elements *= times;
    counted.shortcut = Shortcut::kNone;  // a row has all of a kind
    add_vector(counted, report.vector);
  }
}

std::string group_key(const CountsRow& row, GroupBy group) {
  switch (group) {
    case GroupBy::kComputation: return row.computation;
    case GroupBy::kCategory: return row.category;
    case GroupBy::kOpName: return row.op_name.empty() ? row.name : row.op_name;
    case GroupBy::kSource:
      return row.source_file.empty() ? "no source" : row.source_file + ":" + std::to_string(row.source_line);
    case GroupBy::kLayer: return row.layer.empty() ? "no op_name" : row.layer;
    case GroupBy::kSimilar:  // predictions only
    case GroupBy::kNone: break;
  }
  return row.name;
}

std::string headline(const CountsReport& report, std::size_t width) {
  const bool physical = report.convention == "physical";
  const std::string what = physical ? "as the hardware works: loops times trips, padded bytes, async pairs once"
                                    : "as XLA's cost analysis counts: loops once, custom calls -1, no padding";
  std::string text = report.module + "\n";
  text += wrap(report.convention + " convention, " + what, width == 0 ? std::string::npos : width, 2) + "\n";
  text += "  flops            " + exact(report.flops) + " (" + format_flops(report.flops) + ")\n";
  text += "  transcendentals  " + exact(report.transcendentals) + "\n";
  text += "  bytes accessed   " + exact(report.bytes_accessed) + " (" + format_bytes(report.bytes_accessed) + ")\n";
  if (!physical) return text;
  text += "  without padding  " + exact(report.logical_bytes) + " (" + format_bytes(report.logical_bytes) + ")\n";
  const std::pair<const char*, double> spaces[] = {{"HBM", report.spaces.hbm},
                                                   {"VMEM", report.spaces.vmem},
                                                   {"host", report.spaces.host},
                                                   {"scalar memories", report.spaces.scalar}};
  for (const auto& [name, bytes] : spaces) {
    if (bytes > 0) text += "    " + std::string(name) + "  " + format_bytes(bytes) + "\n";
  }
  if (!report.matrix.empty()) {
    text += "  matrix products\n";
    for (const MatrixTotal& t : report.matrix) {
      text += "    " + std::string(to_string(t.lhs)) + " x " + std::string(to_string(t.rhs)) + "  " +
              format_flops(t.flops) + (t.passes > 1 ? " in " + std::to_string(t.passes) + " passes" : "") + "\n";
    }
  }
  return text;
}

std::string loops_text(const CountsReport& report) {
  std::string unknown;
  std::size_t count = 0;
  for (const CountedLoop& loop : report.loops) {
    if (loop.trips.source != TripCount::Source::kAssumed) continue;
    ++count;
    unknown += "  " + loop.name + ": " + loop.trips.why + "\n";
  }
  if (count == 0) return "";
  return "\n" + std::to_string(count) + " of " + std::to_string(report.loops.size()) +
         " loops with unknown trip count, see --trip-count\n" + unknown;
}

double sort_key(const CountsRow& row, CountsOrder order) {
  switch (order) {
    case CountsOrder::kBytes: return row.executions * row.bytes_accessed;
    case CountsOrder::kFlops: return row.executions * row.flops;
    case CountsOrder::kTranscendentals: return row.executions * row.transcendentals;
    case CountsOrder::kProgram: break;
  }
  return 0;
}

}  // namespace

CountsReport counts_report(const Module& module, const ModuleCounts& counts) {
  CountsReport report;
  report.module = std::string(module.name());
  report.convention = "xla";
  const std::vector<double> executions = xla_executions(module);
  const StackFrames frames(module);
  const std::vector<ComputationId>& order = ModuleRows::computation_order(module);
  for (std::size_t i = order.size(); i-- > 0;) {
    const ComputationView computation = module.computation(order[i]);
    const double times = executions[computation.id().index];
    if (times == 0) continue;
    for (InstructionView instruction : computation.instructions()) {
      CountsRow row = named_row(instruction, times, frames);
      if (instruction.opcode() != Opcode::kWhile && instruction.opcode() != Opcode::kCall) {
        const XlaCounts& own = counts.of(instruction.id());
        row.flops = own.flops;
        row.transcendentals = own.transcendentals;
        row.bytes_accessed = own.bytes_accessed;
      }
      report.rows.push_back(std::move(row));
    }
  }
  // The totals are from the analysis, which may have added them in float32.
  report.flops = counts.total.flops;
  report.transcendentals = counts.total.transcendentals;
  report.bytes_accessed = counts.total.bytes_accessed;
  for (InstructionId id : counts.unknown) report.unknown.emplace_back(module.instruction(id).name());
  return report;
}

CountsReport counts_report(const Module& module, const CallGraph& calls, const PagedTable<Shared<Work>>& work) {
  CountsReport report;
  report.module = std::string(module.name());
  report.convention = "physical";
  const StackFrames frames(module);
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView instruction = module.instruction(id);
    const Work& own = work[id.index];
    CountsRow row = named_row(instruction, calls.executions(instruction), frames);
    row.flops = own.flops;
    row.transcendentals = own.transcendentals;
    row.bytes_accessed = own.padded_bytes;
    row.logical_bytes = own.logical_bytes;
    report.flops += row.executions * own.flops;
    report.transcendentals += row.executions * own.transcendentals;
    report.bytes_accessed += row.executions * own.padded_bytes;
    report.logical_bytes += row.executions * own.logical_bytes;
    report.spaces.hbm += row.executions * (own.read.hbm + own.written.hbm);
    report.spaces.vmem += row.executions * (own.read.vmem + own.written.vmem);
    report.spaces.host += row.executions * (own.read.host + own.written.host);
    report.spaces.scalar += row.executions * (own.read.scalar + own.written.scalar);
    add_units(own, row.executions, report);
    if (own.source == CostSource::kUnknown) report.unknown.push_back(row.name);
    report.rows.push_back(std::move(row));
  }
  const auto more = [](double a, double b) { return a > b; };
  std::stable_sort(report.matrix.begin(), report.matrix.end(),
                   [&](const MatrixTotal& a, const MatrixTotal& b) { return more(a.flops, b.flops); });
  std::stable_sort(report.vector.begin(), report.vector.end(),
                   [&](const VectorWork& a, const VectorWork& b) { return more(a.elements, b.elements); });
  for (const CallGraph::Loop& loop : calls.loops()) {
    report.loops.push_back({std::string(module.instruction(loop.instruction).name()), loop.trips});
  }
  return report;
}

void group_rows(CountsReport& report, GroupBy group) {
  if (group == GroupBy::kNone) return;
  std::vector<CountsRow> groups;
  std::map<std::string, std::size_t> at;
  for (const CountsRow& row : report.rows) {
    const auto [found, is_new] = at.try_emplace(group_key(row, group), groups.size());
    if (is_new) {
      CountsRow first = row;
      first.name = found->first;
      first.executions = first.flops = first.transcendentals = first.bytes_accessed = first.logical_bytes = 0;
      groups.push_back(std::move(first));
    }
    CountsRow& sum = groups[found->second];
    if (sum.category != row.category) sum.category.clear();
    sum.executions += row.executions;
    sum.flops += row.executions * row.flops;
    sum.transcendentals += row.executions * row.transcendentals;
    sum.bytes_accessed += row.executions * row.bytes_accessed;
    sum.logical_bytes += row.executions * row.logical_bytes;
  }
  for (CountsRow& row : groups) {
    if (row.executions <= 0) continue;
    row.flops /= row.executions;
    row.transcendentals /= row.executions;
    row.bytes_accessed /= row.executions;
    row.logical_bytes /= row.executions;
  }
  report.rows = std::move(groups);
}

std::optional<CountsOrder> counts_order_from_string(std::string_view text) {
  if (text == "bytes") return CountsOrder::kBytes;
  if (text == "flops") return CountsOrder::kFlops;
  if (text == "transcendentals") return CountsOrder::kTranscendentals;
  if (text == "program") return CountsOrder::kProgram;
  return std::nullopt;
}

std::string counts_text(const CountsReport& report, const CountsTextOptions& options) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return sort_key(report.rows[i], options.order); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  const std::size_t shown = options.limit == 0 ? order.size() : std::min(options.limit, order.size());

  std::vector<std::string_view> all_names;
  for (const CountsRow& row : report.rows) all_names.emplace_back(row.name);
  const ShortNames names(std::move(all_names));
  Table ops({{"bytes", Align::kRight},
             {"flops", Align::kRight},
             {"transc.", Align::kRight},
             {"runs", Align::kRight},
             {.title = "op", .names = &names},
             {"category", Align::kLeft, 20}});
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
             format_count(row.executions * row.transcendentals), format_count(row.executions), row.name, row.category});
  }
  if (shown < order.size()) {
    ops.add({format_bytes(others.bytes_accessed), format_flops(others.flops), format_count(others.transcendentals), "",
             format_others(order.size() - shown), ""});
  }
  ops.add({format_bytes(report.bytes_accessed), format_flops(report.flops), format_count(report.transcendentals), "",
           "TOTAL", ""});

  std::string text = preformatted(headline(report, options.width), options) + "\n" + ops.to_string(options);
  if (const std::string loops = loops_text(report); !loops.empty()) text += preformatted(loops, options);
  if (!report.unknown.empty()) {
    text +=
        "\n" + std::to_string(report.unknown.size()) + " not counted in full, first " + report.unknown.front() + "\n";
  }
  return text;
}

std::string counts_table(const std::vector<std::string>& names, const std::vector<CountsReport>& reports,
                         const TextLayout& layout) {
  const bool physical = !reports.empty() && reports.front().convention == "physical";
  std::vector<Column> columns = {{.title = "file", .is_whole = true, .is_code = true},
                                 {"flops", Align::kRight},
                                 {"transc.", Align::kRight},
                                 {"bytes", Align::kRight}};
  if (physical) {
    columns.push_back({"unpadded", Align::kRight});
    columns.push_back({"ratio", Align::kRight});
  }
  columns.push_back({"unknown", Align::kRight});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < reports.size() && i < names.size(); ++i) {
    const CountsReport& report = reports[i];
    std::vector<std::string> cells = {names[i], format_flops(report.flops), format_count(report.transcendentals),
                                      format_bytes(report.bytes_accessed)};
    if (physical) {
      cells.push_back(format_bytes(report.logical_bytes));
      cells.push_back(report.logical_bytes > 0 ? format_count(report.bytes_accessed / report.logical_bytes) : "");
    }
    cells.push_back(std::to_string(report.unknown.size()));
    table.add(std::move(cells));
  }
  return table.to_string(layout);
}

}  // namespace hloroof::internal::inline report
