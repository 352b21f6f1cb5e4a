// The places of a sweep: every device with every topology and every combination of the settings.
#ifndef HLOROOF_LIB_PREDICT_VARIANTS_H_
#define HLOROOF_LIB_PREDICT_VARIANTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/hardware/settings.h"

namespace hloroof::internal::inline predict {

// What a program is predicted on. Points into the targets and topologies that it was made from.
struct Variant {
  const Target* target = nullptr;
  const std::string* topology = nullptr;  // null: that of the common options
  Point point;

  // The options that all variants share, with the topology and the values of this one.
  PredictOptions options(const PredictOptions& common) const;
};

// All variants, targets outermost and the last setting innermost. Without topologies, one for each target and point.
// `option` is the name of the settings for messages ("--set"). Errors: those of points_of().
absl::StatusOr<std::vector<Variant>> variants_of(const std::vector<Target>& targets,
                                                 const std::vector<std::string>& topologies,
                                                 const std::vector<Setting>& settings, std::string_view option);

}  // namespace hloroof::internal::inline predict

#endif  // HLOROOF_LIB_PREDICT_VARIANTS_H_
