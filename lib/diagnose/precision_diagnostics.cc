// Findings about products in f32. The product of two bf16 or two f16 values is exact in f32, so where the operands are
// converted from such values, a product of the narrow operands with an f32 result adds up the same terms. Elsewhere
// bf16 operands lose bits, and the time that the model gives for them says what that gains.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/module.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/time/op_time.h"
#include "lib/values/attribute_values.h"
#include "lib/work/custom_call.h"

namespace hloroof::internal::inline diagnose {
namespace {

constexpr int kMostTraced = 64;           // instructions from a product back to a conversion
constexpr std::size_t kMostInside = 512;  // instructions of a fusion that are searched for its product
constexpr std::size_t kMostUsers = 16;    // limit on the values followed from a conversion to its users

constexpr double kLittleGain = 0.9;  // share of the time that is left: fewer bits of the operands need a reason

// A contraction, and the fusions around it from the outermost to the innermost.
struct Product {
  InstructionId id;
  std::vector<InstructionId> callers;
};

// An operand of a product that holds values of a narrower type.
struct NarrowOperand {
  ElementType type = ElementType::kInvalid;  // of the values; kInvalid if they are not known to be narrow
  InstructionId converter;                   // the op that converts them, which may be that of the product
  InstructionId read;                        // the operand of the product's op through which they arrive
};

bool contracts(InstructionView at) {
  if (at.opcode() == Opcode::kDot || at.opcode() == Opcode::kConvolution) return true;
  if (at.opcode() != Opcode::kCustomCall) return false;
  const auto behaviour = custom_call_behaviour(string_value(at, AttributeKey::kCustomCallTarget));
  return behaviour == CustomCallBehaviour::kGemm || behaviour == CustomCallBehaviour::kConvolution;
}

// The only contraction of an op; nullopt if it has none or several.
std::optional<Product> only_product(const Module& module, InstructionView op) {
  std::optional<Product> found;
  std::vector<Product> open = {{op.id(), {}}};
  for (std::size_t visits = 0; !open.empty(); ++visits) {
    if (visits > kMostInside) return std::nullopt;
    const Product at = std::move(open.back());
    open.pop_back();
    const InstructionView instruction = module.instruction(at.id);
    if (contracts(instruction)) {
      if (found) return std::nullopt;
      found = at;
    }
    if (flow(instruction.opcode()) != Flow::kFuses) continue;
    std::vector<InstructionId> callers = at.callers;
    callers.push_back(at.id);
    for (ComputationView inside : instruction.computations(AttributeKey::kCalls)) {
      for (InstructionView inner : inside.instructions()) open.push_back({inner.id(), callers});
    }
  }
  return found;
}

bool moves_only(Flow f) {
  switch (f) {
    case Flow::kRenames:
    case Flow::kPacks:
    case Flow::kPicks:
    case Flow::kCopies:
    case Flow::kReshapes:
    case Flow::kReorders:
    case Flow::kRepeats:
    case Flow::kSelects:
    case Flow::kAsyncWhole:
    case Flow::kAsyncFirst:
    case Flow::kAsyncSecond: return true;
    default: return false;
  }
}

// Follows an operand of a product back through what only moves it, also in other ops. Calls visit(at, read, callers)
// for each instruction, until it returns false: `read` is the operand of `op` that the way has come through, invalid
// until then, and `callers` are the fusions around the instruction.
template <typename Visit>
void trace_operand(const Module& module, InstructionId op, const Product& product, std::size_t number,
                   const Visit& visit) {
  const InstructionView contraction = module.instruction(product.id);
  if (contraction.operand_count() <= number) return;
  InstructionId id = contraction.operand(number).id();
  InstructionId read = product.callers.empty() ? id : InstructionId();
  std::vector<InstructionId> callers = product.callers;
  Path path;
  for (int step = 0; step < kMostTraced; ++step) {
    const InstructionView at = module.instruction(id);
    if (!visit(at, read, callers)) return;
    const Flow f = flow(at.opcode());
    if (f == Flow::kParameter) {
      if (callers.empty()) return;
      const InstructionId caller = callers.back();
      callers.pop_back();
      id = argument(module.instruction(caller), at.computation().id(), at.parameter_number());
      if (!id.valid()) return;
      if (caller == op) read = id;
      continue;
    }
    if (f == Flow::kFuses) {
      callers.push_back(id);
    } else if (!moves_only(f)) {
      return;
    }
    if (!step_back(module, id, path)) return;
  }
}

// The conversion to f32 that the values of an operand of a product come from.
NarrowOperand narrow_operand(const Module& module, InstructionId op, const Product& product, std::size_t number) {
  NarrowOperand result;
  trace_operand(module, op, product, number,
                [&](InstructionView at, InstructionId read, const std::vector<InstructionId>& callers) {
                  if (flow(at.opcode()) != Flow::kConverts) return true;
                  if (at.operand_count() != 1 || at.shape().element_type != ElementType::kF32) return false;
                  const ElementType from = at.operand(0).shape().element_type;
                  if (from != ElementType::kBf16 && from != ElementType::kF16) return false;
                  result.type = from;
                  result.read = read;
                  result.converter = callers.empty() ? at.id() : callers.front();
                  return false;
                });
  return result;
}

// The operand of `op` whose elements are an operand of its product; invalid if the op computes that itself.
InstructionId operand_read(const Module& module, InstructionId op, const Product& product, std::size_t number) {
  InstructionId result;
  trace_operand(module, op, product, number,
                [&](InstructionView, InstructionId read, const std::vector<InstructionId>&) {
                  result = read;
                  return !read.valid();
                });
  return result;
}

class PrecisionDiagnoser {
 public:
  explicit PrecisionDiagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis), facts_(diagnosis.facts), module_(diagnosis.module) {}

  void run() {
    const DeviceFamily family = facts_.target.device.family();
    if (family != DeviceFamily::kTpu && family != DeviceFamily::kGpu) return;
    for (const OpPrediction& op : diagnosis_.prediction.ops) {
      if (!diagnosis_.may_matter(op.exposed_seconds) || op.work->matrix.empty()) continue;
      const MatrixWork& product = op.work->matrix.front();
      const bool is_only_product = op.work->matrix.size() == 1;
      if (is_only_product && product.lhs == ElementType::kF32 && product.rhs == ElementType::kF32) check_product(op);
      if (diagnosis_.needless_f32.count(op.id.index) == 0 && multiplies(ElementType::kBf16)) wide_type(op);
    }
  }

 private:
  // Whether the matrix unit takes such operands. Where it does not, as on CPUs, the compiler itself converts them.
  bool multiplies(ElementType type) const {
    const Device& device = facts_.target.device;
    if (type == ElementType::kBf16) return device.matrix.peak.bf16.has_value();
    return device.family() == DeviceFamily::kGpu;
  }

  void check_product(const OpPrediction& op) {
    const std::optional<Product> product = only_product(module_, module_.instruction(op.id));
    if (!product) return;
    const NarrowOperand operands[] = {narrow_operand(module_, op.id, *product, 0),
                                      narrow_operand(module_, op.id, *product, 1)};
    const ElementType type = operands[0].type;
    if (type == ElementType::kInvalid || type != operands[1].type || !multiplies(type)) return;
    const double left = share_left(op, operands);
    const double saved = (op.exposed_seconds - op.wait_seconds) * (1 - left);
    if (diagnosis_.may_matter(saved)) {
      diagnosis_.needless_f32.insert(op.id.index);
      diagnosis_.add_work(
          DiagnosticCode::kNeedlessF32, op, saved,
          absl::StrFormat(
              "multiplies f32 whose values were %s: products of these are exact in f32, so %s operands with "
              "an f32 result (in JAX, preferred_element_type) give the same in %.0f %% of the time",
              std::string(to_string(type)), std::string(to_string(type)), 100 * left));
    }
    for (const NarrowOperand& operand : operands) converter(op, operand);
  }

  // The share of the time of `op` that is left with operands of the narrow type.
  double share_left(const OpPrediction& op, const NarrowOperand (&operands)[2]) const {
    Work work = op.work;
    const ElementType type = operands[0].type;
    MatrixWork& product = work.matrix.front();
    product.lhs = product.rhs = type;
    product.passes = 1;
    product.multiplied_as = MultipliedAs::kUnset;
    std::set<std::uint32_t> read;
    for (const NarrowOperand& operand : operands) {
      if (operand.converter == op.id) {  // reads the narrow values, and converts them
        std::erase_if(work.vector, [&](const VectorWork& v) {
          return v.opcode == Opcode::kConvert && v.type == type && v.to == ElementType::kF32;
        });
        continue;
      }
      if (!operand.read.valid() || !read.insert(operand.read.index).second) continue;
      const Shape& array = module_.instruction(operand.read).shape();
      if (!array.is_array() || memory_space(array) != MemorySpace::kHbm) continue;
      if (array.element_type != ElementType::kF32) continue;
      const double bytes = std::min(static_cast<double>(padded_bytes(array)), work.read.hbm);
      work.read.hbm -= bytes / 2;
    }
    return share_with(op, work);
  }

  // The share of the time of `op` that is left with other work.
  double share_with(const OpPrediction& op, const Work& work) const {
    const RunAs as = run_as(op.time->launched_in_graph, facts_.costs.products_busy);
    const Device& device = facts_.target.device;
    const double before = op_time(op.work, device, as).seconds;
    return before > 0 ? std::min(1.0, op_time(work, device, as).seconds / before) : 1;
  }

  static std::string why_slow(const MatrixWork& product, const Device& device) {
    if (product.passes <= 1) return "";
    if (device.family() != DeviceFamily::kTpu) return " at a precision beyond TF32";
    return absl::StrFormat(" in %d passes of the matrix unit", product.passes);
  }

  // Reports a product in f32 that would take less time with bf16 operands. The ops of the program that make an operand
  // can make it in bf16, but only its caller can pass other arguments.
  void wide_type(const OpPrediction& op) {
    if (op.time->bound == Resource::kLatency) return;  // fewer launches would help
    const auto is_wide = [](const MatrixWork& m) { return m.lhs == ElementType::kF32 || m.rhs == ElementType::kF32; };
    const auto wide = std::find_if(op.work->matrix.begin(), op.work->matrix.end(), is_wide);
    if (wide == op.work->matrix.end()) return;
    double left = share_with(op, in_bf16(op, false));
    const char* if_passed = "";
    if (left > kLittleGain) {
      left = share_with(op, in_bf16(op, true));
      if_passed = " if the arrays that it reads were bf16 too";
    }
    const double saved = (op.exposed_seconds - op.wait_seconds) * (1 - left);
    if (left > kLittleGain || !diagnosis_.may_matter(saved)) return;
    diagnosis_.add_work(
        DiagnosticCode::kWideMatrixType, op, saved,
        absl::StrFormat("multiplies f32%s: bf16 operands with an f32 result would take %.0f %% of the time%s",
                        why_slow(*wide, facts_.target.device), 100 * left, if_passed));
  }

  // The work of an op whose products have bf16 in the place of f32 operands. What the program is given as f32 stays so
  // in memory, unless `is_all_passed`, and the op converts it.
  Work in_bf16(const OpPrediction& op, bool is_all_passed) const {
    Work work = op.work;
    for (MatrixWork& product : work.matrix) {
      if (product.lhs == ElementType::kF32) product.lhs = ElementType::kBf16;
      if (product.rhs == ElementType::kF32) product.rhs = ElementType::kBf16;
      product.passes = 1;
      product.multiplied_as = MultipliedAs::kUnset;
    }
    const std::optional<Product> product = only_product(module_, module_.instruction(op.id));
    if (!product) return work;
    std::set<std::uint32_t> read;
    for (std::size_t number = 0; number < 2; ++number) {
      const InstructionId operand = operand_read(module_, op.id, *product, number);
      if (!operand.valid() || !read.insert(operand.index).second) continue;
      const InstructionView array = module_.instruction(operand);
      const Shape& shape = array.shape();
      if (!shape.is_array() || shape.element_type != ElementType::kF32) continue;
      if (!is_all_passed && is_given(array)) {
        const auto elements = static_cast<double>(element_count(shape));
        work.vector.push_back({Opcode::kConvert, ElementType::kF32, elements, false, ElementType::kBf16});
      } else if (memory_space(shape) == MemorySpace::kHbm) {
        work.read.hbm -= std::min(static_cast<double>(padded_bytes(shape)), work.read.hbm) / 2;
      }
    }
    return work;
  }

  // Whether no op of its computation makes an array: an argument, a constant or what a loop carries.
  static bool is_given(InstructionView array) {
    const Flow f = flow(origin(array, [](InstructionView at) { return moves_only(flow(at.opcode())); }).opcode());
    return f == Flow::kParameter;
  }

  // Reports the op that only converts an operand, and that for this product alone.
  void converter(const OpPrediction& op, const NarrowOperand& operand) {
    if (operand.converter == op.id) return;
    const OpPrediction* const conversion = diagnosis_.op(operand.converter);
    if (conversion == nullptr || !diagnosis_.may_matter(conversion->exposed_seconds)) return;
    const InstructionView instruction = module_.instruction(operand.converter);
    if (!only_converts(instruction)) return;
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    const bool is_only_user =
        walk_uses(module_, operand.converter, kMostUsers, users, [&](InstructionView user, InstructionId) {
          if (user.id() == op.id) return Go::kStop;
          return flow(user.opcode()) == Flow::kRenames ? Go::kOn : Go::kEnd;
        });
    if (!is_only_user) return;
    diagnosis_.add_work(
        DiagnosticCode::kNeedlessF32, *conversion, conversion->exposed_seconds - conversion->wait_seconds,
        absl::StrFormat("converts %s to f32 only for the product %s, which gives the same with %s operands and an f32 "
                        "result (in JAX, preferred_element_type)",
                        std::string(to_string(operand.type)), op.name, std::string(to_string(operand.type))));
  }

  bool only_converts(InstructionView op) const {
    if (flow(op.opcode()) == Flow::kConverts) return true;
    if (flow(op.opcode()) != Flow::kFuses || op.operand_count() != 1) return false;
    for (ComputationView inside : op.computations(AttributeKey::kCalls)) {
      for (InstructionView at : inside.instructions()) {
        const Flow f = flow(at.opcode());
        if (f != Flow::kParameter && f != Flow::kConverts && f != Flow::kRenames) return false;
      }
    }
    return true;
  }

  Diagnosis& diagnosis_;
  const StepFacts& facts_;
  const Module& module_;
};

}  // namespace

void diagnose_precision(Diagnosis& diagnosis) { PrecisionDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
