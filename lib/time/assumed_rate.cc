#include "lib/time/assumed_rate.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/hardware/device_fields.h"
#include "lib/time/matrix_forms.h"
#include "lib/time/vector_time.h"

namespace hloroof::internal::inline time {

bool is_assumed(const Device& device, std::string_view path) {
  if (path.starts_with(kWeightsPath)) {
    const OpWeight* const weight = find_op_weight(device.vector, path.substr(kWeightsPath.size()));
    return weight != nullptr && weight->source.kind == Provenance::kAssumed;
  }
  const std::optional<std::size_t> field = find_field(path);
  if (!field || *field >= device.sources.size()) return false;
  const ParameterSource& source = device.sources[*field];
  return source.kind == Provenance::kAssumed && !source.source.empty();
}

std::string assumed_rate(const Work& work, const OpTime& time, const Device& device, double products_busy) {
  if (device.gpu() == nullptr || work.is_free || work.seconds) return {};
  std::string path;
  if (time.bound == Resource::kHbm) {
    path = "hbm.efficiency";
  } else if (time.bound == Resource::kVector) {
    path = deciding_vector_number(work, device);
  } else if (time.bound == Resource::kVmem) {
    path = path_of(deciding_cache_rate(work, *device.gpu()), device);
  } else if (time.bound == Resource::kMatrix && !work.matrix.empty()) {
    const auto largest = std::max_element(work.matrix.begin(), work.matrix.end(),
                                          [](const MatrixWork& a, const MatrixWork& b) { return a.flops < b.flops; });
    path = path_of(deciding_rate(*largest, device, products_busy), device);
  }
  return !path.empty() && is_assumed(device, path) ? path : std::string();
}

}  // namespace hloroof::internal::inline time
