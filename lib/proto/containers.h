// Detects the kinds of proto files that contain modules.
#ifndef HLOROOF_LIB_PROTO_CONTAINERS_H_
#define HLOROOF_LIB_PROTO_CONTAINERS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline proto {

struct ContainedModule {
  std::string_view name;
  std::string_view proto;  // HloModuleProto
};

// The modules of an HloModuleProto, an HloProto, an HloSnapshot, or an XSpace. XProf writes an XSpace as *.xplane.pb,
// with an HloProto for each executed module in the metadata of the plane "/host:metadata". A duplicate module appears
// once. The results point into `bytes`. Errors: InvalidArgument if `bytes` is none of these or contains no module.
absl::StatusOr<std::vector<ContainedModule>> find_modules(std::string_view bytes);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_CONTAINERS_H_
