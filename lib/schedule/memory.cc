#include "lib/schedule/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/analysis/calls.h"
#include "lib/hardware/device_facts.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/buffers.h"
#include "lib/schedule/occupancy.h"
#include "lib/schedule/result_space.h"
#include "lib/values/attribute_values.h"
#include "lib/work/custom_call.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline schedule {
namespace {

// In Moments, an instruction at position p allocates its results at 2p. Operands without later uses are freed after 2p.
// If a result may reuse the memory of such an operand, the operand is freed earlier, after 2p - 1.

struct Range {
  Moment begin = std::numeric_limits<Moment>::max();
  Moment end = -1;
  ValueId definition = 0;  // the first value in the buffer
  double bytes = 0;
  double padding = 0;
  MemorySpace space = MemorySpace::kHbm;
  bool is_argument = false;
  bool is_constant = false;
  bool is_in_result = false;  // in the allocation of a result, which has its bytes
};

// Positions of all instructions, with callees flattened in place. A caller comes after the instructions of its callees.
class ProgramOrder {
 public:
  ProgramOrder(const Module& module, const CallGraph& calls, const ListSchedule& schedule)
      : position(module.instruction_limit(), -1),
        first(module.computation_limit(), -1),
        last(module.computation_limit(), -1) {
    if (!module.has_entry()) return;
    struct Frame {
      ComputationId computation;
      InstructionId at;
      std::size_t place = 0;  // of `at` in a list schedule
      std::vector<ComputationId> callees;
      std::size_t next = 0;
      bool opened = false;
    };
    std::vector<Frame> stack;
    const auto enter = [&](ComputationId id) {
      first[id.index] = next_;
      InstructionId begin = row_of(module, id).first;
      if (!schedule.empty() && !schedule.order[id.index].empty()) begin = schedule.order[id.index][0];
      stack.push_back({id, begin, 0, {}, 0, false});
    };
    enter(module.entry().id());
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (!frame.at.valid()) {
        last[frame.computation.index] = next_++;
        stack.pop_back();
        continue;
      }
      if (!frame.opened) {
        frame.opened = true;
        frame.next = 0;
        frame.callees.clear();
        if (calls_schedules(row_of(module, frame.at).opcode)) {
          frame.callees = module.instruction(frame.at).called_computations();
        }
      }
      bool entered = false;
      while (frame.next < frame.callees.size()) {
        const ComputationId callee = frame.callees[frame.next++];
        // A computation with several callers is placed at the first one.
        if (first[callee.index] >= 0 || !CallFacts::is_scheduled(calls, callee)) continue;
        enter(callee);
        entered = true;
        break;
      }
      if (entered) continue;  // `frame` is no longer valid
      position[frame.at.index] = next_++;
      if (schedule.empty()) {
        frame.at = row_of(module, frame.at).next;
      } else {
        const std::vector<InstructionId>& order = schedule.order[frame.computation.index];
        frame.at = ++frame.place < order.size() ? order[frame.place] : InstructionId();
      }
      frame.opened = false;
    }
  }

  Moment size() const { return next_; }

  std::vector<Moment> position;  // by InstructionId; -1: not executed
  std::vector<Moment> first;     // by ComputationId
  std::vector<Moment> last;

 private:
  Moment next_ = 0;
};

// Returns true if a fusion reads each element of operand `i` only to write the element at the same position. This holds
// if no instruction between the parameter and a result of its size moves elements. The output of a reduction does not
// count as such a result.
bool is_read_in_place(InstructionView fusion, std::size_t i) {
  const auto called = fusion.computations(AttributeKey::kCalls);
  if (called.size() != 1 || called[0].is_missing()) return false;
  std::set<InstructionId> reached;
  for (InstructionView instruction : called[0].instructions()) {  // operands come first
    const Opcode opcode = instruction.opcode();
    bool is_reached =
        flow(opcode) == Flow::kParameter && instruction.parameter_number() == static_cast<std::int64_t>(i);
    for (InstructionId operand : instruction.operand_ids()) {
      if (reached.count(operand) == 0 || opcode == Opcode::kReduce) continue;
      is_reached = true;
      if (is_alias(opcode)) continue;
      const Shape& from = fusion.module().instruction(operand).shape();
      const Shape& to = instruction.shape();
      const bool keeps_place = (is_elementwise(opcode) || flow(opcode) == Flow::kCopies) &&
                               from.dimensions == to.dimensions &&
                               from.layout.minor_to_major == to.layout.minor_to_major;
      if (!keeps_place) return false;
    }
    if (is_reached) reached.insert(instruction.id());
  }
  return true;
}

// Returns true if the result may reuse the memory of the dead operand `i` of the same size, according to XLA's
// CanShareOperandBufferWithUser.
bool may_take_over(InstructionView instruction, std::size_t i) {
  if (is_elementwise(instruction.opcode())) return true;
  switch (instruction.opcode()) {
    case Opcode::kFusion: {
      const std::string_view kind = instruction.text(AttributeKey::kKind);
      if (kind == "kOutput") return true;
      return (kind == "kLoop" || kind == "kInput") && is_read_in_place(instruction, i);
    }
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:  // swaps parts of equal size
    case Opcode::kSort: return true;
    default: return false;
  }
}

class Analysis {
 public:
  Analysis(const Module& module, const CallGraph& calls, const Device& device, const ListSchedule& schedule)
      : module_(module),
        calls_(calls),
        device_(device),
        sizes_(module.shapes()),
        buffers_(module, calls),
        order_(module, calls, schedule) {}

  MemoryAnalysis run() {
    MemoryAnalysis result;
    set_capacity(device_, result.prediction);
    if (!module_.has_entry()) return result;
    totals(result.prediction);
    result.complete = buffers_.complete();
    if (buffers_.complete()) {
      live_ranges();
      take_over();
      if (device_.family() == DeviceFamily::kTpu) {
        reserve_outputs();
      } else {
        allocate_outputs();
      }
      find_peak(result);
      if (row_of(module_.entry()).root.valid()) list_donatable(result.prediction);
    } else {
      result.prediction.hbm_peak_bytes =
          result.prediction.arguments_bytes + result.prediction.outputs_bytes - result.prediction.aliased_bytes;
      result.prediction.peak_bytes += result.prediction.hbm_peak_bytes;
    }
    set_capacity(device_, result.prediction);
    return result;
  }

 private:
  ShapeId leaf_shape_id(InstructionView instruction, std::uint32_t leaf) const {
    return module_.shapes().leaves(instruction.shape_id())[leaf];
  }
  const Shape& leaf_shape(InstructionView instruction, std::uint32_t leaf) const {
    return module_.shape(leaf_shape_id(instruction, leaf));
  }

  bool is_device_memory(const Shape& shape) const {
    const MemorySpace space = memory_space(shape);
    if (device_.family() == DeviceFamily::kTpu) return space == MemorySpace::kHbm;
    return space != MemorySpace::kHost;
  }

  // Computes the sizes of arguments, outputs and aliases. They depend only on the signature.
  void totals(MemoryPrediction& memory) const {
    const ComputationView entry = module_.entry();
    for (InstructionId id : entry.parameters()) {
      if (id.valid()) memory.arguments_bytes += bytes_in_hbm(module_.instruction(id).shape_id());
    }
    memory.peak_bytes = host_arguments_bytes();
    if (!row_of(entry).root.valid()) return;
    memory.outputs_bytes =
        bytes_in_hbm(entry.root().shape_id()) + tuple_table_bytes(module_.shape(entry.root().shape_id()));
    for (const auto& [output, parameter] : buffers_.donated()) {
      const Shape& shape = leaf_shape(entry.root(), output - buffers_.first_value(entry.root().id()));
      if (is_device_memory(shape)) memory.aliased_bytes += static_cast<double>(padded_bytes(shape));
    }
  }

  // Matches results that are not stored in an argument with single-array arguments that do not hold a result. Skips
  // arguments that the program donates to any result (buffer_donor). XLA
  // reuses a donated argument for a result of the same type, dimensions and layout.
  void list_donatable(MemoryPrediction& memory) const {
    const InstructionView root = module_.entry().root();
    std::set<ValueId> taken;
    for (const auto& [output, parameter] : buffers_.donated()) {
      taken.insert(output);
      taken.insert(parameter);
    }
    const std::vector<InstructionId> parameters = module_.entry().parameters();
    for (const BufferDonor& donor : buffer_donors(module_)) {
      if (donor.parameter < 0 || static_cast<std::size_t>(donor.parameter) >= parameters.size()) continue;
      const InstructionId parameter = parameters[static_cast<std::size_t>(donor.parameter)];
      if (parameter.valid()) taken.insert(buffers_.first_value(parameter));
    }
    std::multimap<std::string, ValueId> results;
    const absl::Span<const ShapeId> leaves = module_.shapes().leaves(root.shape_id());
    for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const ValueId value = buffers_.first_value(root.id()) + leaf;
      if (taken.count(value) == 0 && is_device_memory(module_.shape(leaves[leaf]))) {
        results.emplace(to_string(module_.shapes(), leaves[leaf]), value);
      }
    }
    std::int64_t number = -1;
    for (InstructionId id : parameters) {
      ++number;
      if (!id.valid() || buffers_.leaf_count(id) != 1 || taken.count(buffers_.first_value(id)) != 0) continue;
      const InstructionView parameter = module_.instruction(id);
      const auto result = results.find(to_string(module_.shapes(), parameter.shape_id()));
      if (result == results.end()) continue;
      // If the result is the argument itself, donation saves nothing.
      const bool same = buffers_.buffer_of(result->second) == buffers_.buffer_of(buffers_.first_value(id));
      results.erase(result);
      if (same) continue;
      memory.donatable.push_back({number, std::string(parameter.name()),
                                  static_cast<double>(padded_bytes(module_.shape(parameter.shape_id())))});
    }
    std::stable_sort(memory.donatable.begin(), memory.donatable.end(),
                     [](const DonatableArgument& a, const DonatableArgument& b) { return a.bytes > b.bytes; });
  }

  // A tuple of results has a table of pointers in addition to its arrays.
  double tuple_table_bytes(const Shape& shape) const {
    const double bytes = pointer_bytes(shape);
    const Fact<double>& unit = device_.hbm.allocation_bytes;
    return unit ? std::ceil(bytes / *unit) * *unit : bytes;
  }

  double pointer_bytes(const Shape& shape) const {
    if (!shape.is_tuple() || !device_.hbm.pointer_bytes) return 0;
    return static_cast<double>(shape.elements.size()) * *device_.hbm.pointer_bytes;
  }

  // Returns the bytes of the arguments in host memory, which XLA includes in its peak.
  double host_arguments_bytes() const {
    double sum = 0;
    for (InstructionId id : module_.entry().parameters()) {
      if (!id.valid()) continue;
      for (ShapeId leaf : module_.shapes().leaves(module_.instruction(id).shape_id())) {
        const Shape& shape = module_.shape(leaf);
        if (memory_space(shape) == MemorySpace::kHost) sum += static_cast<double>(padded_bytes(shape));
      }
    }
    return sum;
  }

  double bytes_in_hbm(ShapeId shape) const {
    double sum = 0;
    for (ShapeId leaf : module_.shapes().leaves(shape)) {
      if (is_device_memory(module_.shape(leaf))) sum += static_cast<double>(padded_bytes(module_.shape(leaf)));
    }
    return sum;
  }

  void live_ranges() {
    ranges_.assign(buffers_.value_count(), {});
    const Moment end_of_program = 2 * order_.size();
    for (ComputationId computation : CallFacts::scheduled(calls_)) {
      const ComputationView view = module_.computation(computation);
      if (order_.first[computation.index] < 0) continue;
      for (InstructionView instruction : view.instructions()) define(instruction, end_of_program);
    }
    for (ComputationId computation : CallFacts::scheduled(calls_)) {
      const ComputationView view = module_.computation(computation);
      if (order_.first[computation.index] < 0) continue;
      for (InstructionView instruction : view.instructions()) use_operands(instruction);
      if (!row_of(view).root.valid()) continue;
      const Moment end = view.is_entry() ? end_of_program : 2 * order_.last[computation.index];
      use(row_of(view).root, end);
    }
  }

  void define(InstructionView instruction, Moment end_of_program) {
    const InstructionId id = instruction.id();
    const bool is_parameter = instruction.opcode() == Opcode::kParameter;
    const bool is_argument = is_parameter && instruction.computation().is_entry();
    Moment at = 2 * order_.position[id.index];
    if (is_parameter) at = 2 * order_.first[instruction.computation().id().index];
    for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(id); ++leaf) {
      const ValueId value = buffers_.first_value(id) + leaf;
      Range& range = ranges_[buffers_.buffer_of(value)];
      const ArraySize& size = sizes_[leaf_shape_id(instruction, leaf)];
      // If two values are defined at the same moment, one is only an alias. The argument then identifies the buffer.
      if (at < range.begin || (at == range.begin && is_argument)) {
        range.begin = at;
        range.definition = value;
      }
      range.end = std::max(range.end, at);
      if (size.padded_bytes > range.bytes || range.bytes == 0) {
        range.bytes = size.padded_bytes;
        range.padding = size.padded_bytes - size.logical_bytes;
        range.space = size.space;
      }
      if (is_argument) {
        range.is_argument = true;
        range.begin = 0;
        range.end = end_of_program;
      }
      if (size.space == MemorySpace::kVmem) occupy(instruction, buffers_.buffer_of(value), at);
      if (instruction.opcode() == Opcode::kConstant) {  // live for the whole program
        range.is_constant = true;
        range.begin = 0;
        range.end = end_of_program;
        if (size.space == MemorySpace::kVmem) {
          occupancy_.need(buffers_.buffer_of(value), 0);
          occupancy_.need(buffers_.buffer_of(value), end_of_program);
        }
      }
    }
  }

  // Notes that `instruction` has a result in `buffer`. An alias and a call have what others wrote, and an instruction
  // with an operand in the buffer updates it.
  void occupy(InstructionView instruction, BufferId buffer, Moment at) {
    const Opcode opcode = instruction.opcode();
    if (is_alias(opcode) || calls_schedules(opcode) || opcode == Opcode::kConstant) return;
    if (opcode == Opcode::kParameter) return occupancy_.need(buffer, at);
    for (InstructionId operand : instruction.operand_ids()) {
      for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(operand); ++leaf) {
        if (buffers_.buffer_of(buffers_.first_value(operand) + leaf) == buffer) return occupancy_.need(buffer, at);
      }
    }
    occupancy_.write(buffer, at);
  }

  void use(InstructionId id, Moment at) {
    for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(id); ++leaf) {
      const BufferId buffer = buffers_.buffer_of(buffers_.first_value(id) + leaf);
      Range& range = ranges_[buffer];
      range.end = std::max(range.end, at);
      if (range.space == MemorySpace::kVmem) occupancy_.need(buffer, at);
    }
  }

  void use_operands(InstructionView instruction) {
    // Uses of an alias count, but the alias itself does not. An async-update is an alias that counts, because it may
    // read operands that the start did not.
    const Opcode opcode = instruction.opcode();
    if (is_alias(opcode) && ir::async_role(opcode) == AsyncRole::kNone) return;
    const Moment at = 2 * order_.position[instruction.id().index];
    for (InstructionId operand : instruction.operand_ids()) use(operand, at);
  }

  // Lets results reuse the memory of operands whose live range ends where that of the result begins.
  void take_over() {
    for (ComputationId computation : CallFacts::scheduled(calls_)) {
      if (order_.first[computation.index] < 0) continue;
      for (InstructionView instruction : module_.computation(computation).instructions()) {
        const InstructionId id = instruction.id();
        const Moment at = 2 * order_.position[id.index];
        if (instruction.opcode() == Opcode::kCustomCall && is_free_custom_call(instruction))
          take_over_parts(instruction, at);
        for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(id); ++leaf) {
          const Range& result = ranges_[buffers_.buffer_of(buffers_.first_value(id) + leaf)];
          if (result.begin != at) continue;
          for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
            const InstructionId operand = instruction.operand_ids()[i];
            if (buffers_.leaf_count(operand) != 1) continue;
            Range& dying = ranges_[buffers_.buffer_of(buffers_.first_value(operand))];
            if (dying.end != at || dying.begin >= at || dying.bytes != result.bytes || dying.space != result.space)
              continue;
            if (!may_take_over(instruction, i)) continue;
            dying.end = at - 1;
            taken_over_[buffers_.buffer_of(buffers_.first_value(id) + leaf)] =
                buffers_.buffer_of(buffers_.first_value(operand));
            break;
          }
        }
      }
    }
  }

  // A custom call that costs nothing and has as many bytes as its operands together is their concatenation. The
  // compiler has placed them one after another in VMEM.
  void take_over_parts(InstructionView concatenation, Moment at) {
    if (buffers_.leaf_count(concatenation.id()) != 1) return;
    const Range& result = ranges_[buffers_.buffer_of(buffers_.first_value(concatenation.id()))];
    if (result.space != MemorySpace::kVmem) return;
    std::vector<Range*> parts;
    double bytes = 0;
    for (InstructionId operand : concatenation.operand_ids()) {
      if (buffers_.leaf_count(operand) != 1) return;
      Range& part = ranges_[buffers_.buffer_of(buffers_.first_value(operand))];
      if (part.end != at || part.space != MemorySpace::kVmem) return;
      parts.push_back(&part);
      bytes += part.bytes;
    }
    if (bytes != result.bytes) return;
    for (Range* part : parts) part->end = at - 1;
  }

  // Results of the program have separate allocations for the whole program. Temporaries do not share them, except those
  // whose memory a result takes over.
  void reserve_outputs() {
    if (!row_of(module_.entry()).root.valid()) return;
    const InstructionId root = row_of(module_.entry()).root;
    for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(root); ++leaf) {
      BufferId buffer = buffers_.buffer_of(buffers_.first_value(root) + leaf);
      for (auto found = taken_over_.find(buffer); found != taken_over_.end(); found = taken_over_.find(buffer)) {
        buffer = found->second;
      }
      ranges_[buffer].begin = 0;
    }
  }

  // On GPUs each result of the program that does not alias an argument has an allocation of its own for the whole call.
  // Temporaries are in the allocations of results where they fit (result_space.h).
  void allocate_outputs() {
    const InstructionId root = row_of(module_.entry()).root;
    if (!root.valid()) return;
    std::set<BufferId> outputs;
    for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(root); ++leaf) {
      outputs.insert(buffers_.buffer_of(buffers_.first_value(root) + leaf));
    }
    std::vector<HeldBuffer> buffers;
    for (BufferId id = 0; id < ranges_.size(); ++id) {
      const Range& range = ranges_[id];
      if (range.end < 0 || range.bytes <= 0 || range.is_argument || range.is_constant) continue;
      if (place(range) != MemorySpace::kHbm) continue;
      buffers.push_back({id, range.bytes, range.begin, range.end, range.space, outputs.count(id) != 0});
    }
    std::map<BufferId, BufferId> home;  // of each buffer in an allocation of a result
    for (const PlacedInResult& placed : place_in_results(std::move(buffers))) home[placed.buffer] = placed.result;
    for (const auto& [buffer, result] : home) ranges_[buffer].is_in_result = true;
    for (BufferId output : outputs) {
      if (!ranges_[output].is_argument && !ranges_[output].is_constant) home[output] = output;
    }
    keep_apart(home);
    for (const auto& [buffer, result] : home) ranges_[result].begin = 0;
  }

  // A result reuses the memory of a dying operand only if both are in one allocation.
  void keep_apart(const std::map<BufferId, BufferId>& home) {
    for (const auto& [buffer, operand] : taken_over_) {
      const auto a = home.find(buffer);
      const auto b = home.find(operand);
      const bool are_together =
          a == home.end() || b == home.end() ? (a == home.end()) == (b == home.end()) : a->second == b->second;
      if (!are_together) ++ranges_[operand].end;
    }
  }

  void find_peak(MemoryAnalysis& result) const {
    MemoryPrediction& memory = result.prediction;
    const auto moments = static_cast<std::size_t>(2 * order_.size() + 2);
    std::vector<double> hbm(moments, 0), vmem(moments, 0), host(moments, 0);
    const auto add = [](std::vector<double>& space, const Range& range, Moment begin, Moment end) {
      space[static_cast<std::size_t>(std::max<Moment>(0, begin))] += range.bytes;
      space[static_cast<std::size_t>(end) + 1] -= range.bytes;
    };
    for (BufferId buffer = 0; buffer < ranges_.size(); ++buffer) {
      const Range& range = ranges_[buffer];
      if (range.end < 0 || range.bytes <= 0 || range.is_in_result) continue;
      switch (place(range)) {
        case MemorySpace::kHbm: add(hbm, range, range.begin, range.end); break;
        case MemorySpace::kHost: add(host, range, range.begin, range.end); break;
        case MemorySpace::kVmem:
          if (range.is_argument) {
            add(vmem, range, range.begin, range.end);
            break;
          }
          for (const Occupancy::Interval& held : occupancy_.intervals(buffer)) {
            add(vmem, range, held.begin, std::min(held.end, range.end));
          }
          break;
        case MemorySpace::kScalar: break;
      }
    }
    const auto peak_of = [](const std::vector<double>& change, std::size_t* where) {
      double live = 0;
      double peak = 0;
      for (std::size_t i = 0; i < change.size(); ++i) {
        live += change[i];
        if (live > peak) {
          peak = live;
          if (where != nullptr) *where = i;
        }
      }
      return peak;
    };
    std::size_t where = 0;
    const double table = result_table_bytes();
    memory.hbm_peak_bytes = peak_of(hbm, &where) + table;
    memory.hbm_over_program = in_parts(hbm, table);
    result.levels = levels_of(hbm, table);
    memory.vmem_peak_bytes = peak_of(vmem, nullptr);
    memory.host_peak_bytes = peak_of(host, nullptr);
    memory.temporaries_bytes =
        std::max(0.0, memory.hbm_peak_bytes - memory.arguments_bytes - memory.outputs_bytes + memory.aliased_bytes);
    memory.peak_bytes +=
        memory.hbm_peak_bytes - memory.temporaries_bytes + std::max(memory.temporaries_bytes, memory.vmem_peak_bytes);
    list_live(static_cast<Moment>(where), memory);
  }

  // Returns the level at each instruction. Ranges begin only at instructions, so that the peak is one of the levels.
  std::vector<MemoryLevel> levels_of(const std::vector<double>& change, double base) const {
    std::vector<InstructionId> at(static_cast<std::size_t>(order_.size()));
    for (ComputationId computation : CallFacts::scheduled(calls_)) {
      for (InstructionView instruction : module_.computation(computation).instructions()) {
        const Moment position = order_.position[instruction.id().index];
        if (position >= 0) at[static_cast<std::size_t>(position)] = instruction.id();
      }
    }
    std::vector<MemoryLevel> levels;
    levels.reserve(at.size());
    double live = base;
    for (std::size_t i = 0; i < at.size(); ++i) {
      live += change[2 * i];
      if (at[i].valid()) levels.push_back({at[i], live});
      live += change[2 * i + 1];
    }
    return levels;
  }

  // Splits the program order into at most kParts equal parts and returns the largest level in each.
  static std::vector<double> in_parts(const std::vector<double>& change, double base) {
    constexpr std::size_t kParts = 512;
    const std::size_t parts = std::min(kParts, change.size());
    std::vector<double> levels(parts, 0);
    double live = base;
    for (std::size_t i = 0; i < change.size(); ++i) {
      live += change[i];
      double& level = levels[i * parts / change.size()];
      level = std::max(level, live);
    }
    return levels;
  }

  // Returns the bytes of the pointer table of a tuple of results, which is live for the whole program.
  double result_table_bytes() const {
    if (!row_of(module_.entry()).root.valid()) return 0;
    return tuple_table_bytes(module_.shape(module_.entry().root().shape_id()));
  }

  MemorySpace place(const Range& range) const {
    if (device_.family() == DeviceFamily::kTpu || range.space == MemorySpace::kHost) return range.space;
    return MemorySpace::kHbm;
  }

  void list_live(Moment at, MemoryPrediction& memory) const {
    // The instructions that have values, sorted by their first value: values are numbered in the order of scheduled().
    std::vector<InstructionId> owners;
    for (ComputationId computation : CallFacts::scheduled(calls_)) {
      for (InstructionView instruction : module_.computation(computation).instructions()) {
        if (buffers_.leaf_count(instruction.id()) > 0) owners.push_back(instruction.id());
      }
    }
    const StackFrames frames(module_);
    for (const Range& range : ranges_) {
      if (range.end < at || range.begin > at || range.bytes <= 0 || range.is_in_result) continue;
      if (place(range) != MemorySpace::kHbm) continue;
      memory.padding_bytes += range.padding;
      const auto owner = std::upper_bound(owners.begin(), owners.end(), range.definition,
                                          [&](ValueId v, InstructionId id) { return v < buffers_.first_value(id); });
      if (owner == owners.begin()) continue;
      const InstructionView instruction = module_.instruction(*(owner - 1));
      const std::uint32_t leaf = range.definition - buffers_.first_value(instruction.id());
      LiveBuffer live;
      live.name = std::string(instruction.name());
      live.shape = to_string(module_.shapes(), module_.shapes().leaves(instruction.shape_id())[leaf]);
      live.bytes = range.bytes;
      live.padding_bytes = range.padding;
      live.op_name = op_name(instruction);
      const SourceLocation source = source_location(instruction, frames);
      live.source_file = source.file;
      live.source_line = source.line;
      live.is_argument =
          instruction.opcode() == Opcode::kParameter && instruction.computation().id() == module_.entry().id();
      memory.live_at_peak.push_back(std::move(live));
    }
    if (const double table = result_table_bytes(); table > 0) {
      LiveBuffer live;
      live.name = std::string(module_.entry().root().name());
      live.shape = "pointers to the results";
      live.bytes = table;
      const Shape& root = module_.shape(module_.entry().root().shape_id());
      live.padding_bytes = table - pointer_bytes(root);
      memory.padding_bytes += live.padding_bytes;
      memory.live_at_peak.push_back(std::move(live));
    }
    std::stable_sort(memory.live_at_peak.begin(), memory.live_at_peak.end(),
                     [](const LiveBuffer& a, const LiveBuffer& b) { return a.bytes > b.bytes; });
  }

  const Module& module_;
  const CallGraph& calls_;
  const Device& device_;
  SizeCache sizes_;
  Buffers buffers_;
  ProgramOrder order_;
  std::vector<Range> ranges_;                // by BufferId
  Occupancy occupancy_;                      // of the buffers in VMEM
  std::map<BufferId, BufferId> taken_over_;  // result to the dying operand whose memory it reuses
};

}  // namespace

bool uses_same_memory(const Device& a, const Device& b) {
  return a.family() == b.family() && to_optional(a.hbm.allocation_bytes) == to_optional(b.hbm.allocation_bytes) &&
         to_optional(a.hbm.pointer_bytes) == to_optional(b.hbm.pointer_bytes);
}

void set_capacity(const Device& device, MemoryPrediction& memory) {
  const Hbm& hbm = device.hbm;
  memory.capacity_bytes = hbm.capacity;
  memory.usable_bytes = to_optional(hbm.usable).value_or(to_optional(hbm.memory_fraction).value_or(1) * hbm.capacity);
  memory.fits = memory.hbm_peak_bytes <= memory.usable_bytes;
}

MemoryAnalysis analyze_memory(const Module& module, const CallGraph& calls, const Device& device,
                              const ListSchedule& schedule) {
  return Analysis(module, calls, device, schedule).run();
}

}  // namespace hloroof::internal::inline schedule
