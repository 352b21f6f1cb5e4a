// Explains collectives and the mesh line by line.
#ifndef HLOROOF_LIB_EXPLAIN_EXPLAIN_MESH_H_
#define HLOROOF_LIB_EXPLAIN_EXPLAIN_MESH_H_

#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline explain {

// Explains one collective line by line: its groups as axes, the unsharded shape, the links, and the formula with
// numbers.
//   replica_groups: 16 groups of 8 over the 8-way stride-16 axis; the other axis is 16-way
//   unsharded: bf16[32,32,8192] a device, 8-way on dimension 2: bf16[32,32,65536]
std::vector<std::string> explain_collective(const Module& module, const Collective& collective, const LogicalMesh& mesh,
                                            const PhysicalMapping& mapping, const Device& device,
                                            const CollectiveOptions& options = {});

// Explains the mesh line by line: its axes, their roles and their place on the machine.
std::vector<std::string> explain_mesh(const LogicalMesh& mesh, const PhysicalMapping& mapping);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_EXPLAIN_MESH_H_
