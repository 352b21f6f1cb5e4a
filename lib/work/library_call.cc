#include "lib/work/library_call.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "lib/ir/element_type.h"
#include "lib/ir/shapes.h"
#include "lib/values/backend_config.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline work {
namespace {

// The vector operations of what libraries compute. They follow from the algorithm, on any device.
//
// Of a norm, per element: it computes mean and variance, then normalizes, scales and shifts.
constexpr double kNormOperations = 8;
// The bits of the digit that a pass of a radix sort takes: of one array (Adinets and Merrill, Onesweep, 2022), and of
// rows, each of which a block of threads sorts (NVIDIA/cccl cub/device/dispatch/tuning/tuning_radix_sort.cuh).
constexpr double kRadixBits = 8;
constexpr double kRowRadixBits = 6;
// Of Threefry, per word: 20 rounds of an addition, a rotation and an exclusive or produce two words, which is 30
// operations per word; keys and counters are added in between (Salmon et al., Parallel Random Numbers: As Easy as 1, 2,
// 3, 2011).
constexpr double kThreefryOperations = 40;
// The kernels of a factorization per column: four for a panel of 32 columns. Assumed.
constexpr double kKernelsPerColumn = 4.0 / 32;
// The columns that a kernel of a batched Cholesky factorization takes (H100-JAX, the names of its kernels).
constexpr double kColumnsOfBatchedPanel = 16;

// The pairs of a query and a key if query i keeps the keys 0 to i.
double causal_pairs(double queries, double keys) {
  const double before = std::min(queries, keys);  // queries that do not keep all keys yet
  return before * (before + 1) / 2 + (queries - before) * keys;
}

// The pairs of a query and a key that a mask keeps. The causal mask of cuDNN begins at the first query and the first
// key, also if there are more of one than of the other. Query i keeps the keys of a sliding window up to key i. How
// long padded sequences are is not in the text, so that all of their keys count.
double kept_pairs(const AttentionBackendConfig& config, double queries, double keys) {
  const auto window = static_cast<double>(config.sliding_window);
  if (window > 0) return causal_pairs(queries, keys) - causal_pairs(std::max(queries - window, 0.0), keys);
  return config.mask.find("CAUSAL") != std::string::npos ? causal_pairs(queries, keys) : queries * keys;
}

// The matrices in the last two dimensions of an array.
struct Matrices {
  double rows = 0;
  double columns = 0;
  double count = 0;
};
Matrices matrices_in(const Shape& a) {
  const double rows = static_cast<double>(a.dimensions[a.rank() - 2]);
  const double columns = static_cast<double>(a.dimensions[a.rank() - 1]);
  return {rows, columns, static_cast<double>(element_count(a)) / std::max(rows * columns, 1.0)};
}

// The operations on each element of a panel for each of its columns, in the final code of libtpu 0.0.52: LU also masks,
// compares and exchanges rows.
constexpr double kLuOperations = 20;
constexpr double kQrOperations = 5;
// Cross-lane operations on the way from one column to the next: LU finds the largest element of a register and of all,
// and spreads its row; QR adds up a column, spreads it and adds up its products with the others.
constexpr double kTurnsOfColumn = 3;

}  // namespace

void leave_out_workspace(InstructionView call, SizeCache& sizes, Work& work) {
  const absl::Span<const ShapeId> leaves = call.module().shapes().leaves(call.shape_id());
  if (leaves.size() < 2) return;
  const Shape& last = call.module().shape(leaves.back());
  if (last.rank() != 1 || (last.element_type != ElementType::kU8 && last.element_type != ElementType::kS8)) return;
  const ArraySize& size = sizes[leaves.back()];
  work.written.hbm = std::max(work.written.hbm - size.padded_bytes, 0.0);
  work.logical_bytes = std::max(work.logical_bytes - size.logical_bytes, 0.0);
}

// A block of queries is resident while keys and values stream past it. For the matrix unit this is one product of
// queries by head dimension. It contracts the keys twice, once for the scores and once for the values. Gradients take
// five products instead of two, and compute the scores once more.
bool add_attention(InstructionView call, bool is_backward, Work& work) {
  const auto config = attention_backend_config(call);
  if (!config || config->scores.size() < 2 || call.operand_count() < 3) return false;
  const Shape& queries = call.operand(0).shape();
  if (!queries.is_array()) return false;
  MatrixWork product;
  for (std::size_t d = 0; d + 2 < config->scores.size(); ++d) product.batch *= static_cast<double>(config->scores[d]);
  product.m = static_cast<double>(config->scores[config->scores.size() - 2]);
  const double keys = static_cast<double>(config->scores.back());
  if (!(product.batch > 0) || !(product.m > 0) || !(keys > 0)) return false;
  product.kept_keys = kept_pairs(*config, product.m, keys) / product.m;
  product.n = static_cast<double>(element_count(queries)) / (product.batch * product.m);
  product.k = (is_backward ? 5 : 2) * product.kept_keys;
  product.lhs = product.rhs = product.out = queries.element_type;
  product.is_attention = true;
  product.is_gradient = is_backward;
  product.flops = 2 * product.batch * product.m * product.n * product.k;
  work.flops += product.flops;
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
  // Operations per score: scale it, update the running maximum, subtract that, exponentiate, and sum.
  const double scores = product.batch * product.m * product.kept_keys;
  work.flops += 4 * scores;
  work.transcendentals += scores;
  add_vector(work, Opcode::kMultiply, ElementType::kF32, (is_backward ? 8 : 4) * scores);
  add_vector(work, Opcode::kExponential, ElementType::kF32, scores);
  return true;
}

void add_norm(InstructionView call, SizeCache& sizes, Work& work) {
  const double elements = call.operand_count() > 0 ? sizes[call.operand(0).shape_id()].logical_elements : 0;
  work.flops += kNormOperations * elements;
  add_vector(work, Opcode::kMultiply, ElementType::kF32, kNormOperations * elements);
}

// The sort starts with the least significant digit. It reads the keys once to count all digits, and then reads and
// writes keys and values once per digit (Adinets and Merrill, Onesweep, 2022). Rows are sorted by a kernel for each
// digit, whose blocks read the keys of a row twice, to count and to move them. With fewer rows than multiprocessors
// some are idle.
void add_radix_sort(InstructionView call, SizeCache& sizes, Work& work) {
  if (call.operand_count() == 0) return;
  const Shape& shape = call.operand(0).shape();
  const ArraySize& keys = sizes[call.operand(0).shape_id()];
  const double row = shape.rank() > 0 ? static_cast<double>(std::max<std::int64_t>(shape.dimensions.back(), 1)) : 1;
  const double rows = keys.logical_elements / row;
  const double passes = std::ceil(bits(shape.element_type) / (rows > 1 ? kRowRadixBits : kRadixBits));
  double moved = 0;
  for (InstructionView operand : call.operands()) {
    if (operand.shape().is_array() && operand.shape().rank() > 0) moved += sizes[operand.shape_id()].padded_bytes;
  }
  work.read.hbm = (rows > 1 ? passes : 1) * keys.padded_bytes + passes * moved;
  work.written.hbm = passes * moved;
  work.flops += keys.logical_elements * passes;
  work.kernels = rows > 1 ? passes : passes + 2;
  if (rows > 1) {
    work.programs = rows;
  } else {
    work.sort_passes = passes;
  }
  add_vector(work, Opcode::kSort, ElementType::kU32, passes * keys.logical_elements);
}

// A column of each matrix after the other. XLA copies the right-hand sides into the result, which the library
// overwrites, and makes lists of pointers to the matrices of a batch.
void add_triangular_solve(InstructionView call, SizeCache& sizes, Work& work) {
  if (call.operand_count() < 2) return;
  const Shape& a = call.operand(0).shape();
  const ArraySize& right = sizes[call.operand(1).shape_id()];
  const double n = a.rank() > 0 ? static_cast<double>(std::max<std::int64_t>(a.dimensions.back(), 1)) : 1;
  const double matrices = static_cast<double>(element_count(a)) / (n * n);
  work.flops += n * right.logical_elements;
  work.read.hbm += right.padded_bytes;
  work.written.hbm += right.padded_bytes;
  work.logical_bytes += 2 * right.logical_bytes;
  work.kernels = matrices > 1 ? 4 : 2;
  add_vector(work, Opcode::kMultiply, ElementType::kF32, work.flops);
  add_vector(work, Opcode::kTriangularSolve, ElementType::kF32, n * matrices);
}

void add_panel(InstructionView call, bool is_lu, Work& work) {
  if (call.operand_count() == 0 || call.operand(0).shape().rank() < 2) return;
  const auto [rows, columns, matrices] = matrices_in(call.operand(0).shape());
  work.flops += matrices * (is_lu ? 1 : 2) * columns * columns * std::max(rows - columns / 3, 0.0);
  work.units_in_turn += matrices * columns * kTurnsOfColumn;
  add_vector(work, Opcode::kMultiply, ElementType::kF32,
             matrices * rows * columns * columns * (is_lu ? kLuOperations : kQrOperations));
}

// Uses LAPACK's operation counts (Golub and Van Loan, Matrix Computations) for the last two dimensions of operand 0.
// Panels of several columns run one after another, and each takes several kernels. The number of sweeps for eigenvalues
// depends on the data.
void add_factorization(InstructionView call, CustomCallBehaviour behaviour, Work& work) {
  if (call.operand_count() == 0 || call.operand(0).shape().rank() < 2) return;
  const Shape& a = call.operand(0).shape();
  const auto [rows, columns, matrices] = matrices_in(a);
  const double n = std::max(std::min(rows, columns), 1.0);
  const double m = std::max(rows, columns);
  double flops = 0;
  double sweeps = 1;
  switch (behaviour) {
    case CustomCallBehaviour::kGpuCholesky: flops = n * n * n / 3; break;
    case CustomCallBehaviour::kGpuLu: flops = n * n * (m - n / 3); break;
    case CustomCallBehaviour::kGpuQr: flops = 2 * n * n * (m - n / 3); break;
    case CustomCallBehaviour::kGpuEigen: flops = 9 * n * n * n, sweeps = 2; break;
    case CustomCallBehaviour::kGpuSvd: flops = 4 * m * n * n + 18 * n * n * n, sweeps = 4; break;
    default: return;
  }
  flops *= matrices * (is_complex(a.element_type) ? 4 : 1);
  work.flops += flops;
  work.kernels = std::max(sweeps * n * kKernelsPerColumn, 1.0);
  work.source = CostSource::kAssumed;
  if (behaviour == CustomCallBehaviour::kGpuCholesky && matrices > 1) {
    // Lists of pointers and of results, a triangle of each panel, and what is right of it and below.
    work.kernels = 1 + 3 * std::ceil(n / kColumnsOfBatchedPanel);
    add_vector(work, Opcode::kCholesky, ElementType::kF32, n * matrices);
  }
  add_vector(work, Opcode::kMultiply, a.element_type == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32,
             flops / 2);
}

void add_random_bits(InstructionView call, SizeCache& sizes, Work& work) {
  double words = 0;
  for (ShapeId leaf : call.module().shapes().leaves(call.shape_id())) words += sizes[leaf].logical_elements;
  work.flops += kThreefryOperations * words;
  add_vector(work, Opcode::kXor, ElementType::kU32, kThreefryOperations * words);
}

}  // namespace hloroof::internal::inline work
