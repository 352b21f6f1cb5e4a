// Finds along which axes of the mesh a value differs from device to device. A value that does not differ along an axis
// is computed once by each device of that axis, with the same result.
#ifndef HLOROOF_LIB_ANALYSIS_REPLICATION_H_
#define HLOROOF_LIB_ANALYSIS_REPLICATION_H_

#include <cstdint>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// A set of axes of a mesh: bit i stands for mesh.axes[i].
using AxisSet = std::uint64_t;

// The axes along which the result of each instruction may differ, by InstructionId. Entry parameters differ as their
// shardings say, and along all axes without one. A gather or an all-reduce makes a value the same along the axes that
// it spans, other collectives make it differ, and all other instructions pass on what their operands have. Never misses
// an axis along which a value differs. Empty, which means unknown, if the module has several replicas, if the mesh has
// no axes or more than an AxisSet can hold, or if the values of a loop do not settle.
//
// XLA has the same analysis as HloReplicationAnalysis, for one kind of device group at a time.
std::vector<AxisSet> differing_axes(const Module& module, const CallGraph& calls, const LogicalMesh& mesh,
                                    const std::vector<Collective>& collectives);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_REPLICATION_H_
