#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/analysis/op_name.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/hardware/accuracy.h"
#include "lib/hardware/names.h"
#include "lib/report/verdict.h"
#include "lib/report/views.h"
#include "lib/step/facts.h"
#include "lib/step/step_cost.h"
#include "lib/time/assumed_rate.h"

namespace hloroof::internal::inline report {
namespace {

// "TPU v4 or v5p"; "TPU" if too many generations are possible for a line.
std::string backend_text(const ModuleOrigin& origin) {
  constexpr std::size_t kMostGenerations = 3;
  constexpr std::string_view kPrefix = "tpu_";
  switch (origin.backend) {
    case Backend::kUnknown: return "unknown backend";
    case Backend::kGpu: return "GPU";
    case Backend::kCpu: return "CPU";
    case Backend::kTpu: break;
  }
  if (origin.generations.empty() || origin.generations.size() > kMostGenerations) return "TPU";
  std::vector<std::string> names;
  for (const std::string& name : origin.generations) {
    names.push_back(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
  }
  return "TPU " + absl::StrJoin(names, " or ");
}

// "TPU, optimized, scheduled, 8 partitions"; "CPU, not optimized". Empty if the text shows nothing about its
// compilation.
std::string origin_line(const StepPrediction& p) {
  const ModuleOrigin& origin = p.origin;
  if (origin.backend == Backend::kUnknown && origin.stage == CompileStage::kUnknown) return "";
  std::string line = backend_text(origin);
  switch (origin.stage) {
    case CompileStage::kUnpartitioned:
      return line + absl::StrFormat(", not partitioned over its %d devices, not optimized", origin.sharded_over);
    case CompileStage::kUnoptimized: line += ", not optimized"; break;
    case CompileStage::kOptimized:
      line += p.is_scheduled ? ", optimized, scheduled" : ", optimized, not scheduled";
      break;
    case CompileStage::kUnknown: line += ", not scheduled"; break;
  }
  if (p.num_partitions > 1) line += absl::StrFormat(", %d partitions", p.num_partitions);
  if (p.text_slices > 1) line += absl::StrFormat(" in each of %d slices", p.text_slices);
  if (p.replica_count > 1) line += absl::StrFormat(", %d replicas", p.replica_count);
  return line;
}

// The rate that decides the time of an op, if nobody measured it on the device; else empty.
std::string assumed_rate_of(const StepPrediction& p, const OpPrediction& op) {
  if (p.facts == nullptr || op.work->source >= CostSource::kAssumed) return {};
  if (p.facts->collectives.by_carrier.contains(op.id.index)) return {};
  return assumed_rate(op.work, op.time, p.facts->target.device, p.facts->costs.products_busy);
}

// Names the ops with the most time that is assumed or unknown: "fusion.3 12.1 %, custom-call.7 4.0 %, 3 others".
std::string unsure_ops(const StepPrediction& p, std::size_t width) {
  constexpr double kLeast = 0.001;  // share of the step
  constexpr std::size_t kMost = 3;
  std::vector<const OpPrediction*> ops;
  for (const OpPrediction& op : p.ops) {
    const bool is_unsure = op.source == CostSource::kAssumed || op.source == CostSource::kUnknown;
    if (is_unsure && assumed_rate_of(p, op).empty() && op.exposed_seconds > kLeast * p.step_seconds) ops.push_back(&op);
  }
  if (ops.empty()) return "";
  std::stable_sort(ops.begin(), ops.end(), [](auto* a, auto* b) { return a->exposed_seconds > b->exposed_seconds; });
  const ShortNames names(p);
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, ops.size()); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", names.shorten_cell(ops[i]->name, 40), " ",
                    format_percent(ops[i]->exposed_seconds / p.step_seconds),
                    ops[i]->source == CostSource::kUnknown ? " unknown" : "");
  }
  if (ops.size() > kMost)
    absl::StrAppend(&text, ", ", ops.size() - kMost, ops.size() == kMost + 1 ? " other" : " others");
  return "  not modelled    " + wrap(text, width, 18) + "\n";
}

// Names the rates that nobody measured on the device, by what they decide: "hbm.efficiency 12.1 %, ...".
std::string assumed_rates(const StepPrediction& p, std::size_t width) {
  if (p.facts == nullptr || p.step_seconds <= 0) return "";
  std::map<std::string, double> seconds;
  for (const OpPrediction& op : p.ops) {
    if (op.source != CostSource::kAssumed) continue;
    if (const std::string rate = assumed_rate_of(p, op); !rate.empty()) seconds[rate] += op.exposed_seconds;
  }
  if (seconds.empty()) return "";
  std::vector<std::pair<std::string, double>> rates(seconds.begin(), seconds.end());
  std::stable_sort(rates.begin(), rates.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [rate, time] : rates) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", to_absl(rate), " ", format_percent(time / p.step_seconds));
  }
  absl::StrAppend(&text, " of the step: not measured on ", p.facts->target.device.name);
  return "  assumed rates   " + wrap(text, width, 18) + "\n";
}

// "$0.00123": a step costs too little for cents.
std::string format_dollars(double dollars) { return absl::StrFormat("$%.3g", dollars); }

// "12.3 kJ": powers of 1000.
std::string format_joules(double joules) { return format_rate(joules, "J"); }

// "8 chips".
std::string chips_text(const StepPrediction& p) {
  const double chips = occupied_chips(*p.facts);
  return absl::StrFormat("%.0f %s", chips, chips == 1 ? "chip" : "chips");
}

// Where the energy of the step is from, for those who ask what the step costs or who say what a chip draws; else empty.
// The power in a device file is that of the design or the most measured, which bounds the energy.
std::string energy_text(const StepPrediction& p) {
  const std::vector<Parameter> numbers = parameters(p.facts->target.device);
  const auto power = std::find_if(numbers.begin(), numbers.end(), [](const Parameter& n) { return n.path == "power"; });
  std::string at = absl::StrCat(chips_text(p), " at ", format_quantity(*power->value, "W"));
  if (power->source.kind == Provenance::kUser) return at;
  if (!p.facts->options.price && !p.facts->options.tokens) return "";
  return absl::StrCat("at most: ", at, " (", to_absl(word_of(kProvenanceWords, power->source.kind)), ")");
}

// "$5.09 and 1.83 MJ for a million": what tokens cost, of what is known.
std::string tokens_text(const StepPrediction& p) {
  constexpr double kMillion = 1e6;
  std::vector<std::string> costs;
  if (const std::optional<double> dollars = dollars_per_million_tokens(p)) costs.push_back(format_dollars(*dollars));
  if (const std::optional<double> joules = most_joules_per_token(p)) costs.push_back(format_joules(kMillion * *joules));
  return costs.empty() ? "" : absl::StrJoin(costs, " and ") + " for a million";
}

// The measurements are of compiled programs on the device. They say nothing of another program, nor of one in which
// nothing is modelled.
bool measurements_apply(const StepPrediction& p) {
  const auto is_other = [](const Diagnostic& finding) {
    return is_about_origin(finding) || finding.code == DiagnosticCode::kWrongGeneration;
  };
  return p.facts != nullptr && p.modelled_share > 0 && p.code_share == 0 &&
         std::none_of(p.diagnostics.begin(), p.diagnostics.end(), is_other);
}

// The kind of measurement that a run of this program would be: a step if it trains, or else what takes most of its
// time.
std::optional<Measured> kind_of_program(const StepPrediction& p) {
  double matmuls = 0;
  double kernels = 0;
  for (const OpPrediction& op : p.ops) {
    if (parse_op_name(op.op_name, p.module_name).phase == Phase::kBackward) return Measured::kSteps;
    const double working = op.exposed_seconds - op.wait_seconds;
    if (op.opcode == to_string(Opcode::kCustomCall)) {
      kernels += working;
    } else if (!op.work->matrix.empty()) {
      matmuls += working;
    }
  }
  const double most = p.step_seconds / 2;
  if (matmuls > most) return Measured::kMatmuls;
  if (kernels > most) return Measured::kKernels;
  if (p.exposed_communication_seconds > most) return Measured::kCollectives;
  return std::nullopt;
}

}  // namespace

std::string model_flops_text(const StepPrediction& p) {
  if (p.facts != nullptr && p.facts->options.model_flops) {
    return "of " + format_flops(*p.facts->options.model_flops) + " on all devices, as given";
  }
  std::string text;
  if (p.recomputed_flops > 0) text = format_flops(p.recomputed_flops) + " recomputed";
  if (p.redundant_flops > 0) {
    absl::StrAppend(&text, text.empty() ? "" : " and ", format_flops(p.redundant_flops), " repeated by other devices");
  }
  return text.empty() ? "" : "at most: without " + text;
}

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
  const bool fits = options.width == 0 || name.size() + where.size() + 4 <= options.width;
  std::string out = name + (fits ? " on " : "\n  on ") + where + "\n";
  if (const std::string origin = origin_line(p); !origin.empty()) out += wrap(origin, options.width, 0) + "\n";
  if (const std::string part = part_of_request(p); !part.empty()) out += wrap(part + ".", options.width, 0) + "\n";
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
  if (p.hfu) out += line("HFU", format_percent(*p.hfu), format_flops(p.flops) + " at the bf16 peak");
  if (const std::string counted = model_flops_text(p); p.mfu && !counted.empty()) {
    out += line("MFU", format_percent(*p.mfu), counted);
  }
  out += line("exposed comm.", format_seconds(p.exposed_communication_seconds),
              share_of_step(p.exposed_communication_seconds));
  if (const std::optional<double> dollars = step_dollars(p)) {
    out += line("cost", format_dollars(*dollars),
                absl::StrCat(chips_text(p), " at ", format_dollars(*p.facts->options.price), " an hour"));
  }
  if (const std::optional<double> joules = most_joules(p)) {
    if (const std::string source = energy_text(p); !source.empty())
      out += line("energy", format_joules(*joules), source);
  }
  if (const std::optional<double> rate = tokens_per_second(p)) {
    out += line("tokens", format_count(*rate) + "/s", tokens_text(p));
  }
  const MemoryPrediction& memory = p.memory;
  out += line("peak memory", format_memory(memory.hbm_peak_bytes),
              "of " + format_memory(memory.usable_bytes) + " usable" +
                  (memory.fits ? absl::StrFormat(" (%s)", format_percent(memory.hbm_peak_bytes / memory.usable_bytes))
                               : ": does NOT fit, by " + format_bytes(memory.hbm_peak_bytes - memory.usable_bytes)));
  out += line("coverage", format_percent(p.modelled_share) + " modelled",
              (p.code_share > 0 ? format_percent(p.code_share) + " by the compiler's code, " : "") +
                  format_percent(p.assumed_share) + " assumed, " + format_percent(p.unknown_share) + " unknown");
  out += unsure_ops(p, options.width);
  out += assumed_rates(p, options.width);
  if (measurements_apply(p)) {
    out +=
        "  trust           " + wrap(trust_text(p.facts->target.device, kind_of_program(p)), options.width, 18) + "\n";
  }
  if (p.compiler_estimate_seconds) {
    out += line("compiler", format_seconds(*p.compiler_estimate_seconds), "the step by the estimates in the dump");
  }
  return out;
}

}  // namespace hloroof::internal::inline report
