// Provides the names of resources on one family of devices.
#ifndef HLOROOF_LIB_PREDICT_RESOURCE_NAMES_H_
#define HLOROOF_LIB_PREDICT_RESOURCE_NAMES_H_

#include <string_view>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"

namespace hloroof::internal {

class ResourceNames {
 public:
  explicit ResourceNames(DeviceFamily family) : family_(family) {}

  std::string_view name(Resource resource) const { return to_string(resource, family_); }

 private:
  DeviceFamily family_;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_PREDICT_RESOURCE_NAMES_H_
