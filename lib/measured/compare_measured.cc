#include "lib/measured/compare_measured.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/results/layers.h"
#include "lib/schedule/async_pairs.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline measured {
namespace {

constexpr double kStraggles = 0.05;      // over the median of all devices
constexpr double kLeastExplained = 0.5;  // of the measured time, in ops of the module
constexpr double kLeastShownGap = 1e-3;  // of the step

using OpOfName = std::unordered_map<std::string_view, const OpPrediction*>;

std::string_view machine_of(ProfiledBackend backend) {
  switch (backend) {
    case ProfiledBackend::kCpu: return "the CPU";
    case ProfiledBackend::kGpu: return "a GPU";
    case ProfiledBackend::kTpu: return "a TPU";
    case ProfiledBackend::kUnknown: break;
  }
  return "another machine";
}

ProfiledBackend backend_of(Backend backend) {
  switch (backend) {
    case Backend::kCpu: return ProfiledBackend::kCpu;
    case Backend::kGpu: return ProfiledBackend::kGpu;
    case Backend::kTpu: return ProfiledBackend::kTpu;
    case Backend::kUnknown: break;
  }
  return ProfiledBackend::kUnknown;
}

ProfiledBackend backend_of(DeviceFamily family) {
  switch (family) {
    case DeviceFamily::kTpu: return ProfiledBackend::kTpu;
    case DeviceFamily::kGpu: return ProfiledBackend::kGpu;
    case DeviceFamily::kCpu: return ProfiledBackend::kCpu;
    case DeviceFamily::kOther: break;
  }
  return ProfiledBackend::kUnknown;
}

std::string measured_ratio(double measured, double predicted) {
  return predicted > 0 ? absl::StrFormat("%.2f", measured / predicted) : std::string();
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The ops that wait: for a transfer that another op started, or for other devices.
std::unordered_set<std::string_view> waiting_ops(const StepPrediction& prediction) {
  std::unordered_set<std::string_view> names;
  std::unordered_set<std::uint32_t> collectives;
  for (const CollectivePrediction& collective : prediction.collectives) collectives.insert(collective.id.index);
  for (const OpPrediction& op : prediction.ops) {
    const AsyncRole role = async_role(prediction.facts->module->instruction(op.id));
    if (role == AsyncRole::kDone || (role == AsyncRole::kNone && collectives.count(op.id.index) > 0)) {
      names.insert(op.name);
    }
  }
  return names;
}

void add_layers(const StepPrediction& prediction, ProfileComparison& comparison) {
  std::unordered_map<std::string_view, double> measured;
  for (const ComparedOp& op : comparison.ops) measured[op.name] = op.measured;
  const std::vector<Layer> layers = make_layers(prediction);
  std::vector<double> sums(layers.size());
  double placed = 0;
  // Parents precede their children, so that the last layer is complete first.
  for (std::size_t i = layers.size(); i > 0; --i) {
    const Layer& layer = layers[i - 1];
    for (std::size_t op : layer.ops) {
      const auto found = measured.find(prediction.ops[op].name);
      if (found == measured.end()) continue;
      sums[i - 1] += found->second;
      placed += found->second;
    }
    if (layer.parent != Layer::kNoParent) sums[layer.parent] += sums[i - 1];
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].is_op && layers[i].depth > 0) continue;
    comparison.layers.push_back({layers[i].path, layers[i].depth, sums[i], layers[i].times.seconds});
  }
  if (const double left = comparison.measured_seconds - placed; left > 1e-9 * comparison.measured_seconds) {
    comparison.layers.push_back({"[ops without a predicted time]", 0, left, 0});
  }
}

void add_waits(const StepPrediction& prediction, const std::unordered_set<std::string_view>& waiting,
               const MeasuredProgram& program, ProfileComparison& comparison) {
  OpOfName by_name;
  for (const OpPrediction& op : prediction.ops) by_name.emplace(op.name, &op);
  std::unordered_map<std::string_view, double> in_flight;
  for (const MeasuredOp& transfer : program.transfers) in_flight[transfer.name] = transfer.seconds / comparison.steps;
  const auto measured_in_flight = [&](std::string_view start) -> std::optional<double> {
    const auto found = in_flight.find(start);
    return found == in_flight.end() ? std::nullopt : std::optional(found->second);
  };
  for (const ComparedOp& compared : comparison.ops) {
    if (waiting.count(compared.name) == 0) continue;
    ComparedWait wait{compared.name, compared.measured, compared.predicted, std::nullopt, std::nullopt};
    const OpPrediction& op = *by_name.at(compared.name);
    for (InstructionId start : prediction.facts->pairs.starts_of(op.id)) {
      const std::string name(prediction.facts->module->instruction(start).name());
      const auto found = by_name.find(name);
      if (found != by_name.end()) wait.predicted_in_flight = found->second->total_seconds;
      wait.measured_in_flight = measured_in_flight(name);
    }
    if (!wait.measured_in_flight) wait.measured_in_flight = measured_in_flight(compared.name);
    comparison.waits.push_back(std::move(wait));
  }
}

// Names the op in which a straggler loses most time over the median of the devices.
void find_slowest_op(const MeasuredProgram& program, const std::unordered_set<std::string_view>& waiting,
                     std::size_t device, ComparedDevice& compared) {
  for (const MeasuredOp& op : program.ops) {
    if (waiting.count(op.name) > 0) continue;
    std::vector<double> per_run;
    per_run.reserve(program.devices.size());
    for (std::size_t d = 0; d < program.devices.size(); ++d) {
      if (program.devices[d].runs > 0) per_run.push_back(op.by_device[d] / program.devices[d].runs);
    }
    const double over = op.by_device[device] / compared.runs - median_of(std::move(per_run));
    if (over <= compared.slowest_op_over_seconds) continue;
    compared.slowest_op = op.name;
    compared.slowest_op_over_seconds = over;
  }
}

void add_devices(const std::unordered_set<std::string_view>& waiting, const MeasuredProgram& program,
                 ProfileComparison& comparison) {
  std::vector<std::size_t> index;  // in program.devices
  std::vector<double> own;
  for (std::size_t d = 0; d < program.devices.size(); ++d) {
    const MeasuredDevice& device = program.devices[d];
    if (device.runs <= 0) continue;
    ComparedDevice compared;
    compared.host = device.host;
    compared.name = device.name;
    compared.runs = device.runs;
    compared.step_seconds = device.wall_seconds / device.runs;
    compared.busy_seconds = device.busy_seconds / device.runs;
    compared.between_seconds = device.between_seconds / device.runs;
    for (const MeasuredOp& op : program.ops) {
      (waiting.count(op.name) > 0 ? compared.wait_seconds : compared.own_seconds) += op.by_device[d] / device.runs;
    }
    own.push_back(compared.own_seconds);
    index.push_back(d);
    comparison.devices.push_back(std::move(compared));
  }
  const double median = median_of(own);
  for (std::size_t i = 0; i < comparison.devices.size() && median > 0; ++i) {
    ComparedDevice& device = comparison.devices[i];
    device.over_median = device.own_seconds / median - 1;
    device.is_straggler = comparison.devices.size() > 1 && device.over_median > kStraggles;
    if (device.is_straggler) find_slowest_op(program, waiting, index[i], device);
  }
}

}  // namespace

absl::Status check_backend(const StepPrediction& prediction, const MeasuredProfile& profile) {
  if (profile.backend == ProfiledBackend::kUnknown) return absl::OkStatus();
  const ProfiledBackend compiled = backend_of(prediction.origin.backend);
  if (compiled != ProfiledBackend::kUnknown && compiled != profile.backend) {
    return invalid_argument(absl::StrCat("the profile was taken on ", to_absl(machine_of(profile.backend)),
                                         ", and the module was compiled for ", to_absl(machine_of(compiled)), " (",
                                         prediction.origin.backend_evidence, "): they are different programs"));
  }
  if (backend_of(prediction.family) != profile.backend) {
    return invalid_argument(absl::StrCat("the profile was taken on ", to_absl(machine_of(profile.backend)), ", and ",
                                         prediction.device, " is not one"));
  }
  return absl::OkStatus();
}

absl::Status add_measured(const StepPrediction& prediction, const MeasuredProfile& profile,
                          const MeasuredProgram& program, ProfileComparison& comparison) {
  if (program.devices.empty() || prediction.facts == nullptr) return absl::OkStatus();
  if (comparison.explained_seconds < kLeastExplained * comparison.measured_seconds) {
    return invalid_argument(absl::StrCat(
        "the profile is of another program: only ",
        format_percent(comparison.explained_seconds / comparison.measured_seconds), " of the time of ", program.name,
        " is in ops that the module has; its longest other op is '", comparison.unmatched.front().name, "'"));
  }
  comparison.run = profile.run;
  comparison.device_kind = profile.device_kind;
  if (!profile.step_seconds.empty()) {
    double sum = 0;
    for (double seconds : profile.step_seconds) sum += seconds;
    comparison.marked_step_seconds = sum / static_cast<double>(profile.step_seconds.size());
  }
  comparison.timeline = program.timeline;
  add_layers(prediction, comparison);
  const std::unordered_set<std::string_view> waiting = waiting_ops(prediction);
  add_waits(prediction, waiting, program, comparison);
  comparison.gaps = program.gaps;
  for (MeasuredGap& gap : comparison.gaps) {
    gap.seconds /= comparison.steps;
    gap.occurrences /= comparison.steps;
  }
  add_devices(waiting, program, comparison);
  return absl::OkStatus();
}

namespace {

std::size_t hosts_of(const ProfileComparison& comparison) {
  std::set<std::string_view> hosts;
  for (const ComparedDevice& device : comparison.devices) hosts.insert(device.host);
  return hosts.size();
}

std::string number_of_things(std::size_t count, std::string_view thing) {
  return absl::StrCat(count, " ", to_absl(thing), count == 1 ? "" : "s");
}

std::string place_of(const ComparedDevice& device, std::size_t hosts) {
  return hosts > 1 ? device.host + " " + device.name : device.name;
}

void add_others(std::size_t rows, std::size_t shown, std::size_t columns, Table& table) {
  if (rows <= shown) return;
  std::vector<std::string> cells(columns);
  cells.back() = format_others(rows - shown);
  table.add(std::move(cells));
}

std::string layers_section(const ProfileComparison& comparison, const CompareOptions& options) {
  if (comparison.layers.size() < 2) return "";
  Table table({{"measured", Align::kRight}, {"predicted", Align::kRight}, {"ratio", Align::kRight}, {"layer"}});
  std::size_t shown = 0;
  for (const ComparedLayer& layer : comparison.layers) {
    if (options.limit > 0 && shown == options.limit) break;
    ++shown;
    const std::string name = layer.path.substr(layer.depth == 0 ? 0 : layer.path.rfind('/') + 1);
    table.add({format_seconds(layer.measured), format_seconds(layer.predicted),
               measured_ratio(layer.measured, layer.predicted),
               std::string(2 * static_cast<std::size_t>(layer.depth), ' ') + name});
  }
  add_others(comparison.layers.size(), shown, 4, table);
  return "\nBy layer\n" + table.to_string(options);
}

std::string waits_section(const ShortNames& names, const ProfileComparison& comparison, const CompareOptions& options) {
  if (comparison.waits.empty()) return "";
  Table table({{"measured", Align::kRight},
               {"predicted", Align::kRight},
               {"in flight", Align::kRight},
               {"predicted", Align::kRight},
               {.title = "op that waits", .names = &names}});
  const auto or_empty = [](std::optional<double> seconds) {
    return seconds ? format_seconds(*seconds) : std::string();
  };
  std::size_t shown = 0;
  for (const ComparedWait& wait : comparison.waits) {
    if (options.limit > 0 && shown == options.limit) break;
    ++shown;
    table.add({format_seconds(wait.measured), format_seconds(wait.predicted), or_empty(wait.measured_in_flight),
               or_empty(wait.predicted_in_flight), wait.name});
  }
  add_others(comparison.waits.size(), shown, 5, table);
  return "\nWaits for transfers and other devices, and how long the transfers are in flight\n" +
         table.to_string(options);
}

std::string gaps_section(const ShortNames& names, const ProfileComparison& comparison, const CompareOptions& options) {
  const double whole = comparison.step_seconds.value_or(comparison.measured_seconds);
  Table table({{"idle", Align::kRight},
               {"times", Align::kRight},
               {.title = "after", .names = &names},
               {.title = "before", .names = &names}});
  std::size_t shown = 0;
  for (const MeasuredGap& gap : comparison.gaps) {
    if ((options.limit > 0 && shown == options.limit) || gap.seconds < kLeastShownGap * whole) break;
    ++shown;
    table.add({format_seconds(gap.seconds), absl::StrFormat("%.3g", gap.occurrences), gap.after, gap.before});
  }
  return shown == 0 ? "" : "\nGaps of a step, in which no op runs\n" + table.to_string(options);
}

std::string devices_section(const ProfileComparison& comparison, const CompareOptions& options) {
  if (comparison.devices.size() < 2) return "";
  const std::size_t hosts = hosts_of(comparison);
  Table table({{"step", Align::kRight},
               {"own ops", Align::kRight},
               {"waits", Align::kRight},
               {"idle", Align::kRight},
               {"before", Align::kRight},
               {"own/median", Align::kRight},
               {"device"}});
  std::vector<const ComparedDevice*> slowest;
  slowest.reserve(comparison.devices.size());
  for (const ComparedDevice& device : comparison.devices) slowest.push_back(&device);
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const ComparedDevice* a, const ComparedDevice* b) { return a->own_seconds > b->own_seconds; });
  std::size_t shown = 0;
  std::string stragglers;
  for (const ComparedDevice* device : slowest) {
    if (device->is_straggler) {
      stragglers +=
          "  " +
          wrap(absl::StrCat(place_of(*device, hosts), " holds the others up: its own ops take ",
                            format_percent(device->over_median), " longer than the median; ", device->slowest_op,
                            " takes ", format_seconds(device->slowest_op_over_seconds), " more"),
               options.width, 2) +
          "\n";
    }
    if (options.limit > 0 && shown == options.limit) continue;
    ++shown;
    table.add({format_seconds(device->step_seconds), format_seconds(device->own_seconds),
               format_seconds(device->wait_seconds),
               format_seconds(std::max(0.0, device->step_seconds - device->busy_seconds)),
               format_seconds(device->between_seconds), absl::StrFormat("%.3f", 1 + device->over_median),
               place_of(*device, hosts)});
  }
  add_others(slowest.size(), shown, 7, table);
  return "\nBy device, slowest own ops first; before: between a run and the one before it\n" +
         table.to_string(options) + stragglers;
}

}  // namespace

std::string measured_lines(const StepPrediction& prediction, const ProfileComparison& comparison) {
  std::string out;
  if (comparison.marked_step_seconds) {
    out += absl::StrFormat("  marked      %-10s a step that the program marked, with the host's part\n",
                           format_seconds(*comparison.marked_step_seconds));
  }
  if (!comparison.devices.empty()) {
    const auto [least, most] = std::minmax_element(
        comparison.devices.begin(), comparison.devices.end(),
        [](const ComparedDevice& a, const ComparedDevice& b) { return a.step_seconds < b.step_seconds; });
    out += absl::StrFormat("  devices     %-10d on %s", comparison.devices.size(),
                           number_of_things(hosts_of(comparison), "host"));
    if (!comparison.device_kind.empty()) out += ", " + comparison.device_kind;
    out +=
        "; predicted for " + prediction.device + (prediction.topology.empty() ? "" : " " + prediction.topology) + "\n";
    if (comparison.devices.size() > 1) {
      out += absl::StrFormat("  spread      %-10s to %s a step, by device\n", format_seconds(least->step_seconds),
                             format_seconds(most->step_seconds));
    }
  }
  return out;
}

std::string measured_sections(const StepPrediction& prediction, const ProfileComparison& comparison,
                              const CompareOptions& options) {
  if (comparison.devices.empty()) return "";
  const ShortNames names(prediction);
  return layers_section(comparison, options) + waits_section(names, comparison, options) +
         gaps_section(names, comparison, options) + devices_section(comparison, options);
}

}  // namespace hloroof::internal::inline measured
