#include "lib/predict/variants.h"

#include <algorithm>
#include <cstddef>

namespace hloroof::internal::inline predict {

PredictOptions Variant::options(const PredictOptions& common) const {
  PredictOptions options = common;
  if (topology != nullptr) options.topology = *topology;
  options.set = point;
  return options;
}

absl::StatusOr<std::vector<Variant>> variants_of(const std::vector<Target>& targets,
                                                 const std::vector<std::string>& topologies,
                                                 const std::vector<Setting>& settings, std::string_view option) {
  std::vector<const std::string*> chosen(std::max<std::size_t>(1, topologies.size()), nullptr);
  for (std::size_t i = 0; i < topologies.size(); ++i) chosen[i] = &topologies[i];
  std::vector<Variant> variants;
  for (const Target& target : targets) {
    const absl::StatusOr<std::vector<Point>> points = points_of(settings, target.device, option);
    if (!points.ok()) return points.status();
    variants.reserve(variants.size() + chosen.size() * points->size());
    for (const std::string* topology : chosen) {
      for (const Point& point : *points) variants.push_back({&target, topology, point});
    }
  }
  return variants;
}

}  // namespace hloroof::internal::inline predict
