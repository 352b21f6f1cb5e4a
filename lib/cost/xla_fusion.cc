// Fusions: the work of what is inside, each instruction once, and the bytes that cross the boundary. What passes
// between the instructions inside is free; of a parameter only what its users take counts.
#include <vector>

#include "hloroof/attribute_values.h"
#include "lib/analysis/saturating.h"
#include "lib/cost/xla_counts.h"

namespace hloroof::inline v0 {
namespace {

// Constants of more elements are read from memory.
constexpr std::int64_t kImmediateElements = 1;

ComputationView fused_computation(InstructionView fusion) { return fusion.computations(AttributeKey::kCalls)[0]; }

// A user of a parameter that reads a part of it. `whole_read` is set by the first user that reads all: further ones
// share that read. Returns false if `user` is no such instruction.
bool add_partial_read(InstructionView value, InstructionView user, const XlaContext& context, bool& whole_read,
                      std::int64_t& bytes) {
  const auto add = [&bytes](std::int64_t more) { bytes = saturating_add(bytes, more); };
  const bool is_source = user.operand_count() > 0 && user.operand(0) == value;
  switch (user.opcode()) {
    case Opcode::kSlice: add(context.sizes.bytes(user.shape_id())); return true;
    case Opcode::kDynamicSlice:
      if (is_source) {
        add(context.sizes.bytes(user.shape_id()));
        return true;
      }
      break;  // a start index
    case Opcode::kDynamicUpdateSlice:
      if (is_source) return true;  // updated in place: not read
      break;                       // the update or a start index
    default: return false;
  }
  if (!whole_read) add(context.sizes.bytes(value.shape_id()));
  whole_read = true;
  return true;
}

// What a fusion inside a fusion reads of `value`, its operand number `i`, judged by the users of that inner fusion. If
// the inner root passes the parameter on (takes it as operand 0, or has no operands at all), those of its users that
// slice count as slicing `value`; for any other user the inner fusion's own read counts, once. Without users nothing is
// read.
std::int64_t nested_read(InstructionView fusion, std::size_t i, const XlaContext& context) {
  const ComputationView inner = fused_computation(fusion);
  if (inner.is_missing() || !inner.data().root.valid()) return context.sizes.bytes(fusion.operand(i).shape_id());
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

// Bytes read of the memory behind `value`, a parameter or a get-tuple-element of one.
std::int64_t read_bytes(InstructionView value, const XlaContext& context) {
  const std::int64_t size = context.sizes.bytes(value.shape_id());
  std::int64_t bytes = 0;
  bool whole_read = false;
  for (InstructionId id : context.users.of(value.id())) {
    const InstructionView user = context.module.instruction(id);
    if (add_partial_read(value, user, context, whole_read, bytes)) continue;
    switch (user.opcode()) {
      case Opcode::kBroadcast:
      case Opcode::kReshape: bytes = saturating_add(bytes, size); break;  // each on its own
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

// For each element of the tuple `value`, the first get-tuple-element that takes it out; invalid where there is none.
std::vector<InstructionId> element_users(InstructionId value, std::size_t elements, const XlaContext& context) {
  std::vector<InstructionId> found(elements);
  for (InstructionId id : context.users.of(value)) {
    const InstructionView user = context.module.instruction(id);
    if (user.opcode() != Opcode::kGetTupleElement) continue;
    const auto index = static_cast<std::size_t>(user.tuple_index());
    if (index < elements && !found[index].valid()) found[index] = id;
  }
  return found;
}

// Bytes read of a parameter of a fusion. Of a tuple the reads of its leaves add up; a leaf that nothing takes out
// counts as a read of the innermost tuple around it that something did take out.
std::int64_t parameter_read(InstructionView parameter, const XlaContext& context) {
  struct Pending {
    ShapeId shape;
    InstructionId value;
    bool taken;  // whether get-tuple-elements lead all the way here
  };
  const ShapeTable& shapes = context.module.shapes();
  std::vector<Pending> stack = {{parameter.shape_id(), parameter.id(), true}};
  std::int64_t bytes = 0;
  while (!stack.empty()) {
    const Pending at = stack.back();
    stack.pop_back();
    const Shape& shape = shapes[at.shape];
    if (!shape.is_tuple()) {
      if (shape.is_array() || shape.is_buffer()) bytes = saturating_add(bytes, context.fusion_reads[at.value.index]);
      continue;
    }
    std::vector<InstructionId> users(shape.elements.size());
    if (at.taken) users = element_users(at.value, shape.elements.size(), context);
    for (std::size_t i = 0; i < shape.elements.size(); ++i) {
      stack.push_back({shape.elements[i], users[i].valid() ? users[i] : at.value, users[i].valid()});
    }
  }
  return bytes;
}

// Bytes written of one leaf of the result: of a leaf that is directly a dynamic-update-slice the update alone. `index`
// is the leaf's place in a tuple that is not nested, -1 elsewhere.
std::int64_t leaf_write(ShapeId leaf, InstructionView root, std::int64_t index, const XlaContext& context) {
  InstructionView source = root;
  if (index >= 0 && root.opcode() == Opcode::kTuple && static_cast<std::size_t>(index) < root.operand_count()) {
    source = root.operand(static_cast<std::size_t>(index));
  }
  if (source.opcode() == Opcode::kDynamicUpdateSlice && source.operand_count() > 1) {
    return context.sizes.bytes(source.operand(1).shape_id());
  }
  return context.sizes.bytes(leaf);
}

double output_bytes(InstructionView fusion, InstructionView root, const XlaContext& context) {
  const ShapeTable& shapes = context.module.shapes();
  const Shape& shape = fusion.shape();
  if (!shape.is_tuple()) {
    return shape.is_token() ? 0 : context.number(leaf_write(fusion.shape_id(), root, -1, context));
  }
  double bytes = 0;
  for (std::size_t i = 0; i < shape.elements.size(); ++i) {
    const ShapeId element = shape.elements[i];
    if (shapes[element].is_tuple()) {
      bytes = context.add(bytes, context.number(context.sizes.leaf_bytes(element)));
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
    context.fusion_reads[instruction.id().index] = read_bytes(instruction, context);
  }
}

void count_fusion(InstructionView fusion, const XlaContext& context, XlaRow& row) {
  const ViewRange<ComputationView, ComputationId> called = fusion.computations(AttributeKey::kCalls);
  if (called.size() != 1 || called[0].is_missing() || !called[0].data().root.valid()) {
    row.known = false;  // its boundary is charged
    return;
  }
  const ComputationView inner = called[0];

  // A custom fusion around a gather or scatter counts as that instruction and nothing else.
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
    if (instruction.opcode() == Opcode::kConstant && context.elements(instruction) > kImmediateElements) {
      row.bytes = context.add(row.bytes, context.bytes(instruction));
    } else if (instruction.opcode() == Opcode::kParameter) {
      const double read = context.number(parameter_read(instruction, context));
      row.set_operand(static_cast<std::size_t>(instruction.parameter_number()), read);
      row.bytes = context.add(row.bytes, read);
    }
  }
}

}  // namespace hloroof::inline v0
