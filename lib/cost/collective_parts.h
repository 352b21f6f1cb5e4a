// What the seconds of a collective are made of, for whoever asks.
#ifndef HLOROOF_LIB_COST_COLLECTIVE_PARTS_H_
#define HLOROOF_LIB_COST_COLLECTIVE_PARTS_H_

#include <cstdint>

#include "hloroof/mesh.h"
#include "lib/cost/scale_up.h"
#include "lib/cost/torus.h"

namespace hloroof::inline v0 {

enum class CollectiveForm : std::uint8_t {
  kNone,     // no communication
  kTorus,    // TPU: `torus`, `passes` times
  kScaleUp,  // GPU: send_cost(send) of messages, else scale_up_cost(kind, bytes, local, nodes)
};

struct CollectiveParts {
  CollectiveForm form = CollectiveForm::kNone;
  TorusCost torus;
  double passes = 1;  // an all-reduce is a reduce-scatter and an all-gather
  bool is_message = false;
  Send send;
  double bytes = 0;
  std::int64_t local = 1;
  std::int64_t nodes = 1;
  double imbalance = 1;  // of a ragged exchange: what its bytes take is multiplied with
};

// collective_cost() that also says what it is made of, unless `parts` is null.
CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options, CollectiveParts* parts);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_COLLECTIVE_PARTS_H_
