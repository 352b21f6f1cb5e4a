// The parts of find_collectives and infer_mesh that follow an edit.
#ifndef HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_
#define HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_

#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

// find_collectives() for whoever has the call graph.
std::vector<Collective> find_collectives(const Module& module, const CallGraph& calls);

// Whether the opcode is that of a collective, of the start of one, or of the done that find_collectives() looks for.
bool is_collective(Opcode opcode);
bool ends_collective(Opcode opcode);

// The same collective as its instruction now says; what carries it and what waits for it stay as they were.
Collective read_again(const Module& module, const Collective& collective);

// infer_mesh() without what the axes are for.
LogicalMesh infer_axes(const Module& module, const std::vector<Collective>& collectives);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_
