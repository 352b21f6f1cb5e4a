// The changes between two predictions.
#ifndef HLOROOF_LIB_VERSIONS_DIFF_H_
#define HLOROOF_LIB_VERSIONS_DIFF_H_

#include <cstddef>
#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"
#include "lib/results/rows.h"
#include "lib/versions/gate.h"

namespace hloroof::internal::inline versions {

// An op of either program or of both.
struct OpChange {
  const OpPrediction* before = nullptr;  // nullptr: only in the program after
  const OpPrediction* after = nullptr;   // nullptr: only in the program before
  // What else than the time differs: "shape", "fused ops", "layout", names of attributes. Most important first. Empty
  // if the op is the same or has no partner.
  std::vector<std::string> what;

  // The op after the change if it exists, otherwise the one before. One of them exists.
  const OpPrediction& op() const { return *(after != nullptr ? after : before); }
  double before_seconds() const { return before != nullptr ? before->exposed_seconds : 0; }
  double after_seconds() const { return after != nullptr ? after->exposed_seconds : 0; }
  double change() const { return after_seconds() - before_seconds(); }
};

// The ops that have the same category, layer, ...
struct GroupChange {
  std::string name;
  double before_seconds = 0;
  double after_seconds = 0;
  bool was_there = false;
  bool is_there = false;
  double change() const { return after_seconds - before_seconds; }
};

// How much of a program has a partner in the other one. Counts the ops that take time.
struct MatchedShare {
  double ops = 0;
  double matched_ops = 0;
  double seconds = 0;
  double matched_seconds = 0;

  double of_ops() const { return ops > 0 ? matched_ops / ops : 1; }
  double of_seconds() const { return seconds > 0 ? matched_seconds / seconds : 1; }
};

// Refers to both predictions. Ops and groups are sorted by the size of the change; their sums are the two step times.
struct Difference {
  const StepPrediction* before = nullptr;
  const StepPrediction* after = nullptr;
  std::string before_file;
  std::string after_file;
  MatchedShare before_share;
  MatchedShare after_share;
  std::vector<OpChange> ops;  // that take time on either side
  std::vector<GroupChange> categories;
  std::string group_by;             // "layer", ...; empty if `groups` is
  std::vector<GroupChange> groups;  // by the key of the op after the change
  std::vector<GateResult> gates;
};

struct DiffOptions : TextLayout {
  std::size_t limit = 20;  // ops or groups; 0: all
  GroupBy group = GroupBy::kNone;
  // Match by the modules too, to which the predictions must still point. If false, matches by the fields of ops alone.
  bool read_modules = true;
};

// True if the module lives as long as the prediction. A borrowed module may be gone.
bool owns_module(const StepPrediction& prediction);

// Matches the ops of both programs (match_ops.h) and computes the changes.
Difference find_difference(const StepPrediction& before, const StepPrediction& after, const DiffOptions& options);

// True if the change is more than the rounding of sums.
bool is_change(const Difference& difference, double seconds);

// Formats the signed changes of the step, its totals, categories and ops or groups. The rows of each table add up to
// the change of the step.
std::string diff_view(const Difference& difference, const DiffOptions& options);

// The same for a pull request: the headline, the totals, the share matched, the gates and the largest changes.
std::string diff_markdown(const Difference& difference, DiffOptions options);

// Schema "hloroof.diff/1"; SI units.
std::string diff_json(const Difference& difference);

// Writes one line for each op or group.
std::string diff_csv(const Difference& difference);

// The fields of a difference and of all records in it.
ResultTable diff_table();

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_DIFF_H_
