#include <algorithm>

#include "lib/proto/encode.h"
#include "lib/proto/fields.h"

namespace hloroof::internal::inline proto {
namespace {

// MeshProto; without device ids the devices are in order.
std::string mesh_proto(const Mesh& mesh) {
  namespace f = fields::mesh;
  WireWriter out;
  for (const Mesh::Axis& axis : mesh.axes) {
    WireWriter message;
    message.text(f::kAxisName, axis.name);
    message.integer(f::kAxisSize, axis.size);
    out.bytes(f::kAxes, message.view());
  }
  out.packed(f::kDeviceIds, mesh.device_ids);
  if (!mesh.order.dimensions.empty()) {
    WireWriter iota;
    iota.packed(f::kReshape, mesh.order.dimensions);
    iota.packed(f::kPermutation, mesh.order.permutation);
    out.bytes(f::kIota, iota.view());
  }
  return out.take();
}

// AxisRefProto
std::string axis_proto(const MeshAxisReference& axis) {
  namespace f = fields::mesh;
  WireWriter out;
  out.integer(f::kAxisIndex, static_cast<std::int64_t>(axis.axis));
  if (axis.is_part) {
    WireWriter part;
    part.integer(f::kPreSize, axis.pre_size);
    part.integer(f::kSubSize, axis.size);
    out.bytes(f::kSubAxis, part.view());
  }
  return out.take();
}

void append_all_axes(const Mesh& mesh, std::uint32_t field, WireWriter& out) {
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    MeshAxisReference axis;
    axis.axis = a;
    out.bytes(field, axis_proto(axis));
  }
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
  out.bytes(f::kMesh, mesh_proto(sharding.mesh));
  if (sharding.kind == Sharding::Kind::kManual) append_all_axes(sharding.mesh, f::kManual, out);
  if (sharding.kind == Sharding::Kind::kUnreduced && sharding.unreduced_axes.empty()) {
    append_all_axes(sharding.mesh, f::kUnreduced, out);
  }
  for (const Sharding::DimensionAxes& dimension : sharding.dimension_axes) {
    WireWriter message;
    for (const MeshAxisReference& axis : dimension.axes) message.bytes(f::kDimensionAxes, axis_proto(axis));
    message.integer(f::kIsClosed, dimension.open ? 0 : 1);
    out.bytes(f::kDimensions, message.view());
  }
  for (const MeshAxisReference& axis : sharding.replicated_axes) out.bytes(f::kReplicated, axis_proto(axis));
  for (const MeshAxisReference& axis : sharding.unreduced_axes) out.bytes(f::kUnreduced, axis_proto(axis));
  for (const MeshAxisReference& axis : sharding.manual_axes) out.bytes(f::kManual, axis_proto(axis));
  out.integer(f::kReduction, static_cast<std::int64_t>(sharding.reduction));  // in the order of the proto
  return out.take();
}

std::int64_t subgroup_type(Sharding::Subgroup subgroup) {
  switch (subgroup) {
    case Sharding::Subgroup::kReplicated: return fields::sharding::kReplicated;
    case Sharding::Subgroup::kMaximal: return fields::sharding::kMaximal;
    case Sharding::Subgroup::kManual: return fields::sharding::kManual;
    case Sharding::Subgroup::kUnreduced: return fields::sharding::kUnreduced;
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

}  // namespace

std::string sharding_proto(const ShardingAttribute& sharding) {
  if (!sharding.is_tuple && sharding.elements.size() == 1) return array_sharding_proto(sharding.elements[0]);
  WireWriter out;
  out.integer(fields::sharding::kType, fields::sharding::kIsTuple);
  for (const Sharding& element : sharding.elements) out.bytes(fields::sharding::kTuple, array_sharding_proto(element));
  return out.take();
}

void append_replica_groups(const ReplicaGroups& groups, WireWriter& out) {
  namespace f = fields::replica_groups;
  namespace of = fields::instruction;
  WireWriter list;
  switch (groups.form) {
    case ReplicaGroups::Form::kList: {
      std::size_t begin = 0;
      for (std::size_t end : groups.ends) {
        WireWriter group;
        group.packed(f::kIds, absl::MakeConstSpan(groups.ids).subspan(begin, end - begin));
        list.bytes(f::kGroups, group.view());
        begin = end;
      }
      return out.bytes(of::kDeviceList, list.view());
    }
    case ReplicaGroups::Form::kIota:
      list.integer(f::kGroupCount, groups.count);
      list.integer(f::kGroupSize, groups.size);
      list.packed(f::kReshape, groups.order.dimensions);
      list.packed(f::kPermutation, groups.order.permutation);
      return out.bytes(of::kIotaGroups, list.view());
    case ReplicaGroups::Form::kMesh:
      list.bytes(f::kMesh, mesh_proto(groups.mesh));
      for (const MeshAxisReference& axis : groups.axes) list.bytes(f::kMeshAxes, axis_proto(axis));
      return out.bytes(of::kMeshGroups, list.view());
  }
}

}  // namespace hloroof::internal::inline proto
