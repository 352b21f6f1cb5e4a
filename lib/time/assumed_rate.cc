#include "lib/time/assumed_rate.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "lib/hardware/device_fields.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/matrix_forms.h"
#include "lib/time/sustained_rate.h"

namespace hloroof::internal::inline time {
namespace {

// The number that the time of a large product is proportional to.
std::string_view rate_of_product(const MatrixWork& product, const Device& device, double products_busy) {
  const GpuCore& core = *device.gpu();
  if (product.programs > 0) return "program.matrix_efficiency";
  if (product.is_attention && product.kept_keys > 0 && core.attention.forward.head_128)
    return attention_rate_path(product);
  const auto peak = product_peak(product, Numbers<double>(device));
  if (!peak) return {};
  const MatrixType type = peak->type;
  if (sustained_share(products_busy, device) > 0.5) {
    const auto& sustained = core.matrix.sustained;
    if (type == MatrixType::kBf16 && sustained.bf16) return "matrix.sustained.bf16";
    if (type == MatrixType::kF16 && sustained.f16) return "matrix.sustained.f16";
    if (type == MatrixType::kF8 && sustained.f8) return "matrix.sustained.f8";
  }
  if (type == MatrixType::kF8 && device.matrix.efficiency_f8) return "matrix.efficiency_f8";
  if (type == MatrixType::kS8 && device.matrix.efficiency_s8) return "matrix.efficiency_s8";
  return is_rounded_f32(type) && device.matrix.efficiency_f32 ? "matrix.efficiency_f32" : "matrix.efficiency";
}

}  // namespace

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
    path = rate_of_product(*largest, device, products_busy);
  }
  return !path.empty() && is_assumed(device, path) ? path : std::string_view();
}

}  // namespace hloroof::internal::inline time
