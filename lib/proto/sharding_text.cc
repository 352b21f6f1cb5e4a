#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal::inline proto {
namespace {

namespace axes = fields::mesh;
namespace named = fields::named_sharding;
namespace types = fields::sharding;

const char* subgroup_word(std::int64_t type) {
  switch (type) {
    case types::kReplicated: return "replicated";
    case types::kMaximal: return "maximal";
    case types::kManual: return "manual";
    case types::kUnreduced: return "unreduced";
    default: return "unknown";
  }
}

// A proto names an axis by a number of one or two bytes, however long the axis name is. Text beyond the maximum size of
// a module is rejected.
constexpr std::size_t kMostText = 0xfffffff0;

// mesh := 'mesh' '[' list(STRING '=' INT) ']' (', device_ids=' '(' ids ')')?
bool append_mesh(const WireMessage& mesh, std::vector<std::string_view>& axis_names, std::string& out) {
  out += "mesh[";
  for (std::string_view bytes : mesh.all(axes::kAxes)) {
    const WireMessage axis(bytes);
    axis_names.push_back(axis.bytes(axes::kAxisName));
    absl::StrAppend(&out, axis_names.size() > 1 ? "," : "", "'", to_absl(axis_names.back()),
                    "'=", axis.integer(axes::kAxisSize));
  }
  out += ']';
  const std::vector<std::int64_t> ids = mesh.integers(axes::kDeviceIds);
  const WireMessage iota = mesh.message(axes::kIota);
  const std::vector<std::int64_t> reshape = iota.integers(axes::kReshape);
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
    append_list(iota.integers(axes::kPermutation), out);
    out += "))";
  }
  return mesh.ok() && iota.ok();
}

// axis := STRING (':' '(' INT ')' INT)?
bool append_axes(const std::vector<std::string_view>& references, const std::vector<std::string_view>& names,
                 bool is_open, const char* comma, std::string& out) {
  out += '{';
  const char* separator = "";
  for (std::string_view bytes : references) {
    const WireMessage axis(bytes);
    const std::int64_t index = axis.integer(axes::kAxisIndex);
    if (!axis.ok() || index < 0 || index >= static_cast<std::int64_t>(names.size())) return false;
    absl::StrAppend(&out, separator, "'", to_absl(names[static_cast<std::size_t>(index)]), "'");
    if (axis.has(axes::kSubAxis)) {
      const WireMessage part = axis.message(axes::kSubAxis);
      absl::StrAppend(&out, ":(", part.integer(axes::kPreSize), ")", part.integer(axes::kSubSize));
    }
    separator = comma;
    if (out.size() > kMostText) return false;
  }
  if (is_open) absl::StrAppend(&out, separator, "?");
  out += '}';
  return true;
}

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
                       [](std::string_view axis) { return !WireMessage(axis).has(axes::kSubAxis); });
  };
  if (!sharding.has(named::kManual) && !sharding.has(named::kUnreduced)) return "replicated";
  if (has_all(named::kManual, named::kUnreduced)) return "manual";
  return has_all(named::kUnreduced, named::kManual) ? "unreduced" : nullptr;
}

// named := mesh ', ' '[' list(dimsh) ']' (', replicated=' axes | ', unreduced=' axes | ', manual=' axes)*
//        | mesh ', ' ('replicated' | 'manual' | 'unreduced') | 'maximal_mesh' '[' 'device_id=' INT ']'
bool append_named(const WireMessage& sharding, std::string& out) {
  std::vector<std::string_view> names;
  const WireMessage mesh = sharding.message(named::kMesh);
  const std::vector<std::int64_t> ids = mesh.integers(axes::kDeviceIds);
  if (ids.size() == 1 && !mesh.has(axes::kAxes)) {
    absl::StrAppend(&out, "maximal_mesh[device_id=", ids[0], "]");
    return mesh.ok() && sharding.ok();
  }
  if (!append_mesh(mesh, names, out)) return false;
  if (const char* word = word_of_all_axes(sharding, names.size())) {
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
    if (!append_axes(dimension.all(named::kDimensionAxes), names, !dimension.flag(named::kIsClosed), ", ", out))
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
    if (!append_axes(references, names, false, ", ", out)) return false;
  }
  return sharding.ok();
}

// 'devices=[d0,d1]' followed by '0,1,2,3' or '<=[r0,r1]T(p0,p1)'
void append_devices(const WireMessage& sharding, std::string& out) {
  out += "devices=[";
  append_list(sharding.integers(fields::sharding::kTileDimensions), out);
  out += ']';
  const std::vector<std::int64_t> reshape = sharding.integers(fields::sharding::kIotaDimensions);
  if (reshape.empty()) {
    append_list(sharding.integers(fields::sharding::kTileDevices), out);
    return;
  }
  out += "<=[";
  append_list(reshape, out);
  out += ']';
  if (reshape.size() > 1) {
    out += "T(";
    append_list(sharding.integers(fields::sharding::kIotaPermutation), out);
    out += ')';
  }
}

// Appends the contents of a non-tuple sharding, without its braces.
bool append_body(const WireMessage& sharding, std::string& out) {
  if (!sharding.ok()) return false;
  if (sharding.has(fields::sharding::kNamed)) return append_named(sharding.message(fields::sharding::kNamed), out);
  switch (sharding.integer(fields::sharding::kType)) {
    case types::kReplicated: out += "replicated"; break;
    case types::kManual: out += "manual"; break;
    case types::kUnknown: out += "unknown"; break;
    case types::kUnreduced: out += "unreduced"; break;
    case types::kMaximal: {
      const std::vector<std::int64_t> devices = sharding.integers(fields::sharding::kTileDevices);
      if (devices.empty()) return false;
      absl::StrAppend(&out, "maximal device=", devices[0]);
      break;
    }
    case types::kOther: {
      append_devices(sharding, out);
      if (sharding.flag(fields::sharding::kReplicateLast)) out += " last_tile_dim_replicate";
      const std::vector<std::int64_t> last = sharding.integers(fields::sharding::kLastDims);
      for (std::size_t i = 0; i < last.size(); ++i) {
        absl::StrAppend(&out, i == 0 ? " last_tile_dims={" : ", ", subgroup_word(last[i]));
      }
      if (!last.empty()) out += '}';
      break;
    }
    default: return false;
  }
  if (sharding.flag(fields::sharding::kIsGroup)) {
    absl::StrAppend(&out, sharding.integer(fields::sharding::kGroupType) == 0 ? " shard_as " : " shard_like ",
                    sharding.integer(fields::sharding::kGroupId));
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
  if (sharding.integer(fields::sharding::kType) == types::kIsTuple) {
    // The leaves of nested tuples are listed flat, so a tuple contains no tuples.
    const std::vector<std::string_view> leaves = sharding.all(fields::sharding::kTuple);
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

}  // namespace hloroof::internal::inline proto
