#include "lib/time/assumed_rate.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "lib/hardware/device_fields.h"
#include "lib/time/matrix_forms.h"
#include "lib/time/numbers.h"

namespace hloroof::internal::inline time {

bool is_assumed(const Device& device, std::string_view path) {
  const std::optional<std::size_t> field = find_field(path);
  if (!field || *field >= device.sources.size()) return false;
  const ParameterSource& source = device.sources[*field];
  return source.kind == Provenance::kAssumed && !source.source.empty();
}

std::string_view assumed_rate(const Work& work, const OpTime& time, const Device& device, double products_busy) {
  if (device.gpu() == nullptr || work.is_free || work.seconds) return {};
  std::string_view path;
  if (time.bound == Resource::kHbm) {
    path = "hbm.efficiency";
  } else if (time.bound == Resource::kMatrix && !work.matrix.empty()) {
    const auto largest = std::max_element(work.matrix.begin(), work.matrix.end(),
                                          [](const MatrixWork& a, const MatrixWork& b) { return a.flops < b.flops; });
    const DeviceField* const rate = field_of(deciding_rate(*largest, device, products_busy), device);
    if (rate != nullptr) path = rate->path;
  }
  return !path.empty() && is_assumed(device, path) ? path : std::string_view();
}

}  // namespace hloroof::internal::inline time
