// Declarations shared by the counting rules of the `xla` convention. Each family of opcodes has its own file.
// xla_counts.cc holds the pass over the module and selects the rule.
//
// The source of all rules is openxla/xla xla/service/hlo_cost_analysis.cc, 2026-08-22. They were checked against jaxlib
// 0.10.2, one instruction at a time (tests/differential/counts.py).
#ifndef HLOROOF_LIB_COUNTS_XLA_COUNTS_H_
#define HLOROOF_LIB_COUNTS_XLA_COUNTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/analysis/saturating.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal::inline counts {

// The sizes of all shapes of a table as XLA's cost analysis measures them: logical sizes, without tiles.
class XlaSizes {
 public:
  explicit XlaSizes(const ShapeTable& table);

  // ShapeUtil::ByteSizeOf with 8-byte pointers. A tuple has the size of its table of pointers, and a token has size 0.
  // An array has its elements at their E(bits), or else at whole bytes, plus 4 bytes a dimension if any dimension is
  // dynamic.
  std::int64_t bytes(ShapeId id) const { return rows_[id.index].bytes; }
  // The same summed over the leaves of a tuple: the bytes written to produce it.
  std::int64_t leaf_bytes(ShapeId id) const { return rows_[id.index].leaf_bytes; }
  // Elements of an array; 0 for any other shape.
  std::int64_t elements(ShapeId id) const { return rows_[id.index].elements; }
  // Elements of all arrays in a tuple.
  std::int64_t leaf_elements(ShapeId id) const { return rows_[id.index].leaf_elements; }

 private:
  struct Row {
    std::int64_t bytes = 0;
    std::int64_t leaf_bytes = 0;
    std::int64_t elements = 0;
    std::int64_t leaf_elements = 0;
  };
  std::vector<Row> rows_;
};

inline constexpr std::int64_t kFmaFlops = 2;

// All inputs that a rule may read.
class XlaContext {
 public:
  // `totals` holds the counts of the computations already counted, by id.
  XlaContext(const Module& m, bool as_float32, const std::vector<XlaCounts>& totals);

  // Bytes of an instruction's result. XLA's reader drops E(bits) from the layout of a constant, so that a constant
  // counts whole bytes for each element.
  std::int64_t size(InstructionView i) const {
    const bool constant = i.opcode() == Opcode::kConstant && i.shape().layout.element_size_in_bits > 0;
    return constant ? saturating_multiply(elements(i), internal::bytes(i.shape().element_type))
                    : sizes.bytes(i.shape_id());
  }
  double bytes(InstructionView i) const { return number(size(i)); }
  double leaf_bytes(InstructionView i) const {
    return float32_ ? leaf_bytes_added(i.shape_id()) : number(sizes.leaf_bytes(i.shape_id()));
  }
  std::int64_t elements(InstructionView i) const { return sizes.elements(i.shape_id()); }
  // The elements of an array, or of the first element of a tuple.
  std::int64_t first_elements(InstructionView i) const;

  // XLA keeps every number as float32. With that option these functions do the same, by rounding after each operation.
  // Sums and products of two float32 values are exact enough in double that the results equal those of float32
  // arithmetic.
  double round(double value) const { return float32_ ? kept(static_cast<float>(value)) : value; }
  double number(std::int64_t value) const {
    return float32_ ? kept(static_cast<float>(value)) : static_cast<double>(value);
  }
  double add(double a, double b) const { return round(a + b); }
  double multiply(double a, double b) const { return round(a * b); }
  bool float32() const { return float32_; }
  double leaf_bytes_added(ShapeId id) const;  // in float32, leaf by leaf

  const std::vector<XlaCounts>& computations() const { return computations_; }

  const Module& module;
  const XlaSizes sizes;
  const Users users;
  // Bytes that a fused computation reads of the memory behind an instruction in it, for its parameters and for the
  // get-tuple-elements that take them apart. Indexed by InstructionId; see xla_fusion.cc.
  std::vector<std::int64_t> fusion_reads;
  std::vector<std::uint8_t> fusion_measured;  // by ComputationId: whether fusion_reads is filled
  // The parameters of the computations that fusions call, by ComputationId and number.
  std::vector<std::vector<InstructionId>> fusion_parameters;
  // The first get-tuple-element of an instruction and index, in those computations.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, InstructionId> element_takers;

  // Parameter `i` of a computation that a fusion calls; invalid if there is none.
  InstructionId parameter(ComputationId id, std::size_t i) const {
    const std::vector<InstructionId>& parameters = fusion_parameters[id.index];
    return i < parameters.size() ? parameters[i] : InstructionId();
  }

 private:
  // The volatile store forces the rounding. When GCC 12 vectorizes two such sums at -O3, it otherwise drops the
  // conversion to float and back from both (count_call then returned 53828648961 for 53828648960 + 1).
  static double kept(float value) {
    const volatile float stored = value;
    return static_cast<double>(stored);
  }

  const std::vector<XlaCounts>& computations_;
  bool float32_;
};

// Bytes read from each operand of an instruction.
absl::Span<const double> operand_bytes(const ModuleCounts& counts, InstructionView instruction);

// The counts of the current instruction. They hold the default before its rule runs.
struct XlaRow {
  double flops = 0;
  double transcendentals = 0;
  double bytes = 0;
  double output_bytes = 0;
  double* operand_bytes = nullptr;
  std::size_t operand_count = 0;
  bool known = true;  // false: some part of the instruction could not be counted

  // For an instruction that moves nothing: structure, or work counted elsewhere.
  void clear_bytes();
  // Sets the share of operand i, if the operand exists.
  void set_operand(std::size_t i, double value) {
    if (i < operand_count) operand_bytes[i] = value;
  }
};

// Adds `times` times the flops and transcendentals of the computation that `key` names. Data movement inside it is not
// counted.
void count_applied(InstructionView instruction, AttributeKey key, std::int64_t times, const XlaContext& context,
                   XlaRow& row);

// The rules of the families. Each expects the default in `row`.
void count_contraction(InstructionView instruction, const XlaContext& context, XlaRow& row);  // xla_contraction.cc
void count_linear_algebra(InstructionView instruction, const XlaContext& context,
                          XlaRow& row);                                                         // xla_linear_algebra.cc
void count_reduction(InstructionView instruction, const XlaContext& context, XlaRow& row);      // xla_reduction.cc
void count_data_movement(InstructionView instruction, const XlaContext& context, XlaRow& row);  // xla_data_movement.cc
void count_gather_scatter(InstructionView instruction, const XlaContext& context,
                          XlaRow& row);                                                         // xla_gather_scatter.cc
void count_collective(InstructionView instruction, const XlaContext& context, XlaRow& row);     // xla_communication.cc
void count_host_transfer(InstructionView instruction, const XlaContext& context, XlaRow& row);  // xla_communication.cc
void count_call(InstructionView instruction, const XlaContext& context, XlaRow& row);           // xla_call.cc
void count_custom_call(XlaRow& row);                                                            // xla_call.cc
void count_fusion(InstructionView instruction, const XlaContext& context, XlaRow& row);         // xla_fusion.cc

// Fills context.fusion_reads for the parameters and get-tuple-elements of `computation`, which a fusion calls. The
// computations called by fusions inside it must be measured first.
void measure_fusion_reads(ComputationView computation, XlaContext& context);  // xla_fusion.cc

}  // namespace hloroof::internal::inline counts

#endif  // HLOROOF_LIB_COUNTS_XLA_COUNTS_H_
