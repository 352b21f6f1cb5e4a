// The executed instructions of a program as a graph, without the names that the compiler invents. match_ops.h finds the
// ops that two graphs have in common.
#ifndef HLOROOF_LIB_EXPLAIN_OP_GRAPH_H_
#define HLOROOF_LIB_EXPLAIN_OP_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline explain {

// Combines two hashes. The order matters.
inline std::uint64_t combine(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdu;
  return a ^ (a >> 32);
}

struct OpNode {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  InstructionId id;          // invalid in a graph without a module
  std::uint32_t op = kNone;  // index into StepPrediction::ops; kNone for an instruction that is not among them
  bool has_op_name = false;

  // Hashes. None depends on the name of an instruction or a computation, on source locations, on channel ids or on
  // backend_config, which has the bodies of kernels.
  std::uint64_t opcode = 0;      // and the target of a custom call
  std::uint64_t category = 0;    // "convolution fusion", ...
  std::uint64_t collective = 0;  // the kind of the collective that ends here, synchronous or not; 0: none
  std::uint64_t op_name = 0;     // of the metadata, without a final number
  std::uint64_t scope = 0;       // the chain of loops, branches and calls around the instruction
  std::uint64_t form = 0;        // element types and ranks of the result
  std::uint64_t shapes = 0;      // of the result and the operands, without layouts
  std::uint64_t layouts = 0;     // the same with layouts
  std::uint64_t attributes = 0;  // all others
  std::uint64_t inside = 0;      // the fused or applied computations; 0 if the instruction calls none of these
};

struct OpGraph {
  std::vector<OpNode> nodes;  // in program order

  // The neighbours of node i are edges[begin[i]] .. edges[begin[i + 1]]. Operands are in order. The roots and the
  // parameters of the executed computations that an instruction calls follow its operands.
  struct Edges {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> edges;

    absl::Span<const std::uint32_t> of(std::uint32_t node) const {
      return {edges.data() + begin[node], begin[node + 1] - begin[node]};
    }
  };
  Edges operands;
  Edges users;
};

// Returns the graph of the program that was predicted. It has all instructions of the computations that run, including
// those without time. If `read_module` is false or the prediction has no facts, the graph has the ops alone and no
// edges, and the work of an op replaces its shapes.
OpGraph make_op_graph(const StepPrediction& prediction, bool read_module);

// Returns the names of the attributes that differ between two instructions, among those that OpNode::attributes covers.
std::vector<std::string> changed_attributes(InstructionView a, InstructionView b);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_OP_GRAPH_H_
