#include "absl/strings/str_format.h"
#include "lib/report/origin_line.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/verdict.h"
#include "lib/report/views.h"

namespace hloroof::internal {

std::string summary_view(const StepPrediction& p, const ViewOptions& options) {
  const auto line = [](std::string_view name, const std::string& value, const std::string& remark) {
    std::string text = absl::StrFormat("  %-14s  %-10s", std::string(name), value);
    if (!remark.empty()) text += "  " + remark;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  const auto share_of_step = [&](double seconds) {
    return p.step_seconds > 0 ? format_percent(seconds / p.step_seconds) + " of the step" : std::string();
  };

  std::string where = p.device;
  if (!p.topology.empty()) where += " " + p.topology;
  if (p.slices > 1) where += absl::StrFormat(" x %d slices", p.slices);
  // A text without a header (a computation, one pasted line) has no module name.
  const std::string name = !p.module_name.empty() ? p.module_name : p.ops.empty() ? "module" : p.ops.back().name;
  std::string out = shorten(name, options.width - where.size() - 4) + " on " + where + "\n";
  if (const std::string origin = origin_line(p); !origin.empty()) out += wrap(origin, options.width, 0) + "\n";
  out += "\n";
  if (const std::string findings = origin_diagnostics_view(p, options); !findings.empty()) out += findings + "\n";

  if (const std::string sentence = verdict(p); !sentence.empty()) {
    out += "  " + wrap(sentence, options.width == 0 ? 80 : options.width, 2) + "\n\n";
  }
  out += line("step time", format_seconds(p.step_seconds),
              format_seconds(p.lower_bound_seconds) + " with perfect overlap, " + format_seconds(p.serial_seconds) +
                  " with none");
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.code == DiagnosticCode::kUnscheduled) {
      out += line("schedule", "none yet", "a list schedule; fusion and layouts still to come");
    }
  }
  out += line("bound by", std::string(to_string(p.bound, p.family)), "");
  if (p.mfu) out += line("MFU", format_percent(*p.mfu), format_flops(p.flops) + " at the bf16 peak");
  out += line("exposed comm.", format_seconds(p.exposed_communication_seconds),
              share_of_step(p.exposed_communication_seconds));
  const MemoryPrediction& memory = p.memory;
  out += line("peak memory", format_bytes(memory.hbm_peak_bytes),
              "of " + format_bytes(memory.capacity_bytes) +
                  (memory.fits ? absl::StrFormat(" (%s)", format_percent(memory.hbm_peak_bytes / memory.capacity_bytes))
                               : ": does NOT fit, by " + format_bytes(memory.hbm_peak_bytes - memory.capacity_bytes)));
  out += line("coverage", format_percent(p.modelled_share) + " modelled",
              format_percent(p.assumed_share) + " assumed, " + format_percent(p.unknown_share) + " unknown");
  if (p.compiler_estimate_seconds) {
    out += line("compiler", format_seconds(*p.compiler_estimate_seconds), "the step by the estimates in the dump");
  }
  return out;
}

}  // namespace hloroof::internal
