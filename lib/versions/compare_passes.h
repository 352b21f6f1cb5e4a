// Two compiles of one program, pass by pass: where they part, and at which passes the difference of their steps arises.
#ifndef HLOROOF_LIB_VERSIONS_COMPARE_PASSES_H_
#define HLOROOF_LIB_VERSIONS_COMPARE_PASSES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"
#include "lib/versions/passes.h"

namespace hloroof::internal::inline versions {

// One compile after an aligned pass.
struct PassSide {
  std::optional<std::size_t> row;  // index of its state in the report; nullopt before its first
  bool is_own = false;             // this pass made the state; otherwise it is that of an earlier pass
};

struct PassPair {
  std::string pipeline;
  std::string pass;
  PassSide before;
  PassSide after;
  bool is_same_program = false;
  // Seconds, after less before; nullopt if either state has no prediction.
  std::optional<double> difference;
  std::optional<double> growth;  // since the last row that has a difference, or since no difference at all
  // The part of the difference at the end that is there from this pass on: no later state of both compiles has a
  // smaller one. nullopt where the two states cannot be compared because they lack different things. The sum is the
  // difference at the end.
  std::optional<double> lasting;
};

struct PassComparison {
  PassReport before;
  PassReport after;
  std::vector<PassPair> rows;
  std::optional<std::size_t> part;           // the first row whose programs differ; nullopt if none do
  std::optional<std::size_t> part_for_good;  // the row from which on they differ; nullopt if they end as the same
  std::optional<std::size_t> last;           // the last row with two states to compare, whose difference is explained
};

// Aligns the passes of two compiles of one module. Errors: InvalidArgument if the modules have different names or the
// compiles have no pass in common; ResourceExhausted if they have too many states.
absl::StatusOr<PassComparison> compare_passes(PassReport before, PassReport after);

// Where the compiles part, and which passes made the difference of the steps, largest first: a few sentences.
std::string pass_summary(const PassComparison& comparison);

// The first row of pass `name` at which the difference grows, or else the first one. `name` is a pass, a pipeline, both
// with a colon between them, or the number of a file of the first compile. Errors: NotFound, which names the closest
// pass.
absl::StatusOr<std::size_t> find_pass_pair(const PassComparison& comparison, std::string_view name);

// The summary, and a line for each pass at which the difference or the sameness of the programs changes, or for all.
std::string pass_comparison_view(const PassComparison& comparison, bool all, const TextLayout& layout);

std::string pass_comparison_csv(const PassComparison& comparison);

// Schema "hloroof.pass_comparison/1". Has all rows.
std::string pass_comparison_json(const PassComparison& comparison);

ResultTable pass_comparison_table();

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_COMPARE_PASSES_H_
