#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/analysis/generation.h"
#include "lib/base/strings.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/step/other_program.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

constexpr std::string_view kDumpCompiled =
    "Dump the compiled module: jax.jit(f).lower(...).compile().as_text(), or the file *after_optimizations.txt that "
    "--xla_dump_to writes";

// What to do about a module that another backend compiled.
std::string where_to_compile(const Device& device) {
  const std::string compile = absl::StrCat("Compile the program for ", device.name);
  if (device.family() == DeviceFamily::kCpu) {
    return absl::StrCat(compile, " with JAX_PLATFORMS=cpu, or name the device that it is for: `hloroof devices list`");
  }
  return absl::StrCat(compile, ": jax.experimental.topologies compiles ahead of time, without the machine");
}

// Whether the header states other parameters or another result than the computation has.
bool differs_from_header(const Module& module, ComputationView entry) {
  ShapeTable shapes;
  const std::optional<EntryLayout> layout = entry_computation_layout(module, shapes);
  if (!layout || !row_of(entry).root.valid()) return false;
  const std::vector<InstructionId> parameters = entry.parameters();
  if (parameters.size() != layout->parameters.size()) return true;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].valid()) return true;
    const ShapeId shape = module.instruction(parameters[i]).shape_id();
    if (!compatible(module.shapes(), shape, shapes, layout->parameters[i])) return true;
  }
  return !compatible(module.shapes(), entry.root().shape_id(), shapes, layout->result);
}

// XLA writes the entry last, so that it is what a text lacks whose end is cut off.
std::string missing_entry_text(const Module& module) {
  const std::string name(module.entry().name());
  if (differs_from_header(module, module.entry())) {
    return absl::StrCat("the text looks cut: no computation is marked ENTRY, and the last one, ", name,
                        ", has not the parameters and the result that entry_computation_layout states. All below is "
                        "of ",
                        name, " alone. Save the whole module again");
  }
  return absl::StrCat("no computation is marked ENTRY: the last one, ", name,
                      ", is taken for it. Write ENTRY before the name of the one that the program runs",
                      ModuleRows::has_header(module) ? "; if the text is cut, save the whole module again" : "");
}

}  // namespace

bool is_about_origin(DiagnosticCode code) {
  return code == kNoEntry || code == kWrongBackend || code == kNotPartitioned || code == kNotOptimized;
}

void diagnose_origin(Diagnosis& diagnosis) {
  const ModuleOrigin& origin = diagnosis.prediction.origin;
  const Device& device = diagnosis.facts.target.device;
  const auto add = [&](DiagnosticCode code, Severity severity, std::string message) {
    diagnosis.add({.code = code, .severity = severity, .message = std::move(message)});
  };
  const Module& module = diagnosis.module;
  if (module.has_entry() && (row_of(module.entry()).flags & ComputationData::kAssumedEntry) != 0) {
    add(kNoEntry, Severity::kWarning, missing_entry_text(module));
  }
  if (!runs_on(origin.backend, device.family())) {
    add(kWrongBackend, Severity::kWarning,
        absl::StrCat("the module ", other_backend_text(origin, device), ". The times below can be several times off. ",
                     where_to_compile(device)));
  } else if (is_untiled_on_tpu(diagnosis.module, origin, device)) {
    add(kWrongBackend, Severity::kWarning,
        absl::StrCat(
            "the module is scheduled and none of its layouts has tiles, and the TPU compiler tiles every array: "
            "it is not compiled for ",
            device.name,
            ". The times below can be several times off. Compile the program for it: "
            "jax.experimental.topologies compiles ahead of time, without the machine"));
  } else if (!origin.generations.empty()) {  // the text uses hardware that some TPUs lack
    const std::string missing = missing_hardware(find_used_hardware(diagnosis.module), device);
    if (!missing.empty()) {
      add(kWrongGeneration, Severity::kInfo,
          absl::StrCat(missing, ", which ", device.name, " does not have: the module was compiled for ",
                       absl::StrJoin(origin.generations, " or ")));
    }
  }
  if (origin.stage == CompileStage::kUnpartitioned) {
    add(kNotPartitioned, Severity::kWarning,
        absl::StrCat("the module is not partitioned: its shardings name ", origin.sharded_over, " devices (",
                     origin.stage_evidence,
                     "), and the SPMD partitioner has not run. The times, bytes and memory below are those of one "
                     "device that does the work of all, and collectives are missing. ",
                     to_absl(kDumpCompiled)));
  } else if (origin.stage == CompileStage::kUnoptimized) {
    add(kNotOptimized, Severity::kWarning,
        absl::StrCat("the module is not optimized (", origin.stage_evidence,
                     "): fusions, layouts and schedule are still to come, and the bytes and times below can be too "
                     "high or too low. ",
                     to_absl(kDumpCompiled)));
  }
}

}  // namespace hloroof::internal::inline diagnose
