// The names of the enumerators in results, by device family.
#include <cstddef>

#include "hloroof/predict.h"

namespace hloroof::inline v0 {

namespace {

struct Names {
  std::string_view tpu;  // and of devices of other makers
  std::string_view gpu;
  std::string_view cpu;
};

constexpr Names kResources[kResourceCount] = {{"mxu", "tensor", "matrix"}, {"vpu", "cuda", "vector"},
                                              {"hbm", "hbm", "memory"},    {"vmem", "l2", "cache"},
                                              {"ici", "nvlink", "links"},  {"dcn", "network", "network"},
                                              {"host", "host", "host"},    {"latency", "latency", "latency"}};

// On a GPU, copies and wrapped computations run on asynchronous streams.
constexpr Names kLanes[kLaneCount] = {{"compute", "compute", "compute"}, {"dma", "async", "async"},
                                      {"ici", "nvlink", "links"},        {"dcn", "network", "network"},
                                      {"host", "host", "host"},          {"sparsecore", "sparsecore", "sparsecore"}};

std::string_view name(const Names& names, DeviceFamily family) {
  if (family == DeviceFamily::kCpu) return names.cpu;
  return family == DeviceFamily::kGpu ? names.gpu : names.tpu;
}

}  // namespace

std::string_view to_string(Resource resource, DeviceFamily family) {
  return name(kResources[static_cast<std::size_t>(resource)], family);
}

std::string_view to_string(Lane lane, DeviceFamily family) {
  return name(kLanes[static_cast<std::size_t>(lane)], family);
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "error";
}

}  // namespace hloroof::inline v0
