#include "lib/kernel/tpu/region_work.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/isa.h"
#include "lib/mlir/attributes.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::int64_t kMostDimension = 1000;  // numbers of dimensions are small

// A register pads an array of rank 1 to 8 sublanes.
void add_vector_work(Opcode opcode, ElementType type, double elements, bool cross_lane, RegionWork& work) {
  if (elements <= 0) return;
  for (KernelVectorWork& entry : work.vector) {
    if (entry.opcode == opcode && entry.type == type && entry.cross_lane == cross_lane) {
      entry.elements += elements;
      return;
    }
  }
  work.vector.push_back({opcode, type, elements, cross_lane});
}

std::optional<KernelType> operand_type(const mlir::Module& module, const KernelTypes& types, mlir::OpId op,
                                       std::uint32_t number) {
  if (number >= module[op].operand_count) return std::nullopt;
  return types.of(module, module.operand(op, number));
}

// The vector with the most elements among the results and operands, and the elements of its registers.
struct WidestVector {
  KernelType type;
  double elements = 0;
};
WidestVector widest_vector(const mlir::Module& module, const KernelTypes& types, const VectorSizes& sizes,
                           mlir::OpId op) {
  WidestVector widest;
  const auto take = [&](mlir::ValueId value) {
    const KernelType& type = types.of(module, value);
    if (type.kind != KernelType::Kind::kVector) return;
    const double elements = sizes.elements_of(value);
    if (widest.type.kind != KernelType::Kind::kVector || elements > widest.elements) widest = {type, elements};
  };
  for (const mlir::ValueId result : module.results_of(op)) take(result);
  for (std::uint32_t i = 0; i < module[op].operand_count; ++i) take(module.operand(op, i));
  return widest;
}

// The lists of "#tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>".
std::vector<std::vector<std::int64_t>> number_lists(std::string_view text) {
  std::vector<std::vector<std::int64_t>> lists;
  while (true) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return lists;
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) return lists;
    std::vector<std::int64_t> list;
    bool in_number = false;
    for (const char c : text.substr(open + 1, close - open - 1)) {
      const bool is_digit = c >= '0' && c <= '9';
      if (is_digit && !in_number) list.push_back(0);
      if (is_digit && list.back() < kMostDimension) list.back() = list.back() * 10 + (c - '0');
      in_number = is_digit;
    }
    lists.push_back(std::move(list));
    text.remove_prefix(close + 1);
  }
}

double extent_product(const KernelType& type, const std::vector<std::int64_t>& dimensions) {
  double product = 1;
  for (const std::int64_t d : dimensions) {
    if (d >= 0 && static_cast<std::size_t>(d) < type.shape.size()) {
      product *= static_cast<double>(type.shape[static_cast<std::size_t>(d)]);
    }
  }
  return product;
}

bool flag(const mlir::Module& module, mlir::OpId op, std::string_view name) {
  return mlir::integer(module, mlir::find(module, op, name)).value_or(0) != 0;
}

// A product without dimension numbers: [.., m, k] x [.., k, n], each transposed if the attributes say so.
KernelProduct plain_product(const mlir::Module& module, mlir::OpId op, const KernelType& lhs, const KernelType& rhs) {
  KernelProduct product;
  const auto extent = [](const KernelType& type, std::size_t from_last) {
    return type.shape.size() > from_last ? static_cast<double>(type.shape[type.shape.size() - 1 - from_last]) : 1.0;
  };
  const bool lhs_is_transposed = flag(module, op, "transpose_lhs");
  product.m = extent(lhs, lhs_is_transposed ? 0 : 1);
  product.k = extent(lhs, lhs_is_transposed ? 1 : 0);
  product.n = extent(rhs, 0) == product.k && extent(rhs, 1) != product.k ? extent(rhs, 1) : extent(rhs, 0);
  if (flag(module, op, "transpose_rhs")) product.n = extent(rhs, 1);
  for (std::size_t i = 0; i + 2 < lhs.shape.size(); ++i) product.batch *= static_cast<double>(lhs.shape[i]);
  return product;
}

void add_matmul(const mlir::Module& module, const KernelTypes& types, mlir::OpId op, RegionWork& work) {
  const auto lhs = operand_type(module, types, op, 0);
  const auto rhs = operand_type(module, types, op, 1);
  if (!lhs || !rhs) return;
  KernelProduct product;
  const mlir::AttributeId id = mlir::find(module, op, "dimension_numbers");
  const absl::StatusOr<mlir::Attribute> numbers = id.valid() ? mlir::decode(module, id) : absl::NotFoundError("");
  const auto lists = numbers.ok() ? number_lists(numbers->text) : std::vector<std::vector<std::int64_t>>();
  if (lists.size() >= 7) {
    product.k = extent_product(*lhs, lists[0]);
    product.m = extent_product(*lhs, lists[2]);
    product.n = extent_product(*rhs, lists[3]);
    product.batch = extent_product(*lhs, lists[5]);
  } else {
    product = plain_product(module, op, *lhs, *rhs);
  }
  product.lhs = lhs->element;
  product.rhs = rhs->element;
  const mlir::AttributeId precision = mlir::find(module, op, "precision");
  if (precision.valid()) {
    const absl::StatusOr<mlir::Attribute> value = mlir::decode(module, precision);
    if (value.ok() && value->text.find("fp32") != std::string_view::npos) product.passes = 6;
  }
  // Equal products are one entry.
  for (KernelProduct& entry : work.matrix) {
    if (entry.m == product.m && entry.n == product.n && entry.k == product.k && entry.lhs == product.lhs &&
        entry.rhs == product.rhs && entry.passes == product.passes) {
      entry.batch += product.batch;
      return;
    }
  }
  work.matrix.push_back(product);
}

// What a reduction applies: "#vector.kind<minsi>" of vector.multi_reduction, or `otherwise`.
Opcode reduced_by(const mlir::Module& module, mlir::OpId op, Opcode otherwise) {
  const mlir::AttributeId id = mlir::find(module, op, "kind");
  const absl::StatusOr<mlir::Attribute> kind = id.valid() ? mlir::decode(module, id) : absl::NotFoundError("");
  if (!kind.ok()) return otherwise;
  if (kind->text.find("<min") != std::string_view::npos) return Opcode::kMinimum;
  if (kind->text.find("<max") != std::string_view::npos) return Opcode::kMaximum;
  return otherwise;
}

// First registers are combined with each other, then the elements within each remaining register.
void add_reduction(const mlir::Module& module, const KernelTypes& types, const VectorSizes& sizes, mlir::OpId op,
                   Opcode opcode, RegionWork& work) {
  const auto source = operand_type(module, types, op, 0);
  if (!source || source->kind != KernelType::Kind::kVector) return;
  const auto rank = static_cast<std::int64_t>(source->shape.size());
  std::vector<std::int64_t> dimensions =
      mlir::integers(module, mlir::find(module, op, "reduction_dims")).value_or(std::vector<std::int64_t>());
  if (dimensions.empty()) {
    const auto dimension = mlir::integer(module, mlir::find(module, op, "dim"));
    dimensions.push_back(dimension ? *dimension : rank - 1);
  }
  add_vector_work(reduced_by(module, op, opcode), source->element, sizes.elements_of(module.operand(op, 0)), false,
                  work);
  KernelType rest = *source;
  bool along_lanes = false;
  for (const std::int64_t d : dimensions) {
    if (d < 0 || d >= rank) continue;
    rest.shape[static_cast<std::size_t>(d)] = 1;
    if (d == rank - 1) along_lanes = true;
  }
  if (!along_lanes) return;
  // The unit reduces f32. Integers are reduced in two halves that f32 can hold, between operations of the ALUs.
  const bool is_integer = is_integral(source->element) && source->bits == kLaneBits;
  if (is_integer) add_vector_work(Opcode::kReduce, source->element, padded_elements(rest), false, work);
  add_vector_work(opcode, ElementType::kF32, padded_elements(rest) * (is_integer ? 2 : 1), true, work);
}

// A scalar fills a register at once. Elements that spread over lanes pass the cross-lane unit.
void add_broadcast(const mlir::Module& module, const KernelTypes& types, mlir::OpId op, RegionWork& work) {
  const auto source = operand_type(module, types, op, 0);
  if (!source || source->kind != KernelType::Kind::kVector || module[op].result_count == 0) return;
  const KernelType& result = types.of(module, module[op].first_result);
  if (source->shape.empty() || result.shape.empty()) return;
  if (source->shape.back() == 1 && result.shape.back() > 1) {
    add_vector_work(Opcode::kBroadcast, ElementType::kF32, padded_elements(*source), true, work);
  }
}

double register_bytes(const WidestVector& vector) { return vector.elements * std::max(vector.type.bits, 1) / 8; }

// A load with a stride of 0 repeats what it loads along that dimension.
WidestVector without_repeats(const mlir::Module& module, mlir::OpId op, WidestVector vector) {
  const auto strides = mlir::integers(module, mlir::find(module, op, "strides"));
  const double before = padded_elements(vector.type);
  for (std::size_t i = 0; strides && i < strides->size() && i < vector.type.shape.size(); ++i) {
    if ((*strides)[i] == 0) vector.type.shape[i] = 1;
  }
  if (before > 0) vector.elements *= padded_elements(vector.type) / before;
  return vector;
}

// What TPUs compute while they move one byte, roughly: they have between 3 and 9 such operations for each byte of HBM.
constexpr double kWeightOfByte = 4;

}  // namespace

void add_op_work(const mlir::Module& module, const KernelTypes& types, const VectorSizes& sizes, mlir::OpId op,
                 const KernelOp& row, RegionWork& work) {
  const WidestVector vector = widest_vector(module, types, sizes, op);
  const ElementType element = vector.type.element;
  const bool is_vector = vector.type.kind == KernelType::Kind::kVector;
  switch (row.kind) {
    case KernelOpKind::kElementwise:
      if (!is_vector) {
        work.scalar_ops += 1;
      } else if (row.opcode != Opcode::kBitcast) {
        // Masks are combined in the mask registers, apart from the ALUs.
        if (element != ElementType::kPred) {
          add_vector_work(row.opcode, element, vector.elements, false, work);
        }
      }
      return;
    case KernelOpKind::kUnknown:
      if (is_vector) add_vector_work(Opcode::kAdd, element, vector.elements, false, work);
      return;
    case KernelOpKind::kLoad:
      if (is_vector) work.loaded_bytes += register_bytes(without_repeats(module, op, vector));
      return;
    case KernelOpKind::kStore:
      if (is_vector) work.stored_bytes += register_bytes(vector);
      return;
    case KernelOpKind::kMatmul: add_matmul(module, types, op, work); return;
    case KernelOpKind::kReduce: add_reduction(module, types, sizes, op, row.opcode, work); return;
    case KernelOpKind::kBroadcast: add_broadcast(module, types, op, work); return;
    case KernelOpKind::kTranspose:
    case KernelOpKind::kShuffle:
      if (is_vector) add_vector_work(row.opcode, element, vector.elements, true, work);
      return;
    case KernelOpKind::kTransferStart:
      work.scalar_ops += 1;
      work.checked_transfers += 1;
      return;
    case KernelOpKind::kScalarLoad:
    case KernelOpKind::kScalarStore:
    case KernelOpKind::kTransferWait:
    case KernelOpKind::kSemaphore: work.scalar_ops += 1; return;
    default: return;
  }
}

double weight_of(const RegionWork& work) {
  double weight = 0;
  for (const KernelProduct& product : work.matrix) weight += product.flops() / 64;
  for (const KernelVectorWork& vector : work.vector) weight += vector.elements;
  return weight + work.loaded_bytes / 4 + work.stored_bytes / 4;
}

double weight_of(const KernelRun& run) {
  double weight = 0;
  for (const KernelRegion& region : run.regions) weight += region.runs * weight_of(region.work);
  double bytes = 0;
  for (const KernelEvent& event : run.events) {
    if (event.kind == KernelEvent::Kind::kStart) bytes += run.transfers[event.index].bytes;
  }
  return std::max(weight, kWeightOfByte * bytes);
}

bool is_empty(const RegionWork& work) {
  return work.matrix.empty() && work.vector.empty() && work.loaded_bytes == 0 && work.stored_bytes == 0 &&
         work.scalar_ops == 0;
}

}  // namespace hloroof::internal::inline kernel
