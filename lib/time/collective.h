// The time of one collective on the links that it uses.
#ifndef HLOROOF_LIB_TIME_COLLECTIVE_H_
#define HLOROOF_LIB_TIME_COLLECTIVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/analysis/mesh.h"
#include "lib/ir/element_type.h"
#include "lib/time/terms.h"

namespace hloroof::internal::inline time {

struct CollectiveCost {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  double bytes = 0;  // of the full array
  std::int64_t group_size = 1;
  std::int64_t group_count = 1;
  std::vector<std::string> axes;  // "8-way stride-16 axis", "data (8-way, stride 16)"
  std::string algorithm;          // "ring over 1 wrapped axis", "line, one axis after another", ...
  double wire_bytes = 0;          // sent by each device
  double busiest_link_bytes = 0;  // over the busiest link, one direction
  double latency_seconds = 0;     // hops, barriers and launch: the time of a message without bytes
  double bandwidth_seconds = 0;   // seconds - latency_seconds
  double seconds = 0;
  Resource resource = Resource::kIci;  // kIci includes NVLink, kDcn the network between nodes
  double other_level_seconds = 0;      // GPUs: that the faster level, of NVLink and the network, is busy meanwhile
  double link_bandwidth = 0;           // nominal bytes/s of the busiest kind of link, one direction
  double utilization = 0;              // the share of link_bandwidth that the busiest link attains
  double crossover_bytes = 0;          // full bytes at which latency and bandwidth take equal time
  CostSource source = CostSource::kModel;
  std::string note;                          // the assumption behind a source that is not kModel
  std::vector<std::string> missing_numbers;  // paths of numbers that the formula reads and the device file lacks
};

// The cost of a collective for one execution of its carrier. Never fails: `source` and `note` tell which facts were
// missing from the device file or the text and were assumed.
CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options = {});

// The peak of an ICI link in one direction, bytes/s; 0 if it is not known. A what-if question that raises the usable
// bandwidth raises the peak as well.
double nominal_ici_bandwidth(const Device& device);

// Per-device batch size, in rows, above which matmuls hide this collective. These are the matmuls with the weights that
// it gathers, or whose gradients it reduces. nullopt if it does not move weights. `role` is from assign_roles().
std::optional<double> crossover_tokens(const Collective& collective, AxisRole role, const CollectiveCost& cost,
                                       const Device& device);

// The time of one collective as collective_cost() computes it.
Term collective_terms(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                      const Device& device, const CollectiveOptions& options = {});

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_COLLECTIVE_H_
