#include "lib/python/predict_options.h"
#include "hloroof/cost.h"
#include "hloroof/predict.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace hloroof::internal {

void add_predict_options(nb::module_& module) {
  nb::class_<CustomCallCost>(module, "CustomCallCost", "Work of custom calls by target.")
      .def(nb::init<>())
      .def_rw("target", &CustomCallCost::target)
      .def_rw("flops", &CustomCallCost::flops, nb::arg().none())
      .def_rw("bytes", &CustomCallCost::bytes, nb::arg().none())
      .def_rw("transcendentals", &CustomCallCost::transcendentals, nb::arg().none())
      .def_rw("seconds", &CustomCallCost::seconds, nb::arg().none());

  nb::class_<KernelList>(module, "KernelList", "Contents of a scalar operand of a Pallas kernel.")
      .def(nb::init<>())
      .def_rw("kernel", &KernelList::kernel)
      .def_rw("operand", &KernelList::operand)
      .def_rw("values", &KernelList::values);

  nb::class_<PredictOptions>(module, "PredictOptions", "Options of a prediction.")
      .def(nb::init<>())
      .def_rw("topology", &PredictOptions::topology, nb::arg().none())
      .def_rw("slices", &PredictOptions::slices, nb::arg().none())
      .def_rw("partitions", &PredictOptions::partitions, nb::arg().none())
      .def_prop_rw(
          "compiler_estimates", [](const PredictOptions& o) { return o.estimates == EstimateSource::kCompiler; },
          [](PredictOptions& o, bool on) { o.estimates = on ? EstimateSource::kCompiler : EstimateSource::kModel; })
      .def_rw("trip_counts", &PredictOptions::trip_counts)
      .def_rw("default_trip_count", &PredictOptions::default_trip_count)
      .def_rw("custom_calls", &PredictOptions::custom_calls)
      .def_rw("kernel_lists", &PredictOptions::kernel_lists)
      .def_rw("set", &PredictOptions::set)
      .def_rw("branch_probabilities", &PredictOptions::branch_probabilities)
      .def_rw("resource_what_ifs", &PredictOptions::resource_what_ifs)
      .def_rw("strict", &PredictOptions::strict);
}

}  // namespace hloroof::internal
