#include <nanobind/operators.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/print.h"
#include "lib/fronts/python/edited_module.h"
#include "lib/fronts/python/parts.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

template <typename Views>
std::vector<InstructionHandle> instruction_handles(const SharedModule& owner, const Views& views) {
  std::vector<InstructionHandle> handles;
  for (const InstructionView view : views) handles.emplace_back(owner, view.id());
  return handles;
}

std::vector<InstructionHandle> users_of(const InstructionHandle& i) {
  i.view();
  std::vector<InstructionHandle> users;
  const absl::Span<const InstructionId> ids = i.owner->edit().users(i.id);
  users.reserve(ids.size());
  for (const InstructionId id : ids) users.emplace_back(i.owner, id);
  return users;
}

std::optional<InstructionHandle> neighbour(const InstructionHandle& of, InstructionId id) {
  if (!id.valid()) return std::nullopt;
  return InstructionHandle(of.owner, id);
}

// The attributes with a value of their own, by name: not those that name computations or instructions, nor the literal
// of a constant.
std::map<std::string, std::string> attributes_of(const InstructionHandle& i) {
  const InstructionView view = i.view();
  std::map<std::string, std::string> texts;
  for (const AttributeData& attribute : view.attributes()) {
    if (attribute.key == AttributeKey::kConstantLiteral || attribute.reference_count > 0) continue;
    const std::string text(view.module().text(attribute.value));
    if (attribute.key != AttributeKey::kUnknown) {
      texts.emplace(to_string(attribute.key), text);
    } else if (attribute.name_size < text.size()) {
      texts.emplace(text.substr(0, attribute.name_size), text.substr(attribute.name_size + 1));
    }
  }
  return texts;
}

std::map<std::string, std::vector<ComputationHandle>> computations_of(const InstructionHandle& i) {
  const InstructionView view = i.view();
  std::map<std::string, std::vector<ComputationHandle>> named;
  for (const AttributeData& attribute : view.attributes()) {
    if (attribute.key == AttributeKey::kControlPredecessors) continue;
    for (const ComputationView computation : view.computations(attribute.key)) {
      named[std::string(to_string(attribute.key))].emplace_back(i.owner, computation.id());
    }
  }
  return named;
}

std::optional<std::vector<std::vector<std::int64_t>>> groups_of(const InstructionHandle& i) {
  const std::optional<ReplicaGroups> groups = replica_groups(i.view());
  if (!groups) return std::nullopt;
  std::vector<std::vector<std::int64_t>> lists;
  groups->for_each_group([&](absl::Span<const std::int64_t> ids) {
    lists.emplace_back(ids.begin(), ids.end());
    return true;
  });
  return lists;
}

std::optional<std::pair<std::string, std::int32_t>> source_of(const InstructionHandle& i) {
  SourceLocation location = source_location(i.view());
  if (location.file.empty()) return std::nullopt;
  return std::make_pair(std::move(location.file), location.line);
}

std::optional<std::int64_t> number_of(const InstructionHandle& i) {
  const InstructionView view = i.view();
  if (view.opcode() == Opcode::kParameter) return view.parameter_number();
  if (view.opcode() == Opcode::kGetTupleElement) return view.tuple_index();
  return std::nullopt;
}

std::optional<std::string> literal_of(const InstructionHandle& i) {
  const InstructionView view = i.view();
  if (view.opcode() != Opcode::kConstant) return std::nullopt;
  return std::string(view.text(AttributeKey::kConstantLiteral));
}

// The tiles, with None for a dimension that the tile merges with the next more minor one.
std::vector<std::vector<std::optional<std::int64_t>>> tiles_of(const ShapeHandle& s) {
  std::vector<std::vector<std::optional<std::int64_t>>> tiles;
  for (const Tile& tile : s.shape().layout.tiles) {
    std::vector<std::optional<std::int64_t>>& sizes = tiles.emplace_back();
    for (const std::int64_t size : tile.dimensions) {
      sizes.push_back(size == Tile::kCombine ? std::nullopt : std::optional<std::int64_t>(size));
    }
  }
  return tiles;
}

std::vector<ShapeHandle> elements_of(const ShapeHandle& s) {
  std::vector<ShapeHandle> elements;
  for (const ShapeId id : s.shape().elements) elements.push_back({s.owner, id});
  return elements;
}

std::string shape_text(const ShapeHandle& s) { return to_string(s.owner->module().shapes(), s.id); }

void add_shape(nb::module_& module) {
  nb::class_<ShapeHandle>(module, "Shape", "The shape and layout of a result, such as bf16[32,128]{1,0:T(8,128)(2,1)}.")
      .def("__str__", &shape_text)
      .def("__repr__", [](const ShapeHandle& s) { return "Shape(" + shape_text(s) + ")"; })
      .def("__eq__", [](const ShapeHandle& a, const ShapeHandle& b) { return shape_text(a) == shape_text(b); })
      .def("__hash__", [](const ShapeHandle& s) { return nb::hash(nb::cast(shape_text(s))); })
      .def_prop_ro(
          "element_type", [](const ShapeHandle& s) { return std::string(to_string(s.shape().element_type)); },
          "\"bf16\"; \"tuple\" for a tuple.")
      .def_prop_ro("dimensions", [](const ShapeHandle& s) { return s.shape().dimensions; })
      .def_prop_ro(
          "minor_to_major", [](const ShapeHandle& s) { return s.shape().layout.minor_to_major; },
          "The dimensions of an array from the one that varies fastest; empty without a layout.")
      .def_prop_ro("tiles", &tiles_of, "T(8,128)(2,1) is [[8, 128], [2, 1]]; * is None.")
      .def_prop_ro(
          "memory_space", [](const ShapeHandle& s) { return s.shape().layout.memory_space; },
          "0: main memory; on TPU 1: VMEM, 5: host.")
      .def_prop_ro("elements", &elements_of, "The shapes inside a tuple.")
      .def_prop_ro(
          "logical_bytes", [](const ShapeHandle& s) { return logical_bytes(s.owner->module().shapes(), s.id); },
          "Bytes without padding.")
      .def_prop_ro(
          "padded_bytes", [](const ShapeHandle& s) { return padded_bytes(s.owner->module().shapes(), s.id); },
          "Bytes in memory.");
}

void add_instruction(nb::module_& module) {
  using I = InstructionHandle;
  nb::class_<I>(module, "Instruction",
                "An instruction of a module that is edited. Using one that was erased raises InvalidInputError.")
      .def("__str__", [](const I& i) { return print_instruction(i.view()); })
      .def("__repr__",
           [](const I& i) {
             return i.is_alive() ? "Instruction(" + std::string(i.view().name()) + ")" : "Instruction(erased)";
           })
      .def("__eq__", [](const I& a, const I& b) { return a == b; })
      .def("__hash__", [](const I& i) { return i.id.index; })
      .def_prop_ro("is_alive", &I::is_alive, "False once it was erased, or a rollback has taken it back.")
      .def_prop_ro(
          "name", [](const I& i) { return std::string(i.view().name()); }, "Without %.")
      .def_prop_ro(
          "opcode", [](const I& i) { return std::string(i.view().opcode_text()); }, "As in HLO text.")
      .def_prop_ro("shape",
                   [](const I& i) {
                     return ShapeHandle{i.owner, i.view().shape_id()};
                   })
      .def_prop_ro(
          "next", [](const I& i) { return neighbour(i, i.owner->edit().next(i.view().id())); },
          "The instruction after it in its computation, or None.")
      .def_prop_ro(
          "previous", [](const I& i) { return neighbour(i, i.owner->edit().previous(i.view().id())); },
          "The instruction before it in its computation, or None.")
      .def_prop_ro(
          "position", [](const I& i) { return i.owner->edit().position(i.view().id()); },
          "A number that increases along a computation: the smaller one comes first. Any edit may change it.")
      .def_prop_ro("computation", [](const I& i) { return ComputationHandle(i.owner, i.view().computation().id()); })
      .def_prop_ro("is_root", [](const I& i) { return i.view().is_root(); })
      .def_prop_ro("operands", [](const I& i) { return instruction_handles(i.owner, i.view().operands()); })
      .def_prop_ro("users", &users_of, "The instructions that have it as an operand, each once.")
      .def_prop_ro("control_predecessors",
                   [](const I& i) { return instruction_handles(i.owner, i.view().control_predecessors()); })
      .def_prop_ro("attributes", &attributes_of,
                   "Values as text by name, without those that name computations or instructions.")
      .def_prop_ro("computations", &computations_of, "The computations that each attribute names: {\"calls\": [...]}.")
      .def_prop_ro("replica_groups", &groups_of, "Lists of device ids; [] is one group of all; None without groups.")
      .def_prop_ro("number", &number_of, "Of a parameter, or the index of a get-tuple-element; None for others.")
      .def_prop_ro("literal", &literal_of, "The value of a constant as text; None for others.")
      .def_prop_ro("source", &source_of, "File and line in the user's program, or None.");
}

void add_computation(nb::module_& module) {
  using C = ComputationHandle;
  nb::class_<C>(module, "Computation",
                "A computation of a module that is edited. Using one that was erased raises InvalidInputError.")
      .def("__repr__",
           [](const C& c) {
             return c.is_alive() ? "Computation(" + std::string(c.view().name()) + ")" : "Computation(erased)";
           })
      .def("__eq__", [](const C& a, const C& b) { return a == b; })
      .def("__hash__", [](const C& c) { return c.id.index; })
      .def_prop_ro("is_alive", &C::is_alive)
      .def_prop_ro("name", [](const C& c) { return std::string(c.view().name()); })
      .def_prop_ro("is_entry", [](const C& c) { return c.view().is_entry(); })
      .def_prop_ro(
          "instructions", [](const C& c) { return instruction_handles(c.owner, c.view().instructions()); },
          "In order; in a scheduled module, the order in which they run.")
      .def_prop_ro("root",
                   [](const C& c) -> std::optional<InstructionHandle> {
                     const InstructionId root = c.view().root().id();
                     if (!root.valid()) return std::nullopt;
                     return InstructionHandle(c.owner, root);
                   })
      .def_prop_ro("parameters", [](const C& c) {
        std::vector<InstructionHandle> parameters;
        for (const InstructionId id : c.view().parameters()) {
          if (id.valid()) parameters.emplace_back(c.owner, id);
        }
        return parameters;
      });
}

}  // namespace

void add_module_parts(nb::module_& module) {
  add_shape(module);
  add_instruction(module);
  add_computation(module);
}

}  // namespace hloroof::internal::inline python
