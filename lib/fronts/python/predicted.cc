#include "lib/fronts/python/predicted.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/describe/json_writer.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/device_facts.h"
#include "lib/kernel/tpu/kernel_name.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/page/html_report.h"
#include "lib/page/trace.h"
#include "lib/report/views.h"
#include "lib/step/facts.h"
#include "lib/time/kernel_range.h"
#include "lib/values/scoped_memory.h"
#include "lib/work/custom_call.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

void write_kernel(InstructionView call, const KernelRun* run, const StepFacts& facts, ScopedVmemLimits& limits,
                  JsonWriter& out) {
  const bool is_read = run != nullptr && run->failure.empty();
  out.begin_object();
  out.member("op", call.name());
  out.member("computation", call.computation().name());
  out.member("name", kernel_name(call));
  out.key("grid");
  out.begin_array();
  if (is_read) {
    for (const std::int64_t size : run->grid) out.value(size);
  }
  out.end_array();
  std::optional<double> vmem;
  if (is_read) vmem = run->window_vmem_bytes + run->scratch_vmem_bytes;
  out.member("vmem_bytes", vmem);
  out.member("vmem_limit_bytes", limits.of(call));
  std::optional<std::string> unread;
  if (run == nullptr || !run->has_body) {
    unread = "the text does not have the body of the kernel";
  } else if (!is_read) {
    unread = run->failure;
  }
  out.member("unread", unread);
  std::optional<double> least;
  std::optional<double> most;
  if (is_read) {
    if (const auto range = kernel_range(*run, facts.target.device)) {
      least = range->least;
      most = range->most;
    }
  }
  out.member("least_seconds", least);
  out.member("most_seconds", most);
  out.key("assumptions");
  out.begin_array();
  if (run != nullptr) {
    for (const std::string& assumption : run->assumptions) out.value(assumption);
  }
  out.end_array();
  out.end_object();
}

// Returns a JSON object: vmem_capacity_bytes, of one core, null if unknown; calls, an array with an object for each
// call of a Pallas kernel that the step executes. Their members are op and computation, as in the ops of the
// prediction; name; grid, empty if the body could not be read; vmem_bytes, the bytes of VMEM for windows and scratch,
// null if the body could not be read; vmem_limit_bytes, what the compiler allows it, null if unknown; unread, why it
// could not be read, null if it was; assumptions, a list of sentences. The facts of `prediction` must still be valid.
std::string kernels_json(const StepPrediction& prediction) {
  const Module& module = *prediction.facts->module;
  const Device& device = prediction.facts->target.device;
  ScopedVmemLimits limits(module, prediction.facts->options.scoped_vmem_limit_kib);
  JsonWriter out(JsonLayout::kCompact);
  out.begin_object();
  std::optional<double> capacity;
  if (const TpuCore* tpu = device.tpu(); tpu != nullptr && tpu->on_chip.vmem_capacity) {
    capacity = *tpu->on_chip.vmem_capacity / static_cast<double>(core_count(device));
  }
  out.member("vmem_capacity_bytes", capacity);
  out.key("calls");
  out.begin_array();
  for (const OpPrediction& op : prediction.ops) {
    const InstructionView call = module.instruction(op.id);
    if (!is_kernel_call(call)) continue;
    write_kernel(call, op.work->kernel.get(), *prediction.facts, limits, out);
  }
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace

Predicted::Predicted(const Module& module, std::string device, const PredictOptions& options, StepPrediction step)
    : module_(&module), device_(std::move(device)), options_(options), step_(std::move(step)) {}

absl::StatusOr<Predicted> Predicted::make(const Module& module, const std::string& device,
                                          const PredictOptions& options) {
  absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
  if (!step.ok()) return step.status();
  return Predicted(module, device, options, *std::move(step));
}

absl::StatusOr<StepPrediction> Predicted::with(const PredictOptions& options) const {
  return predict_on(*module_, device_, options);
}

namespace {

std::string report(const Predicted& predicted, const std::vector<std::string>& views, std::size_t width,
                   std::size_t limit) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    if (absl::Status status = check_views(views); !status.ok()) return status;
    ViewOptions view_options;
    view_options.width = width;
    view_options.rows.limit = limit;
    PredictOptions options = predicted.options();
    if (!request_for(views, options)) return render_views(predicted.step(), views, view_options);
    const absl::StatusOr<StepPrediction> step = predicted.with(options);
    if (!step.ok()) return step.status();
    return render_views(*step, views, view_options);
  });
}

// The page also says how long the step would take with each resource free.
std::string html(const Predicted& predicted) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    PredictOptions options = predicted.options();
    options.resource_what_ifs = true;
    const absl::StatusOr<StepPrediction> step = predicted.with(options);
    if (!step.ok()) return step.status();
    return html_report(*step);
  });
}

Texts explain(const Predicted& predicted, const std::string& op, std::size_t width) {
  return without_gil([&] {
    ViewOptions view;
    view.width = width;
    return texts_of(ExplainedOp{&predicted.step(), op}, view);
  });
}

// A function of the prediction, without the GIL.
template <auto Write>
std::string of_step(const Predicted& predicted) {
  return without_gil([&] { return absl::StatusOr<std::string>(Write(predicted.step())); });
}

}  // namespace

void add_predicted(nb::module_& module) {
  nb::class_<Predicted>(module, "Predicted",
                        "A prediction in the library, which can be asked without predicting again.")
      .def(
          "texts",
          [](const Predicted& predicted) {
            return without_gil([&] { return texts_of(PredictedStep{&predicted.step()}); });
          },
          "The command's summary, and the prediction as JSON (schema hloroof.prediction/2).")
      .def("kernels", &of_step<kernels_json>,
           "The Pallas kernels as JSON (kernels_json in lib/fronts/python/predicted.cc).")
      .def("report", &report, "views"_a, "width"_a, "limit"_a, "Views of the prediction as text.")
      .def("html_report", &html, "The report as one HTML page.")
      .def("notebook", &of_step<notebook_html>,
           "The prediction as HTML for a notebook, with roofline and timeline as SVG.")
      .def("trace", &of_step<chrome_trace>, "The timeline in the Trace Event Format.")
      .def("explain", &explain, "op"_a, "width"_a,
           "The anatomy of one op as text and as JSON (schema hloroof.explanation/1).");
  module.def(
      "predict",
      [](const Module& of, const std::string& device, const PredictOptions& options) {
        return without_gil([&] { return Predicted::make(of, device, options); });
      },
      "module"_a, "device"_a, "options"_a, nb::keep_alive<0, 1>(), "Predicts one step.");
}

}  // namespace hloroof::internal::inline python
