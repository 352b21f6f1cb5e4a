#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/strings.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/predicted.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/named_target.h"
#include "lib/measured/compare.h"
#include "lib/measured/profiled_program.h"
#include "lib/profile/profile_folder.h"
#include "lib/versions/diff.h"
#include "lib/versions/passes.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

struct DiffSettings {
  std::vector<std::string> fail_if;
  std::string group_by;
  std::size_t width = 80;
  std::size_t limit = 20;
};

absl::StatusOr<Texts> diff_of(const StepPrediction& before, const StepPrediction& after, const DiffSettings& settings) {
  DiffOptions options;
  const std::optional<GroupBy> group = group_by_from_string(settings.group_by);
  if (!group) {
    return invalid_argument("group_by=\"" + settings.group_by +
                            "\": expected none, computation, category, op_name, source or layer");
  }
  options.group = *group;
  Difference difference = find_difference(before, after, options);
  difference.gates.reserve(settings.fail_if.size());
  for (const std::string& text : settings.fail_if) {
    const absl::StatusOr<Gate> gate = parse_gate(text);
    if (!gate.ok()) return gate.status();
    difference.gates.push_back(check_gate(*gate, before, after));
  }
  ViewOptions view;
  view.width = settings.width;
  view.rows.limit = settings.limit;
  return texts_of(ComparedSteps{&difference}, view);
}

Texts diff(const Predicted& before, const Predicted& after, const DiffSettings& settings) {
  return without_gil([&] { return diff_of(before.step(), after.step(), settings); });
}

absl::StatusOr<Texts> comparison_texts(const StepPrediction& step, const MeasuredProfile& measured, std::size_t width,
                                       std::size_t limit) {
  const absl::StatusOr<ProfileComparison> comparison = compare(step, measured);
  if (!comparison.ok()) return comparison.status();
  ViewOptions view;
  view.width = width;
  view.rows.limit = limit;
  return texts_of(MeasuredStep{&step, &*comparison}, view);
}

Texts compare_with(const Predicted& predicted, const std::string& profile, std::size_t width, std::size_t limit) {
  return without_gil([&]() -> absl::StatusOr<Texts> {
    const absl::StatusOr<MeasuredProfile> measured = load_profile(profile);
    if (!measured.ok()) return measured.status();
    return comparison_texts(predicted.step(), *measured, width, limit);
  });
}

// The program and, unless `device` is given, the device are those of the profile.
Texts compare_folder(const std::string& profile, const std::string& device, const PredictOptions& options,
                     std::size_t width, std::size_t limit) {
  return without_gil([&]() -> absl::StatusOr<Texts> {
    const absl::StatusOr<MeasuredProfile> measured = load_profile(profile);
    if (!measured.ok()) return measured.status();
    const absl::StatusOr<std::string> on = device.empty() ? profiled_device(*measured) : device;
    if (!on.ok()) return on.status();
    ParseOptions parse;
    parse.path = profile;
    const absl::StatusOr<Module> module = profiled_module(*measured, parse);
    if (!module.ok()) return module.status();
    PredictOptions of_any = options;
    of_any.allow_other_backend = true;  // compare() knows which programs are of the profile
    const absl::StatusOr<StepPrediction> step = predict_on(*module, *on, of_any);
    if (!step.ok()) return step.status();
    return comparison_texts(*step, *measured, width, limit);
  });
}

// The states of one compile.
Texts passes(const std::string& folder, const std::string& module, const std::string& device,
             const PredictOptions& options, bool all, std::size_t width) {
  return without_gil([&]() -> absl::StatusOr<Texts> {
    const absl::StatusOr<Target> target = named_target(device);
    if (!target.ok()) return target.status();
    const absl::StatusOr<std::vector<PassDump>> dumps = find_pass_dumps(folder, module);
    if (!dumps.ok()) return dumps.status();
    const absl::StatusOr<PassReport> found = pass_report(folder, *dumps, *target, options, ParseOptions(), 0);
    if (!found.ok()) return found.status();
    ViewOptions view;
    view.width = width;
    return texts_of(PassesOfCompile{&*found, all}, view);
  });
}

// All built-in devices with their headline numbers, or all numbers of one device.
Texts devices(const std::vector<std::string>& names) {
  return without_gil([&]() -> absl::StatusOr<Texts> {
    const std::vector<std::string> all = names.empty() ? device_names() : names;
    std::vector<Device> found;
    found.reserve(all.size());
    for (const std::string& name : all) {
      absl::StatusOr<Target> target = named_target(name);
      if (!target.ok()) return target.status();
      found.push_back(std::move(target->device));
    }
    if (names.empty()) return texts_of(ListedDevices{&found});
    return texts_of(ShownDevices{&found});
  });
}

}  // namespace

void add_answers(nb::module_& module) {
  nb::class_<DiffSettings>(module, "DiffSettings", "How to compare two predictions.")
      .def(nb::init<>())
      .def_rw("fail_if", &DiffSettings::fail_if)
      .def_rw("group_by", &DiffSettings::group_by)
      .def_rw("width", &DiffSettings::width)
      .def_rw("limit", &DiffSettings::limit);
  module.def("diff", &diff, "before"_a, "after"_a, "settings"_a,
             "The changes between two predictions as text and as JSON (schema hloroof.diff/1).");
  module.def("compare", &compare_with, "predicted"_a, "profile"_a, "width"_a, "limit"_a,
             "The prediction and a measured profile, op by op, as text and as JSON (schema hloroof.comparison/1).");
  module.def("compare_folder", &compare_folder, "profile"_a, "device"_a, "options"_a, "width"_a, "limit"_a,
             "The same for the program of a profile, on its device if `device` is empty.");
  module.def("passes", &passes, "folder"_a, "module"_a, "device"_a, "options"_a, "all"_a, "width"_a,
             "What each pass of a compile did, as text and as JSON (schema hloroof.passes/1).");
  module.def("devices", &devices, "names"_a,
             "All devices as text and as JSON (schema hloroof.devices/1), or all numbers of those named "
             "(hloroof.device_numbers/1).");
  add_sweep(module);
}

}  // namespace hloroof::internal::inline python
