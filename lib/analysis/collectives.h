// Variants of find_collectives and infer_mesh that take existing results as input.
#ifndef HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_
#define HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "lib/analysis/lists_by_computation.h"
#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline analysis {

// find_collectives() with an existing call graph.
std::vector<Collective> find_collectives(const Module& module, const CallGraph& calls);

// Whether an instruction may begin a collective, end one, or run a computation that has one: its opcode decides.
bool has_meaning_for_collectives(InstructionView instruction);
void list_if_it_has_meaning_for_collectives(InstructionView instruction, std::vector<InstructionId>& list);

// The positions from `begin` to before `end`.
struct IndexRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What a search for collectives leaves for the next one, which then reads again only the scheduled computations that
// edits reach.
struct CollectiveRecord {
  ListsByComputation<InstructionId> meaning{list_if_it_has_meaning_for_collectives};
  // By index: the instructions of scheduled computations that may run collectives, such as fusions and async-starts.
  // Which computations the others call does not matter. May have instructions that no longer run any.
  absl::flat_hash_set<std::uint32_t> carriers;
  // By ComputationId, whether a computation may have a collective, itself or in a computation that it runs. Beyond its
  // size nothing is known.
  std::vector<bool> may_have;
  // By index of a scheduled computation: where its collectives stand in the list that the search returned.
  absl::flat_hash_map<std::uint32_t, IndexRange> found_in;
  // By index of a computation that carriers run: the scheduled computations with these carriers.
  absl::flat_hash_map<std::uint32_t, absl::InlinedVector<std::uint32_t, 1>> run_from;
  bool has_loops = false;                     // a carrier runs a collective more or less often than once
  absl::flat_hash_set<std::uint32_t> edited;  // by index: computations that were edited since the search

  // An instruction of the computation is another one, is in another place, or has other attributes or operands.
  void edited_in(ComputationId id) { edited.insert(id.index); }
  // Computations from this index on are gone.
  void cut(std::size_t computation_limit);
};

// The same, and leaves a record.
std::vector<Collective> find_collectives(const Module& module, const CallGraph& calls, CollectiveRecord& record);

// Returns true if a collective has source-target pairs: a collective-permute, or a send or recv, which is one end of a
// pair.
bool is_permutation(const Collective& collective);

// The result of find_collectives() after edits.
struct CollectivesAgain {
  static constexpr std::size_t kNew = static_cast<std::size_t>(-1);
  std::vector<Collective> collectives;
  std::vector<std::size_t> before;  // index in the known collectives if unchanged, otherwise kNew
  std::vector<IndexRange> read;     // the collectives of the computations that were read again, in order

  // Returns whether they are the `known` collectives in the same order, and no others.
  bool are_all(std::size_t known) const {
    if (before.size() != known) return false;
    for (std::size_t i = 0; i < known; ++i) {
      if (before[i] != i) return false;
    }
    return true;
  }
};

// Updates the list after edits. `known` is the result before them. Only collectives whose instruction indices are in
// `reread` may have changed. Unless `others` is set, the list still has the same collectives, order, carriers and
// dones.
CollectivesAgain find_collectives_again(const Module& module, const CallGraph& calls, std::vector<Collective> known,
                                        const std::set<std::uint32_t>& reread, bool others, CollectiveRecord& record);

// infer_mesh() with an existing call graph.
LogicalMesh infer_mesh(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives);

// infer_mesh() without the roles of the axes.
LogicalMesh infer_axes(const Module& module, const std::vector<Collective>& collectives);

// Replaces the axes of a mesh that infer_axes() returned. Errors: those of override_mesh().
absl::StatusOr<LogicalMesh> override_axes(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes,
                                          const std::vector<Collective>& collectives);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_COLLECTIVES_H_
