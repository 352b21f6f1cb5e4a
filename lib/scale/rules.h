// What an instruction says about the growth of the dimensions of its operands and results, by its opcode.
//
// rules.cc has the opcodes whose results have dimensions of their operands, rules_movement.cc those that select, pad
// or look up, and rules_calls.cc those that call computations, start transfers or communicate.
#ifndef HLOROOF_LIB_SCALE_RULES_H_
#define HLOROOF_LIB_SCALE_RULES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/scale/axis.h"
#include "lib/scale/constraints.h"
#include "lib/scale/dimensions.h"

namespace hloroof::internal::inline scale {

inline bool lists(const std::vector<std::int64_t>& list, std::size_t value) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(value)) != list.end();
}

class Rules {
 public:
  // `axis` is null unless a mesh axis gets another size. `layers` are the trips of the loops that get others; 0 if
  // none do.
  Rules(const Module& module, const Dimensions& dimensions, const ScaledAxis* axis, std::int64_t layers,
        Constraints& out);

  // Adds what the instruction states. Errors: InvalidArgument at the instruction if no program of another size
  // corresponds to it.
  absl::Status add(InstructionView i);

 private:
  static constexpr std::string_view kOtherSize = "it computes with the size of a dimension that would change";

  Node node(InstructionView i, std::size_t dimension, std::size_t leaf = 0) const {
    return dimensions_.first(i.id(), leaf) + static_cast<Node>(dimension);
  }
  const Shape& array(InstructionView i, std::size_t leaf = 0) const { return dimensions_.array(i.id(), leaf); }
  std::size_t rank(InstructionView i, std::size_t leaf = 0) const { return array(i, leaf).dimensions.size(); }
  std::size_t arrays(InstructionView i) const { return dimensions_.arrays(i.id()); }

  // The statements of `at`.
  void link(InstructionView at, Node a, Node b, int offset = 0) { out_.links.push_back({a, b, offset, at.id()}); }
  void stay(InstructionView at, Node a, std::string_view why = kOtherSize) {
    out_.fixed.push_back({a, 0, at.id(), why});
  }
  // A dimension of the result grows with that of the operand, or neither does.
  void link_or_stay(InstructionView at, std::size_t dimension, bool is_linked);
  // Two arrays grow alike. If they have other numbers of dimensions, neither grows.
  void alike(InstructionView at, InstructionView a, std::size_t leaf_a, InstructionView b, std::size_t leaf_b);
  // So do `count` arrays of two values, from a leaf of each on.
  void all_alike(InstructionView at, InstructionView a, std::size_t leaf_a, InstructionView b, std::size_t leaf_b,
                 std::size_t count);
  void nothing_grows(InstructionView at, InstructionView value, std::string_view why = kOtherSize);
  void neither_grows(InstructionView at, std::string_view why = kOtherSize);  // operands and result

  void elementwise(InstructionView i);
  void broadcast(InstructionView i);
  void transpose(InstructionView i);
  void regroup(InstructionView i, bool physical);
  void reduce(InstructionView i);
  void reduce_window(InstructionView i);
  void dot(InstructionView i);
  void convolution(InstructionView i);
  void constant(InstructionView i);

  void slice(InstructionView i);
  void dynamic_slice(InstructionView i);
  void dynamic_update_slice(InstructionView i);
  void part(InstructionView at, Node whole, std::int64_t size, Node piece, std::int64_t piece_size,
            std::optional<InstructionView> start);
  void pad(InstructionView i);
  void concatenate(InstructionView i);
  void gather(InstructionView i);
  void scatter(InstructionView i);

  void call(InstructionView i, ComputationId called, std::size_t first_operand);
  void loop(InstructionView i);
  void conditional(InstructionView i);
  void async(InstructionView i);
  void async_update(InstructionView i);
  void custom_call(InstructionView i);
  void kernel(InstructionView i);
  absl::Status collective(InstructionView i);
  void gathered(InstructionView i, bool spans);
  void exchange(InstructionView i, InstructionView result, std::size_t leaf, int offset);

  bool follows_device(InstructionView start) const;

  const Module& module_;
  const Dimensions& dimensions_;
  const ScaledAxis* axis_;
  std::int64_t layers_;
  Constraints& out_;
  std::vector<std::vector<InstructionId>> callers_;  // of each computation
};

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_RULES_H_
