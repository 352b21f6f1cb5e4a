// The parts of find_collectives and infer_mesh that start from what is known already.
#ifndef HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_
#define HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

// find_collectives() for whoever has the call graph.
std::vector<Collective> find_collectives(const Module& module, const CallGraph& calls);

// Whether the opcode is that of a collective, of the start of one, or of the done that find_collectives() looks for.
bool is_collective(Opcode opcode);
// Between the pairs of a permutation: a collective-permute, and a send or recv that is one end of one.
bool is_permutation(const Collective& collective);
bool ends_collective(Opcode opcode);

// find_collectives() after edits.
struct CollectivesAgain {
  static constexpr std::size_t kNew = static_cast<std::size_t>(-1);
  std::vector<Collective> collectives;
  std::vector<std::size_t> before;  // of each its index among the known ones if it says what it said; else kNew
};

// `known` are those from before the edits. Only collectives whose instructions (by index) are in `reread` may say
// something else; unless `others`, they are the same ones in the same order with the same carriers and dones.
CollectivesAgain find_collectives_again(const Module& module, const CallGraph& calls, std::vector<Collective> known,
                                        const std::set<std::uint32_t>& reread, bool others);

// infer_mesh() and collective_roles() for whoever has the call graph.
LogicalMesh infer_mesh(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives);
std::vector<AxisRole> collective_roles(const Module& module, const CallGraph& calls,
                                       const std::vector<Collective>& collectives);

// infer_mesh() without what the axes are for.
LogicalMesh infer_axes(const Module& module, const std::vector<Collective>& collectives);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_
