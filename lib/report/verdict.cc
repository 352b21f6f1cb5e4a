#include "lib/report/verdict.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/op_name.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/diagnose/sent_by_role.h"
#include "lib/results/fold.h"
#include "lib/results/rows.h"
#include "lib/step/facts.h"
#include "lib/step/hideable.h"
#include "lib/step/waits.h"

namespace hloroof::internal::inline report {
namespace {

// Parts below this share of the step are not what limits it.
constexpr double kWorthAVerdict = 0.10;
// At this share of its peak, a resource is used well.
constexpr double kNearPeak = 0.85;
// The same as a share of what the device attains.
constexpr double kOfAttainable = 0.95;
// Ops of which fewer run cannot become much fewer.
constexpr double kManyRuns = 10;
// Where more than this share of the step is not known, nothing is said about what bounds it.
constexpr double kMostUnknown = 0.5;

std::string of_step(const StepPrediction& p, double seconds) {
  return absl::StrFormat("%.0f %% of the step", 100 * seconds / p.step_seconds);
}

// Kernels have names of any length, and a sentence is to be read at once.
std::string short_name(const StepPrediction& p, const std::string& name) {
  constexpr std::size_t kLongestName = 40;
  return name.size() <= kLongestName ? name : ShortNames(p).shorten_cell(name, kLongestName);
}

double busy_seconds(const StepPrediction& p, Resource resource) {
  for (const ResourceUse& use : p.resources) {
    if (use.resource == resource) return use.busy_seconds;
  }
  return 0;
}

// What other orders of the ops could do about the communication that is exposed; see CollectivePrediction.
std::string on_other_orders(const StepPrediction& p) {
  double exposed = 0;
  double hideable = 0;
  for (const CollectivePrediction& collective : p.collectives) {
    if (!collective.hideable_seconds) continue;
    exposed += collective.exposed_seconds;
    hideable += *collective.hideable_seconds;
  }
  if (exposed <= 0) return "";
  if (hideable < kWorthOfOrder * exposed) {
    return ". No order of its ops hides it: nearly all of them come before its start or need its end";
  }
  if (hideable < (1 - kWorthOfOrder) * exposed) {
    return absl::StrFormat(". Other orders of its ops can hide at most %.0f %% of it", 100 * hideable / exposed);
  }
  return ". A schedule with more overlap may hide it";
}

// The seconds in which collectives run in their own ops, by InstructionId. The rest of what is exposed of them is
// waits.
std::map<std::uint32_t, double> seconds_in_own_op(const StepPrediction& p) {
  std::map<std::uint32_t, double> seconds;
  for (const CollectivePrediction& collective : p.collectives) seconds[collective.id.index] = 0;
  for (const OpPrediction& op : p.ops) {
    const auto found = seconds.find(op.id.index);
    if (found != seconds.end()) found->second = op.exposed_seconds - op.wait_seconds;
  }
  return seconds;
}

// Returns "all-gather and reduce-scatter over data (FSDP)" for the collectives that use `link` and are exposed the
// longest in waits or in their own ops, or an empty text if there are none.
std::string collectives_on(const StepPrediction& p, const std::string& link, bool is_wait) {
  const std::map<std::uint32_t, double> in_own_op = seconds_in_own_op(p);
  std::map<std::string, double> seconds;
  std::vector<std::string> axes;
  for (const CollectivePrediction& collective : p.collectives) {
    std::string name(to_string(Resource::kIci, p.family));
    std::string dcn(to_string(Resource::kDcn, p.family));
    for (const std::string& axis : collective.axis_names) {
      absl::StrAppend(&name, ", ", axis);
      absl::StrAppend(&dcn, ", ", axis);
    }
    const double own = std::min(in_own_op.at(collective.id.index), collective.exposed_seconds);
    const double exposed = is_wait ? collective.exposed_seconds - own : own;
    if ((name != link && dcn != link) || exposed <= 0) continue;
    seconds[collective.kind] += exposed;
    axes = collective.axis_names;
  }
  if (seconds.empty()) return "";
  std::vector<std::pair<std::string, double>> kinds(seconds.begin(), seconds.end());
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = kinds[0].first;
  if (kinds.size() > 1 && kinds[1].second > 0.25 * kinds[0].second) absl::StrAppend(&text, " and ", kinds[1].first);
  std::string over;
  for (const std::string& axis : axes) {
    absl::StrAppend(&over, over.empty() ? "" : " and ", axis_in_sentence(axis));
    for (const MeshAxisPrediction& entry : p.mesh) {
      if (entry.name == axis && !entry.roles.empty()) absl::StrAppend(&over, " (", entry.roles.front(), ")");
    }
  }
  return over.empty() ? text : absl::StrCat(text, " over ", over);
}

double seconds_at_stake(const StepPrediction& p, DiagnosticCode code) {
  double seconds = 0;
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.code == code) seconds += diagnostic.seconds_at_stake.value_or(0);
  }
  return seconds;
}

// What could hide the communication. The step is in a blocking collective itself, or waits for one that runs beside it.
std::string remedy_for_link(const StepPrediction& p, Resource resource, bool is_blocking) {
  const double link = busy_seconds(p, resource);
  const double ops = op_seconds(p);
  const std::string name(to_string(resource, p.family));
  if (link <= 0) return "";
  const std::string busy =
      absl::StrFormat("%s is busy for %s, and the other ops take %s", name, format_seconds(link), format_seconds(ops));
  if (link <= ops && !is_blocking) return absl::StrCat(": ", busy, on_other_orders(p));
  if (link <= ops) {
    const bool shrinks = mostly_sent(sent_by_role(p)) == MostlySent::kParameters;
    return absl::StrCat(": ", busy, ". It blocks the ops after it, so no order hides it",
                        shrinks ? "; its share falls as the batch per device grows" : "");
  }
  if (ops <= 0) return absl::StrCat(": ", busy);
  std::string no_schedule = absl::StrCat(": ", busy, ". No schedule can hide all of that");
  // What is gathered is then cut or reduced.
  if (seconds_at_stake(p, DiagnosticCode::kGatherThenCut) > 0.5 * p.exposed_communication_seconds) {
    return absl::StrCat(no_schedule, ", but what it gathers is reduced or cut again: exchange the results instead (",
                        std::string(to_string(DiagnosticCode::kGatherThenCut)), ")");
  }
  switch (mostly_sent(sent_by_role(p))) {
    case MostlySent::kParameters:
      // "1.0 times the batch" would be no larger batch.
      return absl::StrFormat(
          "%s; %.1f times the batch per device could, because weights and gradients do not grow with it", no_schedule,
          std::max(link / ops, 1.1));
    case MostlySent::kActivations: return absl::StrCat(no_schedule, ". ", help_for_activations());
    case MostlySent::kUndecided: break;
  }
  return no_schedule;
}

std::string on_link(const StepPrediction& p, const BreakdownPart& part) {
  const std::size_t open = part.name.find('(');
  const std::string link = part.is_wait ? part.name.substr(open + 1, part.name.size() - open - 2) : part.name;
  const std::string what = collectives_on(p, link, part.is_wait);
  const bool is_link = part.resource == Resource::kIci || part.resource == Resource::kDcn;
  return absl::StrCat(of_step(p, part.seconds), part.is_wait ? " waits for " : " is spent in ",
                      what.empty() ? link : what, is_link ? remedy_for_link(p, part.resource, !part.is_wait) : "", ".");
}

// ", such as that of NAME", of the longest op whose time comes from `source`; empty if none does.
std::string such_as(const StepPrediction& p, CostSource source) {
  const OpPrediction* longest = nullptr;
  for (const OpPrediction& op : p.ops) {
    if (op.source != source) continue;
    if (longest == nullptr || op.total_seconds > longest->total_seconds) longest = &op;
  }
  return longest == nullptr ? "" : ", such as that of " + short_name(p, longest->name);
}

// What is not known of the step. The time of its ops is only what is known of them, such as their launch, or what they
// move.
std::string on_unknown(const StepPrediction& p) {
  return absl::StrCat(of_step(p, p.unknown_share * p.step_seconds), " rests on work that is not known",
                      such_as(p, CostSource::kUnknown),
                      p.unknown_share > kMostUnknown ? ": neither the step nor what bounds it is known." : ".");
}

// What is assumed of the step: the sentences after it rest on that.
std::string on_assumed(const StepPrediction& p) {
  return absl::StrCat(of_step(p, p.assumed_share * p.step_seconds), " is time that rests on assumptions",
                      such_as(p, CostSource::kAssumed), ": the rest of this holds only with them.");
}

// Share of the peak that the ops bound by `resource` attain, weighted by their time.
double efficiency_of(const StepPrediction& p, Resource resource) {
  double seconds = 0;
  double weighted = 0;
  for (const OpPrediction& op : p.ops) {
    if (op.bound != resource) continue;
    seconds += op.total_seconds;
    weighted += op.total_seconds * op.efficiency;
  }
  return seconds > 0 ? weighted / seconds : 0;
}

// The op bound by `resource`, with those alike in other layers, that loses the most time below its roof, with their
// seconds. Empty if none is below it.
std::string furthest_from_roof(const StepPrediction& p, Resource resource) {
  std::string text;
  double most = 0;
  for (const FoldedRow& row : fold_rows(p)) {
    double seconds = 0;
    double lost = 0;
    for (const std::size_t at : row.ops) {
      const OpPrediction& op = p.ops[at];
      if (op.bound != resource || op.source == CostSource::kUnknown) continue;
      seconds += op.total_seconds;
      lost += wasted_seconds(op.total_seconds, op.efficiency);
    }
    if (lost <= most) continue;
    most = lost;
    text = absl::StrCat(" Most is lost in ", folded_label(short_name(p, row.name), row.count()), ": ",
                        format_seconds(seconds), " at ", format_percent(1 - lost / seconds), " of its roof.");
  }
  return text;
}

std::string on_chip(const StepPrediction& p, const BreakdownPart& part) {
  if (part.resource == Resource::kLatency) {
    double runs = 0;
    for (const OpPrediction& op : p.ops) runs += op.bound == part.resource ? op.executions : 0;
    return absl::StrCat(of_step(p, part.seconds), " is overhead: launches, latencies and pipeline fills.",
                        runs >= kManyRuns ? " Fewer and larger ops would help." : "");
  }
  const double efficiency = efficiency_of(p, part.resource);
  const std::string bound = absl::StrCat(of_step(p, part.seconds), " is bound by ", part.name, ", at ",
                                         format_percent(efficiency), " of its peak");
  const double repeated = p.flops > 0 ? p.redundant_flops / p.flops : 0;
  if (part.resource == Resource::kMatrix && repeated >= kWorthAVerdict) {
    return absl::StrCat(bound, ", but ", format_percent(repeated),
                        " of the FLOPs of each device repeat what other devices compute.");
  }
  if (efficiency >= kNearPeak) return bound + ": these ops are near their roof.";
  const bool streams = part.resource == Resource::kHbm && p.facts != nullptr;
  const double attained = streams ? p.facts->target.device.hbm.efficiency : 0;
  if (attained > 0 && efficiency >= kOfAttainable * attained) {
    return absl::StrCat(bound, ", of which large streams attain ", format_percent(attained),
                        " on this device: these ops are near their roof.");
  }
  return absl::StrCat(bound, ".", furthest_from_roof(p, part.resource));
}

// Communication that is a large part of the step together, though no link is.
std::string on_all_links(const StepPrediction& p) {
  std::map<std::string, double> seconds;
  for (const CollectivePrediction& collective : p.collectives) {
    const std::string over = axes_in_sentence(collective.axis_names);
    seconds[over.empty() ? collective.kind : absl::StrCat(collective.kind, " over ", over)] +=
        collective.exposed_seconds;
  }
  const auto most = std::max_element(seconds.begin(), seconds.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return absl::StrCat(of_step(p, p.exposed_communication_seconds), " is communication that nothing hides",
                      most == seconds.end() ? "" : ", the largest part " + most->first, ".");
}

// The time in which loops copy arrays and compute nothing with them.
std::string on_loop_copies(const StepPrediction& p, double seconds) {
  return absl::StrCat(of_step(p, seconds), ", ", format_seconds(seconds),
                      ", copies arrays that a loop carries or reads and computes nothing with them: ",
                      std::string(to_string(DiagnosticCode::kLoopCarryCopy)), " says how to avoid it.");
}

// The time in which ops that are bound by HBM move tile padding. Empty if it is little.
std::string on_padding(const StepPrediction& p) {
  double all = 0;
  double most = 0;
  const OpPrediction* worst = nullptr;
  for (const OpPrediction& op : p.ops) {
    if (op.bound != Resource::kHbm || op.work->padded_bytes <= 0) continue;
    const double working = op.exposed_seconds - op.wait_seconds;
    const double seconds = working * (1 - op.work->logical_bytes / op.work->padded_bytes);
    all += seconds;
    if (seconds <= most) continue;
    most = seconds;
    worst = &op;
  }
  if (worst == nullptr || worst->work->logical_bytes <= 0 || all < kWorthAVerdict * p.step_seconds) return "";
  return absl::StrFormat("%s, %s, moves tile padding, most of it in %s: %.2f times the bytes of its arrays.",
                         of_step(p, all), format_seconds(all), short_name(p, worst->name),
                         worst->work->padded_bytes / worst->work->logical_bytes);
}

}  // namespace

std::string verdict(const StepPrediction& p) {
  if (p.step_seconds <= 0 || p.breakdown.empty()) return "";
  std::vector<std::string> sentences;
  if (!p.memory.fits) {
    sentences.push_back(absl::StrCat("The program does NOT fit: it needs ",
                                     format_bytes(p.memory.hbm_peak_bytes - p.memory.usable_bytes), " more memory."));
  }
  if (p.unknown_share >= kWorthAVerdict) sentences.push_back(on_unknown(p));
  if (p.unknown_share > kMostUnknown) return absl::StrJoin(sentences, " ");
  if (p.assumed_share > kMostUnknown) sentences.push_back(on_assumed(p));
  const double worth = kWorthAVerdict * p.step_seconds;
  const BreakdownPart* worst = nullptr;
  for (const BreakdownPart& part : p.breakdown) {
    const bool is_link = part.resource == Resource::kIci || part.resource == Resource::kDcn;
    if (!part.is_wait && !is_link) continue;
    if (worst == nullptr || part.seconds > worst->seconds) worst = &part;
  }
  const bool waits = worst != nullptr && worst->seconds >= worth;
  if (waits) {
    sentences.push_back(on_link(p, *worst));
  } else if (p.exposed_communication_seconds >= worth) {
    sentences.push_back(on_all_links(p));
  }
  const double copied = seconds_at_stake(p, DiagnosticCode::kLoopCarryCopy);
  if (copied >= worth) sentences.push_back(on_loop_copies(p, copied));
  for (const BreakdownPart& part : p.breakdown) {
    const bool is_link = part.resource == Resource::kIci || part.resource == Resource::kDcn;
    if (part.is_wait || is_link) continue;
    const bool is_said = part.resource != Resource::kMatrix && copied >= worth && copied >= part.seconds / 2;
    if (!is_said && (!waits || part.seconds >= worth)) sentences.push_back(on_chip(p, part));
    break;
  }
  if (std::string padding = on_padding(p); !padding.empty()) sentences.push_back(std::move(padding));
  return absl::StrJoin(sentences, " ");
}

}  // namespace hloroof::internal::inline report
