// Counts for fusions: the work of the instructions inside, each once, and the bytes that cross the boundary. Data
// passed between the instructions inside is free. Of a parameter, only the parts that its users read count.
#include <vector>

#include "lib/analysis/saturating.h"
#include "lib/counts/xla_counts.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline counts {
namespace {

// Constants with more elements than this are read from memory.
constexpr std::int64_t kImmediateElements = 1;

ComputationView fused_computation(InstructionView fusion) { return fusion.computations(AttributeKey::kCalls)[0]; }

// Adds the bytes that `user` reads of a parameter, for a user that reads a part of it. The first user that reads all of
// it sets `whole_read`, and further ones share that read. Returns false if `user` is not such an instruction.
bool add_partial_read(InstructionView value, InstructionView user, const XlaContext& context, bool& whole_read,
                      std::int64_t& bytes) {
  const auto add = [&bytes](std::int64_t more) { bytes = saturating_add(bytes, more); };
  const bool is_source = user.operand_count() > 0 && user.operand(0) == value;
  switch (user.opcode()) {
    case Opcode::kSlice: add(context.size(user)); return true;
    case Opcode::kDynamicSlice:
      if (is_source) {
        add(context.size(user));
        return true;
      }
      break;  // a start index
    case Opcode::kDynamicUpdateSlice:
      if (is_source) return true;  // updated in place: not read
      break;                       // the update or a start index
    default: return false;
  }
  if (!whole_read) add(context.size(value));
  whole_read = true;
  return true;
}

// The bytes that a fusion inside a fusion reads of `value`, its operand number `i`. They depend on the users of the
// inner fusion. If the inner root passes the parameter on (takes it as operand 0, or has no operands at all), users
// that slice the inner fusion count as slices of `value`. Any other user counts the inner fusion's own read, once.
// Without users, nothing is read.
std::int64_t nested_read(InstructionView fusion, std::size_t i, const XlaContext& context) {
  const ComputationView inner = fused_computation(fusion);
  if (inner.is_missing() || !row_of(inner).root.valid()) return context.size(fusion.operand(i));
  const InstructionId parameter = context.parameter(inner.id(), i);
  if (!parameter.valid()) return 0;
  const InstructionView root = inner.root();
  const bool passes_on = root.operand_count() == 0 || root.operand(0).id() == parameter;
  std::int64_t bytes = 0;
  bool whole_read = false;
  for (InstructionId id : context.users.of(fusion.id())) {
    const InstructionView user = context.module.instruction(id);
    if (passes_on && add_partial_read(fusion, user, context, whole_read, bytes)) continue;
    if (!whole_read) bytes = saturating_add(bytes, context.fusion_reads[parameter.index]);
    whole_read = true;
  }
  return bytes;
}

// Bytes read of the memory behind `value`, which is a parameter or a get-tuple-element of one.
std::int64_t read_bytes(InstructionView value, const XlaContext& context) {
  const std::int64_t size = context.size(value);
  std::int64_t bytes = 0;
  bool whole_read = false;
  for (InstructionId id : context.users.of(value.id())) {
    const InstructionView user = context.module.instruction(id);
    if (add_partial_read(value, user, context, whole_read, bytes)) continue;
    switch (user.opcode()) {
      case Opcode::kBroadcast:
      case Opcode::kReshape: bytes = saturating_add(bytes, size); break;  // each counted separately
      case Opcode::kFusion:
        for (std::size_t i = 0; i < user.operand_count(); ++i) {
          if (user.operand(i) == value) bytes = saturating_add(bytes, nested_read(user, i, context));
        }
        break;
      default:
        if (!whole_read) bytes = saturating_add(bytes, size);
        whole_read = true;
        break;
    }
  }
  return bytes;
}

// Bytes read of a parameter of a fusion. For a tuple they are the sum of the reads of its leaves. A leaf {i,j} is found
// through the first get-tuple-element of index i, and then the first one of index j on that result. If no
// get-tuple-element extracts an index, the search continues from the current value. XLA therefore charges an untouched
// leaf as the tuple of pointers around it, and sometimes as another leaf with the same index.
std::int64_t parameter_read(InstructionView parameter, const XlaContext& context) {
  struct Pending {
    ShapeId shape;
    InstructionId value;
  };
  std::vector<Pending> stack = {{parameter.shape_id(), parameter.id()}};
  std::int64_t bytes = 0;
  while (!stack.empty()) {
    const Pending at = stack.back();
    stack.pop_back();
    const Shape& shape = context.module.shape(at.shape);
    if (!shape.is_tuple()) {
      if (shape.is_array() || shape.element_type == ElementType::kBuffer)
        bytes = saturating_add(bytes, context.fusion_reads[at.value.index]);
      continue;
    }
    for (std::size_t i = 0; i < shape.elements.size(); ++i) {
      const auto taker = context.element_takers.find({at.value.index, static_cast<std::uint32_t>(i)});
      stack.push_back({shape.elements[i], taker == context.element_takers.end() ? at.value : taker->second});
    }
  }
  return bytes;
}

// Bytes written of one leaf of the result. A leaf that is directly a dynamic-update-slice counts the update alone.
// `index` is the index of the leaf in a tuple that is not nested, or -1.
std::int64_t leaf_write(ShapeId leaf, InstructionView root, std::int64_t index, const XlaContext& context) {
  InstructionView source = root;
  if (index >= 0 && root.opcode() == Opcode::kTuple && static_cast<std::size_t>(index) < root.operand_count()) {
    source = root.operand(static_cast<std::size_t>(index));
  }
  if (source.opcode() == Opcode::kDynamicUpdateSlice && source.operand_count() > 1) {
    return context.size(source.operand(1));
  }
  return context.sizes.bytes(leaf);
}

double output_bytes(InstructionView fusion, InstructionView root, const XlaContext& context) {
  const ShapeTable& shapes = context.module.shapes();
  const Shape& shape = fusion.shape();
  if (!shape.is_tuple()) {
    return shape.element_type == ElementType::kToken ? 0
                                                     : context.number(leaf_write(fusion.shape_id(), root, -1, context));
  }
  double bytes = 0;
  for (std::size_t i = 0; i < shape.elements.size(); ++i) {
    const ShapeId element = shape.elements[i];
    if (shapes[element].is_tuple()) {
      for (const ShapeId leaf : shapes.leaves(element)) {
        bytes = context.add(bytes, context.number(context.sizes.bytes(leaf)));
      }
    } else {
      bytes = context.add(bytes, context.number(leaf_write(element, root, static_cast<std::int64_t>(i), context)));
    }
  }
  return bytes;
}

}  // namespace

void measure_fusion_reads(ComputationView computation, XlaContext& context) {
  std::uint8_t& measured = context.fusion_measured[computation.id().index];
  if (measured != 0) return;
  measured = 1;
  context.fusion_parameters[computation.id().index] = computation.parameters();
  for (InstructionView instruction : computation.instructions()) {
    const Opcode opcode = instruction.opcode();
    if (opcode != Opcode::kParameter && opcode != Opcode::kGetTupleElement) continue;
    if (opcode == Opcode::kGetTupleElement && instruction.operand_count() == 1) {
      context.element_takers.try_emplace({instruction.operand(0).id().index, row_of(instruction).number},
                                         instruction.id());
    }
    context.fusion_reads[instruction.id().index] = read_bytes(instruction, context);
  }
}

void count_fusion(InstructionView fusion, const XlaContext& context, XlaRow& row) {
  const ViewRange<ComputationView, ComputationId> called = fusion.computations(AttributeKey::kCalls);
  if (called.size() != 1 || called[0].is_missing() || !row_of(called[0]).root.valid()) {
    row.known = false;  // its boundary is charged
    return;
  }
  const ComputationView inner = called[0];

  // A custom fusion around a gather or scatter counts as that instruction only.
  if (word(fusion, AttributeKey::kKind) == "kCustom") {
    for (InstructionView instruction : inner.instructions()) {
      if (instruction.opcode() != Opcode::kGather && instruction.opcode() != Opcode::kScatter) continue;
      return count_gather_scatter(instruction, context, row);
    }
  }

  const XlaCounts& work = context.computations()[inner.id().index];
  row.flops = work.flops;
  row.transcendentals = work.transcendentals;
  row.output_bytes = output_bytes(fusion, inner.root(), context);
  row.bytes = row.output_bytes;
  for (InstructionView instruction : inner.instructions()) {
    if (instruction.opcode() != Opcode::kConstant || context.elements(instruction) <= kImmediateElements) continue;
    row.bytes = context.add(row.bytes, context.bytes(instruction));
  }
  const std::vector<InstructionId>& parameters = context.fusion_parameters[inner.id().index];
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].valid()) continue;
    const double read = context.number(parameter_read(context.module.instruction(parameters[i]), context));
    row.set_operand(i, read);
    row.bytes = context.add(row.bytes, read);
  }
}

}  // namespace hloroof::internal::inline counts
