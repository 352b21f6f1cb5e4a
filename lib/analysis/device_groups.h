// From replica groups as written to groups of devices.
#ifndef HLOROOF_LIB_ANALYSIS_DEVICE_GROUPS_H_
#define HLOROOF_LIB_ANALYSIS_DEVICE_GROUPS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/mesh.h"
#include "lib/analysis/grid.h"

namespace hloroof::inline v0 {

// Replica groups in the numbers the text uses: lists, or an enumeration cut into groups. Neither: all take part.
struct WrittenGroups {
  std::vector<std::vector<std::int64_t>> lists;
  bool enumerated = false;
  Grid order;                   // the ids in order
  std::int64_t group_size = 1;  // consecutive ids of `order` that are one group
  std::vector<std::pair<std::string, std::int64_t>> named_axes;
};

// The devices that `written` means in `mode`. Groups that are no grid are listed if they are at most 2^16 devices;
// larger ones are irregular with no list.
DeviceGroups resolve_groups(const WrittenGroups& written, GroupMode mode, std::int64_t replica_count,
                            std::int64_t num_partitions);

// The groups of devices that a permutation joins: its chains and cycles. Each device is the source of at most one pair
// and the target of at most one; pairs beyond that are left out.
DeviceGroups permutation_groups(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
                                std::int64_t device_count);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_DEVICE_GROUPS_H_
