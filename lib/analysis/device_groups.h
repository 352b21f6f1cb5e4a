// Converts replica groups as written to groups of devices.
#ifndef HLOROOF_LIB_ANALYSIS_DEVICE_GROUPS_H_
#define HLOROOF_LIB_ANALYSIS_DEVICE_GROUPS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/analysis/grid.h"

namespace hloroof::internal::inline analysis {

// Replica groups with the ids of the text: lists, or an enumeration that is split into groups. If both are empty, all
// devices form one group.
struct WrittenGroups {
  std::vector<std::vector<std::int64_t>> lists;
  bool enumerated = false;
  Grid order;                                                // the enumeration of ids
  std::int64_t group_size = 1;                               // the number of consecutive ids of `order` per group
  std::vector<std::pair<std::string, GridAxis>> named_axes;  // with the strides of these ids
};

// The groups of devices that `written` describes in `mode`. Groups that are not a grid are listed if they have at most
// 2^16 devices in total. Larger ones are irregular without a list.
DeviceGroups resolve_groups(const WrittenGroups& written, GroupMode mode, std::int64_t replica_count,
                            std::int64_t num_partitions);

// The groups of devices that a permutation connects, which are its chains and cycles. Each device may be the source and
// the target of at most one pair; further pairs are ignored.
DeviceGroups permutation_groups(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
                                std::int64_t device_count);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_DEVICE_GROUPS_H_
