#include "lib/fronts/python/predict_options.h"
#include "hloroof/cost.h"
#include "hloroof/predict.h"
#include "lib/analysis/mesh.h"
#include "lib/base/strings.h"
#include "lib/fronts/python/errors.h"
#include "lib/ir/element_type.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace hloroof::internal {
namespace {

void set_reduce_dtype(PredictOptions& options, const std::string& name) {
  const std::optional<ElementType> type = element_type_from_string(name);
  if (!type || bits(*type) == 0) {
    raise(invalid_argument("reduce_dtype=\"" + name + "\": expected an element type such as s8 or bf16"));
  }
  options.collectives.reduce_element_bytes = bits(*type) / 8.0;
}

}  // namespace

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
      // These read the texts that the options of the command take.
      .def("set_mesh",
           [](PredictOptions& o, const std::string& text) { o.mesh.axes = value_or_raise(parse_mesh(text)); })
      .def("set_device_order",
           [](PredictOptions& o, const std::string& text) {
             o.mesh.device_order = value_or_raise(parse_device_order(text));
           })
      .def("set_reduce_dtype", &set_reduce_dtype)
      .def_prop_rw(
          "mesh_order", [](const PredictOptions& o) { return o.mesh.order; },
          [](PredictOptions& o, const std::vector<std::string>& order) { o.mesh.order = order; })
      .def_prop_rw(
          "wrap", [](const PredictOptions& o) { return o.mesh.wrap; },
          [](PredictOptions& o, std::optional<bool> wrap) { o.mesh.wrap = wrap; }, nb::arg().none())
      .def_prop_rw(
          "imbalance", [](const PredictOptions& o) { return o.collectives.imbalance; },
          [](PredictOptions& o, double imbalance) { o.collectives.imbalance = imbalance; })
      .def_rw("resource_what_ifs", &PredictOptions::resource_what_ifs)
      .def_rw("strict", &PredictOptions::strict);
}

}  // namespace hloroof::internal
