// Counts for fft, triangular-solve and cholesky.
#include <bit>

#include "lib/analysis/saturating.h"
#include "lib/counts/xla_counts.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline counts {
namespace {

constexpr std::int64_t kFmasPerComplexMultiply = 4;

// Flops: 2 * 4 * floor(log2 length) for every transformed dimension * elements of the operand.
void count_fft(InstructionView fft, const XlaContext& context, XlaRow& row) {
  std::int64_t flops = saturating_multiply(kFmaFlops * kFmasPerComplexMultiply, context.first_elements(fft.operand(0)));
  for (std::int64_t length : integers(fft, AttributeKey::kFftLength)) {
    const auto log2 = length < 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(length)) - 1;
    flops = saturating_multiply(flops, log2);
  }
  row.flops = context.number(flops);
}

// Flops: 2 * n * elements(B). Half of A is read. XLA reports the size of B as the bytes read of operand 0, although its
// total adds half of A.
void count_triangular_solve(InstructionView solve, const XlaContext& context, XlaRow& row) {
  const Shape& a = solve.operand(0).shape();
  const InstructionView b = solve.operand(1);
  const double b_bytes = context.bytes(b);
  row.bytes = context.add(context.add(row.output_bytes, context.number(context.size(solve.operand(0)) / 2)), b_bytes);
  row.set_operand(0, b_bytes);
  row.set_operand(1, b_bytes);
  const std::int64_t n = a.dimensions.empty() ? 1 : a.dimensions.back();
  row.flops = context.number(saturating_multiply(saturating_multiply(kFmaFlops, n), context.elements(b)));
}

// Flops: n * elements(A) / 3. Half of A is read and half of it is written.
void count_cholesky(InstructionView cholesky, const XlaContext& context, XlaRow& row) {
  const InstructionView a = cholesky.operand(0);
  const double half = context.number(context.size(a) / 2);
  row.output_bytes = half;
  row.set_operand(0, half);
  row.bytes = context.add(half, half);
  const std::int64_t n = a.shape().dimensions.empty() ? 1 : a.shape().dimensions.back();
  row.flops = context.number(saturating_multiply(n, context.elements(a)) / 3);
}

}  // namespace

void count_linear_algebra(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  const std::size_t needed = instruction.opcode() == Opcode::kTriangularSolve ? 2 : 1;
  if (instruction.operand_count() < needed) {
    row.known = false;
    return;
  }
  switch (instruction.opcode()) {
    case Opcode::kFft: return count_fft(instruction, context, row);
    case Opcode::kTriangularSolve: return count_triangular_solve(instruction, context, row);
    default: return count_cholesky(instruction, context, row);
  }
}

}  // namespace hloroof::internal::inline counts
