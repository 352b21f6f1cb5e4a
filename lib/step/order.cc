#include "hloroof/order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/strings.h"

namespace hloroof::inline v0 {
namespace {

bool is_ruled(const OrderRules& rules, InstructionId id) { return id.index < rules.before.size(); }

std::string name_of(const Module& module, InstructionId id) { return std::string(module.instruction(id).name()); }

absl::Status must_stay(const Module& module, InstructionId first, InstructionId second) {
  return internal::invalid_argument(name_of(module, second) + " must stay behind " + name_of(module, first));
}

}  // namespace

bool OrderRules::must_precede(InstructionId first, InstructionId second) const {
  if (!is_ruled(*this, first) || !is_ruled(*this, second)) return false;
  std::vector<InstructionId> open = {second};
  std::unordered_set<std::uint32_t> seen = {second.index};
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    for (InstructionId id : before[at.index]) {
      if (id == first) return true;
      if (seen.insert(id.index).second) open.push_back(id);
    }
  }
  return false;
}

bool OrderRules::may_pass(InstructionId one, InstructionId other) const {
  if (one == other || !is_ruled(*this, one) || !is_ruled(*this, other)) return false;
  if (is_fixed[one.index] || is_fixed[other.index]) return false;
  return !must_precede(one, other) && !must_precede(other, one);
}

absl::StatusOr<std::vector<InstructionId>> moved_along(const Module& module, const OrderRules& rules, InstructionId id,
                                                       InstructionId before) {
  for (InstructionId at : {id, before}) {
    if (at.index >= module.instruction_limit()) return internal::invalid_argument("there is no such instruction");
  }
  // What is between them in the order of the module, with `id` at one end.
  std::vector<InstructionId> between;
  bool is_up = false;
  bool found = false;
  for (InstructionView instruction : module.instruction(id).computation().instructions()) {
    if (between.empty()) {
      if (instruction.id() != id && instruction.id() != before) continue;
      is_up = instruction.id() == before && id != before;
    } else if (instruction.id() == (is_up ? id : before)) {
      found = true;
      if (is_up) between.push_back(id);
      break;
    }
    between.push_back(instruction.id());
  }
  if (id == before) return std::vector<InstructionId>{};
  if (!found) {
    return internal::invalid_argument(name_of(module, before) + " is not in the computation of " + name_of(module, id));
  }
  if (is_up) std::reverse(between.begin(), between.end());
  std::vector<InstructionId> moved;
  std::unordered_set<std::uint32_t> bound;  // what those that move must not pass
  for (InstructionId at : between) {
    const bool is_known = is_ruled(rules, at);
    if (!is_known || rules.is_fixed[at.index]) {
      return internal::invalid_argument(
          name_of(module, at) + (is_known ? " neither moves nor lets others pass" : " was made after the rules"));
    }
    if (at != id && bound.count(at.index) == 0) continue;
    if (is_up && at == before) {
      return internal::invalid_argument(name_of(module, before) + " would have to move along with " +
                                        name_of(module, id));
    }
    moved.push_back(at);
    for (InstructionId other : is_up ? rules.before[at.index] : rules.after[at.index]) bound.insert(other.index);
  }
  if (is_up) std::reverse(moved.begin(), moved.end());
  return moved;
}

absl::Status move_before(ModuleEditor& edit, const OrderRules& rules, InstructionId id, InstructionId before) {
  absl::StatusOr<std::vector<InstructionId>> moved = moved_along(edit.module(), rules, id, before);
  if (!moved.ok()) return moved.status();
  const bool is_up = !moved->empty() && moved->back() == id;  // `id` is the last one; also if it is the only one
  if (!is_up) std::reverse(moved->begin(), moved->end());
  for (InstructionId at : *moved) {
    if (absl::Status status = edit.move_before(at, before); !status.ok()) return status;
    if (!is_up) before = at;
  }
  return absl::OkStatus();
}

absl::Status set_order(ModuleEditor& edit, const OrderRules& rules, ComputationId computation,
                       absl::Span<const InstructionId> order) {
  const Module& module = edit.module();
  const ComputationView view = module.computation(computation);
  // Places in the new order.
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!edit.is_alive(order[i]) || module.instruction(order[i]).computation().id() != computation) {
      return internal::invalid_argument("instruction " + std::to_string(i) + " of the order is not of " +
                                        std::string(view.name()));
    }
    if (!places.emplace(order[i].index, i).second) {
      return internal::invalid_argument(name_of(module, order[i]) + " is twice in the order");
    }
  }
  std::vector<InstructionId> now;
  now.reserve(order.size());
  InstructionId last;  // of `now` in the new order
  InstructionId last_fixed;
  for (InstructionView instruction : view.instructions()) {
    const InstructionId id = instruction.id();
    const auto place = places.find(id.index);
    if (place == places.end()) {
      return internal::invalid_argument(name_of(module, id) + " is not in the order");
    }
    const bool is_fixed = !is_ruled(rules, id) || rules.is_fixed[id.index];
    if (is_fixed && !now.empty() && places[last.index] > place->second) return must_stay(module, last, id);
    if (!is_fixed) {
      for (InstructionId earlier : rules.before[id.index]) {
        const auto before = places.find(earlier.index);
        if (before != places.end() && before->second > place->second) return must_stay(module, earlier, id);
      }
    }
    if (last_fixed.valid() && place->second < places[last_fixed.index]) return must_stay(module, last_fixed, id);
    if (is_fixed) last_fixed = id;
    if (now.empty() || place->second > places[last.index]) last = id;
    now.push_back(id);
  }
  // Each is moved behind those that are in place. What it depends on is among them.
  std::size_t at = 0;  // in `now`: the first that is not in place
  std::unordered_set<std::uint32_t> is_placed;
  for (InstructionId id : order) {
    while (at < now.size() && is_placed.count(now[at].index) != 0) ++at;
    if (now[at] != id) {
      if (absl::Status status = edit.move_before(id, now[at]); !status.ok()) return status;
    }
    is_placed.insert(id.index);
  }
  return absl::OkStatus();
}

}  // namespace hloroof::inline v0
