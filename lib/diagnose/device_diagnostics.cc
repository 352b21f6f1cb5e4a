// Findings about numbers that a prediction needs and the device file lacks.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/hardware/networks.h"
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
    if (op.time->source < CostSource::kAssumed) continue;
    // The prediction does not store which numbers an op lacked. Recompute them for the few ops concerned.
    const MissingNumbers of_op =
        missing_numbers(op.work, device, run_as(op.time->launched_in_graph, diagnosis.facts.costs.products_busy));
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

// The network is not part of what a GPU is. The finding says what the device file assumes.
void diagnose_network(Diagnosis& diagnosis) {
  const Device& device = diagnosis.facts.target.device;
  if (device.gpu() == nullptr || !device.network.name.empty() || diagnosis.prediction.slices <= 1) return;
  const auto crosses = [](const CollectiveCost& cost) { return cost.resource == Resource::kDcn; };
  const std::vector<CollectiveCost>& costs = diagnosis.facts.collectives.costs;
  if (std::none_of(costs.begin(), costs.end(), crosses)) return;
  for (const Parameter& parameter : parameters(device)) {
    if (parameter.path.starts_with("network.") && parameter.source.kind == Provenance::kUser) return;
  }
  diagnosis.add({.code = DiagnosticCode::kNetworkAssumed,
                 .severity = Severity::kInfo,
                 .message = "between nodes: " + network_words(device)});
}

// A step that would attain more of the peak than any published one is predicted too fast, or remarkable.
void diagnose_utilization(Diagnosis& diagnosis) {
  const Device& device = diagnosis.facts.target.device;
  const StepPrediction& prediction = diagnosis.prediction;
  if (device.gpu() == nullptr || !prediction.mfu || !device.matrix.peak.bf16) return;
  double of_f8 = 0;
  double all = 0;
  for (const OpPrediction& op : prediction.ops) {
    for (const MatrixWork& product : op.work->matrix) {
      all += op.executions * product.flops;
      const auto peak = product_peak(product, Numbers<double>(device));
      if (peak && peak->type == MatrixType::kF8) of_f8 += op.executions * product.flops;
    }
  }
  const bool is_f8 = of_f8 > all / 2;
  if (is_f8 && !device.matrix.peak.f8) return;
  const auto& highest = device.gpu()->matrix.highest_utilization;
  const Fact<double>& limit = is_f8 ? highest.f8 : highest.bf16;
  const double utilization = *prediction.mfu * (is_f8 ? *device.matrix.peak.bf16 / *device.matrix.peak.f8 : 1);
  if (!limit || utilization <= *limit) return;
  const std::size_t field = *find_field(is_f8 ? "matrix.highest_utilization.f8" : "matrix.highest_utilization.bf16");
  const ParameterSource source = field < device.sources.size() ? device.sources[field] : ParameterSource();
  diagnosis.add({.code = DiagnosticCode::kUnseenUtilization,
                 .severity = Severity::kInfo,
                 .message = absl::StrFormat("the step would attain %.3g %% of the %s peak in useful FLOPs; the highest "
                                            "known of a published step on %s is %.3g %% (%s)",
                                            100 * utilization, is_f8 ? "f8" : "bf16", device.name, 100 * *limit,
                                            source.note.empty() ? source.source : source.note)});
}

}  // namespace hloroof::internal::inline diagnose
