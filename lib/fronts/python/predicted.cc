#include "lib/fronts/python/predicted.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/fronts/python/kernels.h"
#include "lib/fronts/python/notebook.h"
#include "lib/fronts/python/subject.h"
#include "lib/page/html_report.h"
#include "lib/page/trace.h"
#include "lib/report/views.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {

Predicted::Predicted(const Module& module, std::string device, const PredictOptions& options, StepPrediction step)
    : module_(&module), device_(std::move(device)), options_(options), step_(std::move(step)) {}

absl::StatusOr<Predicted> Predicted::make(const Module& module, const std::string& device,
                                          const PredictOptions& options) {
  absl::StatusOr<StepPrediction> step = predict_on(module, device, options);
  if (!step.ok()) return step.status();
  return Predicted(module, device, options, *std::move(step));
}

absl::StatusOr<StepPrediction> Predicted::with_what_ifs() const {
  PredictOptions options = options_;
  options.resource_what_ifs = true;
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
    if (!need_what_ifs(views)) return render_views(predicted.step(), views, view_options);
    const absl::StatusOr<StepPrediction> step = predicted.with_what_ifs();
    if (!step.ok()) return step.status();
    return render_views(*step, views, view_options);
  });
}

// The page also says how long the step would take with each resource free.
std::string html(const Predicted& predicted) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    const absl::StatusOr<StepPrediction> step = predicted.with_what_ifs();
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
          "The command's summary, and the prediction as JSON (schema hloroof.prediction/1).")
      .def("kernels", &of_step<kernels_json>, "The Pallas kernels as JSON (lib/fronts/python/kernels.h).")
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
