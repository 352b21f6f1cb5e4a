#include "lib/diagnose/sent_by_role.h"

namespace hloroof::internal::inline diagnose {
namespace {

constexpr double kMostly = 0.8;  // share of the seconds

}  // namespace

MostlySent mostly_sent(AxisRole role) {
  switch (role) {
    case AxisRole::kFsdp:
    case AxisRole::kData: return MostlySent::kParameters;
    case AxisRole::kTensor:
    case AxisRole::kExpert:
    case AxisRole::kSequence: return MostlySent::kActivations;
    case AxisRole::kPipeline:
    case AxisRole::kUnknown: return MostlySent::kUndecided;
  }
  return MostlySent::kUndecided;
}

MostlySent mostly_sent(const SentByRole& seconds) {
  if (seconds.all <= 0) return MostlySent::kUndecided;
  if (seconds.parameters >= kMostly * seconds.all) return MostlySent::kParameters;
  if (seconds.activations >= kMostly * seconds.all) return MostlySent::kActivations;
  return MostlySent::kUndecided;
}

SentByRole sent_by_role(const StepPrediction& prediction) {
  SentByRole seconds;
  for (const CollectivePrediction& collective : prediction.collectives) {
    seconds.all += collective.exposed_seconds;
    const MostlySent sent = mostly_sent(collective.role);
    if (sent == MostlySent::kParameters) seconds.parameters += collective.exposed_seconds;
    if (sent == MostlySent::kActivations) seconds.activations += collective.exposed_seconds;
  }
  return seconds;
}

std::string help_for_activations() {
  return "What it sends grows with the batch as the work of the chip does, so no batch hides it: fewer devices along "
         "the axis or wider layers would help";
}

}  // namespace hloroof::internal::inline diagnose
