// Findings about numbers that a prediction needs and the device file lacks.
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/hardware/device_fields.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline diagnose {

void diagnose_device_numbers(Diagnosis& diagnosis) {
  const Device& device = diagnosis.facts.target.device;
  const auto add = [&](const std::string& path, InstructionId id, std::string name) {
    diagnosis.add({.code = DiagnosticCode::kMissingDeviceNumber,
                   .severity = Severity::kInfo,
                   .message = absl::StrFormat("the device file of %s lacks %s: the time of ops that need it is an "
                                              "assumption; --set states the number",
                                              device.name, path),
                   .cause = path,
                   .op = std::move(name),
                   .parts = {{TimePart::Kind::kWork, id, {}}, {TimePart::Kind::kWaitsBy, id, {}}}});
  };
  for (const OpPrediction& op : diagnosis.prediction.ops) {
    if (op.time.source < CostSource::kAssumed) continue;
    // The prediction does not store which numbers an op lacked. Recompute them for the few ops concerned.
    const MissingNumbers of_op =
        missing_numbers(op.work, device,
                        {op.time.launched_in_graph ? LaunchedBy::kCommandBuffer : LaunchedBy::kHost,
                         diagnosis.facts.costs.products_busy});
    for (const void* slot : of_op.slots()) add(std::string(path_of(slot, device)), op.id, op.name);
  }
  const CollectiveCosts& collectives = diagnosis.facts.collectives;
  for (std::size_t i = 0; i < collectives.collectives.size(); ++i) {
    const InstructionId carrier = collectives.collectives[i].carrier;
    if (!carrier.valid() || diagnosis.op(carrier) == nullptr) continue;
    for (const std::string& path : collectives.costs[i].missing_numbers) {
      add(path, carrier, diagnosis.op(carrier)->name);
    }
  }
}

}  // namespace hloroof::internal::inline diagnose
