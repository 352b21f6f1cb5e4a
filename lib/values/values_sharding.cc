// Parses sharding in its three versions (device list, iota, named mesh axes), and domain.
#include <string>

#include "lib/base/strings.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {

namespace {

// metadatas := metadata | '{' list(metadata) '}'
bool read_sharding_metadata(Cursor& cursor, Sharding* out) {
  cursor.skip_space();
  const char* from = cursor.at();
  if (cursor.accept('{') && cursor.peek() == '{') {
    cursor.move_to(from);
    return read_list(cursor, '{', '}', [&] { return read_metadata(cursor, &out->metadata.emplace_back()); });
  }
  cursor.move_to(from);
  return read_metadata(cursor, &out->metadata.emplace_back());
}

// subgroups := '{' list('manual' | 'replicated' | 'unreduced' | 'maximal') '}'
bool read_subgroups(Cursor& cursor, std::vector<Sharding::Subgroup>* out) {
  return read_list(cursor, '{', '}', [&] {
    constexpr std::pair<std::string_view, Sharding::Subgroup> kWords[] = {
        {"replicated", Sharding::Subgroup::kReplicated},
        {"manual", Sharding::Subgroup::kManual},
        {"unreduced", Sharding::Subgroup::kUnreduced},
        {"maximal", Sharding::Subgroup::kMaximal},
    };
    for (const auto& [word, subgroup] : kWords) {
      if (!cursor.accept_keyword(word)) continue;
      out->push_back(subgroup);
      return true;
    }
    return cursor.fail_expects("manual, replicated, unreduced or maximal");
  });
}

// The items of versions 1 and 2, which can be interpreted only when all are known.
struct Items {
  bool replicated = false;
  bool maximal = false;
  bool manual = false;
  bool unknown = false;
  bool unreduced = false;
  bool last_tile_dim_replicate = false;
  bool has_iota = false;
};

// devices := sizes ('<=' order | list1(INT))
bool read_devices(Cursor& cursor, Items* items, Sharding* out) {
  out->tile_dimensions.clear();
  out->devices.clear();
  std::int64_t product = 1;
  if (!read_sizes(cursor, &out->tile_dimensions, &product)) return false;
  items->has_iota = cursor.accept("<=");
  if (items->has_iota) return read_iota_order(cursor, product, &out->order);
  cursor.skip_space();
  const char* where = cursor.at();
  do {
    std::int64_t device = 0;
    if (!read_integer(cursor, &device)) return false;
    out->devices.push_back(device);
  } while (cursor.accept(','));
  if (static_cast<std::int64_t>(out->devices.size()) != product) {
    return cursor.fail(
        where, "expects " + std::to_string(product) + " devices, but sees " + std::to_string(out->devices.size()));
  }
  return true;
}

// item := 'replicated' | 'manual' | 'unknown' | 'unreduced' | 'maximal' | 'device=' INT | 'devices=' devices
//       | 'last_tile_dim_replicate' | 'last_tile_dims=' subgroups | ('shard_as' | 'shard_like') INT
//       | 'metadata=' metadatas
bool read_item(Cursor& cursor, Items* items, Sharding* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  if (const std::string_view name = cursor.accept_attribute_name(); !name.empty()) {
    if (name == "devices") return read_devices(cursor, items, out);
    if (name == "last_tile_dims") return read_subgroups(cursor, &out->subgroups);
    if (name == "metadata") return read_sharding_metadata(cursor, out);
    if (name == "device") {
      out->devices.resize(1);
      return read_integer(cursor, &out->devices.front());
    }
    return cursor.fail(where, "unexpected attribute \"" + std::string(name.substr(0, 64)) + "\" in a sharding");
  }
  const std::string_view word = cursor.accept_word();
  bool* kind = word == "replicated"                ? &items->replicated
               : word == "maximal"                 ? &items->maximal
               : word == "manual"                  ? &items->manual
               : word == "unknown"                 ? &items->unknown
               : word == "unreduced"               ? &items->unreduced
               : word == "last_tile_dim_replicate" ? &items->last_tile_dim_replicate
                                                   : nullptr;
  if (kind != nullptr) {
    *kind = true;
    return true;
  }
  if (word == "shard_as" || word == "shard_like") {
    out->group = word == "shard_as" ? Sharding::Group::kAs : Sharding::Group::kLike;
    return read_integer(cursor, &out->group_id);
  }
  cursor.move_to(where);
  return cursor.fail_expects("an item of a sharding");
}

// Interprets the items of a sharding. If kinds contradict each other, the first in this order wins, as in XLA.
bool finish_items(Cursor& cursor, const char* where, const Items& items, Sharding* out) {
  const std::string_view whole = items.replicated  ? "replicated"
                                 : items.maximal   ? ""
                                 : items.manual    ? "manual"
                                 : items.unknown   ? "unknown"
                                 : items.unreduced ? "unreduced"
                                                   : "";
  if (!whole.empty()) {
    if (!out->devices.empty()) {
      return cursor.fail(where, std::string(whole) + " shardings should not have any devices assigned");
    }
    out->kind = items.replicated ? Sharding::Kind::kReplicated
                : items.manual   ? Sharding::Kind::kManual
                : items.unknown  ? Sharding::Kind::kUnknown
                                 : Sharding::Kind::kUnreduced;
    out->tile_dimensions.clear();
    out->order = {};
    out->subgroups.clear();
    return true;
  }
  if (items.maximal) {
    if (out->devices.size() != 1)
      return cursor.fail(where, "maximal shardings should have exactly one device assigned");
    out->kind = Sharding::Kind::kMaximal;
    out->device = out->devices.front();
    out->devices.clear();
    out->tile_dimensions.clear();
    return true;
  }
  out->kind = Sharding::Kind::kTiled;
  if (out->tile_dimensions.empty()) {
    return cursor.fail(where, "non-maximal shardings must have a tile assignment list including dimensions");
  }
  if (!items.has_iota && out->devices.size() < 2) {
    return cursor.fail(where, "non-maximal shardings must have more than one device assigned");
  }
  if (items.last_tile_dim_replicate) {
    if (!out->subgroups.empty()) {
      return cursor.fail(where, "a sharding has last_tile_dim_replicate or last_tile_dims, not both");
    }
    out->subgroups.push_back(Sharding::Subgroup::kReplicated);
  }
  if (out->subgroups.size() > out->tile_dimensions.size()) {
    return cursor.fail(where, "last_tile_dims names more dimensions than devices= has");
  }
  return true;
}

// axes_of_dimension := '{' list(axis) '}'         the last may be '?'
bool read_dimension_axes(Cursor& cursor, const Mesh& mesh, Sharding::DimensionAxes* out) {
  return read_list(cursor, '{', '}', [&] {
    if (out->open) return cursor.fail_expects("'}' after '?'");
    if (cursor.accept('?')) {
      out->open = true;
      return true;
    }
    return read_mesh_axis(cursor, mesh, &out->axes.emplace_back());
  });
}

// reduction := 'sum' | 'max' | 'min'
bool accept_reduction(Cursor& cursor, Sharding::Reduction* out) {
  if (cursor.accept_keyword("sum")) {
    *out = Sharding::Reduction::kSum;
  } else if (cursor.accept_keyword("max")) {
    *out = Sharding::Reduction::kMax;
  } else if (cursor.accept_keyword("min")) {
    *out = Sharding::Reduction::kMin;
  } else {
    return false;
  }
  return true;
}

// All axes of a named sharding. They must not overlap.
std::vector<MeshAxisReference> all_axes(const Sharding& sharding) {
  std::vector<MeshAxisReference> all;
  const auto add = [&all](const std::vector<MeshAxisReference>& axes) {
    all.insert(all.end(), axes.begin(), axes.end());
  };
  for (const Sharding::DimensionAxes& d : sharding.dimension_axes) add(d.axes);
  add(sharding.replicated_axes);
  add(sharding.unreduced_axes);
  add(sharding.manual_axes);
  return all;
}

// tail := (',' ('replicated=' axes | 'manual=' axes | 'unreduced=' reduction? axes | 'metadata=' metadatas))*
//
// If `metadata_only` is set, accepts only metadata=.
bool read_named_tail(Cursor& cursor, bool metadata_only, Sharding* out) {
  while (cursor.accept(',')) {
    cursor.skip_space();
    const char* where = cursor.at();
    const std::string_view name = cursor.accept_attribute_name();
    std::vector<MeshAxisReference>* axes = metadata_only          ? nullptr
                                           : name == "replicated" ? &out->replicated_axes
                                           : name == "manual"     ? &out->manual_axes
                                           : name == "unreduced"  ? &out->unreduced_axes
                                                                  : nullptr;
    if (axes != nullptr) {
      if (!axes->empty()) return cursor.fail(where, "attribute " + std::string(name) + " already exists");
      if (axes == &out->unreduced_axes) accept_reduction(cursor, &out->reduction);
      if (!read_mesh_axes(cursor, out->mesh, axes)) return false;
    } else if (name == "metadata") {
      if (!read_sharding_metadata(cursor, out)) return false;
    } else {
      cursor.move_to(where);
      return cursor.fail_expects(metadata_only ? "metadata=" : "replicated=, unreduced=, manual= or metadata=");
    }
  }
  return true;
}

// named := mesh ','? ('replicated' | 'manual' | 'unreduced' | 'unreduced=' reduction axes?
//                     | '[' list(axes_of_dimension) ']') tail
//        | maximal_mesh tail
bool read_named(Cursor& cursor, Sharding* out) {
  out->kind = Sharding::Kind::kNamed;
  out->has_mesh = true;
  if (!read_mesh(cursor, &out->mesh)) return false;
  if (out->mesh.maximal_device.has_value()) {
    out->kind = Sharding::Kind::kMaximal;
    out->device = *out->mesh.maximal_device;
    return read_named_tail(cursor, true, out);
  }
  cursor.accept(',');
  cursor.skip_space();
  const char* where = cursor.at();
  if (cursor.accept_keyword("replicated")) {
    out->kind = Sharding::Kind::kReplicated;
  } else if (cursor.accept_keyword("manual")) {
    out->kind = Sharding::Kind::kManual;
  } else if (cursor.accept_keyword("unreduced")) {
    out->kind = Sharding::Kind::kUnreduced;
  } else if (cursor.accept_attribute_name() == "unreduced") {
    out->kind = Sharding::Kind::kUnreduced;
    const bool has_reduction = accept_reduction(cursor, &out->reduction);
    if (cursor.peek() == '{' ? !read_mesh_axes(cursor, out->mesh, &out->unreduced_axes)
                             : !has_reduction && !cursor.fail_expects("sum, max, min or axes")) {
      return false;
    }
  } else {
    cursor.move_to(where);
    const bool ok = read_list(
        cursor, '[', ']', [&] { return read_dimension_axes(cursor, out->mesh, &out->dimension_axes.emplace_back()); });
    return ok && read_named_tail(cursor, false, out) && check_mesh_axes(cursor, where, out->mesh, all_axes(*out));
  }
  return read_named_tail(cursor, true, out);
}

// body := named | item*
bool read_body(Cursor& cursor, Sharding* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  const std::string_view word = cursor.accept_word();
  cursor.move_to(where);
  if (word == "mesh" || word == "maximal_mesh") return read_named(cursor, out);
  Items items;
  while (cursor.peek() != '}') {
    if (!read_item(cursor, &items, out)) return false;
  }
  return finish_items(cursor, where, items, out);
}

// Fast path: most shardings are {replicated} or have the iota form below, which can be checked without a struct.
bool accept_replicated(Cursor& cursor) {
  constexpr std::string_view kText = "{replicated}";
  return cursor.peek() == '{' && cursor.accept(kText);
}

}  // namespace

// sharding := '{' '}' | '{' body '}' | '{' list1('{' body '}') '}'
bool read_sharding(Cursor& cursor, ShardingAttribute* out) {
  if (out == nullptr && accept_replicated(cursor)) return true;
  ShardingAttribute scratch;
  ShardingAttribute& attribute = out == nullptr ? scratch : *out;
  if (!cursor.expect('{')) return false;
  if (cursor.accept('}')) {
    attribute.is_tuple = true;
    return true;
  }
  if (cursor.peek() != '{') {
    return read_body(cursor, &attribute.elements.emplace_back()) && cursor.expect('}');
  }
  attribute.is_tuple = true;
  do {
    if (!cursor.expect('{') || !read_body(cursor, &attribute.elements.emplace_back()) || !cursor.expect('}'))
      return false;
    if (out == nullptr) attribute.elements.clear();
  } while (cursor.accept(','));
  return cursor.expect('}');
}

// domain := '{' (','? ('kind=' '"sharding"' | 'entry=' sharding | 'exit=' sharding))* '}'         all three, in any
// order
bool read_domain(Cursor& cursor) {
  cursor.skip_space();
  const char* start = cursor.at();
  unsigned seen = 0;
  const bool ok = read_fields(cursor, [&](std::string_view name, const char* where) {
    const unsigned bit = name == "kind" ? 1 : name == "entry" ? 2 : name == "exit" ? 4 : 0;
    if (bit == 0) return cursor.fail(where, "unexpected attribute \"" + std::string(name.substr(0, 64)) + "\"");
    if ((seen & bit) != 0) return cursor.fail(where, "attribute " + std::string(name) + " already exists");
    seen |= bit;
    if (bit != 1) return read_sharding(cursor, nullptr);
    cursor.skip_space();
    const char* at = cursor.at();
    std::string_view kind;
    if (!cursor.read_string(&kind)) return false;
    return kind == "sharding" || cursor.fail(at, "unsupported domain kind: " + std::string(kind.substr(0, 64)));
  });
  if (!ok) return false;
  for (const auto& [bit, name] : {std::pair(1U, "kind"), std::pair(2U, "entry"), std::pair(4U, "exit")}) {
    if ((seen & bit) == 0) {
      return cursor.fail(start, "sub-attribute " + std::string(name) + " is expected but not seen");
    }
  }
  return true;
}
}  // namespace hloroof::internal::inline values

namespace hloroof::inline v0 {
using namespace internal;

// ---- The structs' own functions ----------------------------------------------------------------------------------

std::optional<ShardingAttribute> sharding(InstructionView instruction) {
  return decode<ShardingAttribute>(instruction, AttributeKey::kSharding, read_sharding);
}

std::int64_t Sharding::shards_of_dimension(std::size_t dimension) const {
  if (kind == Kind::kTiled && dimension + subgroups.size() < tile_dimensions.size()) return tile_dimensions[dimension];
  if (kind != Kind::kNamed || dimension >= dimension_axes.size()) return 1;
  std::int64_t shards = 1;
  for (const MeshAxisReference& axis : dimension_axes[dimension].axes) shards *= axis.size;
  return shards;
}

std::int64_t Sharding::device_count() const {
  switch (kind) {
    case Kind::kMaximal: return 1;
    case Kind::kTiled: return devices.empty() ? position_count(order) : static_cast<std::int64_t>(devices.size());
    case Kind::kNamed: return internal::device_count(mesh);
    default: return 0;
  }
}

absl::StatusOr<std::vector<std::int64_t>> Sharding::device_list(std::int64_t limit) const {
  const std::int64_t count = device_count();
  if (count > limit) {
    return resource_exhausted("sharding names " + std::to_string(count) + " devices, more than the limit of " +
                              std::to_string(limit));
  }
  if (kind == Kind::kMaximal) return std::vector<std::int64_t>{device};
  if (!devices.empty()) return devices;
  IotaOrder positions = order;
  if (kind == Kind::kNamed) {
    // First over the partitioning axes in the order of the dimensions, then over the others.
    std::vector<MeshAxisReference> cutting;
    for (const DimensionAxes& d : dimension_axes) cutting.insert(cutting.end(), d.axes.begin(), d.axes.end());
    SplitMesh split = split_mesh(mesh, cutting);
    positions.permutation = std::move(split.named);
    positions.permutation.insert(positions.permutation.end(), split.unnamed.begin(), split.unnamed.end());
    positions.dimensions = std::move(split.dimensions);
  }
  std::vector<std::int64_t> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::int64_t p = 0; p < count; ++p)
    list.push_back(kind == Kind::kNamed ? device_at(mesh, positions[p]) : positions[p]);
  return list;
}

}  // namespace hloroof::inline v0
