// Findings about numbers that a prediction needs and the device file lacks.
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_format.h"
#include "lib/cost/missing_numbers.h"
#include "lib/cost/op_time.h"
#include "lib/hardware/device_fields.h"
#include "lib/predict/diagnostics.h"

namespace hloroof::internal {
namespace {

// The part of the step that is timed without a given number.
struct Concerned {
  std::int64_t ops = 0;
  double seconds = 0;
};

}  // namespace

void diagnose_device_numbers(const Device& device, const CollectiveCosts& collectives, StepPrediction& prediction) {
  std::map<std::string, Concerned> missing;
  const auto add = [&missing](const std::string& path, double seconds) {
    Concerned& concerned = missing[path];
    ++concerned.ops;
    concerned.seconds += seconds;
  };
  std::map<std::uint32_t, double> exposed;
  for (const OpPrediction& op : prediction.ops) {
    exposed[op.id.index] = op.exposed_seconds;
    if (op.time.source < CostSource::kAssumed) continue;
    // The prediction does not store which numbers an op lacked. Recompute them for the few ops concerned.
    MissingNumbers of_op;
    op_time(op.work, device, op.time.launched_in_graph ? LaunchedBy::kCommandBuffer : LaunchedBy::kHost, &of_op);
    for (const void* slot : of_op.slots()) add(std::string(path_of(slot, device)), op.exposed_seconds);
  }
  for (const auto& [carrier, index] : collectives.by_carrier) {
    const auto found = exposed.find(carrier);
    for (const std::string& path : collectives.costs[index].missing_numbers) {
      add(path, found == exposed.end() ? 0 : found->second);
    }
  }
  for (const auto& [path, concerned] : missing) {
    prediction.diagnostics.push_back(
        {DiagnosticCode::kMissingDeviceNumber, Severity::kInfo,
         absl::StrFormat("the device file of %s lacks %s: the time of %d %s is an assumption; --set states the number",
                         device.name, path, concerned.ops, std::string(concerned.ops == 1 ? "op" : "ops")),
         "", concerned.seconds});
  }
}

}  // namespace hloroof::internal
