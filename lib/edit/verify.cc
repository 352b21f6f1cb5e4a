// Checks that a compiler would accept a module.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/infer/infer_shape.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/values/attribute_values.h"
#include "lib/values/opcode_attributes.h"
#include "lib/values/scan.h"

namespace hloroof::inline v0 {
using namespace internal;

namespace {

// The first name in a line of printed text, without %.
std::string_view name_in(std::string_view line) {
  std::size_t begin = 0;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  for (const std::string_view word : {"ENTRY ", "ROOT "}) {
    if (line.substr(begin, word.size()) == word) begin += word.size();
  }
  if (begin < line.size() && line[begin] == '%') ++begin;
  std::size_t end = begin;
  while (end < line.size() && is_word(line[end])) ++end;
  return line.substr(begin, end - begin);
}

// "computation.instruction" of a line of printed text; counts from 1.
std::string place_in(std::string_view text, std::int64_t number) {
  std::string_view computation;
  for (std::int64_t i = 1; !text.empty(); ++i) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (i == number) {
      const std::string name(name_in(line));
      return computation.empty() || line.empty() || line[0] != ' ' ? name : std::string(computation) + "." + name;
    }
    if (!line.empty() && line[0] != ' ' && line[0] != '}') computation = name_in(line);
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  }
  return "the text";
}

// The message of an error without its place and the source line.
std::string reason(std::string message) {
  constexpr std::string_view kError = ": error: ";
  const std::size_t begin = message.find(kError);
  if (begin != std::string::npos) message.erase(0, begin + kError.size());
  return message.substr(0, message.find('\n'));
}

// Prints the module and parses the text. Errors: InvalidArgument: "computation.instruction: why" if the text cannot be
// parsed, or does not describe the same module.
absl::Status check_reads_back(const Module& module) {
  const std::string text = print_module(module);
  ParseOptions options;
  options.borrow = true;
  const absl::StatusOr<Module> again = parse_module(text, options);
  if (!again.ok()) {
    const std::optional<ErrorPlace> place = error_place(again.status());
    const std::string where = place_in(text, place ? place->line : 0);
    return invalid_argument(where +
                            ": the printed text cannot be read: " + reason(std::string(again.status().message())));
  }
  std::string difference;
  if (!equal(module, *again, &difference)) {
    return invalid_argument("the printed text does not describe the same module: " + difference);
  }
  return absl::OkStatus();
}

class Verifier {
 public:
  explicit Verifier(const Module& module)
      : module_(module), shapes_(module.shapes()), seen_(module.instruction_limit(), false) {
    place_.assign(module.computation_limit(), kNowhere);
    std::size_t next = 0;
    for (ComputationView computation : module.computations()) place_[computation.id().index] = next++;
  }

  // Returns the faults: the first of each instruction, and those of computations as a whole. Stops at the first of all
  // if `only_first`.
  std::vector<absl::Status> run(bool only_first) {
    only_first_ = only_first;
    if (!module_.has_entry()) add(invalid_argument("the module has no entry computation"));
    for (ComputationView computation : module_.computations()) {
      if (is_done()) break;
      if (!computation.is_missing()) check(computation);
    }
    return std::move(faults_);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  std::string text(ShapeId shape) const { return to_string(shapes_, shape, ShapeText::kWithoutLayout); }

  absl::Status refuse(InstructionView instruction, std::string_view why) const {
    return invalid_argument(std::string(instruction.computation().name()) + "." + std::string(instruction.name()) +
                            ": " + std::string(why));
  }

  void add(absl::Status status) {
    if (!status.ok()) faults_.push_back(std::move(status));
  }

  bool is_done() const { return only_first_ && !faults_.empty(); }

  void check(ComputationView computation) {
    const std::string name(computation.name());
    const InstructionId root = row_of(computation).root;
    if (!root.valid()) return add(invalid_argument(name + ": the computation has no root"));
    std::unordered_set<std::string_view> names;
    std::vector<bool> numbers(row_of(computation).parameter_count, false);
    for (InstructionView instruction : computation.instructions()) {
      if (is_done()) return;
      if (!names.insert(instruction.name()).second) add(refuse(instruction, "another instruction has that name"));
      if (instruction.opcode() == Opcode::kParameter) {
        const auto number = static_cast<std::size_t>(instruction.parameter_number());
        if (number < numbers.size() && !numbers[number]) {
          numbers[number] = true;
        } else {
          add(refuse(instruction, "the parameters of a computation must have the numbers 0, 1, 2, ..., each once"));
        }
      }
      add(check(instruction));
      seen_[instruction.id().index] = true;
    }
    if (seen_[root.index] && row_of(module_, root).computation == computation.id()) return;
    add(invalid_argument(name + ": the root is in another computation"));
  }

  absl::Status check(InstructionView instruction) {
    for (InstructionView operand : instruction.operands()) {
      const std::string name(operand.name());
      if (row_of(operand).computation != row_of(instruction).computation) {
        return refuse(instruction, "operand " + name + " is in another computation");
      }
      if (!seen_[operand.id().index]) return refuse(instruction, "operand " + name + " does not precede it");
    }
    for (InstructionView predecessor : instruction.control_predecessors()) {
      if (seen_[predecessor.id().index]) continue;
      return refuse(instruction, "control predecessor " + std::string(predecessor.name()) + " does not precede it");
    }
    if (absl::Status status = check_layout(instruction); !status.ok()) return status;
    if (instruction.opcode() == Opcode::kUnknown) return absl::OkStatus();
    if (absl::Status status = check_attributes(instruction); !status.ok()) return status;
    bool missing = false;
    for (ComputationId called : instruction.called_computations()) {
      if (place_[called.index] == kNowhere || place_[called.index] >= place_[instruction.computation().id().index]) {
        return refuse(instruction,
                      std::string(module_.computation(called).name()) + " does not precede its caller in the module");
      }
      missing = missing || module_.computation(called).is_missing();
    }
    return missing ? absl::OkStatus() : check_shape(instruction);
  }

  absl::Status check_layout(InstructionView instruction) const {
    for (ShapeId leaf : shapes_.leaves(instruction.shape_id())) {
      const Shape& shape = shapes_[leaf];
      if (!shape.is_array() || !shape.layout.present) continue;
      std::vector<bool> seen(shape.dimensions.size(), false);
      bool right = shape.layout.minor_to_major.size() == seen.size();
      for (const std::int64_t d : shape.layout.minor_to_major) {
        right = right && d >= 0 && d < static_cast<std::int64_t>(seen.size()) && !seen[static_cast<std::size_t>(d)];
        if (right) seen[static_cast<std::size_t>(d)] = true;
      }
      if (!right) return refuse(instruction, "minor_to_major does not list each dimension once");
    }
    return absl::OkStatus();
  }

  absl::Status check_attributes(InstructionView instruction) const {
    const InstructionData& row = row_of(instruction);
    const bool wraps = row.opcode == Opcode::kAsyncStart && (row.flags & InstructionData::kSugaredAsync) != 0;
    KeySet allowed = opcode_attributes(row.opcode).allowed;
    if (wraps) allowed = allowed | opcode_attributes(static_cast<Opcode>(row.number)).allowed;
    KeySet seen;
    for (const AttributeData& attribute : instruction.attributes()) {
      if (attribute.key >= AttributeKey::kConstantLiteral || is_implied_call(attribute)) continue;
      const std::string name(to_string(attribute.key));
      if (!allowed.contains(attribute.key)) return refuse(instruction, "the opcode has no attribute " + name);
      if (seen.contains(attribute.key)) return refuse(instruction, "duplicate attribute " + name);
      seen.insert(attribute.key);
    }
    // A get-tuple-element in a tuple path has its index in the path.
    const KeySet& required = opcode_attributes(row.opcode).required;
    if (wraps || row.opcode == Opcode::kGetTupleElement || seen.contains_all(required)) return absl::OkStatus();
    KeySet missing = required;
    for (int i = 0; i < 2; ++i) missing.bits[i] &= ~seen.bits[i];
    return refuse(instruction, "attribute " + to_string(missing) + " is missing");
  }

  absl::Status check_shape(InstructionView instruction) {
    const InstructionData& row = row_of(instruction);
    const int fixed = arity(row.opcode);
    const bool sparse = row.opcode == Opcode::kDot && instruction.has(AttributeKey::kSparsity);
    if (fixed >= 0 && row.operand_count != static_cast<std::uint32_t>(fixed) && !sparse) {
      return refuse(instruction, std::string(to_string(row.opcode)) + " takes " + std::to_string(fixed) +
                                     " operands, not " + std::to_string(row.operand_count));
    }
    switch (row.opcode) {
      case Opcode::kFusion: return check_fusion(instruction);
      case Opcode::kBroadcast: return check_broadcast(instruction);
      case Opcode::kCopy:  // on TPUs a copy may change the type
        if (compatible(shapes_, instruction.shape_id(), shapes_, instruction.operand(0).shape_id())) break;
        return check_elements(instruction);
      case Opcode::kOptBarrier: return expect(instruction, instruction.operand(0).shape_id());
      case Opcode::kConvert:
      case Opcode::kReshape: return check_elements(instruction);
      case Opcode::kDot:
        if (sparse) return absl::OkStatus();
        break;
      default: break;
    }
    if (!shape_inferable(row.opcode)) return absl::OkStatus();
    const absl::StatusOr<ShapeId> inferred = infer_shape(instruction, shapes_);
    if (inferred.ok()) return expect(instruction, *inferred);
    if (inferred.status().code() == absl::StatusCode::kUnimplemented) return absl::OkStatus();
    return refuse(instruction, std::string(inferred.status().message()));
  }

  // TPU compilers compute in one floating-point type and round the result to another, or the other way round. XLA's
  // verifier allows it (allow_mixed_precision in hlo_verifier.cc), except for opcodes that only pass values on.
  static bool may_round(Opcode opcode) {
    switch (opcode) {
      case Opcode::kBitcast:
      case Opcode::kCall:
      case Opcode::kConditional:
      case Opcode::kConstant:
      case Opcode::kCopy:
      case Opcode::kCopyDone:
      case Opcode::kCopyStart:
      case Opcode::kGetTupleElement:
      case Opcode::kInfeed:
      case Opcode::kOptBarrier:
      case Opcode::kOutfeed:
      case Opcode::kParameter:
      case Opcode::kRecv:
      case Opcode::kRecvDone:
      case Opcode::kSend:
      case Opcode::kSendDone:
      case Opcode::kTuple:
      case Opcode::kWhile: return false;
      default: return true;
    }
  }

  absl::Status expect(InstructionView instruction, ShapeId shape) const {
    if (compatible(shapes_, instruction.shape_id(), shapes_, shape)) return absl::OkStatus();
    // A product may have a wider element type than its operands.
    const Shape& is = instruction.shape();
    const Shape& should = shapes_[shape];
    if (work_class(instruction.opcode()) == WorkClass::kContraction && is.is_array() && should.is_array() &&
        is.dimensions == should.dimensions) {
      return absl::OkStatus();
    }
    if (may_round(instruction.opcode()) &&
        compatible(shapes_, instruction.shape_id(), shapes_, shape, FloatTypes::kIgnore)) {
      return absl::OkStatus();
    }
    return refuse(instruction, "its shape is " + text(instruction.shape_id()) + ", but " + text(shape) +
                                   " follows from its operands");
  }

  absl::Status check_elements(InstructionView instruction) const {
    const Shape& to = instruction.shape();
    const Shape& from = instruction.operand(0).shape();
    const bool unbounded = std::count(from.dimensions.begin(), from.dimensions.end(), Shape::kUnboundedSize) > 0;
    const bool same = instruction.opcode() != Opcode::kReshape ? to.dimensions == from.dimensions
                                                               : element_count(to) == element_count(from);
    if (unbounded || (to.is_array() && from.is_array() && same)) return absl::OkStatus();
    return refuse(instruction,
                  "cannot convert " + text(instruction.operand(0).shape_id()) + " to " + text(instruction.shape_id()));
  }

  // Checks that `dimensions` maps the dimensions of the operand to equal dimensions of the result.
  absl::Status check_broadcast(InstructionView broadcast) const {
    const Shape& from = broadcast.operand(0).shape();
    const Shape& to = broadcast.shape();
    const std::vector<std::int64_t> dimensions = integers(broadcast, AttributeKey::kDimensions);
    bool fits = from.is_array() && to.is_array() && dimensions.size() == from.dimensions.size();
    for (std::size_t i = 0; fits && i < dimensions.size(); ++i) {
      const std::int64_t d = dimensions[i];
      fits = d >= 0 && d < to.rank() && to.dimensions[static_cast<std::size_t>(d)] == from.dimensions[i];
    }
    if (fits) return absl::OkStatus();
    return refuse(broadcast, text(broadcast.operand(0).shape_id()) + " does not broadcast to " +
                                 text(broadcast.shape_id()) + " along its dimensions");
  }

  absl::Status check_fusion(InstructionView fusion) const {
    const auto called = fusion.computations(AttributeKey::kCalls);
    if (called.size() != 1) return refuse(fusion, "a fusion must call exactly one computation");
    const std::vector<InstructionId> parameters = called[0].parameters();
    if (parameters.size() != fusion.operand_count()) {
      return refuse(fusion, std::string(called[0].name()) + " takes " + std::to_string(parameters.size()) +
                                " arguments, not " + std::to_string(fusion.operand_count()));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].valid()) return refuse(fusion, "a parameter of the fused computation is missing");
      const ShapeId wanted = row_of(module_, parameters[i]).shape;
      if (compatible(shapes_, wanted, shapes_, fusion.operand(i).shape_id())) continue;
      return refuse(fusion, "operand " + std::to_string(i) + " is " + text(fusion.operand(i).shape_id()) +
                                ", but parameter " + std::to_string(i) + " of " + std::string(called[0].name()) + " " +
                                text(wanted));
    }
    if (compatible(shapes_, called[0].root().shape_id(), shapes_, fusion.shape_id())) return absl::OkStatus();
    return refuse(fusion, "its shape is " + text(fusion.shape_id()) + ", but that of the root of " +
                              std::string(called[0].name()) + " is " + text(called[0].root().shape_id()));
  }

  const Module& module_;
  ShapeTable shapes_;               // a copy, to which inferred shapes are added
  std::vector<std::size_t> place_;  // by ComputationId: its position in the module's order
  std::vector<bool> seen_;          // by InstructionId
  std::vector<absl::Status> faults_;
  bool only_first_ = false;
};

}  // namespace

absl::Status verify(const Module& module) {
  const std::vector<absl::Status> faults = Verifier(module).run(/*only_first=*/true);
  return faults.empty() ? check_reads_back(module) : faults.front();
}

absl::Status verify(const Module& module, const Module& original) {
  absl::Status status = verify(module);
  if (status.ok()) return status;
  std::unordered_set<std::string> before;
  for (const absl::Status& fault : Verifier(original).run(/*only_first=*/false)) before.emplace(fault.message());
  for (absl::Status& fault : Verifier(module).run(/*only_first=*/false)) {
    if (before.count(std::string(fault.message())) == 0) return fault;
  }
  status = check_reads_back(module);
  return status.ok() || check_reads_back(original) == status ? absl::OkStatus() : status;
}

}  // namespace hloroof::inline v0
