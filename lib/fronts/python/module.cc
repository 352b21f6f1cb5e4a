// The extension module hloroof._core: thin wrappers over public functions. A prediction stays in the library, as a
// handle, and its fields are passed as JSON with the schema of the command. The functions release the GIL while the
// library runs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "hloroof/version.h"
#include "lib/base/units.h"
#include "lib/fronts/cli/cli.h"
#include "lib/fronts/cli/process.h"
#include "lib/fronts/python/errors.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/predicted.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/named_target.h"
#include "lib/hardware/registry.h"
#include "lib/hardware/topology.h"
#include "lib/input/module_file.h"
#include "lib/ir/rows.h"
#include "lib/report/counts_report.h"
#include "lib/report/views.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

Module parse(std::string_view text, const std::string& path, bool strict) {
  ParseOptions options;
  options.path = path;
  options.strict = strict;
  return without_gil([&] { return parse_module(text, options); });
}

absl::StatusOr<Module> parse_bytes(std::string_view bytes) {
  absl::StatusOr<internal::LoadedModule> loaded =
      internal::parse_module_file(internal::SourceText::copy(bytes, "<bytes>"), "", ParseOptions());
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->module);
}

// Returns the chips along each axis of one slice, the slices, and the devices of a chip.
std::tuple<std::vector<std::int64_t>, std::int64_t, std::int64_t> device_topology(const std::string& device,
                                                                                  std::int64_t devices) {
  const Target target = value_or_raise(named_target(device));
  const Topology topology =
      value_or_raise(target.topology ? absl::StatusOr<Topology>(*target.topology) : topology_for(target, devices));
  return {topology.shape, topology.slices, topology.devices_per_chip};
}

int run_command(const std::vector<nb::bytes>& arguments) {
  std::vector<std::string> texts;
  texts.reserve(arguments.size());
  for (const nb::bytes& argument : arguments) texts.emplace_back(argument.c_str(), argument.size());
  const nb::gil_scoped_release release;
  return run_process(texts);
}

std::string counts(const Module& module) {
  return without_gil([&]() -> absl::StatusOr<std::string> {
    const absl::StatusOr<ModuleCounts> found = count_xla(module);
    if (!found.ok()) return found.status();
    return counts_json({counts_report(module, *found)});
  });
}

}  // namespace
}  // namespace hloroof::internal::inline python

NB_MODULE(_core, m) {
  using namespace hloroof;            // NOLINT(google-build-using-namespace): limited to this function
  using namespace hloroof::internal;  // NOLINT(google-build-using-namespace): limited to this function
  nb::set_leak_warnings(false);       // a script may end with modules and editors alive
  m.attr("__version__") = HLOROOF_VERSION_STRING;
  add_errors(m);
  add_predict_options(m);

  nb::class_<Module>(m, "Module", "A parsed HLO module. Use it to predict the same program many times.")
      .def_prop_ro("name", [](const Module& module) { return std::string(module.name()); })
      .def_prop_ro("instruction_count", &Module::instruction_count)
      .def_prop_ro("num_partitions", &Module::num_partitions)
      .def_prop_ro("replica_count", &Module::replica_count)
      .def_prop_ro("is_scheduled", &Module::is_scheduled)
      .def(
          "to_proto",
          [](const Module& module) {
            const std::string bytes = without_gil([&] { return write_proto(module); });
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The module as the bytes of XLA's HloModuleProto. What the module was read from stays as it was, field for "
          "field, where no edit changed it.")
      .def("__str__", [](const Module& module) { return print_module(module); })
      .def("__repr__",
           [](const Module& module) {
             return "Module(" + std::string(module.name()) + ", " + std::to_string(module.instruction_count()) +
                    " instructions)";
           })
      // The text, and the proto that it was made from or nothing.
      .def("__getstate__",
           [](const Module& module) -> nb::typed<nb::tuple, std::string, nb::bytes> {
             const std::string& proto = ModuleRows::source(module).proto();
             if (proto.empty()) return nb::make_tuple(print_module(module), nb::bytes("", 0));
             const std::string bytes = without_gil([&] { return write_proto(module); });
             return nb::make_tuple("", nb::bytes(bytes.data(), bytes.size()));
           })
      .def("__setstate__", [](Module& module, const nb::typed<nb::tuple, std::string, nb::bytes>& state) {
        const auto proto = nb::cast<nb::bytes>(state[1]);
        if (proto.size() == 0) {
          new (&module) Module(parse(nb::cast<std::string>(state[0]), "<pickle>", false));
        } else {
          const std::string_view bytes(proto.c_str(), proto.size());
          new (&module) Module(without_gil([&] { return parse_bytes(bytes); }));
        }
      });
  add_module_parts(m);
  add_order_rules(m);
  add_editor(m);
  add_reschedule(m);
  add_scale(m);

  m.def("parse", &parse, "text"_a, "path"_a = "<text>", "strict"_a = false, "Parses HLO text.");
  m.def(
      "load", [](const std::string& path) { return without_gil([&] { return load_module(path); }); }, "path"_a,
      "Parses the file at `path`: HLO text, a log with HLO in it, a proto or a profile, also compressed with gzip.");
  m.def(
      "parse_bytes",
      [](const nb::bytes& data) {
        const std::string_view bytes(data.c_str(), data.size());
        return without_gil([&] { return parse_bytes(bytes); });
      },
      "data"_a, "Parses the bytes of a file, as load does.");
  add_predicted(m);
  add_answers(m);
  add_checks(m);
  m.def("counts", &counts, "module"_a, "Counts in XLA's convention as JSON (schema hloroof.counts/1).");
  m.def(
      "device_name", [](const std::string& device) { return value_or_raise(named_target(device)).device.name; },
      "device"_a, "The name of a device, without topology and slices.");
  m.def("device_topology", &device_topology, "device"_a, "devices"_a,
        "Chips along each axis of one slice, slices, and devices of a chip, for a program on so many devices.");
  m.def(
      "cuda_targets", [] { return std::string(cuda_targets()); },
      "What a compiler asks of a CUDA GPU that no device file has, as JSON (schema hloroof.cuda_targets/1).");
  m.def(
      "run_command", &run_command, "arguments"_a,
      "Runs the command `hloroof` with the arguments after its name, on the standard streams of the process and not on "
      "sys.stdout. Returns the exit code. Only for a process that does nothing else: it sets how memory is allocated.");
  m.def("version_text", &version_text,
        "Versions of hloroof and of its device files, as `hloroof --version` prints them.");
  m.def("device_names", &device_names, "The names of all devices of the library.");
  m.def("view_names", &view_names, "The names of the views for report().");
  m.def("format_seconds", &format_seconds, "seconds"_a);
  m.def("format_bytes", &format_bytes, "bytes"_a);
  m.def("format_percent", &format_percent, "share"_a);
}
