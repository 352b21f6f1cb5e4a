#include "lib/versions/diff.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "lib/results/fold.h"
#include "lib/step/facts.h"
#include "lib/versions/match_ops.h"

namespace hloroof::internal::inline versions {
namespace {

const Module* module_of(const StepPrediction& prediction) {
  return prediction.facts != nullptr ? prediction.facts->module.get() : nullptr;
}

// Returns what differs between the nodes of a pair.
std::vector<std::string> differences(const OpNode& a, const Module* a_module, const OpNode& b, const Module* b_module) {
  if (a.opcode != b.opcode) return {"opcode"};  // such as a start and done for one op; the rest follows from it
  std::vector<std::string> what;
  if (a.shapes != b.shapes) what.emplace_back("shape");
  if (a.attributes != b.attributes && a.id.valid() && b.id.valid()) {
    const std::vector<std::string> names = changed_attributes(a_module->instruction(a.id), b_module->instruction(b.id));
    what.insert(what.end(), names.begin(), names.end());
  }
  // The fused computation changes with the shapes, which says nothing more.
  if (a.inside != b.inside && a.shapes == b.shapes) what.emplace_back("fused ops");
  if (a.layouts != b.layouts && a.shapes == b.shapes) what.emplace_back("layout");
  return what;
}

void count_op(MatchedShare& share, const OpPrediction& op, bool matched) {
  ++share.ops;
  share.seconds += op.exposed_seconds;
  if (!matched) return;
  ++share.matched_ops;
  share.matched_seconds += op.exposed_seconds;
}

// Adds the changes of all ops that take time on either side.
void find_op_changes(Difference& difference, bool read_modules) {
  const StepPrediction& before = *difference.before;
  const StepPrediction& after = *difference.after;
  // Both graphs must be of one kind.
  read_modules = read_modules && module_of(before) != nullptr && module_of(after) != nullptr;
  const OpGraph old_graph = make_op_graph(before, read_modules);
  const OpGraph new_graph = make_op_graph(after, read_modules);
  const std::vector<std::uint32_t> partners = match_ops(old_graph, new_graph);
  std::vector<const OpPrediction*> partner_of(after.ops.size());
  for (std::size_t i = 0; i < old_graph.nodes.size(); ++i) {
    const OpNode& node = old_graph.nodes[i];
    if (node.op == OpNode::kNone) continue;
    OpChange change;
    change.before = &before.ops[node.op];
    if (partners[i] != OpNode::kNone) {
      const OpNode& partner = new_graph.nodes[partners[i]];
      if (partner.op != OpNode::kNone) {
        change.after = &after.ops[partner.op];
        partner_of[partner.op] = change.before;
        change.what = differences(node, module_of(before), partner, module_of(after));
      }
    }
    const bool matched = change.after != nullptr;
    if (takes_time(*change.before)) count_op(difference.before_share, *change.before, matched);
    if (takes_time(*change.before) || (matched && takes_time(*change.after)))
      difference.ops.push_back(std::move(change));
  }
  for (std::size_t i = 0; i < after.ops.size(); ++i) {
    if (!takes_time(after.ops[i])) continue;
    count_op(difference.after_share, after.ops[i], partner_of[i] != nullptr);
    if (partner_of[i] == nullptr) difference.ops.push_back({nullptr, &after.ops[i], {}});
  }
}

template <typename Change>
void sort_by_size(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return std::abs(a.change()) > std::abs(b.change()); });
}

std::vector<GroupChange> group_ops(const Difference& difference, GroupBy group) {
  std::vector<GroupChange> groups;
  std::unordered_map<std::string, std::size_t> index;
  const auto group_of = [&](const OpPrediction& op, const StepPrediction& prediction) -> GroupChange& {
    std::string key = group_key(op, group, prediction.module_name);
    if (key.empty()) key = "[none]";
    const auto [found, is_new] = index.try_emplace(key, groups.size());
    if (is_new) groups.push_back({.name = std::move(key)});
    return groups[found->second];
  };
  for (const OpChange& change : difference.ops) {
    // A group by category shows work that moved to another category; other groups follow the op.
    const bool is_before = change.after == nullptr || group == GroupBy::kCategory;
    if (change.before != nullptr) {
      GroupChange& row =
          is_before ? group_of(*change.before, *difference.before) : group_of(*change.after, *difference.after);
      row.before_seconds += change.before_seconds();
      row.was_there = true;
    }
    if (change.after != nullptr) {
      GroupChange& row = group_of(*change.after, *difference.after);
      row.after_seconds += change.after_seconds();
      row.is_there = true;
    }
  }
  std::erase_if(groups, [](const GroupChange& g) { return g.before_seconds == 0 && g.after_seconds == 0; });
  sort_by_size(groups);
  return groups;
}

}  // namespace

bool owns_module(const StepPrediction& prediction) {
  return prediction.facts != nullptr && prediction.facts->module.use_count() > 0;
}

Difference find_difference(const StepPrediction& before, const StepPrediction& after, const DiffOptions& options) {
  Difference difference;
  difference.before = &before;
  difference.after = &after;
  find_op_changes(difference, options.read_modules);
  difference.categories = group_ops(difference, GroupBy::kCategory);
  if (options.group != GroupBy::kNone) {
    difference.group_by = to_string(options.group);
    difference.groups = group_ops(difference, options.group);
  }
  sort_by_size(difference.ops);
  return difference;
}

bool is_change(const Difference& difference, double seconds) {
  constexpr double kRounding = 1e-9;  // of the step
  return std::abs(seconds) > kRounding * std::max(difference.before->step_seconds, difference.after->step_seconds);
}

}  // namespace hloroof::internal::inline versions
