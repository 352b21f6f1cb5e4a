// Explains what a Pallas kernel does, in words and tables.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/explain/kernel_rows.h"

namespace hloroof::internal::inline explain {
namespace {

constexpr std::size_t kMostWindows = 16;
constexpr std::size_t kMostAssumptions = 8;

std::string kernel_line(std::string_view key, const std::string& text, std::size_t width) {
  return absl::StrFormat("  %-12s ", std::string(key)) + wrap(text, width, 15) + "\n";
}

std::string windows_table(const KernelRow& kernel, std::size_t width) {
  Table table({{"window"},
               {"block"},
               {"bytes", Align::kRight},
               {"moved", Align::kRight},
               {"blocks", Align::kRight},
               {"moves of each", Align::kRight}});
  const std::size_t shown = std::min(kernel.windows.size(), kMostWindows);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelWindowRow& window = kernel.windows[i];
    table.add({absl::StrFormat("%d, %s", i, std::string(window.direction)), sizes_text(window.block),
               format_bytes(window.bytes), format_count(window.moves),
               window.blocks > 0 ? format_count(window.blocks) : "",
               window.blocks > 0 ? absl::StrFormat("%.2f", window.repeats()) : ""});
  }
  std::string out = table.to_string({.width = width});
  if (shown < kernel.windows.size()) out += absl::StrFormat("  [%d more]\n", kernel.windows.size() - shown);
  return out;
}

std::string vmem_text(const KernelRow& kernel) {
  std::string text = absl::StrFormat("%s of windows, in two buffers where blocks change, and %s of scratch",
                                     format_bytes(*kernel.window_bytes), format_bytes(*kernel.scratch_bytes));
  const std::optional<bool> fits = kernel.fits();
  if (!fits) return text;
  text +=
      *fits ? absl::StrFormat(": %s of the ", format_bytes(*kernel.vmem_bytes()))
            : absl::StrFormat(": does NOT fit by %s in the ", format_bytes(*kernel.vmem_bytes() - *kernel.vmem_room()));
  text += kernel.vmem_room_text();
  return kernel.vmem_limit ? text
                           : text +
                                 "; what the compiler allows it (scoped VMEM) is not in the text: see "
                                 "--scoped-vmem-limit-kib";
}

std::string estimate_table(const KernelRow& kernel, std::size_t width) {
  Table table({{"author's cost_estimate"},
               {"stated", Align::kRight},
               {"counted", Align::kRight},
               {"stated / counted", Align::kRight}});
  for (const KernelEstimateRow& row : kernel.estimate) {
    const auto number = [&](double value) {
      return row.quantity == "flops"   ? format_flops(value)
             : row.quantity == "bytes" ? format_bytes(value)
                                       : format_count(value);
    };
    const std::optional<double> ratio = row.ratio();
    table.add({row.quantity == "bytes" ? "bytes of HBM" : std::string(row.quantity), number(row.stated),
               row.counted ? number(*row.counted) : "", ratio ? format_number(*ratio) : ""});
  }
  return table.to_string({.width = width});
}

}  // namespace

std::string explain_kernel(const KernelRow& kernel, std::size_t width) {
  std::string out;
  if (!kernel.name.empty()) out += kernel_line("name", kernel.name, width);
  if (!kernel.failure.empty()) out += kernel_line("not followed", kernel.failure, width);
  if (kernel.steps) {
    const std::string steps =
        format_count(static_cast<double>(*kernel.steps)) + (*kernel.steps == 1 ? " step" : " steps");
    out += kernel_line("grid", kernel.grid.empty() ? steps : kernel.grid_text() + ": " + steps, width);
  }
  if (kernel.window_bytes) out += kernel_line("VMEM", vmem_text(kernel), width);
  if (kernel.least_seconds) out += kernel_line("range", kernel.range_text(), width);
  const std::size_t shown = std::min(kernel.assumptions.size(), kMostAssumptions);
  for (std::size_t i = 0; i < shown; ++i) out += kernel_line("assumed", kernel.assumptions[i], width);
  if (shown < kernel.assumptions.size()) {
    out += kernel_line("", absl::StrFormat("[%d more]", kernel.assumptions.size() - shown), width);
  }
  if (!kernel.unknown_ops.empty()) {
    out += kernel_line("unknown", "the work of " + absl::StrJoin(kernel.unknown_ops, ", "), width);
  }
  if (!kernel.windows.empty()) out += "\n" + windows_table(kernel, width);
  if (!kernel.estimate.empty()) out += "\n" + estimate_table(kernel, width);
  return out;
}

}  // namespace hloroof::internal::inline explain
