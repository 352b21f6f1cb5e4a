// Matches the instructions of two versions of a program.
#ifndef HLOROOF_LIB_VERSIONS_MATCH_OPS_H_
#define HLOROOF_LIB_VERSIONS_MATCH_OPS_H_

#include <cstdint>
#include <vector>

#include "lib/explain/op_graph.h"

namespace hloroof::internal::inline versions {

// Returns the partner in `after` of each node of `before`, or OpNode::kNone. Each node has at most one partner.
//
// Matches nodes by op_name, opcode and shapes, then by the partners of their neighbours. Equal nodes match in order.
// The result does not depend on the names or the numbers of instructions. Two graphs that differ only in names match
// completely. Takes O(n log n) time for n nodes and edges.
std::vector<std::uint32_t> match_ops(const OpGraph& before, const OpGraph& after);

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_MATCH_OPS_H_
