// The files in which modules lie as protocol buffers, told apart by their contents.
#ifndef HLOROOF_LIB_PROTO_CONTAINERS_H_
#define HLOROOF_LIB_PROTO_CONTAINERS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::inline v0 {

struct ContainedModule {
  std::string_view name;
  std::string_view proto;  // HloModuleProto
};

// The modules of an HloModuleProto, of an HloProto, or of an XSpace: what XProf writes as *.xplane.pb, where each
// module that ran lies as an HloProto in the metadata of the plane "/host:metadata". One module found twice counts
// once. The results point into `bytes`. Errors: InvalidArgument if the bytes are none of these or hold no module.
absl::StatusOr<std::vector<ContainedModule>> find_modules(std::string_view bytes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PROTO_CONTAINERS_H_
