#include "lib/fronts/python/order_rules.h"

#include <nanobind/stl/vector.h>

#include <vector>

#include "lib/base/strings.h"
#include "lib/fronts/python/errors.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/subject.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

using Ops = std::vector<InstructionHandle>;

InstructionId ruled(const RulesHandle& rules, const InstructionHandle& handle) {
  if (handle.owner != rules.owner) raise(invalid_argument("the instruction is of another editor's module"));
  return handle.view().id();
}

Ops ops_of(const RulesHandle& rules, const std::vector<InstructionId>& ids) {
  Ops ops;
  ops.reserve(ids.size());
  for (const InstructionId id : ids) ops.emplace_back(rules.owner, id);
  return ops;
}

// The row of a table of OrderRules; empty for an instruction that is newer.
Ops row_in(const RulesHandle& rules, const std::vector<std::vector<InstructionId>>& table,
           const InstructionHandle& of) {
  const InstructionId id = ruled(rules, of);
  return id.index < table.size() ? ops_of(rules, table[id.index]) : Ops();
}

void set_order_by(const RulesHandle& rules, const ComputationHandle& computation, const Ops& order) {
  if (computation.owner != rules.owner) raise(invalid_argument("the computation is of another editor's module"));
  std::vector<InstructionId> ids;
  ids.reserve(order.size());
  for (const InstructionHandle& op : order) ids.push_back(ruled(rules, op));
  const absl::Status status = set_order(rules.owner->edit(), rules.rules, computation.view().id(), ids);
  if (!status.ok()) raise(status);
}

}  // namespace

RulesHandle rules_of(const SharedModule& module) {
  return {module, value_or_raise(hloroof::find_order_rules(module->module()))};
}

void add_order_rules(nb::module_& module) {
  using Rules = RulesHandle;
  using I = InstructionHandle;
  nb::class_<Rules>(module, "OrderRules",
                    "Which orders of a scheduled module are legal: Editor.order_rules(). The rules stay valid while "
                    "instructions only move; none that is added later may move, or be passed.")
      .def(
          "must_precede",
          [](const Rules& r, const I& first, const I& second) {
            return r.rules.must_precede(ruled(r, first), ruled(r, second));
          },
          "first"_a, "second"_a, "Whether every legal order has `first` before `second`.")
      .def(
          "may_pass",
          [](const Rules& r, const I& one, const I& other) { return r.rules.may_pass(ruled(r, one), ruled(r, other)); },
          "one"_a, "other"_a, "Whether some legal order has the two instructions the other way round.")
      .def(
          "starts_of", [](const Rules& r, const I& done) { return row_in(r, r.rules.starts, done); }, "done"_a,
          "The starts of the transfers that a done may wait for.")
      .def(
          "before", [](const Rules& r, const I& op) { return row_in(r, r.rules.before, op); }, "instruction"_a,
          "The instructions of the same computation that must precede it, without those that follow from them.")
      .def(
          "after", [](const Rules& r, const I& op) { return row_in(r, r.rules.after, op); }, "instruction"_a,
          "The instructions that it must precede.")
      .def(
          "moved_along",
          [](const Rules& r, const I& op, const I& before) {
            return ops_of(r, value_or_raise(moved_along(r.owner->module(), r.rules, ruled(r, op), ruled(r, before))));
          },
          "instruction"_a, "before"_a,
          "The instructions that move if one moves to the place before another: itself and those in between that must "
          "go along. Raises InvalidInputError if no legal move leads there.")
      .def(
          "move_before",
          [](const Rules& r, const I& op, const I& before) {
            const absl::Status status = move_before(r.owner->edit(), r.rules, ruled(r, op), ruled(r, before));
            if (!status.ok()) raise(status);
          },
          "instruction"_a, "before"_a, "Moves them.")
      .def("set_order", &set_order_by, "computation"_a, "instructions"_a,
           "Brings all instructions of a computation into an order. If the order breaks a rule, nothing changes, and "
           "InvalidInputError names the pair.");
}

}  // namespace hloroof::internal::inline python
