// The parts from which the time of a collective is computed. collective_terms.cc builds a tree of terms from them.
#ifndef HLOROOF_LIB_TIME_COLLECTIVE_PARTS_H_
#define HLOROOF_LIB_TIME_COLLECTIVE_PARTS_H_

#include <cstdint>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "lib/analysis/mesh.h"
#include "lib/time/collective.h"
#include "lib/time/scale_up.h"
#include "lib/time/slice_transfer.h"
#include "lib/time/torus.h"

namespace hloroof::internal {

enum class CollectiveForm : std::uint8_t {
  kNone,     // no communication
  kTorus,    // TPU: `passes` times `torus`
  kSlices,   // TPU: `between`, over the network between slices
  kScaleUp,  // GPU: send_cost(send) for a message, else scale_up_cost(kind, bytes, local, nodes)
};

struct CollectiveParts {
  CollectiveForm form = CollectiveForm::kNone;
  TorusCost torus;
  SliceTransferCost between;
  double passes = 1;  // 2 for an all-reduce: a reduce-scatter and an all-gather
  bool is_message = false;
  Send send;
  double bytes = 0;
  std::int64_t local = 1;
  std::int64_t nodes = 1;
  double imbalance = 1;  // factor on the time for the bytes of a ragged exchange
};

// Computes the same as collective_cost(). Also stores the parts of the time in `parts`, unless it is
// null.
CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options, CollectiveParts* parts);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TIME_COLLECTIVE_PARTS_H_
