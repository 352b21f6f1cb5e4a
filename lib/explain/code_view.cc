// Writes the final code of a dump as text.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/units.h"
#include "lib/code/code_units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/explain/code_report.h"
#include "lib/results/rows.h"

namespace hloroof::internal::inline explain {
namespace {

constexpr std::string_view kUnknownCell = "?";

template <typename Format>
std::string cell(const std::optional<double>& value, const Format& format) {
  return value ? format(*value) : std::string(kUnknownCell);
}

std::string count_cell(const std::optional<double>& value) {
  return cell(value, [](double count) { return format_count(std::round(count)); });
}

// "257 + 87": stores and loads; empty if there are none.
std::string spill_text(std::int64_t spills, std::int64_t fills) {
  if (spills == 0 && fills == 0) return "";
  return absl::StrFormat("%d + %d", fills, spills);
}

std::string hbm_text(const CodeRow& row) {
  if (!row.bytes_read) return std::string(kUnknownCell);
  const double bytes = *row.bytes_read + *row.bytes_written + *row.bytes_either;
  return bytes > 0 ? format_bytes(bytes) : "";
}

std::string cycles_table(const CodeReport& report, std::size_t shown, const ViewOptions& options,
                         const ShortNames& names) {
  Table table({{"time", Align::kRight},
               {"model", Align::kRight},
               {"cycles", Align::kRight},
               {"busy", Align::kRight},
               {"empty", Align::kRight},
               {"waits", Align::kRight},
               {"HBM", Align::kRight},
               {"spills", Align::kRight},
               {.title = "op", .is_code = true, .names = &names}});
  for (std::size_t i = 0; i < shown; ++i) {
    const CodeRow& row = report.rows[i];
    std::optional<double> waits;
    if (row.waiting_cycles) waits = *row.waiting_cycles + *row.draining_cycles;
    table.add({cell(row.seconds, format_seconds), row.model_seconds ? format_seconds(*row.model_seconds) : "",
               count_cell(row.cycles), count_cell(row.busy_cycles), count_cell(row.empty_cycles), count_cell(waits),
               hbm_text(row), spill_text(row.vector_spills, row.vector_fills), row.op});
  }
  return table.to_string(options);
}

std::string units_table(const CodeReport& report, std::size_t shown, const ViewOptions& options,
                        const ShortNames& names) {
  std::vector<Column> columns;
  for (std::size_t unit = 0; unit < kCodeUnitCount; ++unit) {
    columns.push_back({std::string(to_string(static_cast<CodeUnit>(unit))), Align::kRight});
  }
  columns.push_back({.title = "op", .is_code = true, .names = &names});
  columns.push_back({"source"});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < shown; ++i) {
    const CodeRow& row = report.rows[i];
    std::vector<std::string> cells;
    if (row.units.empty()) cells.assign(kCodeUnitCount, std::string(kUnknownCell));
    for (const CodeUnitRow& unit : row.units) {
      const bool is_used = unit.cycles > 0 && *row.busy_cycles > 0;
      cells.push_back(is_used ? absl::StrFormat("%.0f %%", 100 * unit.cycles / *row.busy_cycles) : "");
    }
    cells.push_back(row.op);
    cells.push_back(short_source(row.source_file, row.source_line));
    table.add(std::move(cells));
  }
  return table.to_string(options);
}

std::string wrapped(const std::string& text, const ViewOptions& options, std::size_t indent) {
  return wrap(text, options.width == 0 ? std::string::npos : options.width, indent);
}

// What a reader must know about the numbers of a row.
std::vector<std::string> remarks_of(const CodeRow& row) {
  std::vector<std::string> remarks;
  if (!row.failure.empty()) remarks.push_back("It is not known which bundles run. " + row.failure);
  if (!row.transfer_failure.empty()) remarks.push_back("Transfers and waits are not known. " + row.transfer_failure);
  if (row.vector_spills > 0 || row.vector_fills > 0) {
    std::string remark = absl::StrFormat("The code spills: it loads registers %d times and stores them %d times",
                                         row.vector_fills, row.vector_spills);
    if (row.vector_fills_run) {
      remark += absl::StrFormat(", which makes %s loads and %s stores a run", format_count(*row.vector_fills_run),
                                format_count(*row.vector_spills_run));
    }
    remarks.push_back(remark + ".");
  }
  if (!row.unread.empty()) {
    remarks.push_back("The results of these instructions are taken as unknown: " + absl::StrJoin(row.unread, ", ") +
                      ".");
  }
  return remarks;
}

std::string remarks_text(const CodeReport& report, std::size_t shown, const ViewOptions& options) {
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    for (const std::string& remark : remarks_of(report.rows[i])) {
      const std::string& op = report.rows[i].op;
      if (options.markdown) {
        out += "- `" + op + "`: " + remark + "\n";
      } else {
        out += "  " + op + "\n    " + wrapped(remark, options, 4) + "\n";
      }
    }
  }
  return out.empty() ? out : std::string("\nAbout these numbers\n") + (options.markdown ? "\n" : "") + out;
}

}  // namespace

std::string code_view(const CodeReport& report, const ViewOptions& options) {
  std::vector<std::string_view> ops;
  for (const CodeRow& row : report.rows) ops.emplace_back(row.op);
  const std::size_t count = ops.size();
  const ShortNames names(std::move(ops));
  const std::size_t shown = shown_rows(count, options.rows);
  const std::string title = absl::StrFormat(
      "Final code on %s at %s, a core reads HBM at %s after %s: cycles of one run", report.device,
      format_quantity(report.clock, "Hz"), format_rate(report.read_bandwidth, "B/s"), format_seconds(report.latency));
  std::string out = wrapped(title, options, 2) + "\n";
  out += cycles_table(report, shown, options, names);
  if (shown < count) out += "  " + format_others(count - shown) + "\n";
  out += "\nBusy cycles with an instruction for each unit\n";
  out += units_table(report, shown, options, names);
  return out + remarks_text(report, shown, options);
}

}  // namespace hloroof::internal::inline explain
