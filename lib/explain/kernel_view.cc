// Writes the kernels of a program as text.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/explain/kernel_report.h"
#include "lib/results/fold.h"

namespace hloroof::internal::inline explain {
namespace {

// "12 %": whole percents of a kernel's time.
std::string whole_percent(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.0f %%", 100 * part / whole) : "";
}

std::string_view basis_of(const KernelRow& kernel) {
  if (!kernel.failure.empty()) return "not followed";
  if (kernel.source == CostSource::kUnknown) return "in part unknown";
  if (kernel.source == CostSource::kAssumed) return "assumed";
  return "";
}

std::string time_table(const KernelReport& report, std::size_t shown, const ViewOptions& options,
                       const ShortNames& names) {
  Table table({{"share", Align::kRight},
               {"time", Align::kRight},
               {"runs", Align::kRight},
               {.title = "bound", .is_whole = true},
               {"grid"},
               {.title = "kernel", .is_code = true},
               {.title = "op", .is_code = true, .names = &names}});
  double total = 0;
  double rest = 0;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelRow& kernel = report.kernels[i];
    total += kernel.exposed_seconds;
    if (i >= shown) {
      rest += kernel.exposed_seconds;
      continue;
    }
    table.add({format_percent(kernel.share), format_seconds(kernel.exposed_seconds), format_count(kernel.executions),
               kernel.bound, kernel.grid_text(), kernel.name, kernel.op});
  }
  const double step = report.step.step_seconds;
  const auto add_sum = [&](double seconds, std::string label) {
    table.add({step > 0 ? format_percent(seconds / step) : "", format_seconds(seconds), "", "", "", std::move(label)});
  };
  if (shown < report.kernels.size()) add_sum(rest, format_others(report.kernels.size() - shown));
  if (report.kernels.size() > 1) add_sum(total, "TOTAL");
  return table.to_string(options);
}

std::string unit_table(const KernelReport& report, std::size_t shown, const ViewOptions& options,
                       const ShortNames& names) {
  const auto unit = [&](Resource resource) { return std::string(to_string(resource, report.step.family)); };
  Table table({{"one run", Align::kRight},
               {"steps", Align::kRight},
               {unit(Resource::kMatrix), Align::kRight},
               {unit(Resource::kVector), Align::kRight},
               {unit(Resource::kHbm), Align::kRight},
               {"waits", Align::kRight},
               {"VMEM", Align::kRight},
               {.title = "basis", .is_whole = true},
               {.title = "op", .is_code = true, .names = &names}});
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& kernel = report.kernels[i];
    const auto part = [&](double KernelTimes::*member) {
      return kernel.times ? whole_percent((*kernel.times).*member, kernel.seconds) : std::string();
    };
    const std::optional<double> vmem = kernel.vmem_bytes();
    table.add({format_seconds(kernel.seconds), kernel.steps ? format_count(static_cast<double>(*kernel.steps)) : "",
               part(&KernelTimes::matrix), part(&KernelTimes::vector), part(&KernelTimes::hbm),
               part(&KernelTimes::waiting), vmem ? format_bytes(*vmem) : "", std::string(basis_of(kernel)), kernel.op});
  }
  return table.to_string(options);
}

// What a reader must know about the numbers of a kernel.
std::vector<std::string> remarks_of(const KernelRow& kernel) {
  std::vector<std::string> remarks;
  if (!kernel.failure.empty()) remarks.push_back("The body was not followed: " + kernel.failure);
  if (kernel.fits() == std::optional<bool>(false)) {
    remarks.push_back(absl::StrFormat("It does NOT fit: windows and scratch take %s of VMEM, more than the %s.",
                                      format_bytes(*kernel.vmem_bytes()), kernel.vmem_room_text()));
  }
  if (!kernel.unknown_ops.empty()) {
    remarks.push_back("The work of these operations is unknown: " + absl::StrJoin(kernel.unknown_ops, ", "));
  }
  if (kernel.least_seconds) remarks.push_back(kernel.range_text());
  remarks.insert(remarks.end(), kernel.assumptions.begin(), kernel.assumptions.end());
  return remarks;
}

// The remarks about all kernels. Those that are equal for kernels of one name are written once.
std::string remarks_text(const std::vector<KernelRow>& kernels, const ViewOptions& options) {
  std::vector<std::string> order;  // names, by first appearance
  std::map<std::string, std::vector<std::string>> by_name;
  for (const KernelRow& kernel : kernels) {
    const std::string& name = kernel.name.empty() ? kernel.op : kernel.name;
    for (std::string& remark : remarks_of(kernel)) {
      std::vector<std::string>& all = by_name[name];
      if (all.empty()) order.push_back(name);
      if (std::find(all.begin(), all.end(), remark) == all.end()) all.push_back(std::move(remark));
    }
  }
  if (order.empty()) return "";
  std::string out = "\nAbout these numbers\n";
  if (options.markdown) out += "\n";
  for (const std::string& name : order) {
    if (options.markdown) {
      for (const std::string& remark : by_name[name]) out += "- `" + name + "`: " + remark + "\n";
      continue;
    }
    out += "  " + name + "\n";
    for (const std::string& remark : by_name[name]) {
      out += "    " + wrap(remark, options.width == 0 ? std::string::npos : options.width, 4) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string kernel_view(const KernelReport& report, const ViewOptions& options) {
  const StepPrediction& step = report.step;
  if (report.kernels.empty()) return "No kernels: no custom call of " + step.module_name + " is a Pallas kernel\n";
  const std::size_t shown = shown_rows(report.kernels.size(), options.rows);
  std::vector<std::string_view> ops;
  ops.reserve(report.kernels.size());
  for (const KernelRow& kernel : report.kernels) ops.emplace_back(kernel.op);
  const ShortNames names(std::move(ops));
  const std::string title = absl::StrFormat("Kernels of %s on %s %s, in a step of %s", step.module_name, step.device,
                                            step.topology, format_seconds(step.step_seconds));
  std::string out = (options.width == 0 ? title : wrap(title, options.width, 2)) + "\n";
  out += time_table(report, shown, options, names);
  out += "\nOne run: shares of its time that each unit is busy, side by side\n";
  out += unit_table(report, shown, options, names);
  return out + remarks_text(report.kernels, options);
}

}  // namespace hloroof::internal::inline explain
