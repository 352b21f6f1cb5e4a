#include "lib/code/code_rows.h"

#include <array>
#include <memory>
#include <utility>

#include "lib/base/source_text.h"
#include "lib/code/executor.h"
#include "lib/code/read_bundles.h"

namespace hloroof::internal::inline code {
namespace {

void count_code(const CodeProgram& program, CodeRow& row) {
  row.bundles = static_cast<std::int64_t>(program.bundles.size());
  for (const Bundle& bundle : program.bundles) {
    row.vector_spills += bundle.vector_spills;
    row.vector_fills += bundle.vector_fills;
    row.scalar_spills += bundle.scalar_spills;
    row.scalar_fills += bundle.scalar_fills;
  }
}

void count_runs(const CodeProgram& program, const CodeRun& run, CodeRow& row) {
  std::array<double, kCodeUnitCount> cycles{};
  std::array<double, kCodeUnitCount> instructions{};
  double empty = 0;
  double spills = 0;
  double fills = 0;
  for (std::size_t i = 0; i < program.bundles.size(); ++i) {
    const Bundle& bundle = program.bundles[i];
    const auto runs = static_cast<double>(run.runs[i]);
    if (bundle.is_empty) empty += runs;
    spills += runs * bundle.vector_spills;
    fills += runs * bundle.vector_fills;
    for (std::size_t unit = 0; unit < kCodeUnitCount; ++unit) {
      if (bundle.issued[unit] == 0) continue;
      cycles[unit] += runs;
      instructions[unit] += runs * bundle.issued[unit];
    }
  }
  row.busy_cycles = run.busy;
  row.empty_cycles = empty;
  row.vector_spills_run = spills;
  row.vector_fills_run = fills;
  for (std::size_t unit = 0; unit < kCodeUnitCount; ++unit) {
    row.units.push_back({to_string(static_cast<CodeUnit>(unit)), cycles[unit], instructions[unit]});
  }
}

double length_of(const CodeRun& run) { return run.busy + run.waiting + run.draining; }

void count_transfers(const CodeRun& run, const CodeCore& core, CodeRow& row) {
  row.waiting_cycles = run.waiting;
  row.draining_cycles = run.draining;
  row.cycles = length_of(run);
  row.seconds = *row.cycles / core.clock;
  row.bytes_read = run.totals.bytes_read;
  row.bytes_written = run.totals.bytes_written;
  row.bytes_either = run.totals.bytes_either;
  row.hbm_cycles = run.totals.bytes_read / core.read_rate + run.totals.bytes_written / core.write_rate +
                   run.totals.bytes_either / core.hbm_rate + run.totals.bytes_turned * core.turn;
  row.transfers = run.totals.transfers;
  row.waits = run.totals.waits;
}

}  // namespace

absl::StatusOr<CodeRow> code_row(const CodeFile& file, const Device& device, std::int64_t max_bytes) {
  const absl::StatusOr<CodeCore> core = code_core(device);
  if (!core.ok()) return core.status();
  const absl::StatusOr<std::shared_ptr<const SourceText>> text = SourceText::read(file.path, max_bytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<CodeProgram> program = read_bundles((*text)->view(), file.path);
  if (!program.ok()) return program.status();
  CodeRow row;
  row.op = file.instruction;
  row.file = file.path;
  row.unread = program->unread;
  row.matrix_units = program->matrix_units;
  row.joins_cores = program->joins_cores;
  count_code(*program, row);
  CodeRun run = run_code(*program, *core, 0, (*text)->view());
  // Code that asks for the number of its core may do something else on each, and the slowest decides.
  for (std::int64_t other = 1; run.loads_core_id && other < core->cores && run.failure.empty(); ++other) {
    CodeRun next = run_code(*program, *core, static_cast<std::uint32_t>(other), (*text)->view());
    const bool is_worse = !next.failure.empty() || !next.transfer_failure.empty();
    if (!is_worse && length_of(next) <= length_of(run)) continue;
    run = std::move(next);
    row.core = other;
    if (is_worse) break;
  }
  row.failure = run.failure;
  row.transfer_failure = run.transfer_failure;
  if (row.failure.empty()) count_runs(*program, run, row);
  if (row.failure.empty() && row.transfer_failure.empty()) count_transfers(run, *core, row);
  return row;
}

}  // namespace hloroof::internal::inline code
