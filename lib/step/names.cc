// The names of the enumerators in results, by device family.
#include <cstddef>

#include "hloroof/predict.h"

namespace hloroof::inline v0 {

namespace {

struct Names {
  std::string_view tpu;
  std::string_view gpu;
};

constexpr Names kResources[kResourceCount] = {{"mxu", "tensor"}, {"vpu", "cuda"},       {"hbm", "hbm"},
                                              {"vmem", "l2"},    {"ici", "nvlink"},     {"dcn", "network"},
                                              {"host", "host"},  {"latency", "latency"}};

// On a GPU, copies and wrapped computations run on asynchronous streams.
constexpr Names kLanes[kLaneCount] = {{"compute", "compute"}, {"dma", "async"}, {"ici", "nvlink"},
                                      {"dcn", "network"},     {"host", "host"}, {"sparsecore", "sparsecore"}};

std::string_view name(const Names& names, DeviceFamily family) {
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
