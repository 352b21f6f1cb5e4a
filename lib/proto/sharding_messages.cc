// Shardings, replica groups and the meshes that both may name: OpSharding, NamedShardingProto, the lists of groups of
// HloInstructionProto, and MeshProto.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/attribute_forms.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/proto/message_rows.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {

template <>
constexpr auto kMembers<Mesh::Axis> = std::tuple(&Mesh::Axis::name, &Mesh::Axis::size);
template <>
constexpr auto kMembers<IotaOrder> = std::tuple(&IotaOrder::dimensions, &IotaOrder::permutation);
// Without device ids and order, the devices are in order.
template <>
constexpr auto kMembers<Mesh> = std::tuple(&Mesh::axes, &Mesh::device_ids, &Mesh::order);

namespace {

namespace named = fields::named_sharding;
namespace types = fields::sharding;

// A proto names an axis by a number of one or two bytes, however long the axis name is. Text beyond the maximum size of
// a module is rejected.
constexpr std::size_t kMostText = 0xfffffff0;

// ---- Meshes ------------------------------------------------------------------------------------------------------

// mesh := 'mesh' '[' list(STRING '=' INT) ']' (', device_ids=' '(' ids ')')?
bool append_mesh(const WireMessage& message, Mesh& mesh, std::string& out) {
  mesh = read_message<Mesh>(message);
  const char* separator = "mesh[";
  for (const Mesh::Axis& axis : mesh.axes) {
    absl::StrAppend(&out, separator, "'", axis.name, "'=", axis.size);
    separator = ",";
  }
  out += mesh.axes.empty() ? "mesh[]" : "]";
  if (!mesh.device_ids.empty()) {
    out += ", device_ids=(";
    append_list(mesh.device_ids, out);
    out += ')';
  } else if (mesh.order.dimensions.size() > 1) {
    out += ", device_ids=([";
    append_list(mesh.order.dimensions, out);
    out += "]T(";
    append_list(mesh.order.permutation, out);
    out += "))";
  }
  return message.ok() && message.message(fields::mesh::kIota).ok();
}

// axis := STRING (':' '(' INT ')' INT)?
bool append_axes(const std::vector<std::string_view>& references, const Mesh& mesh, bool is_open, const char* comma,
                 std::string& out) {
  namespace f = fields::mesh;
  out += '{';
  const char* separator = "";
  for (std::string_view bytes : references) {
    const WireMessage axis(bytes);
    const std::int64_t index = axis.integer(f::kAxisIndex);
    if (!axis.ok() || index < 0 || index >= static_cast<std::int64_t>(mesh.axes.size())) return false;
    absl::StrAppend(&out, separator, "'", mesh.axes[static_cast<std::size_t>(index)].name, "'");
    if (axis.has(f::kSubAxis)) {
      const WireMessage part = axis.message(f::kSubAxis);
      absl::StrAppend(&out, ":(", part.integer(f::kPreSize), ")", part.integer(f::kSubSize));
    }
    separator = comma;
    if (out.size() > kMostText) return false;
  }
  if (is_open) absl::StrAppend(&out, separator, "?");
  out += '}';
  return true;
}

// AxisRefProtos
void append_axes(const std::vector<MeshAxisReference>& axes, std::uint32_t number, WireWriter& out) {
  namespace f = fields::mesh;
  for (const MeshAxisReference& axis : axes) {
    WireWriter message;
    message.integer(f::kAxisIndex, static_cast<std::int64_t>(axis.axis));
    if (axis.is_part) {
      WireWriter part;
      part.integer(f::kPreSize, axis.pre_size);
      part.integer(f::kSubSize, axis.size);
      message.bytes(f::kSubAxis, part.view());
    }
    out.bytes(number, message.view());
  }
}

std::vector<MeshAxisReference> all_axes(const Mesh& mesh) {
  std::vector<MeshAxisReference> axes(mesh.axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) axes[a].axis = a;
  return axes;
}

// '<=[r0,r1]T(p0,p1)'
void append_order(const std::vector<std::int64_t>& reshape, const std::vector<std::int64_t>& permutation,
                  std::string& out) {
  out += "<=[";
  append_list(reshape, out);
  out += ']';
  if (reshape.size() <= 1) return;
  out += "T(";
  append_list(permutation, out);
  out += ')';
}

// ---- Shardings by mesh axes --------------------------------------------------------------------------------------

// How partial values are reduced; empty for a sum, which is the default.
const char* reduction_word(const WireMessage& sharding) {
  const std::int64_t reduction = sharding.integer(named::kReduction);
  return reduction == 1 ? "max" : reduction == 2 ? "min" : "";
}

// The word for a sharding without dimensions that concerns no axis or all of them; null for any other.
const char* word_of_all_axes(const WireMessage& sharding, std::size_t axis_count) {
  if (sharding.has(named::kDimensions) || sharding.has(named::kReplicated)) return nullptr;
  const auto has_all = [&](std::uint32_t field, std::uint32_t other) {
    const std::vector<std::string_view> references = sharding.all(field);
    if (sharding.has(other) || references.size() != axis_count) return false;
    return std::all_of(references.begin(), references.end(),
                       [](std::string_view axis) { return !WireMessage(axis).has(fields::mesh::kSubAxis); });
  };
  if (!sharding.has(named::kManual) && !sharding.has(named::kUnreduced)) return "replicated";
  if (has_all(named::kManual, named::kUnreduced)) return "manual";
  return has_all(named::kUnreduced, named::kManual) ? "unreduced" : nullptr;
}

// named := mesh ', ' '[' list(dimsh) ']' (', replicated=' axes | ', unreduced=' axes | ', manual=' axes)*
//        | mesh ', ' ('replicated' | 'manual' | 'unreduced') | 'maximal_mesh' '[' 'device_id=' INT ']'
bool append_named(const WireMessage& sharding, std::string& out) {
  Mesh mesh;
  const WireMessage of_mesh = sharding.message(named::kMesh);
  const std::vector<std::int64_t> ids = of_mesh.integers(fields::mesh::kDeviceIds);
  if (ids.size() == 1 && !of_mesh.has(fields::mesh::kAxes)) {
    absl::StrAppend(&out, "maximal_mesh[device_id=", ids[0], "]");
    return of_mesh.ok() && sharding.ok();
  }
  if (!append_mesh(of_mesh, mesh, out)) return false;
  if (const char* word = word_of_all_axes(sharding, mesh.axes.size())) {
    absl::StrAppend(&out, ", ", word);
    const char* reduction = reduction_word(sharding);
    if (reduction[0] != '\0') absl::StrAppend(&out, "=", reduction);
    return sharding.ok();
  }
  out += ", [";
  const char* separator = "";
  for (std::string_view bytes : sharding.all(named::kDimensions)) {
    const WireMessage dimension(bytes);
    out += separator;
    if (!append_axes(dimension.all(named::kDimensionAxes), mesh, !dimension.flag(named::kIsClosed), ", ", out))
      return false;
    separator = ", ";
  }
  out += ']';
  const std::pair<std::uint32_t, const char*> rest[] = {
      {named::kReplicated, ", replicated="}, {named::kUnreduced, ", unreduced="}, {named::kManual, ", manual="}};
  for (const auto& [field, word] : rest) {
    const std::vector<std::string_view> references = sharding.all(field);
    if (references.empty()) continue;
    out += word;
    if (field == named::kUnreduced) out += reduction_word(sharding);
    if (!append_axes(references, mesh, false, ", ", out)) return false;
  }
  return sharding.ok();
}

std::string named_proto(const Sharding& sharding) {
  namespace f = fields::named_sharding;
  WireWriter out;
  if (sharding.kind == Sharding::Kind::kMaximal) {
    WireWriter mesh;
    mesh.packed(fields::mesh::kDeviceIds, {sharding.device});
    out.bytes(f::kMesh, mesh.view());
    return out.take();
  }
  out.bytes(f::kMesh, message_proto(sharding.mesh));
  if (sharding.kind == Sharding::Kind::kManual) append_axes(all_axes(sharding.mesh), f::kManual, out);
  if (sharding.kind == Sharding::Kind::kUnreduced && sharding.unreduced_axes.empty()) {
    append_axes(all_axes(sharding.mesh), f::kUnreduced, out);
  }
  for (const Sharding::DimensionAxes& dimension : sharding.dimension_axes) {
    WireWriter message;
    append_axes(dimension.axes, f::kDimensionAxes, message);
    message.integer(f::kIsClosed, dimension.open ? 0 : 1);
    out.bytes(f::kDimensions, message.view());
  }
  append_axes(sharding.replicated_axes, f::kReplicated, out);
  append_axes(sharding.unreduced_axes, f::kUnreduced, out);
  append_axes(sharding.manual_axes, f::kManual, out);
  out.integer(f::kReduction, static_cast<std::int64_t>(sharding.reduction));  // in the order of the proto
  return out.take();
}

// ---- Shardings by tiles ------------------------------------------------------------------------------------------

struct SubgroupType {
  Sharding::Subgroup subgroup;
  std::int64_t type;
  const char* word;
};
constexpr SubgroupType kSubgroups[] = {
    {Sharding::Subgroup::kReplicated, types::kReplicated, "replicated"},
    {Sharding::Subgroup::kMaximal, types::kMaximal, "maximal"},
    {Sharding::Subgroup::kManual, types::kManual, "manual"},
    {Sharding::Subgroup::kUnreduced, types::kUnreduced, "unreduced"},
};

const char* subgroup_word(std::int64_t type) {
  for (const SubgroupType& row : kSubgroups) {
    if (row.type == type) return row.word;
  }
  return "unknown";
}

std::int64_t subgroup_type(Sharding::Subgroup subgroup) {
  for (const SubgroupType& row : kSubgroups) {
    if (row.subgroup == subgroup) return row.type;
  }
  return 0;
}

void append_tiles_of(const Sharding& sharding, WireWriter& out) {
  namespace f = fields::sharding;
  out.integer(f::kType, f::kOther);
  out.packed(f::kTileDimensions, sharding.tile_dimensions);
  out.packed(f::kTileDevices, sharding.devices);
  const bool replicates_last =
      sharding.subgroups.size() == 1 && sharding.subgroups[0] == Sharding::Subgroup::kReplicated;
  out.integer(f::kReplicateLast, replicates_last ? 1 : 0);
  if (!replicates_last) {
    std::vector<std::int64_t> last;
    last.reserve(sharding.subgroups.size());
    for (Sharding::Subgroup subgroup : sharding.subgroups) last.push_back(subgroup_type(subgroup));
    out.packed(f::kLastDims, last);
  }
  if (sharding.devices.empty()) {
    out.packed(f::kIotaDimensions, sharding.order.dimensions);
    out.packed(f::kIotaPermutation, sharding.order.permutation);
  }
}

// 'devices=[d0,d1]' followed by '0,1,2,3' or '<=[r0,r1]T(p0,p1)'
void append_devices(const WireMessage& sharding, std::string& out) {
  out += "devices=[";
  append_list(sharding.integers(types::kTileDimensions), out);
  out += ']';
  const std::vector<std::int64_t> reshape = sharding.integers(types::kIotaDimensions);
  if (reshape.empty()) {
    append_list(sharding.integers(types::kTileDevices), out);
  } else {
    append_order(reshape, sharding.integers(types::kIotaPermutation), out);
  }
}

// Appends the contents of a non-tuple sharding, without its braces.
bool append_body(const WireMessage& sharding, std::string& out) {
  if (!sharding.ok()) return false;
  if (sharding.has(types::kNamed)) return append_named(sharding.message(types::kNamed), out);
  switch (sharding.integer(types::kType)) {
    case types::kReplicated: out += "replicated"; break;
    case types::kManual: out += "manual"; break;
    case types::kUnknown: out += "unknown"; break;
    case types::kUnreduced: out += "unreduced"; break;
    case types::kMaximal: {
      const std::vector<std::int64_t> devices = sharding.integers(types::kTileDevices);
      if (devices.empty()) return false;
      absl::StrAppend(&out, "maximal device=", devices[0]);
      break;
    }
    case types::kOther: {
      append_devices(sharding, out);
      if (sharding.flag(types::kReplicateLast)) out += " last_tile_dim_replicate";
      const std::vector<std::int64_t> last = sharding.integers(types::kLastDims);
      for (std::size_t i = 0; i < last.size(); ++i) {
        absl::StrAppend(&out, i == 0 ? " last_tile_dims={" : ", ", subgroup_word(last[i]));
      }
      if (!last.empty()) out += '}';
      break;
    }
    default: return false;
  }
  if (sharding.flag(types::kIsGroup)) {
    absl::StrAppend(&out, sharding.integer(types::kGroupType) == 0 ? " shard_as " : " shard_like ",
                    sharding.integer(types::kGroupId));
  }
  return true;
}

// OpSharding of an array
std::string array_sharding_proto(const Sharding& sharding) {
  namespace f = fields::sharding;
  WireWriter out;
  if (sharding.has_mesh) {
    out.bytes(f::kNamed, named_proto(sharding));
    return out.take();
  }
  switch (sharding.kind) {
    case Sharding::Kind::kReplicated: break;
    case Sharding::Kind::kMaximal:
      out.integer(f::kType, f::kMaximal);
      out.packed(f::kTileDimensions, {1});
      out.packed(f::kTileDevices, {sharding.device});
      break;
    case Sharding::Kind::kManual: out.integer(f::kType, f::kManual); break;
    case Sharding::Kind::kUnknown: out.integer(f::kType, f::kUnknown); break;
    case Sharding::Kind::kUnreduced: out.integer(f::kType, f::kUnreduced); break;
    case Sharding::Kind::kTiled: append_tiles_of(sharding, out); break;
    case Sharding::Kind::kNamed: break;
  }
  Payloads payloads;  // XLA's printer does not print them here either
  for (const Metadata& metadata : sharding.metadata) out.bytes(f::kMetadata, metadata_proto(metadata, payloads));
  if (sharding.group != Sharding::Group::kNone) {
    out.integer(f::kIsGroup, 1);
    out.integer(f::kGroupId, sharding.group_id);
    out.integer(f::kGroupType, sharding.group == Sharding::Group::kAs ? 0 : 1);
  }
  return out.take();
}

// ---- Groups ------------------------------------------------------------------------------------------------------

// [groups,size]<=[r0,r1]T(p0,p1)
bool append_grid(const WireMessage& iota, std::string& out) {
  namespace f = fields::replica_groups;
  absl::StrAppend(&out, "[", iota.integer(f::kGroupCount), ",", iota.integer(f::kGroupSize), "]");
  append_order(iota.integers(f::kReshape), iota.integers(f::kPermutation), out);
  return true;
}

// mesh['x'=2,'y'=4] {'y'}
bool append_mesh_groups(const WireMessage& groups, std::string& out) {
  namespace f = fields::replica_groups;
  Mesh mesh;
  if (!append_mesh(groups.message(f::kMesh), mesh, out)) return false;
  out += ' ';
  return append_axes(groups.all(f::kMeshAxes), mesh, false, ",", out) && groups.ok();
}

bool print_groups(const ProtoAttribute& a) {
  namespace f = fields::replica_groups;
  namespace of = fields::instruction;
  a.named();
  if (a.in.has(of::kMeshGroups)) return append_mesh_groups(a.in.message(of::kMeshGroups), a.out);
  if (a.in.has(of::kIotaGroups)) return append_grid(a.in.message(of::kIotaGroups), a.out);
  const WireMessage list = a.message();
  if (list.has(f::kOldIota)) return append_grid(list.message(f::kOldIota), a.out);
  std::vector<std::string_view> groups = list.all(f::kGroups);
  if (groups.empty()) groups = a.in.all(of::kReplicaGroups);
  const char* separator = "{";
  a.out += '{';
  for (std::string_view group : groups) {
    a.out += separator;
    append_list(WireMessage(group).integers(f::kIds), a.out);
    a.out += '}';
    separator = ",{";
  }
  a.out += '}';
  return true;
}

// A list, an iota form, or mesh axes.
bool write_groups(const ModuleAttribute& a) {
  namespace f = fields::replica_groups;
  namespace of = fields::instruction;
  const ReplicaGroups groups = replica_groups(a.i).value_or(ReplicaGroups());
  WireWriter list;
  std::uint32_t number = a.field.number;
  switch (groups.form) {
    case ReplicaGroups::Form::kList: {
      std::size_t begin = 0;
      for (std::size_t end : groups.ends) {
        WireWriter group;
        group.packed(f::kIds, absl::MakeConstSpan(groups.ids).subspan(begin, end - begin));
        list.bytes(f::kGroups, group.view());
        begin = end;
      }
      break;
    }
    case ReplicaGroups::Form::kIota:
      list.integer(f::kGroupCount, groups.count);
      list.integer(f::kGroupSize, groups.size);
      list.packed(f::kReshape, groups.order.dimensions);
      list.packed(f::kPermutation, groups.order.permutation);
      number = of::kIotaGroups;
      break;
    case ReplicaGroups::Form::kMesh:
      list.bytes(f::kMesh, message_proto(groups.mesh));
      append_axes(groups.axes, f::kMeshAxes, list);
      number = of::kMeshGroups;
      break;
  }
  a.out.bytes(number, list.view());
  return true;
}

// {kind="sharding", entry={…}, exit={…}}
bool print_domain(const ProtoAttribute& a) {
  a.named() += "{kind=\"sharding\", entry=";
  if (!append_sharding(a.bytes(), a.out)) return false;
  a.out += ", exit=";
  if (!append_sharding(a.in.bytes(fields::instruction::kDomainExit), a.out)) return false;
  a.out += '}';
  return true;
}
bool write_domain(const ModuleAttribute& a) {
  ShardingAttribute entry;
  ShardingAttribute exit;
  Cursor cursor(a.text());
  const bool ok = read_fields(cursor, [&](std::string_view name, const char*) {
    std::string_view raw;
    if (name == "kind") return cursor.read_string(&raw);
    return read_sharding(cursor, name == "entry" ? &entry : &exit);
  });
  if (!ok) return false;
  a.out.bytes(a.field.number, sharding_proto(entry));
  a.out.bytes(fields::instruction::kDomainExit, sharding_proto(exit));
  return true;
}

}  // namespace

bool append_sharding(std::string_view sharding_proto, std::string& out) {
  const WireMessage sharding(sharding_proto);
  out += '{';
  if (sharding.integer(types::kType) == types::kIsTuple) {
    // The leaves of nested tuples are listed flat, so a tuple contains no tuples.
    const std::vector<std::string_view> leaves = sharding.all(types::kTuple);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i > 0) out += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&out, "/*index=", i, "*/");
      out += '{';
      const WireMessage leaf(leaves[i]);
      if (!append_body(leaf, out)) return false;
      out += '}';
    }
  } else if (!append_body(sharding, out)) {
    return false;
  }
  out += '}';
  return sharding.ok();
}

std::string sharding_proto(const ShardingAttribute& sharding) {
  if (!sharding.is_tuple && sharding.elements.size() == 1) return array_sharding_proto(sharding.elements[0]);
  WireWriter out;
  out.integer(types::kType, types::kIsTuple);
  for (const Sharding& element : sharding.elements) out.bytes(types::kTuple, array_sharding_proto(element));
  return out.take();
}

namespace forms {

const ProtoForm kReplicaGroups = {print_groups, write_groups, true};
const ProtoForm kDomain = {print_domain, write_domain};
const ProtoForm kSharding = {
    [](const ProtoAttribute& a) { return !a.has() || append_sharding(a.bytes(), a.named()); },
    [](const ModuleAttribute& a) {
      const std::optional<ShardingAttribute> value = sharding(a.i);
      if (value) a.out.bytes(a.field.number, sharding_proto(*value));
      return value.has_value();
    },
};

}  // namespace forms

}  // namespace hloroof::internal::inline proto
