// Semantic checks of well-formed instructions: operand counts, attributes, and the shapes on which parsing depends. A
// verifier checks the shapes on which only execution depends.
#include <algorithm>
#include <string>

#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/text/legal_name.h"
#include "lib/text/module_parser.h"
#include "lib/values/operand_count.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline text {
bool ModuleParser::check_name(const char* at, std::string_view name) {
  if (is_legal_word(name)) return true;
  const std::string better = legal_name(name);
  return better == name ||
         cursor_.fail(at, "illegal instruction name: " + std::string(name) + "; suggest renaming to: " + better);
}

const AttributeData* ModuleParser::find_attribute(const InstructionFrame& frame, AttributeKey key) const {
  if (!frame.seen.contains(key)) return nullptr;
  for (std::size_t i = frame.attribute_begin; i < attributes_.size(); ++i) {
    if (attributes_[i].key == key) return &attributes_[i];
  }
  return nullptr;
}

bool ModuleParser::check_instruction(InstructionFrame& frame) {
  const InstructionData& row = frame.row;
  // Nine in ten instructions of a dump have only these two rules. Running the checks below for each of them took 3 %
  // more parse time.
  if (!has_rules(row.opcode) && !frame.seen.contains(AttributeKey::kParameterReplication)) {
    const OpcodeAttributes& rule = opcode_attributes(row.opcode);
    const bool count_matches =
        rule.operands < 0 || operands_.size() - frame.operand_begin == static_cast<std::size_t>(rule.operands);
    if (count_matches && frame.seen.contains_all(rule.required)) return true;
  }
  const bool sugared = (row.flags & InstructionData::kSugaredAsync) != 0;
  const bool wraps = sugared && row.opcode == Opcode::kAsyncStart;
  if (sugared && !options_->strict && binds_later(frame)) {
    make_unknown(frame);
    return true;
  }
  // The operands and attributes of a short-form start belong to the wrapped instruction.
  const Opcode opcode = wraps ? static_cast<Opcode>(row.number) : row.opcode;
  if (!check_operand_count(frame, opcode) || !check_attributes(frame, opcode)) return false;
  switch (row.opcode) {
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return check_async(frame) && (!wraps || (check_dimensions(frame, opcode) && check_global_ids(frame, opcode)));
    default: return check_global_ids(frame, opcode) && check_dimensions(frame, opcode) && check_shapes(frame);
  }
}

bool ModuleParser::check_attributes(const InstructionFrame& frame, Opcode opcode) {
  const char* at = frame.attributes_at != nullptr ? frame.attributes_at : cursor_.at();
  const KeySet& required = opcode_attributes(opcode).required;
  if (!frame.seen.contains_all(required)) {
    KeySet missing = required;
    missing.bits[0] &= ~frame.seen.bits[0];
    missing.bits[1] &= ~frame.seen.bits[1];
    const std::string names = to_string(missing);
    return cursor_.fail(at, "attribute " + names.substr(0, names.find(',')) + " is expected but not seen");
  }
  const bool computation_missing = has_rule(opcode, Rule::kComputation) &&
                                   !frame.seen.contains(AttributeKey::kToApply) &&
                                   !frame.seen.contains(AttributeKey::kCalls);
  if (computation_missing) return cursor_.fail(at, "attribute to_apply is expected but not seen");
  if (opcode == Opcode::kBroadcast && !frame.seen.contains(AttributeKey::kDimensions)) {
    const bool of_scalar = operands_.size() == frame.operand_begin ||
                           (operand_shape(frame, 0).is_array() && operand_shape(frame, 0).rank() == 0);
    if (!of_scalar) return cursor_.fail(at, "attribute dimensions is expected but not seen");
  }
  return true;
}

bool ModuleParser::check_operand_count(const InstructionFrame& frame, Opcode opcode) {
  const int count = static_cast<int>(operands_.size() - frame.operand_begin);
  const auto fail = [&](const std::string& expected) {
    return cursor_.fail(frame.operands_at,
                        "expects " + expected + " operands, but has " + std::to_string(count) + " operands");
  };
  switch (opcode) {
    case Opcode::kDot:
      // In older texts, the metadata of a sparse dot are additional operands.
      return count == 2 || (count > 2 && frame.seen.contains(AttributeKey::kSparsity)) || fail("2");
    case Opcode::kScan: {
      const AttributeData* body = find_attribute(frame, AttributeKey::kToApply);
      if (body == nullptr || body->reference_count == 0) return true;
      const ComputationData& called = row_of(*module_, ComputationId(ModuleRows::references(*module_, *body)[0]));
      const bool known = (called.flags & ComputationData::kMissing) == 0;
      return !known || static_cast<std::uint32_t>(count) == called.parameter_count ||
             fail(std::to_string(called.parameter_count));
    }
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      return !frame.seen.contains(AttributeKey::kSliceSizes) || count == 4 || fail("4");
    default: return takes_operands(opcode, static_cast<std::size_t>(count)) || fail(operand_counts(opcode));
  }
}

// Checks the attributes that must name exactly one dimension.
bool ModuleParser::check_dimensions(const InstructionFrame& frame, Opcode opcode) {
  if (!has_rule(opcode, Rule::kOneDimension)) return true;
  const AttributeData* dimensions = find_attribute(frame, AttributeKey::kDimensions);
  if (dimensions == nullptr) return true;
  Cursor list(module_->text(dimensions->value));
  integers_.clear();
  if (!read_integer_list(list, &integers_)) return true;  // reported where it was read
  const char* at = source_begin_ + dimensions->value.begin;
  if (integers_.size() != 1) {
    return cursor_.fail(at, "dimensions of " + std::string(to_string(opcode)) + " must name one dimension, not " +
                                std::to_string(integers_.size()));
  }
  return integers_[0] >= 0 || cursor_.fail(at, "a dimension must not be negative");
}

// Global ids, which combine replicas and partitions, are valid only with a channel.
bool ModuleParser::check_global_ids(const InstructionFrame& frame, Opcode opcode) {
  if (!has_rule(opcode, Rule::kGlobalIds)) return true;
  const AttributeData* global = find_attribute(frame, AttributeKey::kUseGlobalDeviceIds);
  const bool needs_channel = global != nullptr && module_->text(global->value) == "true";
  return !needs_channel || frame.seen.contains(AttributeKey::kChannelId) ||
         cursor_.fail(frame.operands_at, "use_global_device_ids=true needs a channel_id");
}

// Checks the shapes on which parsing depends or on which users of the module rely.
bool ModuleParser::check_shapes(const InstructionFrame& frame) {
  const InstructionData& row = frame.row;
  const ShapeTable& shapes = module_->shapes();
  const Shape& shape = shapes[row.shape];
  const std::size_t count = operands_.size() - frame.operand_begin;
  const auto fail = [&](std::string_view message) { return cursor_.fail(frame.opcode_at, message); };
  switch (row.opcode) {
    case Opcode::kTuple:
      if (!shape.is_tuple() || shape.elements.size() != count) {
        return cursor_.fail(frame.operands_at, "a tuple of " + std::to_string(count) + " operands has the shape " +
                                                   to_string(shapes, row.shape));
      }
      return true;
    case Opcode::kGetTupleElement: {
      const Shape& tuple = operand_shape(frame, 0);
      if (!tuple.is_tuple()) return fail("get-tuple-element needs a tuple, its operand is none");
      if (row.number >= tuple.elements.size()) {
        return fail("index " + std::to_string(row.number) + " is out of range of a tuple of " +
                    std::to_string(tuple.elements.size()) + " elements");
      }
      return true;
    }
    case Opcode::kReshape: {
      const Shape& from = operand_shape(frame, 0);
      const auto& d = from.dimensions;
      const bool unbounded = std::find(d.begin(), d.end(), Shape::kUnboundedSize) != d.end();
      if (!unbounded && element_count(from) != element_count(shape)) {
        return fail("reshape of " + std::to_string(element_count(from)) + " elements to " +
                    std::to_string(element_count(shape)));
      }
      return true;
    }
    case Opcode::kDynamicReshape:
      if (count != shape.dimensions.size() + 1) {
        return fail("dynamic-reshape needs its operand and a size for each of " +
                    std::to_string(shape.dimensions.size()) + " dimensions, but has " + std::to_string(count) +
                    " operands");
      }
      if (element_count(operand_shape(frame, 0)) != element_count(shape)) {
        return fail("dynamic-reshape of " + std::to_string(element_count(operand_shape(frame, 0))) + " elements to " +
                    std::to_string(element_count(shape)));
      }
      return true;
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice: {
      const std::size_t leading = row.opcode == Opcode::kDynamicSlice ? 1 : 2;
      const bool vector = count == leading + 1 && operand_shape(frame, leading).dimensions.size() == 1;
      const bool scalars = count == leading + operand_shape(frame, 0).dimensions.size();
      return vector || scalars || fail("needs an index for each dimension of operand 0, or one vector of them");
    }
    case Opcode::kInfeed:
    case Opcode::kRecv:
      return (shape.is_tuple() && !shape.elements.empty()) ||
             fail(std::string(to_string(row.opcode)) + " must have a non-empty tuple shape");
    case Opcode::kSendDone:
    case Opcode::kRecvDone: return check_channel(frame);
    case Opcode::kConditional: return check_conditional(frame);
    case Opcode::kCustomCall: return check_custom_call(frame);
    case Opcode::kParameter: {
      const AttributeData* replication = find_attribute(frame, AttributeKey::kParameterReplication);
      if (replication == nullptr) return true;
      const std::string_view text = module_->text(replication->value);
      const std::size_t commas = static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
      const std::size_t given = text.find_first_of("tf") == std::string_view::npos ? 0 : commas + 1;
      const std::size_t leaves = shapes.leaves(row.shape).size();
      return given == leaves ||
             cursor_.fail(source_begin_ + replication->value.begin,
                          "parameter has " + std::to_string(leaves) + " leaf buffers, but parameter_replication has " +
                              std::to_string(given) + " elements");
    }
    default: return true;
  }
}

// Checks that a done names the channel of its send or recv.
bool ModuleParser::check_channel(const InstructionFrame& frame) {
  const InstructionView start = module_->instruction(operands_[frame.operand_begin]);
  if (start.opcode() != Opcode::kSend && start.opcode() != Opcode::kRecv) return true;
  const AttributeData* channel = find_attribute(frame, AttributeKey::kChannelId);
  const std::string_view ours = channel == nullptr ? std::string_view() : module_->text(channel->value);
  return ours == start.text(AttributeKey::kChannelId) ||
         cursor_.fail(frame.opcode_at, "channel_id must be that of " + std::string(start.name()));
}

bool ModuleParser::check_conditional(const InstructionFrame& frame) {
  const Shape& selector = operand_shape(frame, 0);
  const auto fail = [&](const std::string& message) { return cursor_.fail(frame.opcode_at, message); };
  const bool by_pred = selector.element_type == ElementType::kPred;
  if (!selector.dimensions.empty() || (!by_pred && selector.element_type != ElementType::kS32)) {
    return cursor_.fail(frame.attributes_at, "the first operand of a conditional must be a scalar pred or s32");
  }
  const bool has_list = frame.seen.contains(AttributeKey::kBranchComputations);
  const bool has_true = frame.seen.contains(AttributeKey::kTrueComputation);
  const bool has_false = frame.seen.contains(AttributeKey::kFalseComputation);
  const auto fail_at = [&](AttributeKey key, std::string_view message) {
    const char* value = source_begin_ + find_attribute(frame, key)->value.begin;
    return cursor_.fail(value - to_string(key).size() - 1, message);  // the name and its '=' precede the value
  };
  if (by_pred && has_list) {
    return fail_at(AttributeKey::kBranchComputations, "a conditional on a pred has no branch_computations");
  }
  if (!by_pred && (has_true || has_false)) {
    return fail_at(has_true ? AttributeKey::kTrueComputation : AttributeKey::kFalseComputation,
                   "a conditional on an s32 has no true_computation or false_computation");
  }
  if (by_pred && !has_true) return fail("attribute true_computation is expected but not seen");
  if (by_pred && !has_false) return fail("attribute false_computation is expected but not seen");
  if (!by_pred && !has_list) return fail("attribute branch_computations is expected but not seen");
  const std::size_t branches = by_pred ? 2 : find_attribute(frame, AttributeKey::kBranchComputations)->reference_count;
  const std::size_t count = operands_.size() - frame.operand_begin;
  return count == branches + 1 || fail("a conditional of " + std::to_string(branches) + " branches needs " +
                                       std::to_string(branches + 1) + " operands, but has " + std::to_string(count));
}

bool ModuleParser::check_custom_call(const InstructionFrame& frame) {
  const AttributeData* constraints = find_attribute(frame, AttributeKey::kOperandLayoutConstraints);
  if (constraints == nullptr) return true;
  const char* at = source_begin_ + constraints->value.begin;
  Cursor list(module_->text(constraints->value));
  const std::size_t count = operands_.size() - frame.operand_begin;
  std::size_t given = 0;
  if (!list.expect('{')) return true;  // reported where it was read
  if (!list.accept('}')) {
    do {
      ShapeId shape;
      if (!shapes_.read(list, &shape)) return cursor_.fail(at, "expects a list of shapes");
      const ShapeTable& shapes = module_->shapes();
      if (given < count &&
          !compatible(shapes, shape, shapes, row_of(*module_, operands_[frame.operand_begin + given]).shape)) {
        return cursor_.fail(at, "operand " + std::to_string(given) + " is not compatible with its layout constraint " +
                                    to_string(shapes, shape));
      }
      ++given;
    } while (list.accept(','));
  }
  return given == count || cursor_.fail(at, "expects " + std::to_string(count) +
                                                " operand layout constraints, but has " + std::to_string(given));
}

// Checks that every parameter number occurs exactly once, without gaps.
bool ModuleParser::check_parameters(const ComputationFrame& frame) {
  const ComputationData& row = row_of(*module_, frame.id);
  numbers_seen_.assign(row.parameter_count, false);
  for (std::size_t i = frame.parameter_begin; i < parameters_.size(); ++i) {
    const InstructionData& parameter = row_of(*module_, parameters_[i]);
    const char* at =
        parameter.name.begin < ModuleRows::source(*module_).size() ? source_begin_ + parameter.name.begin : frame.begin;
    if (parameter.number >= row.parameter_count) {
      return cursor_.fail(at, "parameter number " + std::to_string(parameter.number) + " in a computation of " +
                                  std::to_string(row.parameter_count) + " parameters");
    }
    if (numbers_seen_[parameter.number]) {
      return cursor_.fail(at, "Duplicate parameter number " + std::to_string(parameter.number));
    }
    numbers_seen_[parameter.number] = true;
  }
  return true;
}

}  // namespace hloroof::internal::inline text
