// What a resource is called on a family of devices.
#ifndef HLOROOF_LIB_PREDICT_RESOURCE_NAMES_H_
#define HLOROOF_LIB_PREDICT_RESOURCE_NAMES_H_

#include <string_view>

#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

class ResourceNames {
 public:
  explicit ResourceNames(DeviceFamily family) : gpu_(family == DeviceFamily::kGpu) {}

  std::string_view name(Resource resource) const {
    switch (resource) {
      case Resource::kMatrix: return gpu_ ? "tensor" : "mxu";
      case Resource::kVector: return gpu_ ? "cuda" : "vpu";
      case Resource::kHbm: return "hbm";
      case Resource::kVmem: return gpu_ ? "l2" : "vmem";
      case Resource::kIci: return gpu_ ? "nvlink" : "ici";
      case Resource::kDcn: return gpu_ ? "network" : "dcn";
      case Resource::kHost: return "host";
      case Resource::kLatency: return "latency";
    }
    return "latency";
  }

 private:
  bool gpu_;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_RESOURCE_NAMES_H_
