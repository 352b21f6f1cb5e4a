#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"
#include "lib/schedule/alike_buffers.h"

namespace hloroof::internal::inline report {
namespace {

// Upper bound for the share of temporaries lost to gaps by best fit in decreasing size, which XLA uses to pack them.
// Most packings have no gaps.
constexpr double kGaps = 0.05;

}  // namespace

std::string memory_view(const StepPrediction& p, const ViewOptions& options) {
  const MemoryPrediction& memory = p.memory;
  std::string out = "Memory of one device\n";
  Table totals({{""}, {"", Align::kRight}, {""}});
  totals.add({"peak", format_bytes(memory.hbm_peak_bytes), "of " + format_bytes(memory.usable_bytes) + " usable"});
  totals.add({"arguments", format_bytes(memory.arguments_bytes), ""});
  totals.add({"outputs", format_bytes(memory.outputs_bytes),
              format_bytes(memory.aliased_bytes) + " of them in donated arguments"});
  totals.add({"temporaries", format_bytes(memory.temporaries_bytes), "at the peak"});
  totals.add({"padding", format_bytes(memory.padding_bytes), "of what is live at the peak"});
  totals.add(
      {"gaps", format_bytes(kGaps * memory.temporaries_bytes), "between buffers; reserve in addition to the peak"});
  if (memory.vmem_peak_bytes > 0) totals.add({"VMEM peak", format_bytes(memory.vmem_peak_bytes), ""});
  if (memory.host_peak_bytes > 0) totals.add({"host peak", format_bytes(memory.host_peak_bytes), ""});
  std::string table = totals.to_string(options);
  if (!options.markdown) table.erase(0, table.find('\n') + 1);  // the columns have no titles
  out += table;
  if (options.markdown) out += '\n';
  if (memory.fits) {
    out +=
        absl::StrFormat("  fits: %s (%s bytes) are left\n", format_bytes(memory.usable_bytes - memory.hbm_peak_bytes),
                        format_integer(memory.usable_bytes - memory.hbm_peak_bytes));
  } else {
    const std::string text = absl::StrFormat("does NOT fit by %s: needs %s (%s bytes), %s (%s bytes) are usable",
                                             format_bytes(memory.hbm_peak_bytes - memory.usable_bytes),
                                             format_bytes(memory.hbm_peak_bytes), format_integer(memory.hbm_peak_bytes),
                                             format_bytes(memory.usable_bytes), format_integer(memory.usable_bytes));
    out += "  " + wrap(text, options.width, 2) + "\n";
    if (!memory.live_at_peak.empty() && memory.padding_bytes > 0) {
      out += absl::StrFormat("  padding accounts for %s of the peak\n",
                             format_percent(memory.padding_bytes / memory.hbm_peak_bytes));
    }
  }
  // Omits small donations, which are noise.
  for (std::size_t i = 0; i < memory.donatable.size() && i < 3; ++i) {
    const DonatableArgument& argument = memory.donatable[i];
    if (argument.bytes < 0.01 * memory.hbm_peak_bytes) break;
    const std::string text = absl::StrFormat("donating argument %d (%s) would save %s: a result has its shape",
                                             argument.number, argument.name, format_bytes(argument.bytes));
    out += "  " + wrap(text, options.width, 2) + "\n";
  }

  const ShortNames names(p);
  Table live({{"size", Align::kRight},
              {"padding", Align::kRight},
              {.title = "buffer", .names = &names},
              {.title = "shape", .is_code = true},
              {"source", Align::kLeft, 18}});
  double shown = 0;
  std::size_t rows = 0;
  std::size_t rest = memory.live_at_peak.size();
  for (const AlikeBuffers& alike : fold_alike(memory.live_at_peak)) {
    if (options.rows.limit > 0 && rows == options.rows.limit) break;
    ++rows;
    rest -= alike.count;
    shown += alike.bytes;
    const double logical = alike.bytes - alike.padding_bytes;
    const LiveBuffer& first = memory.live_at_peak[alike.first];
    live.add({format_bytes(alike.bytes),
              alike.padding_bytes > 0 && logical > 0 ? absl::StrFormat("%.1fx", alike.bytes / logical) : "",
              alike_label(alike, memory.live_at_peak),
              alike.shapes == 1 ? first.shape : absl::StrCat(first.shape, " and others"),
              short_source(first.source_file, first.source_line)});
  }
  if (rest > 0) live.add({format_bytes(memory.hbm_peak_bytes - shown), "", format_others(rest)});
  live.add({format_bytes(memory.hbm_peak_bytes), "", "TOTAL"});
  return out + "\nLive at the peak, alike buffers in one row; padding: expansion by tiles\n" + live.to_string(options);
}

}  // namespace hloroof::internal::inline report
