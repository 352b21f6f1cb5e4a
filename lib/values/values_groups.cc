// Parses replica_groups in its three forms, meshes and their axes, and source_target_pairs.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "lib/base/decimal.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {

namespace {

// sizes := list1(INT) close       Each size is at least 1. Sets `product` to their product.
bool read_sizes_until(Cursor& cursor, char close, std::vector<std::int64_t>* sizes, std::int64_t* product) {
  *product = 1;
  do {
    cursor.skip_space();
    const char* where = cursor.at();
    std::int64_t size = 0;
    if (!read_integer(cursor, &size)) return false;
    if (size < 1) return cursor.fail(where, "expects a size of at least 1");
    if (!multiply_checked(*product, size, product)) return cursor.fail(where, "product of the sizes overflows");
    sizes->push_back(size);
  } while (cursor.accept(','));
  return cursor.expect(close);
}

// perm := 'T' '(' list1(INT) ')', a permutation of 0 .. rank-1
bool read_permutation(Cursor& cursor, std::size_t rank, std::vector<std::int64_t>* permutation) {
  if (!cursor.accept_keyword("T")) return cursor.fail_expects("'T(' to start the transpose of an iota");
  if (!cursor.expect('(')) return false;
  const char* where = cursor.at();
  std::vector<bool> seen(rank);
  do {
    cursor.skip_space();
    where = cursor.at();
    std::int64_t dimension = 0;
    if (!read_integer(cursor, &dimension)) return false;
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank)) {
      return cursor.fail(where, "out of range iota transpose value " + std::to_string(dimension) +
                                    ", expecting value in range [0, " + std::to_string(rank) + ")");
    }
    if (seen[static_cast<std::size_t>(dimension)]) {
      return cursor.fail(where, "dimension " + std::to_string(dimension) + " occurs twice in an iota transpose");
    }
    seen[static_cast<std::size_t>(dimension)] = true;
    permutation->push_back(dimension);
  } while (cursor.accept(','));
  where = cursor.at();
  if (!cursor.expect(')')) return false;
  if (permutation->size() != rank) {
    return cursor.fail(where, "iota transpose has " + std::to_string(permutation->size()) + " dimensions, expected " +
                                  std::to_string(rank));
  }
  return true;
}

// order := '[' sizes ']' perm?        with perm if and only if there are at least two dimensions
bool read_reshape_and_permutation(Cursor& cursor, IotaOrder* order, std::int64_t* product) {
  if (!cursor.expect('[') || !read_sizes_until(cursor, ']', &order->dimensions, product)) return false;
  if (order->dimensions.size() > 1) return read_permutation(cursor, order->dimensions.size(), &order->permutation);
  order->permutation = {0};
  // One dimension has no transpose; XLA would parse the T as the next instruction.
  const char* after = cursor.at();
  if (cursor.accept_keyword("T") && cursor.peek() == '(') {
    return cursor.fail(after, "an iota of one dimension has no transpose");
  }
  cursor.move_to(after);
  return true;
}

// device_ids := ',' 'device_ids=' '(' (list1(INT) | order) ')'
//
// Does not consume a comma that is followed by something else.
bool read_device_ids(Cursor& cursor, std::int64_t device_count, Mesh* mesh) {
  const char* from = cursor.at();
  if (!cursor.accept(',') || cursor.accept_attribute_name() != "device_ids") {
    cursor.move_to(from);
    return true;
  }
  if (!cursor.expect('(')) return false;
  cursor.skip_space();
  const char* where = cursor.at();
  std::int64_t count = 0;
  if (*where == '[') {
    IotaOrder order;
    if (!read_reshape_and_permutation(cursor, &order, &count)) return false;
    if (order.dimensions.size() > 1) mesh->order = std::move(order);
  } else {
    do {
      std::int64_t id = 0;
      if (!read_integer(cursor, &id)) return false;
      mesh->device_ids.push_back(id);
    } while (cursor.accept(','));
    count = static_cast<std::int64_t>(mesh->device_ids.size());
    std::vector<std::int64_t> sorted = mesh->device_ids;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != static_cast<std::int64_t>(i)) {
        return cursor.fail(where, "device_ids are not a permutation of 0 to " + std::to_string(count - 1));
      }
    }
  }
  if (count != device_count) {
    return cursor.fail(
        where, "mesh has " + std::to_string(device_count) + " devices, but device_ids gives " + std::to_string(count));
  }
  return cursor.expect(')');
}

// Finds the axis called `name`, or else the axis whose number is `name`.
bool find_axis(const Mesh& mesh, const std::string& name, std::size_t* axis) {
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) {
      *axis = i;
      return true;
    }
  }
  const std::optional<std::size_t> number = parse_number<std::size_t>(name);
  if (number) *axis = *number;
  return number && *number < mesh.axes.size();
}

// Parts of one axis must not overlap: (pre, size) precedes (pre', size') if pre * size divides pre'.
bool parts_fit(std::vector<MeshAxisReference> parts, std::int64_t axis_size) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.pre_size < b.pre_size; });
  std::int64_t before = 1;
  for (const MeshAxisReference& part : parts) {
    if (part.pre_size % before != 0 || axis_size % part.pre_size != 0) return false;
    if ((axis_size / part.pre_size) % part.size != 0) return false;
    before = part.pre_size * part.size;  // divides axis_size, so it cannot overflow
  }
  return true;
}

}  // namespace

// sizes := '[' list1(INT) ']'
bool read_sizes(Cursor& cursor, std::vector<std::int64_t>* sizes, std::int64_t* product) {
  return cursor.expect('[') && read_sizes_until(cursor, ']', sizes, product);
}

bool read_iota_order(Cursor& cursor, std::int64_t expected, IotaOrder* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  IotaOrder order;
  std::int64_t product = 1;
  if (!read_reshape_and_permutation(cursor, &order, &product)) return false;
  if (product != expected) {
    return cursor.fail(where, "iota has " + std::to_string(product) + " devices, but the dimensions before it hold " +
                                  std::to_string(expected));
  }
  if (out != nullptr) *out = std::move(order);
  return true;
}

// mesh := 'maximal_mesh' '[' 'device_id=' INT ']' | 'mesh' '[' list(STRING '=' INT) ']' device_ids?
bool read_mesh(Cursor& cursor, Mesh* out) {
  Mesh mesh;
  cursor.skip_space();
  if (cursor.accept_keyword("maximal_mesh")) {
    if (!cursor.expect('[')) return false;
    if (cursor.accept_attribute_name() != "device_id") return cursor.fail_expects("device_id= in maximal_mesh");
    std::int64_t device = 0;
    cursor.skip_space();
    const char* where = cursor.at();
    if (!read_integer(cursor, &device)) return false;
    if (device < 0) return cursor.fail(where, "device_id is negative");
    if (!cursor.expect(']')) return false;
    mesh.maximal_device = device;
  } else {
    if (!cursor.accept_keyword("mesh")) return cursor.fail_expects("a mesh");
    if (!cursor.expect('[')) return false;
    std::int64_t devices = 1;
    if (!cursor.accept(']')) {
      do {
        cursor.skip_space();
        const char* where = cursor.at();
        std::string_view raw;
        Mesh::Axis axis;
        if (!cursor.read_string(&raw) || !cursor.expect('=') || !read_integer(cursor, &axis.size)) return false;
        axis.name = unescape(raw);
        if (axis.size < 1) return cursor.fail(where, "expects an axis size of at least 1");
        for (const Mesh::Axis& other : mesh.axes) {
          if (other.name == axis.name) return cursor.fail(where, "mesh has axis '" + axis.name + "' twice");
        }
        if (!multiply_checked(devices, axis.size, &devices)) {
          return cursor.fail(where, "number of devices of the mesh overflows");
        }
        mesh.axes.push_back(std::move(axis));
      } while (cursor.accept(','));
      if (!cursor.expect(']')) return false;
    }
    if (!read_device_ids(cursor, devices, &mesh)) return false;
  }
  if (out != nullptr) *out = std::move(mesh);
  return true;
}

// axes := '{' list(axis) '}'       axis := STRING (':' '(' INT ')' INT)?
bool read_mesh_axes(Cursor& cursor, const Mesh& mesh, std::vector<MeshAxisReference>* out) {
  cursor.skip_space();
  const char* start = cursor.at();
  std::vector<MeshAxisReference> axes;
  const bool ok = read_list(cursor, '{', '}', [&] { return read_mesh_axis(cursor, mesh, &axes.emplace_back()); });
  if (!ok || !check_mesh_axes(cursor, start, mesh, axes)) return false;
  if (out != nullptr) *out = std::move(axes);
  return true;
}

bool read_mesh_axis(Cursor& cursor, const Mesh& mesh, MeshAxisReference* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  std::string_view raw;
  if (!cursor.read_string(&raw)) return false;
  const std::string name = unescape(raw);
  if (!find_axis(mesh, name, &out->axis)) return cursor.fail(where, "mesh has no axis '" + name.substr(0, 64) + "'");
  const std::int64_t axis_size = mesh.axes[out->axis].size;
  out->size = axis_size;
  if (!cursor.accept(':')) return true;
  out->is_part = true;
  if (!cursor.expect('(') || !read_integer(cursor, &out->pre_size) || !cursor.expect(')') ||
      !read_integer(cursor, &out->size)) {
    return false;
  }
  if (out->pre_size < 1 || out->size < 2 || out->size >= axis_size || !parts_fit({*out}, axis_size)) {
    return cursor.fail(where, "part :(" + std::to_string(out->pre_size) + ")" + std::to_string(out->size) +
                                  " does not fit axis '" + name.substr(0, 64) + "' of size " +
                                  std::to_string(axis_size));
  }
  return true;
}

bool check_mesh_axes(Cursor& cursor, const char* where, const Mesh& mesh, const std::vector<MeshAxisReference>& axes) {
  std::vector<std::vector<MeshAxisReference>> by_axis(mesh.axes.size());
  for (const MeshAxisReference& a : axes) by_axis[a.axis].push_back(a);
  for (std::size_t i = 0; i < by_axis.size(); ++i) {
    if (by_axis[i].size() > 1 && !parts_fit(by_axis[i], mesh.axes[i].size)) {
      return cursor.fail(where, "axis '" + mesh.axes[i].name + "' or parts of it overlap");
    }
  }
  return true;
}

SplitMesh split_mesh(const Mesh& mesh, const std::vector<MeshAxisReference>& axes) {
  SplitMesh split;
  split.named.resize(axes.size());
  const auto add_unnamed = [&split](std::int64_t size) {
    split.unnamed.push_back(static_cast<std::int64_t>(split.dimensions.size()));
    split.dimensions.push_back(size);
  };
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].axis == a) parts.push_back(i);
    }
    std::sort(parts.begin(), parts.end(),
              [&](std::size_t x, std::size_t y) { return axes[x].pre_size < axes[y].pre_size; });
    std::int64_t before = 1;
    for (std::size_t part : parts) {
      if (axes[part].pre_size != before) add_unnamed(axes[part].pre_size / before);
      split.named[part] = static_cast<std::int64_t>(split.dimensions.size());
      split.dimensions.push_back(axes[part].size);
      before = axes[part].pre_size * axes[part].size;
    }
    if (before != mesh.axes[a].size) add_unnamed(mesh.axes[a].size / before);
  }
  return split;
}

namespace {

// Orders the devices of a mesh so that each run of `size` devices is a group: first over the axes that groups do not
// span, then over the spanned axes as written. All products divide the device count, which has been checked, so they
// cannot overflow.
void group_mesh(const Mesh& mesh, const std::vector<MeshAxisReference>& axes, ReplicaGroups* out) {
  SplitMesh split = split_mesh(mesh, axes);
  out->count = out->size = 1;
  for (std::int64_t d : split.unnamed) out->count *= split.dimensions[static_cast<std::size_t>(d)];
  for (std::int64_t d : split.named) out->size *= split.dimensions[static_cast<std::size_t>(d)];
  out->order.permutation = std::move(split.unnamed);
  out->order.permutation.insert(out->order.permutation.end(), split.named.begin(), split.named.end());
  out->order.dimensions = std::move(split.dimensions);
  if (out->order.dimensions.empty()) out->order = {{1}, {0}};
}

// groups_v2 := '[' G ',' S ']' '<=' order
bool read_iota_groups(Cursor& cursor, ReplicaGroups* out) {
  const char* where = cursor.at();
  std::vector<std::int64_t> sizes;
  std::int64_t product = 1;
  if (!read_sizes(cursor, &sizes, &product)) return false;
  if (sizes.size() != 2) {
    return cursor.fail(where, "expects two dimensions, [groups,group size], but sees " + std::to_string(sizes.size()));
  }
  if (!cursor.expect("<=") || !read_iota_order(cursor, product, out == nullptr ? nullptr : &out->order)) return false;
  if (out == nullptr) return true;
  out->form = ReplicaGroups::Form::kIota;
  out->count = sizes[0];
  out->size = sizes[1];
  return true;
}

// groups_v3 := mesh ','? axes
bool read_mesh_groups(Cursor& cursor, ReplicaGroups* out) {
  Mesh mesh;
  std::vector<MeshAxisReference> axes;
  if (!read_mesh(cursor, &mesh)) return false;
  cursor.accept(',');
  if (!read_mesh_axes(cursor, mesh, &axes)) return false;
  if (out == nullptr) return true;
  out->form = ReplicaGroups::Form::kMesh;
  group_mesh(mesh, axes, out);
  out->mesh = std::move(mesh);
  out->axes = std::move(axes);
  return true;
}

}  // namespace

// groups := groups_v1 | groups_v2 | groups_v3         groups_v1 := '{' list('{' list(INT) '}') '}'
bool read_replica_groups(Cursor& cursor, ReplicaGroups* out) {
  switch (cursor.peek()) {
    case '[': return read_iota_groups(cursor, out);
    case '{': break;
    default: return read_mesh_groups(cursor, out);
  }
  if (out == nullptr) return read_integer_list_list(cursor, nullptr);
  return read_list(cursor, '{', '}', [&] {
    const bool ok = read_integer_list(cursor, &out->ids);
    out->ends.push_back(out->ids.size());
    return ok;
  });
}

// pairs := '{' list('{' INT ',' INT '}') '}'
bool read_source_target_pairs(Cursor& cursor, std::vector<std::pair<std::int64_t, std::int64_t>>* out) {
  return read_list(cursor, '{', '}', [&] {
    std::pair<std::int64_t, std::int64_t> pair;
    cursor.skip_space();
    const char* where = cursor.at();
    if (!cursor.expect('{')) return false;
    if (!read_integer(cursor, &pair.first) || !cursor.accept(',') || !read_integer(cursor, &pair.second) ||
        !cursor.accept('}')) {
      return cursor.fail(where, "expects 'source_target_pairs=' to be a list of pairs");
    }
    if (out != nullptr) out->push_back(pair);
    return true;
  });
}

std::int64_t position_count(const IotaOrder& order) {
  return std::accumulate(order.dimensions.begin(), order.dimensions.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t device_count(const Mesh& mesh) {
  std::int64_t count = 1;
  for (const Mesh::Axis& axis : mesh.axes) count *= axis.size;
  return count;
}

std::int64_t device_at(const Mesh& mesh, std::int64_t position) {
  if (mesh.maximal_device.has_value()) return *mesh.maximal_device;
  if (!mesh.device_ids.empty()) return mesh.device_ids[static_cast<std::size_t>(position)];
  return mesh.order.dimensions.empty() ? position : mesh.order[position];
}

}  // namespace hloroof::internal::inline values

namespace hloroof::inline v0 {
using namespace internal;

// ---- The structs' own functions ----------------------------------------------------------------------------------

// Unravels the position over the transposed dimensions, and multiplies each coordinate by the stride of its dimension
// in the untransposed order.
std::int64_t IotaOrder::operator[](std::int64_t position) const {
  std::int64_t id = 0;
  for (std::size_t k = permutation.size(); k-- > 0;) {
    const std::size_t d = static_cast<std::size_t>(permutation[k]);
    std::int64_t stride = 1;
    for (std::size_t i = d + 1; i < dimensions.size(); ++i) stride *= dimensions[i];
    id += position % dimensions[d] * stride;
    position /= dimensions[d];
  }
  return id;
}

std::int64_t ReplicaGroups::group_count() const {
  return form == Form::kList ? static_cast<std::int64_t>(ends.size()) : count;
}

std::int64_t ReplicaGroups::group_size() const {
  if (form != Form::kList) return size;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) largest = std::max(largest, ends[i] - (i == 0 ? 0 : ends[i - 1]));
  return static_cast<std::int64_t>(largest);
}

std::int64_t ReplicaGroups::id_count() const {
  return form == Form::kList ? static_cast<std::int64_t>(ids.size()) : count * size;
}

void ReplicaGroups::copy_group(std::int64_t index, std::vector<std::int64_t>& group) const {
  group.clear();
  if (form == Form::kList) {
    const auto i = static_cast<std::size_t>(index);
    const auto begin = static_cast<std::ptrdiff_t>(i == 0 ? 0 : ends[i - 1]);
    group.assign(ids.begin() + begin, ids.begin() + static_cast<std::ptrdiff_t>(ends[i]));
    return;
  }
  for (std::int64_t p = index * size; p < (index + 1) * size; ++p) {
    group.push_back(form == Form::kMesh ? device_at(mesh, order[p]) : order[p]);
  }
}

}  // namespace hloroof::inline v0
