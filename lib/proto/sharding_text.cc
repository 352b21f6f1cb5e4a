#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal {
namespace {

// OpSharding.Type
enum Type : std::int64_t { kReplicated, kMaximal, kTuple, kOther, kManual, kUnknown, kUnreduced };

const char* subgroup_word(std::int64_t type) {
  switch (type) {
    case kReplicated: return "replicated";
    case kMaximal: return "maximal";
    case kManual: return "manual";
    case kUnreduced: return "unreduced";
    default: return "unknown";
  }
}

namespace named {
// NamedShardingProto, MeshProto, AxisRefProto
enum : std::uint32_t { kMesh = 2, kDimensions = 3, kReplicated = 4, kUnreduced = 5, kManual = 7 };
enum : std::uint32_t { kAxes = 1, kDeviceIds = 2, kIota = 3, kAxisName = 1, kAxisSize = 2 };
enum : std::uint32_t { kReshape = 1, kPermutation = 2 };
enum : std::uint32_t { kAxisIndex = 1, kSubAxis = 2, kPreSize = 1, kSubSize = 2 };
enum : std::uint32_t { kDimensionAxes = 1, kIsClosed = 2 };
}  // namespace named

// A proto names an axis by a number of one or two bytes, however long the axis name is. Text beyond the maximum size of
// a module is rejected.
constexpr std::size_t kMostText = 0xfffffff0;

// mesh := 'mesh' '[' list(STRING '=' INT) ']' (', device_ids=' '(' ids ')')?
bool append_mesh(const WireMessage& mesh, std::vector<std::string_view>& axis_names, std::string& out) {
  out += "mesh[";
  for (std::string_view bytes : mesh.all(named::kAxes)) {
    const WireMessage axis(bytes);
    axis_names.push_back(axis.bytes(named::kAxisName));
    absl::StrAppend(&out, axis_names.size() > 1 ? "," : "", "'", to_absl(axis_names.back()),
                    "'=", axis.integer(named::kAxisSize));
  }
  out += ']';
  const std::vector<std::int64_t> ids = mesh.integers(named::kDeviceIds);
  const WireMessage iota = mesh.message(named::kIota);
  const std::vector<std::int64_t> reshape = iota.integers(named::kReshape);
  if (ids.size() == 1 && axis_names.empty()) {
    absl::StrAppend(&out, ", device_ids=(", ids[0], ")");
  } else if (!ids.empty()) {
    out += ", device_ids=(";
    append_list(ids, out);
    out += ')';
  } else if (reshape.size() > 1) {
    out += ", device_ids=([";
    append_list(reshape, out);
    out += "]T(";
    append_list(iota.integers(named::kPermutation), out);
    out += "))";
  }
  return mesh.ok() && iota.ok();
}

// axis := STRING (':' '(' INT ')' INT)?
bool append_axes(const std::vector<std::string_view>& axes, const std::vector<std::string_view>& names, bool is_open,
                 const char* comma, std::string& out) {
  out += '{';
  const char* separator = "";
  for (std::string_view bytes : axes) {
    const WireMessage axis(bytes);
    const std::int64_t index = axis.integer(named::kAxisIndex);
    if (!axis.ok() || index < 0 || index >= static_cast<std::int64_t>(names.size())) return false;
    absl::StrAppend(&out, separator, "'", to_absl(names[static_cast<std::size_t>(index)]), "'");
    if (axis.has(named::kSubAxis)) {
      const WireMessage part = axis.message(named::kSubAxis);
      absl::StrAppend(&out, ":(", part.integer(named::kPreSize), ")", part.integer(named::kSubSize));
    }
    separator = comma;
    if (out.size() > kMostText) return false;
  }
  if (is_open) absl::StrAppend(&out, separator, "?");
  out += '}';
  return true;
}

// named := mesh ', ' '[' list(dimsh) ']' (', replicated=' axes | ', unreduced=' axes | ', manual=' axes)*
bool append_named(const WireMessage& sharding, std::string& out) {
  std::vector<std::string_view> names;
  if (!append_mesh(sharding.message(named::kMesh), names, out)) return false;
  out += ", [";
  const char* separator = "";
  for (std::string_view bytes : sharding.all(named::kDimensions)) {
    const WireMessage dimension(bytes);
    out += separator;
    if (!append_axes(dimension.all(named::kDimensionAxes), names, !dimension.flag(named::kIsClosed), ", ", out))
      return false;
    separator = ", ";
  }
  out += ']';
  const std::pair<std::uint32_t, const char*> rest[] = {
      {named::kReplicated, ", replicated="}, {named::kUnreduced, ", unreduced="}, {named::kManual, ", manual="}};
  for (const auto& [field, word] : rest) {
    const std::vector<std::string_view> axes = sharding.all(field);
    if (axes.empty()) continue;
    out += word;
    if (!append_axes(axes, names, false, ", ", out)) return false;
  }
  return sharding.ok();
}

// 'devices=[d0,d1]' followed by '0,1,2,3' or '<=[r0,r1]T(p0,p1)'
void append_devices(const WireMessage& sharding, std::string& out) {
  out += "devices=[";
  append_list(sharding.integers(proto::sharding::kTileDimensions), out);
  out += ']';
  const std::vector<std::int64_t> reshape = sharding.integers(proto::sharding::kIotaDimensions);
  if (reshape.empty()) {
    append_list(sharding.integers(proto::sharding::kTileDevices), out);
    return;
  }
  out += "<=[";
  append_list(reshape, out);
  out += ']';
  if (reshape.size() > 1) {
    out += "T(";
    append_list(sharding.integers(proto::sharding::kIotaPermutation), out);
    out += ')';
  }
}

// Appends the contents of a non-tuple sharding, without its braces.
bool append_body(const WireMessage& sharding, std::string& out) {
  if (!sharding.ok()) return false;
  if (sharding.has(proto::sharding::kNamed)) return append_named(sharding.message(proto::sharding::kNamed), out);
  switch (sharding.integer(proto::sharding::kType)) {
    case kReplicated: out += "replicated"; break;
    case kManual: out += "manual"; break;
    case kUnknown: out += "unknown"; break;
    case kUnreduced: out += "unreduced"; break;
    case kMaximal: {
      const std::vector<std::int64_t> devices = sharding.integers(proto::sharding::kTileDevices);
      if (devices.empty()) return false;
      absl::StrAppend(&out, "maximal device=", devices[0]);
      break;
    }
    case kOther: {
      append_devices(sharding, out);
      if (sharding.flag(proto::sharding::kReplicateLast)) out += " last_tile_dim_replicate";
      const std::vector<std::int64_t> last = sharding.integers(proto::sharding::kLastDims);
      for (std::size_t i = 0; i < last.size(); ++i) {
        absl::StrAppend(&out, i == 0 ? " last_tile_dims={" : ", ", subgroup_word(last[i]));
      }
      if (!last.empty()) out += '}';
      break;
    }
    default: return false;
  }
  if (sharding.flag(proto::sharding::kIsGroup)) {
    absl::StrAppend(&out, sharding.integer(proto::sharding::kGroupType) == 0 ? " shard_as " : " shard_like ",
                    sharding.integer(proto::sharding::kGroupId));
  }
  return true;
}

}  // namespace

bool append_mesh_groups(const WireMessage& groups, std::string& out) {
  std::vector<std::string_view> names;
  if (!append_mesh(groups.message(1), names, out)) return false;
  out += ' ';
  return append_axes(groups.all(2), names, false, ",", out) && groups.ok();
}

bool append_sharding(std::string_view sharding_proto, std::string& out) {
  const WireMessage sharding(sharding_proto);
  out += '{';
  if (sharding.integer(proto::sharding::kType) == kTuple) {
    // The leaves of nested tuples are listed flat, so a tuple contains no tuples.
    const std::vector<std::string_view> leaves = sharding.all(proto::sharding::kTuple);
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

}  // namespace hloroof::internal
