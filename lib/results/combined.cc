#include "lib/results/combined.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline results {
namespace {

// What a collective of this kind moves on an axis of this role.
std::string_view moved_by(CollectiveKind kind, AxisRole role) {
  const bool gathers = kind == CollectiveKind::kAllGather;
  const bool reduces = kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter;
  if (gathers && role == AxisRole::kFsdp) return "weights";
  if (reduces && (role == AxisRole::kFsdp || role == AxisRole::kData)) return "gradients";
  return to_string(kind);
}

}  // namespace

std::map<std::uint32_t, std::string> combined_collectives(const StepPrediction& prediction) {
  std::map<std::uint32_t, std::string> names;
  if (prediction.facts == nullptr) return names;
  const CollectiveCosts& all = prediction.facts->collectives;
  for (const auto& [carrier, c] : all.by_carrier) {
    const Collective& collective = all.collectives[c];
    if (collective.arrays <= 1 || c >= all.roles.size()) continue;
    const std::string name =
        absl::StrCat(to_absl(moved_by(collective.kind, all.roles[c])), " (", collective.arrays, " arrays)");
    names.emplace(carrier, name);
    if (collective.done.valid()) names.emplace(collective.done.index, name);
  }
  return names;
}

}  // namespace hloroof::internal::inline results
