#include "lib/fronts/python/answers.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/strings.h"
#include "lib/explain/explain.h"
#include "lib/fronts/python/notebook.h"
#include "lib/fronts/python/subject.h"
#include "lib/fronts/python/sweep.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/named_target.h"
#include "lib/measured/compare.h"
#include "lib/measured/profiled_program.h"
#include "lib/page/html_report.h"
#include "lib/page/trace.h"
#include "lib/profile/profile_folder.h"
#include "lib/report/device_report.h"
#include "lib/report/views.h"
#include "lib/versions/diff.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

using Answer = std::pair<std::string, std::string>;  // the text and the JSON that the command prints

std::string report(const Module& module, const std::string& device, const PredictOptions& options,
                   const std::vector<std::string>& views, std::size_t width, std::size_t limit) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    if (absl::Status status = check_views(views); !status.ok()) return status;
    const absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
    if (!step.ok()) return step.status();
    ViewOptions view_options;
    view_options.width = width;
    view_options.rows.limit = limit;
    return render_views(*step, views, view_options);
  });
}

std::string html(const Module& module, const std::string& device, const PredictOptions& options) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    PredictOptions with_what_ifs = options;
    with_what_ifs.resource_what_ifs = true;
    const absl::StatusOr<StepPrediction> step = predict_on(module, device, with_what_ifs);
    if (!step.ok()) return step.status();
    return html_report(*step);
  });
}

std::string notebook(const Module& module, const std::string& device, const PredictOptions& options) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    const absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
    if (!step.ok()) return step.status();
    return notebook_html(*step);
  });
}

std::string trace(const Module& module, const std::string& device, const PredictOptions& options) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    const absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
    if (!step.ok()) return step.status();
    return chrome_trace(*step);
  });
}

Answer explain_op(const Module& module, const std::string& op, const std::string& device, const PredictOptions& options,
                  std::size_t width) {
  return without_gil([&]() -> absl::StatusOr<Answer> {
    const absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
    if (!step.ok()) return step.status();
    absl::StatusOr<std::string> text = explanation_text(*step, op, width);
    if (!text.ok()) return text.status();
    absl::StatusOr<std::string> json = explanation_json(*step, op);
    if (!json.ok()) return json.status();
    return Answer(*std::move(text), *std::move(json));
  });
}

struct DiffSettings {
  std::vector<std::string> fail_if;
  std::string group_by;
  std::size_t width = 80;
  std::size_t limit = 20;
};

absl::StatusOr<Answer> diff_of(const StepPrediction& before, const StepPrediction& after,
                               const DiffSettings& settings) {
  DiffOptions options;
  options.width = settings.width;
  options.limit = settings.limit;
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
  return Answer(diff_view(difference, options), diff_json(difference));
}

Answer diff(const Module& before, const std::string& before_device, const PredictOptions& before_options,
            const Module& after, const std::string& after_device, const PredictOptions& after_options,
            const DiffSettings& settings) {
  return without_gil([&]() -> absl::StatusOr<Answer> {
    const absl::StatusOr<StepPrediction> old_step = predict_on(before, before_device, before_options);
    if (!old_step.ok()) return old_step.status();
    const absl::StatusOr<StepPrediction> new_step = predict_on(after, after_device, after_options);
    if (!new_step.ok()) return new_step.status();
    return diff_of(*old_step, *new_step, settings);
  });
}

absl::StatusOr<Answer> comparison_answer(const StepPrediction& step, const MeasuredProfile& measured, std::size_t width,
                                         std::size_t limit) {
  const absl::StatusOr<ProfileComparison> comparison = compare(step, measured);
  if (!comparison.ok()) return comparison.status();
  CompareOptions view;
  view.width = width;
  view.limit = limit;
  return Answer(compare_view(step, *comparison, view), comparison_json(step, *comparison));
}

Answer compare_with(const Module& module, const std::string& device, const PredictOptions& options,
                    const std::string& profile, std::size_t width, std::size_t limit) {
  return without_gil([&]() -> absl::StatusOr<Answer> {
    const absl::StatusOr<MeasuredProfile> measured = load_profile(profile);
    if (!measured.ok()) return measured.status();
    const absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
    if (!step.ok()) return step.status();
    return comparison_answer(*step, *measured, width, limit);
  });
}

// The program and, unless `device` is given, the device are those of the profile.
Answer compare_folder(const std::string& profile, const std::string& device, const PredictOptions& options,
                      std::size_t width, std::size_t limit) {
  return without_gil([&]() -> absl::StatusOr<Answer> {
    const absl::StatusOr<MeasuredProfile> measured = load_profile(profile);
    if (!measured.ok()) return measured.status();
    const absl::StatusOr<std::string> on = device.empty() ? profiled_device(*measured) : device;
    if (!on.ok()) return on.status();
    ParseOptions parse;
    parse.path = profile;
    const absl::StatusOr<Module> module = profiled_module(*measured, parse);
    if (!module.ok()) return module.status();
    const absl::StatusOr<StepPrediction> step = predict_on(*module, *on, options);
    if (!step.ok()) return step.status();
    return comparison_answer(*step, *measured, width, limit);
  });
}

// All built-in devices with their headline numbers, or all numbers of one device.
Answer devices(const std::vector<std::string>& names) {
  return without_gil([&]() -> absl::StatusOr<Answer> {
    const std::vector<std::string> all = names.empty() ? device_names() : names;
    std::vector<Device> found;
    found.reserve(all.size());
    for (const std::string& name : all) {
      absl::StatusOr<Target> target = named_target(name);
      if (!target.ok()) return target.status();
      found.push_back(std::move(target->device));
    }
    if (names.empty()) return Answer(describe_devices(found), device_list_json(found));
    std::string text;
    for (const Device& device : found) text += (text.empty() ? "" : "\n") + describe_device(device);
    return Answer(text, devices_json(found));
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
  module.def("report", &report, "module"_a, "device"_a, "options"_a, "views"_a, "width"_a, "limit"_a,
             "Views of the prediction as text.");
  module.def("html_report", &html, "module"_a, "device"_a, "options"_a, "The report as one HTML page.");
  module.def("notebook", &notebook, "module"_a, "device"_a, "options"_a,
             "The prediction as HTML for a notebook, with roofline and timeline as SVG.");
  module.def("trace", &trace, "module"_a, "device"_a, "options"_a, "The timeline in the Trace Event Format.");
  module.def("explain", &explain_op, "module"_a, "op"_a, "device"_a, "options"_a, "width"_a,
             "The anatomy of one op as text and as JSON (schema hloroof.explanation/1).");
  module.def("diff", &diff, "before"_a, "before_device"_a, "before_options"_a, "after"_a, "after_device"_a,
             "after_options"_a, "settings"_a,
             "The changes between two predictions as text and as JSON (schema hloroof.diff/1).");
  module.def("compare", &compare_with, "module"_a, "device"_a, "options"_a, "profile"_a, "width"_a, "limit"_a,
             "The prediction and a measured profile, op by op, as text and as JSON (schema hloroof.comparison/1).");
  module.def("compare_folder", &compare_folder, "profile"_a, "device"_a, "options"_a, "width"_a, "limit"_a,
             "The same for the program of a profile, on its device if `device` is empty.");
  module.def("devices", &devices, "names"_a,
             "All devices as text and as JSON (schema hloroof.devices/1), or all numbers of those named "
             "(hloroof.device/1).");
  add_sweep(module);
}

}  // namespace hloroof::internal::inline python
