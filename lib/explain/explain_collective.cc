// Explains one collective, and the mesh of a module, in words.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/megascale.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/saturating.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/explain/explain.h"
#include "lib/ir/element_type.h"
#include "lib/time/collective.h"
#include "lib/time/placements.h"

namespace hloroof::internal::inline explain {
namespace {

std::string plural(std::int64_t count, std::string_view one) {
  return absl::StrCat(count, " ", to_absl(one), count == 1 ? "" : "s");
}

std::string roles_of(const MeshAxis& axis) {
  std::string text;
  for (const AxisRole role : axis.roles) {
    absl::StrAppend(&text, text.empty() ? "" : " and ", to_absl(axis_role_name(role)));
  }
  return text;
}

// Example: "the 8-way stride-16 axis", "data (8-way, stride 16)".
std::string axis_in_words(const MeshAxis& axis) {
  return absl::StrCat(is_description_of_axis(axis.name) ? "the " : "", axis_with_stride(axis));
}

std::string groups_line(const Collective& collective, const LogicalMesh& mesh) {
  const DeviceGroups& groups = collective.groups;
  const bool alike = std::all_of(groups.members.begin(), groups.members.end(), [&](const std::vector<std::int64_t>& m) {
    return static_cast<std::int64_t>(m.size()) == groups.group_size;
  });
  const std::string size = absl::StrCat(alike ? " of " : " of up to ", groups.group_size);
  std::string line =
      is_permutation(collective)
          ? absl::StrCat("source_target_pairs: ", plural(static_cast<std::int64_t>(collective.pairs.size()), "pair"),
                         " that join ", plural(groups.group_count, "group"), size)
          : absl::StrCat("replica_groups: ", plural(groups.group_count, "group"), size);
  if (groups.all_devices) absl::StrAppend(&line, " (the text names none: all devices)");
  const std::vector<int> spanned = spanned_axes(mesh, groups);
  if (groups.group_size <= 1) return absl::StrCat(line, ": no communication");
  if (spanned.empty()) {
    return absl::StrCat(line, groups.regular ? ": no whole axes of the mesh " : ": irregular, no axes of the mesh ",
                        mesh.to_string());
  }
  std::vector<std::string> inside;
  std::vector<std::string> outside;
  std::size_t next = 0;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    if (next < spanned.size() && spanned[next] == static_cast<int>(i)) {
      inside.push_back(axis_in_words(mesh.axes[i]));
      ++next;
    } else {
      outside.push_back(absl::StrCat(mesh.axes[i].size, "-way"));
    }
  }
  absl::StrAppend(&line, " over ", absl::StrJoin(inside, " and "));
  if (outside.size() == 1) absl::StrAppend(&line, "; the other axis is ", outside[0]);
  if (outside.size() > 1) absl::StrAppend(&line, "; the other axes are ", absl::StrJoin(outside, " and "));
  return line;
}

std::string shape_text(ElementType type, const std::vector<std::int64_t>& dimensions) {
  return absl::StrCat(to_absl(to_string(type)), "[", absl::StrJoin(dimensions, ","), "]");
}

// Gives the shape of the array without the axis: the gathered or scattered dimension times the group size. An
// all-reduce does not name the sharded dimension, so all candidates are listed.
std::string unsharded_line(const Module& module, const Collective& collective) {
  if (!collective.shard_shape.valid() || collective.groups.group_size <= 1) return "";
  const Shape& shard = module.shape(collective.shard_shape);
  if (!shard.is_array() || shard.rank() == 0) return "";
  const std::int64_t n = collective.groups.group_size;
  const std::string device = absl::StrCat(shape_text(shard.element_type, shard.dimensions), " a device");
  const bool whole_dimension =
      collective.kind == CollectiveKind::kAllGather || collective.kind == CollectiveKind::kReduceScatter;
  if (whole_dimension && collective.dimension >= 0 && collective.dimension < shard.rank()) {
    std::vector<std::int64_t> full = shard.dimensions;
    full[collective.dimension] = saturating_multiply(full[collective.dimension], n);
    return absl::StrCat("unsharded: ", device, ", ", n, "-way on dimension ", collective.dimension,
                        ": implied unsharded shape ", shape_text(shard.element_type, full));
  }
  if (collective.kind != CollectiveKind::kAllReduce) return "";
  std::vector<std::string> fulls;
  for (int i = 0; i < shard.rank(); ++i) {
    std::vector<std::int64_t> full = shard.dimensions;
    full[i] = saturating_multiply(full[i], n);
    fulls.push_back(shape_text(shard.element_type, full));
  }
  return absl::StrCat("unsharded: ", device, " of partial sums, the same on the ", n,
                      " after; were one of its dimensions sharded on the axis, the implied unsharded shape would be ",
                      absl::StrJoin(fulls, " or "));
}

// Returns the type that an array had before a convert widened it, or nullopt if no convert did. For a fusion, looks at
// the root.
std::optional<ElementType> type_before_widening(InstructionView array) {
  if (array.opcode() == Opcode::kFusion) {
    const std::vector<ComputationId> fused = array.called_computations();
    if (fused.empty() || array.module().computation(fused[0]).is_missing()) return std::nullopt;
    array = array.module().computation(fused[0]).root();
  }
  if (array.opcode() != Opcode::kConvert || array.operand_count() == 0) return std::nullopt;
  const Shape& narrow = array.operand(0).shape();
  if (!narrow.is_array() || bits(narrow.element_type) >= bits(array.shape().element_type)) return std::nullopt;
  return narrow.element_type;
}

// Reports a reduction that a compiler widened. XLA's all-reduce promotion puts a convert on either side of a reduction
// whose type the links or the arithmetic do not support. The bytes are then those of the wide type.
std::string types_line(const Module& module, const Collective& collective) {
  const bool reduces =
      collective.kind == CollectiveKind::kAllReduce || collective.kind == CollectiveKind::kReduceScatter;
  const InstructionView instruction = module.instruction(collective.instruction);
  if (!reduces || instruction.operand_count() == 0) return "";
  const std::optional<ElementType> narrow = type_before_widening(instruction.operand(0));
  if (!narrow) return "";
  const ElementType wide = instruction.operand(0).shape().element_type;
  return absl::StrCat("types: reduced as ", to_absl(to_string(wide)), ", converted from ", to_absl(to_string(*narrow)),
                      ": ", bits(wide), " bits of each element on the wire where ", bits(*narrow), " would do");
}

std::string machine_line(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping) {
  LogicalMesh part;
  PhysicalMapping of_part;
  of_part.physical = mapping.physical;
  for (const int i : spanned_axes(mesh, collective.groups)) {
    if (i >= static_cast<int>(mapping.pieces.size())) continue;
    part.axes.push_back(mesh.axes[i]);
    of_part.pieces.push_back(mapping.pieces[i]);
  }
  if (part.axes.empty()) return "";
  return absl::StrCat("machine: ", mapping.topology.to_string(), "; ", of_part.to_string(part));
}

// Lists where the group may lie, with the times: "placement: ...; 4.20 ms on y (4 of 16) and x (4 of 16)".
std::string placements_line(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                            const Device& device) {
  constexpr std::size_t kMost = 5;
  constexpr double kApart = 0.05;  // placements that take as long as the predicted one are not worth a line
  std::vector<GroupPlacement> others = other_placements(collective, mesh, mapping, device);
  if (others.empty()) return "";
  const GroupPlacement mapped = mapped_placement(collective, mesh, mapping, device);
  others.erase(std::remove_if(
                   others.begin(), others.end(),
                   [&](const GroupPlacement& other) { return std::abs(other.seconds / mapped.seconds - 1) < kApart; }),
               others.end());
  if (others.empty()) return "";
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (i == kMost) {
      listed.push_back(absl::StrCat(others.size() - kMost, " more, up to ", format_seconds(others.back().seconds)));
      break;
    }
    listed.push_back(absl::StrCat(format_seconds(others[i].seconds), " on ", others[i].on));
  }
  return absl::StrCat(
      "placement: the text does not say which chips a group is on. Predicted: ", format_seconds(mapped.seconds), " on ",
      mapped.on, ". Also possible: ", absl::StrJoin(listed, "; "), ". --device-order sets it");
}

// Says which slices take part, and which instructions are the two halves of the transfer.
std::vector<std::string> slices_lines(const Module& module, const Collective& collective) {
  const DeviceGroups& groups = collective.groups;
  std::vector<std::string> lines;
  std::string line =
      is_permutation(collective)
          ? absl::StrCat("slices: ", plural(static_cast<std::int64_t>(collective.pairs.size()), "message"),
                         " between devices")
          : absl::StrCat("slices: ", plural(groups.group_count, "group"), " of ", groups.group_size,
                         groups.group_size == 1 ? " slice" : " slices", ", one device of each");
  const InstructionView recv = module.instruction(collective.instruction);
  if (recv.opcode() != Opcode::kRecv) {
    lines.push_back(absl::StrCat(line, "; the text is the program of one slice, of which each runs a copy"));
    lines.push_back(absl::StrCat("begins: when ", to_absl(module.instruction(collective.carrier).name()),
                                 " ends; the end of the step waits for it"));
    return lines;
  }
  lines.push_back(absl::StrCat(line, "; the program is that of one of ", collective.slices, " slices"));
  const std::map<std::string, InstructionId> sends = megascale_sends(recv.computation());
  const auto send = sends.find(megascale_rendezvous(recv));
  lines.push_back(send != sends.end()
                      ? absl::StrCat("pair: ", to_absl(module.instruction(send->second).name()),
                                     " hands the data to the host and begins the transfer, ", to_absl(recv.name()),
                                     " takes the result")
                      : absl::StrCat("pair: no send in this computation has the rendezvous of ", to_absl(recv.name())));
  return lines;
}

std::string_view link_name(const CollectiveCost& cost, const Device& device) {
  if (cost.resource == Resource::kDcn) return "network";
  return device.ici.dims > 0 ? "ICI" : "scale-up";
}

}  // namespace

std::vector<std::string> explain_collective(const Module& module, const Collective& collective, AxisRole role,
                                            const CollectiveCost& cost, const LogicalMesh& mesh,
                                            const PhysicalMapping& mapping, const Device& device) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  add(absl::StrCat(to_absl(to_string(collective.kind)), " of ", format_bytes(cost.bytes),
                   collective.arrays > 1 ? absl::StrCat(" in ", collective.arrays, " arrays") : "",
                   collective.in_fusion ? ", inside a fusion" : "",
                   collective.done.valid() ? ", asynchronous: what stands before its done may hide it" : ""));
  const bool point_to_point = collective.kind == CollectiveKind::kSend || collective.kind == CollectiveKind::kRecv;
  if (collective.slices > 0) {
    for (std::string& line : slices_lines(module, collective)) add(std::move(line));
    add(types_line(module, collective));
    add(machine_line(collective, mesh, mapping));
  } else if (!point_to_point) {
    add(groups_line(collective, mesh));
    add(absl::StrCat("ids: ", to_absl(group_mode_name(collective.groups.mode)), ", ", module.replica_count(),
                     module.replica_count() == 1 ? " replica of " : " replicas of ",
                     plural(module.num_partitions(), "partition")));
    add(unsharded_line(module, collective));
    add(types_line(module, collective));
    add(machine_line(collective, mesh, mapping));
  }
  if (cost.seconds <= 0) return lines;
  add(absl::StrCat("wire: ", format_bytes(cost.wire_bytes), " sent by each device, ",
                   format_bytes(cost.busiest_link_bytes), " over the busiest ", to_absl(link_name(cost, device)),
                   " link one way (", format_rate(cost.link_bandwidth, "B/s"), " nominal), ",
                   format_percent(cost.utilization), " of it achieved"));
  add(absl::StrCat("time: ", format_seconds(cost.bandwidth_seconds), " bandwidth + ",
                   format_seconds(cost.latency_seconds), " latency = ", format_seconds(cost.seconds), ", ",
                   cost.algorithm));
  if (!point_to_point && collective.slices == 0) add(placements_line(collective, mesh, mapping, device));
  if (cost.crossover_bytes > 0) {
    add(absl::StrCat("size: latency bound below ", format_bytes(cost.crossover_bytes), ", bandwidth bound above"));
  }
  if (const std::optional<double> tokens = crossover_tokens(collective, role, cost, device)) {
    add(absl::StrCat("hidden: behind the matmuls with these weights from ", format_count(*tokens), " tokens a device"));
  }
  if (!cost.note.empty()) add(absl::StrCat("assumed: ", cost.note));
  return lines;
}

std::vector<std::string> explain_mesh(const LogicalMesh& mesh, const PhysicalMapping& mapping) {
  std::vector<std::string> lines;
  lines.push_back(absl::StrCat("mesh: ", plural(mesh.device_count, "device"), ", ", mesh.to_string()));
  for (const MeshAxis& axis : mesh.axes) {
    const std::string roles = roles_of(axis);
    const std::string name = is_description_of_axis(axis.name)
                                 ? absl::StrCat(axis_with_stride(axis), ": ")
                                 : absl::StrCat(axis.name, ": ", axis.size, "-way, stride ", axis.stride, ", ");
    lines.push_back(absl::StrCat("  ", name,
                                 !roles.empty()   ? absl::StrCat(roles, " (", axis.why, ")")
                                 : axis.bytes > 0 ? "role not decided"
                                                  : "nothing goes along it"));
  }
  lines.push_back(absl::StrCat("machine: ", mapping.topology.to_string(), "; ", mapping.to_string(mesh)));
  for (const std::string& note : mesh.notes) lines.push_back(absl::StrCat("  note: ", note));
  for (const std::string& note : mapping.notes) lines.push_back(absl::StrCat("  note: ", note));
  return lines;
}

}  // namespace hloroof::internal::inline explain
