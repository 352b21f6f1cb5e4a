// Random edits of a module, of every kind that a pass makes.
#ifndef HLOROOF_TESTS_PREDICT_RANDOM_EDITS_H_
#define HLOROOF_TESTS_PREDICT_RANDOM_EDITS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal {

class RandomEdits {
 public:
  RandomEdits(ModuleEditor& edit, std::uint32_t seed) : edit_(edit), module_(edit.module()), random_(seed) {}

  // Makes one edit and says what it was; empty if nothing came of it.
  std::string next() {
    const InstructionId id = any_instruction();
    switch (below(14)) {
      case 0: return resize(id);
      case 1: return lay_out(id);
      case 2: return move_to_memory(id);
      case 3: return reconnect(id);
      case 4: return regroup();
      case 5: return erase(id);
      case 6: return insert(id);
      case 7: return replace(id);
      case 8: return fuse(id);
      case 9: return unfuse(id);
      case 10: return loop();
      case 11: return shard();
      case 12: return change_kind();
      default: return reorder(id);
    }
  }

  // Of one kind: "shape", "layout", "memory space", "operand", "replica groups", "erase", "insert", "replace uses",
  // "fuse", "unfuse", "loop", "sharding", "fusion kind", "move".
  std::string next(std::string_view kind) {
    const InstructionId id = any_instruction();
    if (kind == "shape") return resize(id);
    if (kind == "layout") return lay_out(id);
    if (kind == "memory space") return move_to_memory(id);
    if (kind == "operand") return reconnect(id);
    if (kind == "replica groups") return regroup();
    if (kind == "erase") return erase(id);
    if (kind == "insert") return insert(id);
    if (kind == "replace uses") return replace(id);
    if (kind == "fuse") return fuse(id);
    if (kind == "unfuse") return unfuse(id);
    if (kind == "loop") return loop();
    if (kind == "sharding") return shard();
    if (kind == "fusion kind") return change_kind();
    return reorder(id);
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  InstructionId any_instruction() {
    while (true) {
      const InstructionId id(below(module_.instruction_limit()));
      if (edit_.is_alive(id)) return id;
    }
  }

  std::string said(const char* what, InstructionId id, const absl::Status& status) const {
    return status.ok() ? what + (" " + std::string(module_.instruction(id).name())) : std::string();
  }

  // What the reading of a module relies on stays as it is: tuples and what takes them apart.
  bool is_array(InstructionId id) const {
    const InstructionView instruction = module_.instruction(id);
    switch (instruction.opcode()) {
      case Opcode::kConstant:
      case Opcode::kReshape:
      case Opcode::kDynamicReshape:
      case Opcode::kConditional:
      case Opcode::kParameter: return false;
      default: break;
    }
    for (InstructionId user : edit_.users(id)) {
      const Opcode opcode = module_.instruction(user).opcode();
      if (opcode == Opcode::kReshape || opcode == Opcode::kDynamicReshape || opcode == Opcode::kConditional)
        return false;
    }
    return instruction.shape().is_array();
  }

  std::string resize(InstructionId id) {
    if (!is_array(id) || module_.instruction(id).shape().dimensions.empty()) return "";
    Shape shape = module_.instruction(id).shape();
    std::int64_t& size = shape.dimensions[below(shape.dimensions.size())];
    size = below(2) == 0 ? std::max<std::int64_t>(1, size / 2) : std::min<std::int64_t>(size * 2, 1 << 20);
    return said("resize", id, edit_.set_shape(id, edit_.shape(shape)));
  }

  std::string lay_out(InstructionId id) {
    if (!is_array(id)) return "";
    Layout layout = module_.instruction(id).shape().layout;
    if (!layout.present) {
      layout.minor_to_major.resize(module_.instruction(id).shape().dimensions.size());
      std::iota(layout.minor_to_major.begin(), layout.minor_to_major.end(), std::int64_t{0});
    }
    std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random_);
    return said("lay out", id, edit_.set_layout(id, layout));
  }

  std::string move_to_memory(InstructionId id) {
    if (!is_array(id)) return "";
    constexpr std::int64_t kSpaces[] = {0, 1, 5};
    Layout layout = module_.instruction(id).shape().layout;
    layout.memory_space = kSpaces[below(3)];
    return said("move to memory", id, edit_.set_layout(id, layout));
  }

  // Another instruction before `id` in its computation, with the same shape if `alike`.
  InstructionId earlier(InstructionId id, ShapeId shape) {
    std::vector<InstructionId> found;
    for (InstructionId at = row_of(module_, id).previous; at.valid() && found.size() < 64;
         at = row_of(module_, at).previous) {
      if (compatible(module_.shapes(), row_of(module_, at).shape, module_.shapes(), shape)) found.push_back(at);
    }
    return found.empty() ? InstructionId() : found[below(found.size())];
  }

  std::string reconnect(InstructionId id) {
    const InstructionView instruction = module_.instruction(id);
    if (instruction.operand_count() == 0) return "";
    const std::size_t i = below(instruction.operand_count());
    const InstructionId other = earlier(id, instruction.operand(i).shape_id());
    return other.valid() ? said("reconnect", id, edit_.set_operand(id, i, other)) : "";
  }

  std::string regroup() {
    std::vector<InstructionId> collectives;
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (instruction.has(AttributeKey::kReplicaGroups)) collectives.push_back(instruction.id());
      }
    }
    if (collectives.empty()) return "";
    const InstructionId id = collectives[below(collectives.size())];
    std::int64_t devices = std::max(module_.num_partitions(), module_.replica_count());
    if (!states_counts()) {  // the groups then say how many devices there are, and those of all devices do not
      if (below(3) == 0) return said("regroup", id, edit_.set_attribute(id, AttributeKey::kReplicaGroups, "{}"));
      devices = std::int64_t{2} << below(4);
    }
    std::int64_t size = 1;
    while (size < devices && below(4) != 0) size *= 2;
    if (devices % size != 0) return "";
    const std::string count = std::to_string(devices / size);
    const std::string groups =
        below(2) == 0
            ? "[" + count + "," + std::to_string(size) + "]<=[" + std::to_string(devices) + "]"
            : "[" + count + "," + std::to_string(size) + "]<=[" + std::to_string(size) + "," + count + "]T(1,0)";
    return said("regroup", id, edit_.set_attribute(id, AttributeKey::kReplicaGroups, groups));
  }

  bool states_counts() const {
    return !ModuleRows::header_text(module_, AttributeKey::kNumPartitions).empty() ||
           !ModuleRows::header_text(module_, AttributeKey::kReplicaCount).empty();
  }

  // Shards a parameter of the entry, or removes its sharding.
  std::string shard() {
    if (!module_.has_entry()) return "";
    const std::vector<InstructionId> parameters = module_.entry().parameters();
    if (parameters.empty()) return "";
    const InstructionId id = parameters[below(parameters.size())];
    if (!id.valid() || !module_.instruction(id).shape().is_array()) return "";
    const int rank = module_.instruction(id).shape().rank();
    if (rank == 0 || below(3) == 0) return said("unshard", id, edit_.remove_attribute(id, AttributeKey::kSharding));
    const std::string devices = std::to_string(2 << below(4));
    std::string sizes = devices;
    for (int d = 1; d < rank; ++d) sizes += ",1";
    const std::string sharding = "{devices=[" + sizes + "]<=[" + devices + "]}";
    return said("shard", id, edit_.set_attribute(id, AttributeKey::kSharding, sharding));
  }

  std::string change_kind() {
    std::vector<InstructionId> fusions;
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (instruction.opcode() == Opcode::kFusion) fusions.push_back(instruction.id());
      }
    }
    if (fusions.empty()) return "";
    const char* kKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
    const InstructionId id = fusions[below(fusions.size())];
    return said("change the kind of", id, edit_.set_attribute(id, AttributeKey::kKind, kKinds[below(4)]));
  }

  // Instructions without users are few: one is made by taking its users away.
  std::string erase(InstructionId id) {
    if (!edit_.users(id).empty()) {
      const InstructionId other = earlier(id, row_of(module_, id).shape);
      if (!other.valid() || !edit_.replace_all_uses(id, other).ok()) return "";
    }
    return said("erase", id, edit_.erase(id));
  }

  std::string insert(InstructionId id) {
    if (below(3) == 0) {
      const absl::StatusOr<InstructionId> made = edit_.clone(id);
      return made.ok() ? said("clone", *made, absl::OkStatus()) : "";
    }
    if (!module_.instruction(id).shape().is_array()) return "";
    NewInstruction copy;
    copy.opcode = Opcode::kCopy;
    copy.operands = {id};
    const InstructionId next = row_of(module_, id).next;
    const absl::StatusOr<InstructionId> made =
        next.valid() ? edit_.insert_before(next, copy) : edit_.append(row_of(module_, id).computation, copy);
    if (!made.ok()) return "";
    if (next.valid() && below(2) == 0) (void)edit_.replace_all_uses(id, *made);
    return said("insert", *made, absl::OkStatus());
  }

  // Adds a loop like another one, or removes the one that was added last.
  std::string loop() {
    if (added_loop_.valid() && added_loop_.index < module_.instruction_limit() && edit_.is_alive(added_loop_)) {
      const InstructionId id = std::exchange(added_loop_, InstructionId());
      return module_.instruction(id).opcode() == Opcode::kWhile ? said("remove", id, edit_.erase(id)) : "";
    }
    std::vector<InstructionId> loops;
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (instruction.opcode() == Opcode::kWhile) loops.push_back(instruction.id());
      }
    }
    if (loops.empty()) return "";
    const absl::StatusOr<InstructionId> made = edit_.clone(loops[below(loops.size())]);
    if (!made.ok()) return "";
    added_loop_ = *made;
    return said("clone", *made, absl::OkStatus());
  }

  std::string replace(InstructionId id) {
    const InstructionId other = earlier(id, row_of(module_, id).shape);
    return other.valid() ? said("replace uses of", id, edit_.replace_all_uses(id, other)) : "";
  }

  // An instruction with one of its operands.
  std::string fuse(InstructionId id) {
    const InstructionView instruction = module_.instruction(id);
    if (instruction.operand_count() == 0) return "";
    const InstructionView operand = instruction.operand(below(instruction.operand_count()));
    for (const InstructionView& part : {instruction, operand}) {
      const bool fits = is_elementwise(part.opcode()) || part.opcode() == Opcode::kFusion ||
                        part.opcode() == Opcode::kBroadcast || part.opcode() == Opcode::kCopy;
      if (!fits || part.shape().is_tuple()) return "";
    }
    const absl::StatusOr<InstructionId> fusion = edit_.fuse({id, operand.id()});
    return fusion.ok() ? said("fuse", *fusion, absl::OkStatus()) : "";
  }

  std::string unfuse(InstructionId id) {
    const std::string name(module_.instruction(id).name());
    return edit_.unfuse(id).ok() ? "unfuse " + name : "";
  }

  std::string reorder(InstructionId id) {
    InstructionId before = row_of(module_, id).next;
    for (std::size_t steps = below(20); steps > 0 && before.valid(); --steps) before = row_of(module_, before).next;
    return before.valid() ? said("move", id, edit_.move_before(id, before)) : "";
  }

  ModuleEditor& edit_;
  const Module& module_;
  std::mt19937 random_;
  InstructionId added_loop_;  // by loop()
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PREDICT_RANDOM_EDITS_H_
