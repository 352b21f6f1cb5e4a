#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_join.h"
#include "hloroof/edit.h"
#include "hloroof/print.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/explain/find_instruction.h"
#include "lib/fronts/python/edited_module.h"
#include "lib/fronts/python/errors.h"
#include "lib/fronts/python/order_rules.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/named_target.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

using Handles = std::vector<InstructionHandle>;
using Integers = std::vector<std::int64_t>;
// An attribute as HLO text, as what the text would say, or as the computations that it names.
using AttributeValue = std::variant<bool, std::int64_t, std::string, Integers, std::vector<Integers>, ComputationHandle,
                                    std::vector<ComputationHandle>>;
using AttributeValues = std::map<std::string, AttributeValue>;
using ShapeText = std::variant<std::string, ShapeHandle>;

// The editor as Python sees it.
struct Editor {
  SharedModule module;

  ModuleEditor& edit() const { return module->edit(); }
};

// OpWait with handles.
struct EditorWait {
  InstructionHandle op;
  InstructionHandle transfer;
  double seconds = 0;
};

// A checkpoint is plain data; only the editor that made it can use it.
struct EditorCheckpoint {
  Checkpoint at;
};

// A computation that is being built.
struct Builder {
  Editor of;
  std::unique_ptr<ComputationBuilder> builder;
};

void check(const absl::Status& status) {
  if (!status.ok()) raise(status);
}

InstructionId id_in(const Editor& editor, const InstructionHandle& handle) {
  if (handle.owner != editor.module) raise(invalid_argument("the instruction is of another editor's module"));
  return handle.view().id();
}

ComputationId id_in(const Editor& editor, const ComputationHandle& handle) {
  if (handle.owner != editor.module) raise(invalid_argument("the computation is of another editor's module"));
  return handle.view().id();
}

template <typename Handle>
auto ids_in(const Editor& editor, const std::vector<Handle>& handles) {
  std::vector<decltype(handles.front().id)> ids;
  ids.reserve(handles.size());
  for (const Handle& handle : handles) ids.push_back(id_in(editor, handle));
  return ids;
}

Handles handles_of(const Editor& editor, const std::vector<InstructionId>& ids) {
  Handles handles;
  handles.reserve(ids.size());
  for (const InstructionId id : ids) handles.emplace_back(editor.module, id);
  return handles;
}

// Throws InvalidInputError with the nearest of `names`.
[[noreturn]] void raise_unknown(const std::string& what, const std::string& name,
                                const std::vector<std::string>& names) {
  std::string message = "no " + what + " '" + name + "'; did you mean ";
  const std::vector<std::string> nearest = nearest_names(name, names, 3);
  for (std::size_t i = 0; i < nearest.size(); ++i) message += (i == 0 ? "" : ", ") + nearest[i];
  raise(invalid_argument(message + "?"));
}

AttributeKey key_of(const std::string& name) {
  if (const std::optional<AttributeKey> key = attribute_from_string(name)) return *key;
  raise_unknown("attribute", name,
                {
#define HLOROOF_ATTRIBUTE(enumerator, text, form) text,
#include "hloroof/attribute.def"
#undef HLOROOF_ATTRIBUTE
                });
}

Opcode opcode_of(const std::string& name) {
  if (const std::optional<Opcode> opcode = opcode_from_string(name)) return *opcode;
  raise_unknown("opcode", name,
                {
#define HLOROOF_OPCODE(enumerator, text, ...) text,
#include "hloroof/opcode.def"
#undef HLOROOF_OPCODE
                });
}

std::string braces(const std::vector<std::string>& items) { return "{" + absl::StrJoin(items, ",") + "}"; }

std::string braces(const Integers& numbers) { return "{" + absl::StrJoin(numbers, ",") + "}"; }

// Converts what Python gives for an attribute.
struct ToAttribute {
  const Editor& editor;
  NewAttribute& attribute;

  void operator()(bool value) const { attribute.value = value ? "true" : "false"; }
  void operator()(std::int64_t value) const { attribute.value = std::to_string(value); }
  void operator()(const std::string& value) const { attribute.value = value; }
  void operator()(const Integers& value) const { attribute.value = braces(value); }
  void operator()(const std::vector<Integers>& value) const {
    std::vector<std::string> lists;
    lists.reserve(value.size());
    for (const Integers& list : value) lists.push_back(braces(list));
    attribute.value = braces(lists);
  }
  void operator()(const ComputationHandle& value) const { attribute.computations = {id_in(editor, value)}; }
  void operator()(const std::vector<ComputationHandle>& value) const { attribute.computations = ids_in(editor, value); }
};

NewAttribute new_attribute(const Editor& editor, const std::string& name, const AttributeValue& value) {
  NewAttribute attribute;
  attribute.key = key_of(name);
  std::visit(ToAttribute{editor, attribute}, value);
  return attribute;
}

std::vector<NewAttribute> new_attributes(const Editor& editor, const AttributeValues& values) {
  std::vector<NewAttribute> attributes;
  attributes.reserve(values.size());
  for (const auto& [name, value] : values) attributes.push_back(new_attribute(editor, name, value));
  return attributes;
}

std::string text_of(const ShapeText& shape) {
  if (const auto* text = std::get_if<std::string>(&shape)) return *text;
  const auto& handle = std::get<ShapeHandle>(shape);
  return to_string(handle.owner->module().shapes(), handle.id);
}

NewInstruction new_instruction(const Editor& editor, const std::string& opcode, const Handles& operands,
                               const ShapeText& shape, const AttributeValues& attributes, const std::string& name,
                               std::uint32_t number, const std::string& literal) {
  NewInstruction made;
  made.opcode = opcode_of(opcode);
  made.operands = ids_in(editor, operands);
  made.shape = text_of(shape);
  made.attributes = new_attributes(editor, attributes);
  made.name = name;
  made.number = number;
  made.literal = literal;
  return made;
}

Editor make_editor(const Module& module, const std::optional<std::string>& device, const PredictOptions& options) {
  if (!device) return {std::make_shared<EditedModule>(module)};
  Target target = value_or_raise(named_target(*device));
  return {std::make_shared<EditedModule>(value_or_raise(Predictor::create(module, std::move(target), options)))};
}

InstructionHandle find(const Editor& editor, const std::string& name) {
  return {editor.module, value_or_raise(find_instruction(editor.module->module(), name)).id()};
}

std::vector<ComputationHandle> computations_in(const Editor& editor) {
  std::vector<ComputationHandle> handles;
  handles.reserve(editor.module->module().computations().size());
  for (const ComputationView view : editor.module->module().computations()) {
    handles.emplace_back(editor.module, view.id());
  }
  return handles;
}

ComputationHandle entry_of(const Editor& editor) {
  if (!editor.module->module().has_entry()) raise(invalid_argument("the module has no entry computation"));
  return {editor.module, editor.module->module().entry().id()};
}

void set_attribute(const Editor& editor, const InstructionHandle& of, const std::string& name,
                   const std::optional<AttributeValue>& value) {
  const InstructionId id = id_in(editor, of);
  if (!value) return check(editor.edit().remove_attribute(id, key_of(name)));
  const NewAttribute attribute = new_attribute(editor, name, *value);
  check(attribute.computations.empty() ? editor.edit().set_attribute(id, attribute.key, attribute.value)
                                       : editor.edit().set_computations(id, attribute.key, attribute.computations));
}

void set_layout(const Editor& editor, const InstructionHandle& of, const std::vector<std::int64_t>& minor_to_major,
                const std::optional<std::vector<std::vector<std::optional<std::int64_t>>>>& tiles,
                std::optional<std::int64_t> memory_space) {
  const InstructionId id = id_in(editor, of);
  Layout layout = of.view().shape().layout;
  layout.present = true;
  layout.minor_to_major = minor_to_major;
  if (memory_space) layout.memory_space = *memory_space;
  if (tiles) {
    layout.tiles.clear();
    for (const auto& sizes : *tiles) {
      Tile& tile = layout.tiles.emplace_back();
      for (const std::optional<std::int64_t>& size : sizes) tile.dimensions.push_back(size.value_or(Tile::kCombine));
    }
  }
  check(editor.edit().set_layout(id, layout));
}

// Brings the instructions of a computation into the order `wanted`. Each moves to its place, the first one first: its
// operands are then before it, and nothing before that place depends on it.
void set_order(const Editor& editor, const ComputationHandle& computation, const Handles& wanted) {
  id_in(editor, computation);
  const std::vector<InstructionId> order = ids_in(editor, wanted);
  if (order.size() != computation.view().instruction_count()) {
    raise(invalid_argument("the order has " + std::to_string(order.size()) + " instructions, and " +
                           std::string(computation.view().name()) + " has " +
                           std::to_string(computation.view().instruction_count())));
  }
  if (std::set<InstructionId>(order.begin(), order.end()).size() != order.size()) {
    raise(invalid_argument("the order has an instruction twice"));
  }
  const Checkpoint before = editor.edit().checkpoint();
  absl::Status status;
  InstructionId place = (*computation.view().instructions().begin()).id();
  for (const InstructionId id : order) {
    if (id == place) {
      place = row_of(editor.module->module(), id).next;
      continue;
    }
    status = editor.edit().move_before(id, place);
    if (!status.ok()) break;
  }
  if (!status.ok()) check(editor.edit().rollback(before));
  check(editor.edit().release(before));
  check(status);
}

InstructionHandle clone_changed(const Editor& editor, const InstructionHandle& of,
                                const std::optional<Handles>& operands, const ShapeText& shape,
                                const AttributeValues& attributes, const std::optional<InstructionHandle>& before) {
  CloneChanges changes;
  if (operands) changes.operands = ids_in(editor, *operands);
  changes.shape = text_of(shape);
  changes.attributes = new_attributes(editor, attributes);
  if (before) changes.before = id_in(editor, *before);
  return {editor.module, value_or_raise(editor.edit().clone(id_in(editor, of), changes))};
}

std::vector<Opcode> opcodes_of(const std::vector<std::string>& names) {
  std::vector<Opcode> opcodes;
  opcodes.reserve(names.size());
  for (const std::string& name : names) opcodes.push_back(opcode_of(name));
  return opcodes;
}

using Matched = std::map<std::string, InstructionHandle>;

std::optional<Matched> matched(const Editor& editor, InstructionView at, const Pattern& pattern,
                               const std::vector<Opcode>& through) {
  const auto found = match(at, pattern, through);
  if (!found) return std::nullopt;
  Matched handles;
  for (const auto& [name, id] : *found) handles.emplace(name, InstructionHandle(editor.module, id));
  return handles;
}

std::optional<Matched> match_one(const Editor& editor, const InstructionHandle& of, const std::string& pattern,
                                 const std::vector<std::string>& through) {
  const InstructionId id = id_in(editor, of);
  return matched(editor, editor.module->module().instruction(id), value_or_raise(read_pattern(pattern)),
                 opcodes_of(through));
}

std::vector<Matched> find_all(const Editor& editor, const std::string& pattern,
                              const std::vector<std::string>& through) {
  const Pattern wanted = value_or_raise(read_pattern(pattern));
  const std::vector<Opcode> opcodes = opcodes_of(through);
  std::vector<Matched> all;
  walk(editor.module->module(), [&](InstructionView at) {
    if (std::optional<Matched> one = matched(editor, at, wanted, opcodes)) all.push_back(std::move(*one));
  });
  return all;
}

Handles all_instructions(const Editor& editor) {
  Handles handles;
  walk(editor.module->module(), [&](InstructionView at) { handles.emplace_back(editor.module, at.id()); });
  return handles;
}

std::vector<EditorWait> waits_of(const Editor& editor) {
  std::vector<EditorWait> waits;
  for (const OpWait& wait : value_or_raise(value_or_raise(editor.module->predictor())->waits())) {
    waits.push_back({{editor.module, wait.op}, {editor.module, wait.transfer}, wait.seconds});
  }
  return waits;
}

Texts full_prediction(const Editor& editor) {
  const StepPrediction step = value_or_raise(value_or_raise(editor.module->predictor())->predict());
  return value_or_raise(texts_of(PredictedStep{&step}));
}

StepSummary summary_of(const Editor& editor) {
  return value_or_raise(value_or_raise(editor.module->predictor())->summary());
}

void add_reading(nb::class_<Editor>& c) {
  c.def_prop_ro("computations", &computations_in, "All computations; callers come after what they call.")
      .def_prop_ro("entry", &entry_of)
      .def("instruction", &find, "name"_a,
           "The instruction of that name; an end of the name is enough if it is the only one.")
      .def_prop_ro("instructions", &all_instructions,
                   "Those of all computations: callees before callers, and operands before users.")
      .def("match", &match_one, "instruction"_a, "pattern"_a, "through"_a = std::vector<std::string>(),
           "What the names in a pattern stand for, by name, if the instruction matches it: match(op, "
           "\"dot(all-gather(%x), "
           "%y)\"). None if it does not. An opcode without parentheses has any operands, %x is any instruction, and %g "
           "= "
           "all-gather(%x), also as an operand, names the result. Operands whose opcode is in `through`, such as "
           "\"bitcast\", are looked through.")
      .def("find_all", &find_all, "pattern"_a, "through"_a = std::vector<std::string>(),
           "What match() returns for each instruction of the module that matches.")
      .def(
          "order_rules", [](const Editor& e) { return rules_of(e.module); },
          "Which orders of the module are legal. Raises InvalidInputError if it is not scheduled.")
      .def(
          "next_channel_id", [](const Editor& e) { return value_or_raise(next_channel_id(e.module->module())); },
          "A channel_id that no instruction of the module has.")
      .def_prop_ro("is_scheduled", [](const Editor& e) { return e.module->module().is_scheduled(); })
      .def_prop_ro(
          "module", [](const Editor& e) { return Module(e.module->module()); }, "A copy of the module as it is.")
      .def(
          "verify",
          [](const Editor& e, const Module* original) {
            const Module& module = e.module->module();
            check(original == nullptr ? verify(module) : verify(module, *original));
          },
          "original"_a.none() = nb::none(),
          "Raises InvalidInputError with the first instruction that a compiler would not accept. What `original`, the "
          "module before the edits, has too is accepted.")
      .def("__str__", [](const Editor& e) { return print_module(e.module->module()); });
}

void add_changes(nb::class_<Editor>& c) {
  using I = InstructionHandle;
  using C = ComputationHandle;
  c.def(
       "insert_before",
       [](const Editor& e, const I& before, const std::string& opcode, const Handles& operands, const ShapeText& shape,
          const AttributeValues& attributes, const std::string& name, std::uint32_t number,
          const std::string& literal) {
         const NewInstruction made = new_instruction(e, opcode, operands, shape, attributes, name, number, literal);
         return I(e.module, value_or_raise(e.edit().insert_before(id_in(e, before), made)));
       },
       "before"_a, "opcode"_a, "operands"_a = Handles(), nb::kw_only(), "shape"_a = "",
       "attributes"_a = AttributeValues(), "name"_a = "", "number"_a = 0, "literal"_a = "",
       "Inserts an instruction. Without a shape it follows from the operands where it can. Attributes are HLO text, or "
       "numbers, lists and computations: {\"dimensions\": [0, 1], \"to_apply\": add}. `number` is that of a parameter "
       "or "
       "the index of a get-tuple-element, `literal` the value of a constant.")
      .def(
          "append",
          [](const Editor& e, const C& computation, const std::string& opcode, const Handles& operands,
             const ShapeText& shape, const AttributeValues& attributes, const std::string& name, std::uint32_t number,
             const std::string& literal) {
            const NewInstruction made = new_instruction(e, opcode, operands, shape, attributes, name, number, literal);
            return I(e.module, value_or_raise(e.edit().append(id_in(e, computation), made)));
          },
          "computation"_a, "opcode"_a, "operands"_a = Handles(), nb::kw_only(), "shape"_a = "",
          "attributes"_a = AttributeValues(), "name"_a = "", "number"_a = 0, "literal"_a = "",
          "Like insert_before, at the end of a computation. The root stays what it is.")
      .def("set_attribute", &set_attribute, "instruction"_a, "name"_a, "value"_a.none(),
           "Sets an attribute, or removes it with None: set_attribute(op, \"replica_groups\", [[0, 1], [2, 3]]).")
      .def("clone", &clone_changed, "instruction"_a, nb::kw_only(), "operands"_a = nb::none(), "shape"_a = "",
           "attributes"_a = AttributeValues(), "before"_a = nb::none(),
           "Inserts a copy after the original, or before another instruction. What is not given is as in the original; "
           "infer_shape() sets the shape that other operands give.")
      .def(
          "split_collective",
          [](const Editor& e, const I& i) {
            const StartAndDone split = value_or_raise(split_collective(e.edit(), id_in(e, i)));
            return std::make_pair(I(e.module, split.start), I(e.module, split.done));
          },
          "instruction"_a,
          "Replaces an all-gather, an all-reduce or a collective-permute by its start and its done, in the same place, "
          "and returns the two. libtpu wants more in the shape of a permute's start: two u32[]{:S(2)} at the end.")
      .def(
          "combine_collectives",
          [](const Editor& e, const Handles& all) {
            return I(e.module, value_or_raise(combine_collectives(e.edit(), ids_in(e, all))));
          },
          "instructions"_a,
          "Replaces all-reduces, all-gathers or reduce-scatters that are alike by one with all their operands, and "
          "returns "
          "it. Its place is that of the last of them, or before the first use if that comes earlier.")
      .def(
          "uncombine_collective",
          [](const Editor& e, const I& i) {
            return handles_of(e, value_or_raise(uncombine_collective(e.edit(), id_in(e, i))));
          },
          "instruction"_a, "Replaces such a collective by one for each operand, and returns them.")
      .def(
          "slice_dot",
          [](const Editor& e, const I& i, std::size_t operand, std::int64_t dimension, std::int64_t parts) {
            const SlicedDot sliced = value_or_raise(slice_dot(e.edit(), id_in(e, i), operand, dimension, parts));
            return std::make_pair(handles_of(e, sliced.parts), I(e.module, sliced.result));
          },
          "instruction"_a, "operand"_a, "dimension"_a, "parts"_a,
          "Replaces a product by products of slices of the same size along a dimension of operand 0 or 1, which are "
          "concatenated, or added if the dimension is contracted. Returns the products, and their concatenation or "
          "sum.")
      .def(
          "erase", [](const Editor& e, const I& i) { check(e.edit().erase(id_in(e, i))); }, "instruction"_a,
          "Erases an instruction that has no users and is neither the root nor a parameter.")
      .def(
          "replace_all_uses",
          [](const Editor& e, const I& old, const I& by) {
            check(e.edit().replace_all_uses(id_in(e, old), id_in(e, by)));
          },
          "old"_a, "by"_a, "Replaces `old` in all its users, and as the root. The shapes may differ in layout only.")
      .def(
          "set_operand",
          [](const Editor& e, const I& i, std::size_t index, const I& value) {
            check(e.edit().set_operand(id_in(e, i), index, id_in(e, value)));
          },
          "instruction"_a, "index"_a, "value"_a)
      .def(
          "set_operands",
          [](const Editor& e, const I& i, const Handles& operands) {
            check(e.edit().set_operands(id_in(e, i), ids_in(e, operands)));
          },
          "instruction"_a, "operands"_a)
      .def(
          "set_shape",
          [](const Editor& e, const I& i, const ShapeText& shape) {
            check(e.edit().set_shape(id_in(e, i), text_of(shape)));
          },
          "instruction"_a, "shape"_a)
      .def(
          "infer_shape", [](const Editor& e, const I& i) { check(e.edit().infer_shape(id_in(e, i))); }, "instruction"_a,
          "Sets the shape that follows from operands and attributes.")
      .def("set_layout", &set_layout, "instruction"_a, "minor_to_major"_a, "tiles"_a = nb::none(),
           "memory_space"_a = nb::none(), "Sets the layout of an array result. What is None stays.")
      .def(
          "set_root",
          [](const Editor& e, const C& computation, const I& root) {
            check(e.edit().set_root(id_in(e, computation), id_in(e, root)));
          },
          "computation"_a, "root"_a)
      .def(
          "move_before",
          [](const Editor& e, const I& i, const I& before) {
            check(e.edit().move_before(id_in(e, i), id_in(e, before)));
          },
          "instruction"_a, "before"_a, "Moves it within its computation. It can not cross an operand or a user.")
      .def("set_order", &set_order, "computation"_a, "instructions"_a,
           "Brings all instructions of a computation into an order. Nothing changes if an operand or a control "
           "predecessor would follow its user. OrderRules.set_order() also keeps what shares memory or communicates.");
}

void add_computation_changes(nb::class_<Editor>& c) {
  using I = InstructionHandle;
  using C = ComputationHandle;
  c.def(
       "fuse",
       [](const Editor& e, const Handles& instructions, const std::string& kind) {
         return I(e.module, value_or_raise(e.edit().fuse(ids_in(e, instructions), kind)));
       },
       "instructions"_a, "kind"_a = "kLoop",
       "Fuses instructions of one computation and returns the fusion. Fusions among them are inlined.")
      .def(
          "unfuse",
          [](const Editor& e, const I& i) { return handles_of(e, value_or_raise(e.edit().unfuse(id_in(e, i)))); },
          "instruction"_a, "Takes a fusion or a call apart and returns the instructions that replace it.")
      .def(
          "outline",
          [](const Editor& e, const Handles& instructions, const std::string& name) {
            return I(e.module, value_or_raise(e.edit().outline(ids_in(e, instructions), name)));
          },
          "instructions"_a, "name"_a, "Moves instructions of one computation into a new one and returns its call.")
      .def(
          "clone_computation",
          [](const Editor& e, const C& i) {
            return C(e.module, value_or_raise(e.edit().clone_computation(id_in(e, i))));
          },
          "computation"_a)
      .def(
          "erase_unused_computations", [](const Editor& e) { return e.edit().erase_unused_computations(); },
          "Erases what the entry does not call, and returns how many computations that were.")
      .def(
          "computation",
          [](const Editor& e, const std::string& name, const std::optional<C>& before) {
            const ComputationId place = before ? id_in(e, *before) : ComputationId();
            return Builder{e, std::make_unique<ComputationBuilder>(e.edit(), name, false, place)};
          },
          "name"_a, "before"_a = nb::none(),
          "Starts a new computation before another, by default before the entry: what calls it must come after it. "
          "Finish "
          "it before you name it in an attribute.");
}

void add_prediction(nb::class_<Editor>& c) {
  c.def("_predict", &full_prediction)
      .def_prop_ro(
          "step_seconds", [](const Editor& e) { return summary_of(e).step_seconds; },
          "Predicted for the module as it is. Only what the edits changed is computed again.")
      .def_prop_ro(
          "exposed_communication_seconds", [](const Editor& e) { return summary_of(e).exposed_communication_seconds; },
          "The part of the step in which computation waits for communication.")
      .def_prop_ro("waits", &waits_of,
                   "Which ops wait for which transfers, those with the most seconds first. As cheap as step_seconds.")
      .def_prop_ro(
          "peak_memory_bytes",
          [](const Editor& e) {
            return value_or_raise(value_or_raise(e.module->predictor())->memory()).hbm_peak_bytes;
          },
          "The peak of HBM of one device, in a pass over the whole program.")
      .def(
          "checkpoint", [](const Editor& e) { return EditorCheckpoint{e.module->checkpoint()}; },
          "Marks the state to which rollback() returns. Checkpoints nest.")
      .def(
          "rollback", [](const Editor& e, const EditorCheckpoint& at) { check(e.module->rollback(at.at)); },
          "checkpoint"_a, "Takes back all edits since the checkpoint, which remains usable.")
      .def(
          "release", [](const Editor& e, const EditorCheckpoint& at) { check(e.module->release(at.at)); },
          "checkpoint"_a, "Forgets the checkpoint and later ones; the edits stay.");
}

// The error of a builder, which it keeps until it finishes.
InstructionHandle built(const Builder& builder, InstructionId id) {
  if (!id.valid()) raise(builder.builder->finish().status());
  return {builder.of.module, id};
}

void add_builder(nb::module_& module) {
  nb::class_<Builder>(module, "ComputationBuilder", "Builds one new computation, in order. See Editor.computation().")
      .def(
          "parameter",
          [](const Builder& b, const std::string& shape, const std::string& name) {
            return built(b, b.builder->parameter(shape, name));
          },
          "shape"_a, "name"_a = "", "The next parameter.")
      .def(
          "constant",
          [](const Builder& b, const std::string& shape, const std::string& literal) {
            return built(b, b.builder->constant(shape, literal));
          },
          "shape"_a, "literal"_a, "A constant from HLO text: \"1.5\", \"{1, 2}\".")
      .def(
          "element",
          [](const Builder& b, const InstructionHandle& tuple, std::uint32_t index) {
            return built(b, b.builder->element(id_in(b.of, tuple), index));
          },
          "tuple"_a, "index"_a, "The get-tuple-element of an index.")
      .def(
          "op",
          [](const Builder& b, const std::string& opcode, const Handles& operands, const ShapeText& shape,
             const AttributeValues& attributes, const std::string& name) {
            return built(b, b.builder->op(opcode_of(opcode), ids_in(b.of, operands), new_attributes(b.of, attributes),
                                          text_of(shape), name));
          },
          "opcode"_a, "operands"_a, nb::kw_only(), "shape"_a = "", "attributes"_a = AttributeValues(), "name"_a = "",
          "Any instruction, as Editor.append() takes it.")
      .def(
          "finish",
          [](const Builder& b, const std::optional<InstructionHandle>& root) {
            const InstructionId id = root ? id_in(b.of, *root) : InstructionId();
            return ComputationHandle(b.of.module, value_or_raise(b.builder->finish(id)));
          },
          "root"_a = nb::none(), "The computation, whose result is `root` or else the last instruction.");
}

}  // namespace

void add_editor(nb::module_& module) {
  nb::class_<EditorCheckpoint>(module, "Checkpoint", "A state of a module to return to. See Editor.checkpoint().");
  nb::class_<EditorWait>(module, "OpWait", "A wait of the compute stream for a transfer. See Editor.waits.")
      .def_ro("op", &EditorWait::op, "Where the compute stream waits, such as a done.")
      .def_ro("transfer", &EditorWait::transfer, "The start of the transfer.")
      .def_ro("seconds", &EditorWait::seconds, "In the whole step.");
  nb::class_<Editor> editor(module, "Editor", "Edits a copy of a module. See hloroof.Editor.");
  editor.def(
      "__init__",
      [](Editor* self, const Module& of, const std::optional<std::string>& device, const PredictOptions& options) {
        new (self) Editor(make_editor(of, device, options));
      },
      "module"_a, "device"_a.none(), "options"_a);
  add_reading(editor);
  add_changes(editor);
  add_computation_changes(editor);
  add_prediction(editor);
  add_builder(module);
}

}  // namespace hloroof::internal::inline python
