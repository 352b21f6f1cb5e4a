// Finds the collectives of a module in any form that the compiler uses.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/device_groups.h"
#include "lib/analysis/grid.h"
#include "lib/analysis/megascale.h"
#include "lib/analysis/saturating.h"
#include "lib/analysis/sizes.h"
#include "lib/analysis/wrapped.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/values/attribute_values.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline analysis {

namespace {

constexpr std::size_t kMaxPairs = 1 << 16;
constexpr std::int64_t kMaxReorderedDevices = 1 << 16;
constexpr std::int64_t kMaxId = std::int64_t{1} << 40;
constexpr int kMaxUsersLookedAt = 64;  // the slice is directly after the reduction

using Lists = std::vector<std::vector<std::int64_t>>;

// Returns the kind of an opcode that is a collective or the start of one. Done halves have no kind.
std::optional<CollectiveKind> begun_kind(Opcode opcode) {
  return is_collective(opcode) ? collective_kind(opcode) : std::nullopt;
}

// Transfers to and from the host use no link between devices. A recv from the megascale runtime represents a transfer
// between slices; its send only hands the data to the host.
bool is_with_host(InstructionView instruction) {
  if (instruction.opcode() != Opcode::kSend && instruction.opcode() != Opcode::kRecv) return false;
  if (!flag(instruction, AttributeKey::kIsHostTransfer)) return false;
  Collective unused;
  return instruction.opcode() == Opcode::kSend || !is_megascale(instruction) ||
         !read_slice_transfer(instruction, unused).ok();
}

// openxla/xla xla/service/collective_ops_utils.cc, GetCollectiveOpGroupMode.
GroupMode mode_of(InstructionView collective, CollectiveKind kind) {
  const bool channel = collective.has(AttributeKey::kChannelId);
  switch (kind) {
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduceScatter:
      if (!channel) return GroupMode::kCrossReplica;
      return flag(collective, AttributeKey::kUseGlobalDeviceIds) ? GroupMode::kFlattenedId
                                                                 : GroupMode::kCrossReplicaAndPartition;
    default: return channel ? GroupMode::kCrossPartition : GroupMode::kCrossReplica;
  }
}

// Returns the ids along each axis of a mesh that lists its devices in another order than theirs. Empty if those at
// other places of the other axes have another spacing, or if the mesh is too large to check that.
Lists ids_along_axes(const Mesh& mesh) {
  const std::int64_t count = device_count(mesh);
  if (count > kMaxReorderedDevices) return {};
  std::vector<std::int64_t> ids;
  for (std::int64_t p = 0; p < count; ++p) {
    ids.push_back(device_at(mesh, p));
    if (ids.back() < 0 || ids.back() > kMaxId) return {};
  }
  Lists axes(mesh.axes.size());
  std::vector<std::int64_t> expected(ids.size(), ids[0]);
  std::int64_t spacing = 1;  // positions between neighbours on the axis
  for (std::size_t a = axes.size(); a-- > 0;) {
    const std::int64_t size = mesh.axes[a].size;
    for (std::int64_t i = 0; i < size; ++i) axes[a].push_back(ids[i * spacing]);
    for (std::int64_t p = 0; p < count; ++p) expected[p] += axes[a][p / spacing % size] - ids[0];
    spacing *= size;
  }
  if (expected != ids) axes.clear();
  return axes;
}

// Returns the axes of a mesh that have names of the program, with the stride of the ids along them. An axis whose ids
// are not evenly spaced is left out.
std::vector<std::pair<std::string, GridAxis>> named_axes(const Mesh& mesh) {
  std::vector<std::pair<std::string, GridAxis>> named;
  const bool any = std::any_of(mesh.axes.begin(), mesh.axes.end(), [](const Mesh::Axis& axis) {
    return axis.size > 1 && !is_scratch_axis_name(axis.name);
  });
  if (!any || mesh.maximal_device) return named;
  const bool is_reordered = !mesh.device_ids.empty() || !mesh.order.dimensions.empty();
  const Lists along = is_reordered ? ids_along_axes(mesh) : Lists();
  if (is_reordered && along.empty()) return named;
  std::int64_t stride = 1;
  for (std::size_t a = mesh.axes.size(); a-- > 0;) {
    const Mesh::Axis& axis = mesh.axes[a];
    GridAxis grid = {axis.size, stride};
    stride *= axis.size;  // the parser has checked the product
    if (axis.size == 1 || is_scratch_axis_name(axis.name)) continue;
    if (is_reordered) {
      std::vector<std::int64_t> ids = along[a];
      std::sort(ids.begin(), ids.end());
      const std::optional<Grid> found = grid_of(ids);
      if (!found || found->size() != 1) continue;
      grid = found->front();
    }
    named.insert(named.begin(), {axis.name, grid});
  }
  return named;
}

// Returns the replica groups as an enumeration if the text has one, otherwise as lists.
WrittenGroups written_groups(InstructionView collective) {
  WrittenGroups written;
  std::optional<ReplicaGroups> groups = replica_groups(collective);
  if (!groups || (groups->form == ReplicaGroups::Form::kList && groups->ends.empty())) return written;
  written.named_axes = named_axes(groups->mesh);
  // A mesh whose device order is not row-major must be converted to lists.
  const bool reordered = !groups->mesh.device_ids.empty() || !groups->mesh.order.dimensions.empty();
  if (groups->form != ReplicaGroups::Form::kList && !reordered && !groups->mesh.maximal_device) {
    if (std::optional<Grid> order = iota_grid(groups->order.dimensions, groups->order.permutation)) {
      written.enumerated = true;
      written.order = *std::move(order);
      written.group_size = groups->size;
      return written;
    }
  }
  groups->for_each_group([&](absl::Span<const std::int64_t> ids) {
    if (!ids.empty()) written.lists.emplace_back(ids.begin(), ids.end());
    return true;
  });
  return written;
}

double leaf_bytes(const ShapeTable& shapes, ShapeId id) { return static_cast<double>(padded_bytes(shapes, id)); }

double operand_bytes(InstructionView instruction) {
  double bytes = 0;
  for (InstructionView operand : instruction.operands()) {
    bytes += leaf_bytes(instruction.module().shapes(), operand.shape_id());
  }
  return bytes;
}

double full_bytes(InstructionView instruction, CollectiveKind kind) {
  const ShapeTable& shapes = instruction.module().shapes();
  switch (kind) {
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kRecv: return leaf_bytes(shapes, result_of(instruction));
    case CollectiveKind::kCollectivePermute:
      // The operands of the in-place form are operand, destination and their offsets.
      if (instruction.operand_count() >= 4) return leaf_bytes(shapes, instruction.operand(0).shape_id());
      return operand_bytes(instruction);
    case CollectiveKind::kRaggedAllToAll:
    case CollectiveKind::kSend:
      if (instruction.operand_count() == 0) return 0;
      return leaf_bytes(shapes, instruction.operand(0).shape_id());
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kCollectiveBroadcast: return operand_bytes(instruction);
  }
  return 0;
}

// Returns true if the transfer is between pairs of devices.
bool permutes(CollectiveKind kind) {
  return kind == CollectiveKind::kCollectivePermute || kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv;
}

// Returns the pairs of a permutation as device ids, repeated for every replica or partition that the numbers do not
// name.
std::vector<std::pair<std::int64_t, std::int64_t>> device_pairs(InstructionView permute, GroupMode mode) {
  const std::int64_t replicas = std::max<std::int64_t>(permute.module().replica_count(), 1);
  const std::int64_t partitions = std::max<std::int64_t>(permute.module().num_partitions(), 1);
  const bool of_partitions = mode == GroupMode::kCrossPartition;
  const std::int64_t copies = of_partitions ? replicas : partitions;
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const auto& [source, target] : source_target_pairs(permute)) {
    for (std::int64_t copy = 0; copy < copies && result.size() < kMaxPairs; ++copy) {
      const auto device = [&](std::int64_t id) {
        return of_partitions ? saturating_add(saturating_multiply(copy, partitions), id)
                             : saturating_add(saturating_multiply(id, partitions), copy);
      };
      result.emplace_back(device(source), device(target));
    }
  }
  return result;
}

// Returns the dynamic-slice that keeps this device's part of an all-reduce inside a fusion. The two are equivalent to a
// reduce-scatter.
std::optional<InstructionView> slice_of_reduction(InstructionView all_reduce) {
  std::vector<InstructionId> from = {all_reduce.id()};
  int looked_at = 0;
  for (InstructionId id = row_of(all_reduce).next; id.valid() && looked_at < kMaxUsersLookedAt; ++looked_at) {
    const InstructionView user(&all_reduce.module(), id);
    id = row_of(user).next;
    const bool follows = std::any_of(user.operand_ids().begin(), user.operand_ids().end(), [&](InstructionId operand) {
      return std::find(from.begin(), from.end(), operand) != from.end();
    });
    if (!follows) continue;
    if (user.opcode() == Opcode::kDynamicSlice) {
      if (element_count(user.shape()) < element_count(user.operand(0).shape())) return user;
    } else if (keeps_elements(user.opcode()) || flow(user.opcode()) == Flow::kPicks) {
      from.push_back(user.id());
    }
  }
  return std::nullopt;
}

// Returns the number of data operands. The others are offsets, tokens and destinations.
std::int64_t combined_arrays(InstructionView instruction, CollectiveKind kind) {
  const auto operands = static_cast<std::int64_t>(instruction.operand_count());
  switch (kind) {
    case CollectiveKind::kRaggedAllToAll:
    case CollectiveKind::kSend:
    case CollectiveKind::kRecv: return 1;
    case CollectiveKind::kCollectivePermute: return operands == 4 ? 1 : operands;  // in place
    default: return operands;
  }
}

// Returns the bytes of an element of the first `arrays` operands, averaged if they have different types.
double average_element_bytes(InstructionView instruction, std::int64_t arrays) {
  double bytes = 0;
  double elements = 0;
  for (std::size_t i = 0; i < instruction.operand_count() && static_cast<std::int64_t>(i) < arrays; ++i) {
    const Shape& operand = instruction.operand(i).shape();
    if (!operand.is_array()) continue;
    bytes += static_cast<double>(logical_bytes(operand));
    elements += static_cast<double>(element_count(operand));
  }
  return elements > 0 ? bytes / elements : 0;
}

// The devices of collectives, by the text that names them. A program has few such texts, and many collectives.
class DevicesByText {
 public:
  struct Devices {
    DeviceGroups groups;
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // of a permutation
  };

  const Devices& find(InstructionView instruction, GroupMode mode, bool is_permutation) {
    const auto [found, is_new] =
        known_.try_emplace({instruction.text(names_devices(instruction, is_permutation)), mode, is_permutation});
    if (is_new) found->second = read(instruction, mode, is_permutation);
    return found->second;
  }

 private:
  // The attribute that source_target_pairs() and replica_groups() read.
  static AttributeKey names_devices(InstructionView instruction, bool is_permutation) {
    if (!is_permutation) return AttributeKey::kReplicaGroups;
    const bool is_message = instruction.opcode() == Opcode::kSend || instruction.opcode() == Opcode::kRecv;
    return is_message ? AttributeKey::kFrontendAttributes : AttributeKey::kSourceTargetPairs;
  }

  static Devices read(InstructionView instruction, GroupMode mode, bool is_permutation) {
    const Module& module = instruction.module();
    Devices devices;
    if (!is_permutation) {
      devices.groups =
          resolve_groups(written_groups(instruction), mode, module.replica_count(), module.num_partitions());
      return devices;
    }
    devices.pairs = device_pairs(instruction, mode);
    devices.groups =
        permutation_groups(devices.pairs, saturating_multiply(std::max<std::int64_t>(module.replica_count(), 1),
                                                              std::max<std::int64_t>(module.num_partitions(), 1)));
    devices.groups.mode = mode;
    return devices;
  }

  absl::flat_hash_map<std::tuple<std::string_view, GroupMode, bool>, Devices> known_;
};

Collective describe_collective(InstructionView instruction, CollectiveKind kind, InstructionView carrier,
                               DevicesByText& devices) {
  Collective collective;
  collective.kind = kind;
  collective.instruction = instruction.id();
  collective.carrier = carrier.id();
  collective.in_fusion = carrier.opcode() == Opcode::kFusion;
  if (is_megascale(instruction) && read_slice_transfer(instruction, collective).ok()) return collective;
  const GroupMode mode = mode_of(instruction, kind);
  const Module& module = instruction.module();
  const DevicesByText::Devices& of_it = devices.find(instruction, mode, permutes(kind));
  collective.groups = of_it.groups;
  collective.pairs = of_it.pairs;
  collective.bytes = full_bytes(instruction, kind);
  collective.arrays = combined_arrays(instruction, kind);
  if (instruction.operand_count() > 0) {
    collective.shard_shape = instruction.operand(0).shape_id();
    collective.element_bytes = average_element_bytes(instruction, collective.arrays);
  }
  const std::vector<std::int64_t> dimensions = integers(instruction, AttributeKey::kDimensions);
  if (!dimensions.empty()) collective.dimension = dimensions[0];
  if (kind == CollectiveKind::kReduceScatter) {
    const absl::Span<const ShapeId> leaves = module.shapes().leaves(instruction.shape_id());
    if (!leaves.empty()) collective.shard_shape = leaves[0];
  }
  if (kind == CollectiveKind::kAllReduce && collective.in_fusion) {
    if (std::optional<InstructionView> slice = slice_of_reduction(instruction)) {
      collective.kind = CollectiveKind::kReduceScatter;
      collective.shard_shape = slice->shape_id();
      const Shape& whole = slice->operand(0).shape();
      for (int i = 0; i < whole.rank() && i < slice->shape().rank(); ++i) {
        if (whole.dimensions[i] != slice->shape().dimensions[i]) collective.dimension = i;
      }
    }
  }
  return collective;
}

// What an instruction may mean for the computation that contains it, by opcode: it begins a collective, runs other
// computations, or continues what another instruction started. Most instructions do none of these, and a look-up takes
// a quarter of the time of the questions.
enum Means : std::uint8_t { kNothing = 0, kBegins = 1, kRuns = 2, kContinues = 4 };
constexpr std::array<std::uint8_t, kOpcodeCount + 1> kMeans = [] {
  std::array<std::uint8_t, kOpcodeCount + 1> means = {};
  for (std::size_t i = 0; i < means.size(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const AsyncRole role = async_role(opcode);
    const bool continues = role == AsyncRole::kDone || role == AsyncRole::kUpdate;
    means[i] =
        static_cast<std::uint8_t>((is_collective(opcode) ? kBegins : kNothing) |
                                  (runs_computations(opcode) || opcode == Opcode::kCustomCall ? kRuns : kNothing) |
                                  (continues ? kContinues : kNothing));
  }
  return means;
}();

// Returns whether an instruction runs a computation that is marked, or that is not in the text.
bool runs_any(InstructionView instruction, const std::vector<bool>& marked) {
  if (instruction.opcode() == Opcode::kCustomCall && !program_of_sparse_core(instruction).valid()) return false;
  for (const AttributeData& attribute : instruction.attributes()) {
    if (attribute.key == AttributeKey::kControlPredecessors) continue;
    for (const std::uint32_t called : ModuleRows::references(instruction.module(), attribute)) {
      if (called >= marked.size() || marked[called]) return true;
    }
  }
  return false;
}

// Returns whether a computation has a collective, itself or in a computation that it runs, of which `marked` says
// whether they have one.
bool may_have_collectives(ComputationView computation, ListsByComputation<InstructionId>& meaning,
                          const std::vector<bool>& marked) {
  for (InstructionId id : meaning.of(computation)) {
    const InstructionView instruction = computation.module().instruction(id);
    const std::uint8_t means = kMeans[static_cast<std::size_t>(instruction.opcode())];
    if ((means & kBegins) != 0) return true;
    if ((means & kRuns) != 0 && runs_any(instruction, marked)) return true;
  }
  return false;
}

// The role of a fused computation for a collective that several fusions share. The root of such a computation is a
// custom call of XLA's TPU compiler.
enum class Step { kWhole, kStart, kDone };
Step step_of(ComputationView fused) {
  const InstructionView root = fused.root();
  if (root.opcode() != Opcode::kCustomCall) return Step::kWhole;
  const std::string_view target = root.text(AttributeKey::kCustomCallTarget);
  if (target == kAsyncCollectiveStart) return Step::kStart;
  return target == kAsyncCollectiveDone ? Step::kDone : Step::kWhole;
}

class Finder {
 public:
  explicit Finder(CollectiveRecord& record) : record_(record) {}

  // Reuses known collectives; see find_collectives_again().
  Finder(std::vector<Collective> known, const std::set<std::uint32_t>& reread, CollectiveRecord& record)
      : record_(record), known_(std::move(known)), reread_(&reread), is_taken_(known_.size(), false) {}

  CollectivesAgain run(const Module& module, const CallGraph& calls) {
    std::vector<bool> is_edited = edited_computations(module);
    const bool are_all_stale = find_which_may_have(module, is_edited) || record_.has_loops;
    const std::vector<bool> is_stale =
        are_all_stale ? std::vector<bool>(is_edited.size(), true) : stale_computations(is_edited);
    if (are_all_stale) forget_carriers();
    absl::flat_hash_map<std::uint32_t, IndexRange> found_before = std::exchange(record_.found_in, {});
    for (const ComputationId id : CallFacts::scheduled(calls)) {
      const auto before = found_before.find(id.index);
      const bool is_kept = before != found_before.end() && !is_stale[id.index];
      known_range_ = before == found_before.end() ? IndexRange() : before->second;
      const std::size_t begin = result_.collectives.size();
      if (is_kept) {
        keep();
      } else {
        scan(module.computation(id));
      }
      const IndexRange range = {begin, result_.collectives.size()};
      record_.found_in[id.index] = range;
      if (!is_kept) result_.read.push_back(range);
    }
    return std::move(result_);
  }

 private:
  // By ComputationId: those with edits since the last search, or with a collective that is to be read again.
  std::vector<bool> edited_computations(const Module& module) {
    std::vector<bool> is_edited(module.computation_limit(), false);
    for (const std::uint32_t i : std::exchange(record_.edited, {})) {
      if (i < is_edited.size()) is_edited[i] = true;
    }
    if (reread_ == nullptr) return is_edited;
    for (const std::uint32_t i : *reread_) is_edited[row_of(module, InstructionId(i)).computation.index] = true;
    return is_edited;
  }

  // Brings record_.may_have up to date, and marks the computations of which it is another one. Returns whether one that
  // was known had no collective and now may have one: which carriers run it is not known. Computations precede their
  // callers; if one does not, the answer is that it may have one.
  bool find_which_may_have(const Module& module, std::vector<bool>& is_edited) {
    const std::size_t known = record_.may_have.size();
    bool are_others = false;
    bool have_more = false;
    record_.may_have.resize(module.computation_limit(), true);
    for (ComputationView computation : module.computations()) {
      const std::uint32_t i = computation.id().index;
      if (i < known && !is_edited[i] && !are_others) continue;
      const bool may_have = may_have_collectives(computation, record_.meaning, record_.may_have);
      if (i < known && may_have != record_.may_have[i]) {
        are_others = is_edited[i] = true;
        have_more |= may_have;
      }
      record_.may_have[i] = may_have;
    }
    return have_more;
  }

  void forget_carriers() {
    record_.carriers.clear();
    record_.run_from.clear();
    record_.has_loops = false;
  }

  // By ComputationId: those that are edited, and those with carriers that run one of them.
  std::vector<bool> stale_computations(const std::vector<bool>& is_edited) const {
    std::vector<bool> is_stale = is_edited;
    for (const auto& [inner, scheduled] : record_.run_from) {
      if (inner >= is_edited.size() || !is_edited[inner]) continue;
      for (const std::uint32_t outer : scheduled) {
        if (outer < is_stale.size()) is_stale[outer] = true;  // the others are gone
      }
    }
    return is_stale;
  }

  // Takes the collectives of a computation from the known ones.
  void keep() {
    for (std::size_t i = known_range_.begin; i < known_range_.end; ++i) {
      result_.collectives.push_back(std::move(known_[i]));
      result_.before.push_back(i);
    }
  }

  void scan(ComputationView computation) {
    scheduled_ = computation.id();
    next_known_ = known_range_.begin;
    known_at_.clear();
    open_.clear();
    started_.clear();
    for (InstructionId id : record_.meaning.of(computation)) {
      const InstructionView instruction = computation.module().instruction(id);
      if (const std::optional<CollectiveKind> kind = begun_kind(instruction.opcode())) {
        if (!is_with_host(instruction)) add(instruction, *kind, instruction);
      } else if (async_role(instruction.opcode()) == AsyncRole::kDone) {
        finish(instruction);
      } else if (async_role(instruction.opcode()) == AsyncRole::kUpdate && instruction.operand_count() > 0) {
        const auto start = started_.find(instruction.operand(0).id().index);
        if (start == started_.end()) continue;
        const auto carried = start->second;  // an insertion moves what `start` points to
        started_[instruction.id().index] = carried;
      } else if (wraps_computation(instruction.opcode())) {
        scan_inside(instruction);
      }
    }
  }

  // Adds the collectives of a fusion or of an async-start. They may lie deeper: the program of another thread is a call
  // of the computation that has the collective.
  void scan_inside(InstructionView carrier) {
    if (!runs_any(carrier, record_.may_have)) return;
    const Module& module = carrier.module();
    const std::vector<ComputationId> direct = carrier.called_computations();
    record_.carriers.insert(carrier.id().index);
    bool nests = false;
    for (const ComputationId called : direct) {
      const ComputationView computation = module.computation(called);
      note_runs(called);
      if (!computation.is_missing()) nests |= scan_wrapped(computation, step_of(computation), 1, carrier);
    }
    if (!nests) return;
    const Step step = direct.size() == 1 ? step_of(module.computation(direct[0])) : Step::kWhole;
    for (const WrappedComputation& wrapped : wrapped_computations(carrier)) {
      note_runs(wrapped.id);
      record_.has_loops |= wrapped.runs != 1;
      if (std::find(direct.begin(), direct.end(), wrapped.id) != direct.end()) continue;
      scan_wrapped(module.computation(wrapped.id), step, wrapped.runs, carrier);
    }
  }

  // Takes note that the computation which is scanned has a carrier that runs this one.
  void note_runs(ComputationId called) {
    absl::InlinedVector<std::uint32_t, 1>& from = record_.run_from[called.index];
    if (std::find(from.begin(), from.end(), scheduled_.index) == from.end()) from.push_back(scheduled_.index);
  }

  // Adds the collectives of one computation. A collective that is split into steps appears with one channel in several
  // fusions: the one that starts it, those that continue it in addition to their other work, and the one that ends it.
  // Returns whether the computation runs others that may have collectives.
  bool scan_wrapped(ComputationView called, Step step, double runs, InstructionView carrier) {
    bool nests = false;
    for (InstructionId id : record_.meaning.of(called)) {
      const InstructionView inside = called.module().instruction(id);
      const std::uint8_t means = kMeans[static_cast<std::size_t>(inside.opcode())];
      nests |= (means & kRuns) != 0 && runs_any(inside, record_.may_have);
      const std::optional<CollectiveKind> kind = begun_kind(inside.opcode());
      if (!kind || is_with_host(inside)) continue;
      const std::optional<std::int64_t> channel = integer(inside, AttributeKey::kChannelId);
      if (channel && step != Step::kStart) {
        const auto open = open_.find(*channel);
        if (open != open_.end()) {
          if (step == Step::kDone) {
            result_.collectives[open->second].done = carrier.id();
            open_.erase(open);
          }
          continue;
        }
      }
      if (step == Step::kDone) continue;  // its start is not visible
      if (channel && step == Step::kStart) open_[*channel] = result_.collectives.size();
      add(inside, *kind, carrier, runs);
    }
    return nests;
  }

  void add(InstructionView instruction, CollectiveKind kind, InstructionView carrier, double runs = 1) {
    if (!carrier.id().valid()) return;
    std::vector<Collective>& found = result_.collectives;
    started_[carrier.id().index].push_back(found.size());
    const std::size_t known = take_known(instruction.id(), carrier.id());
    if (known == CollectivesAgain::kNew) {
      found.push_back(describe_collective(instruction, kind, carrier, devices_));
      found.back().runs = runs;
      result_.before.push_back(CollectivesAgain::kNew);
      return;
    }
    found.push_back(std::move(known_[known]));
    found.back().done = InstructionId();
    result_.before.push_back(found.back().runs == runs ? known : CollectivesAgain::kNew);
    found.back().runs = runs;
  }

  // Returns the index of a known collective of the computation that need not be read again, at most once; kNew if there
  // is none. Most follow the last one that was taken.
  std::size_t take_known(InstructionId instruction, InstructionId carrier) {
    if (reread_ == nullptr || reread_->count(instruction.index) != 0) return CollectivesAgain::kNew;
    const auto is_it = [&](std::size_t i) {
      return known_[i].instruction == instruction && known_[i].carrier == carrier && !is_taken_[i];
    };
    std::size_t at = next_known_;
    if (at >= known_range_.end || !is_it(at)) {
      if (known_at_.empty()) {
        for (std::size_t i = known_range_.begin; i < known_range_.end; ++i) {
          if (!is_taken_[i]) known_at_.try_emplace(key(known_[i].instruction, known_[i].carrier), i);
        }
      }
      const auto found = known_at_.find(key(instruction, carrier));
      if (found == known_at_.end() || !is_it(found->second)) return CollectivesAgain::kNew;
      at = found->second;
    }
    is_taken_[at] = true;
    next_known_ = at + 1;
    return at;
  }

  void finish(InstructionView done) {
    if (done.operand_count() == 0) return;
    const auto start = started_.find(done.operand(0).id().index);
    if (start == started_.end()) return;
    for (const std::size_t i : start->second) result_.collectives[i].done = done.id();
  }

  static std::uint64_t key(InstructionId instruction, InstructionId carrier) {
    return (std::uint64_t{carrier.index} << 32) | instruction.index;
  }

  CollectiveRecord& record_;
  DevicesByText devices_;
  std::vector<Collective> known_;
  const std::set<std::uint32_t>* reread_ = nullptr;
  std::vector<bool> is_taken_;  // of known_, for those that a scan put into the result
  CollectivesAgain result_;
  // Of the computation that is scanned:
  ComputationId scheduled_;
  IndexRange known_range_;                                    // its collectives in known_
  std::size_t next_known_ = 0;                                // the one behind that which was taken last
  absl::flat_hash_map<std::uint64_t, std::size_t> known_at_;  // by key(); made when one is not the next
  absl::flat_hash_map<std::int64_t, std::size_t> open_;       // by channel: split into steps and not yet ended
  absl::flat_hash_map<std::uint32_t, absl::InlinedVector<std::size_t, 1>> started_;  // by carrier
};

}  // namespace

bool has_meaning_for_collectives(InstructionView instruction) {
  return kMeans[static_cast<std::size_t>(instruction.opcode())] != kNothing;
}

void list_if_it_has_meaning_for_collectives(InstructionView instruction, std::vector<InstructionId>& list) {
  if (has_meaning_for_collectives(instruction)) list.push_back(instruction.id());
}

void CollectiveRecord::cut(std::size_t computation_limit) {
  meaning.cut(computation_limit);
  if (computation_limit < may_have.size()) may_have.resize(computation_limit);
  absl::erase_if(found_in, [&](const auto& found) { return found.first >= computation_limit; });
}

bool is_permutation(const Collective& collective) {
  return collective.kind == CollectiveKind::kCollectivePermute || !collective.pairs.empty();
}

CollectivesAgain find_collectives_again(const Module& module, const CallGraph& calls, std::vector<Collective> known,
                                        const std::set<std::uint32_t>& reread, bool others, CollectiveRecord& record) {
  if (others) return Finder(std::move(known), reread, record).run(module, calls);
  CollectivesAgain result;
  DevicesByText devices;
  result.collectives = std::move(known);
  for (std::size_t i = 0; i < result.collectives.size(); ++i) {
    Collective& collective = result.collectives[i];
    result.before.push_back(i);
    if (reread.count(collective.instruction.index) == 0) continue;
    const InstructionView instruction = module.instruction(collective.instruction);
    Collective read = describe_collective(instruction, *begun_kind(instruction.opcode()),
                                          module.instruction(collective.carrier), devices);
    read.done = collective.done;
    read.runs = collective.runs;
    collective = std::move(read);
    result.before[i] = CollectivesAgain::kNew;
  }
  return result;
}

std::vector<Collective> find_collectives(const Module& module, const CallGraph& calls, CollectiveRecord& record) {
  return Finder(record).run(module, calls).collectives;
}

std::vector<Collective> find_collectives(const Module& module, const CallGraph& calls) {
  CollectiveRecord record;
  return find_collectives(module, calls, record);
}

}  // namespace hloroof::internal::inline analysis

namespace hloroof::inline v0 {
using namespace internal;

std::vector<Collective> find_collectives(const Module& module) {
  return internal::find_collectives(module, analyze_calls(module));
}

LogicalMesh infer_mesh(const Module& module) { return infer_mesh(module, find_collectives(module)); }

}  // namespace hloroof::inline v0
