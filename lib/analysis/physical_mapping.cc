// Maps the axes of a logical mesh to the axes of a machine, as mesh builders do.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/device_order.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/rings.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline analysis {
namespace {

bool crosses_network(LinkKind link) { return link == LinkKind::kDcn || link == LinkKind::kNetwork; }

// The axes of the machine, outermost first: slices or nodes, the torus or the scale-up domain, the devices of a chip.
std::vector<PhysicalAxis> physical_axes(const Device& device, const Topology& topology, std::optional<bool> wrap) {
  static constexpr std::string_view kTorusNames[] = {"x", "y", "z"};
  const bool torus = device.ici.dims > 0;
  const std::int64_t longest =
      topology.shape.empty() ? 1 : *std::max_element(topology.shape.begin(), topology.shape.end());
  std::vector<PhysicalAxis> axes;
  if (topology.slices > 1) {
    axes.push_back({torus ? "slice" : "node", topology.slices, false, torus ? LinkKind::kDcn : LinkKind::kNetwork});
  }
  for (std::size_t i = 0; i < topology.shape.size(); ++i) {
    if (topology.shape[i] <= 1) continue;
    PhysicalAxis axis;
    axis.size = topology.shape[i];
    if (torus) {
      axis.name = i < 3 ? std::string(kTorusNames[i]) : absl::StrCat("axis", i);
      axis.wraps = wrap.value_or(i < topology.wraps.size() && topology.wraps[i]);
      axis.twisted = topology.twisted && axis.wraps && axis.size < longest;
    } else {
      axis.name = device.family() == DeviceFamily::kGpu ? "nvlink" : "scale-up";
      axis.link = LinkKind::kScaleUp;
    }
    axes.push_back(std::move(axis));
  }
  if (topology.devices_per_chip > 1) {
    axes.push_back({"core", topology.devices_per_chip, false, LinkKind::kDieToDie});
  }
  return axes;
}

// The parts of the physical axes that are not yet assigned. Assignment proceeds from the innermost positions outwards.
struct Remaining {
  std::vector<std::int64_t> size;
  std::vector<std::int64_t> stride;

  void take(std::size_t axis, std::int64_t count, std::vector<AxisPiece>& pieces) {
    if (count <= 1) return;
    AxisPiece piece;
    piece.physical = static_cast<int>(axis);
    piece.size = count;
    piece.stride = stride[axis];
    pieces.push_back(piece);
    size[axis] /= count;
    stride[axis] *= count;
  }
};

// A set of axes, as bits, whose remaining sizes multiply to `size`; zero if there is none. Prefers the set with the
// most axes, then a set inside the chip, then the first one.
unsigned whole_axes(const Remaining& remaining, const std::vector<PhysicalAxis>& physical, std::int64_t size,
                    bool network) {
  const std::size_t count = std::min<std::size_t>(physical.size(), 12);
  unsigned best = 0;
  int best_rank = 0;
  for (unsigned set = 1; set < (1U << count); ++set) {
    std::int64_t rest = size;
    bool fits = true;
    int rank = 2 * __builtin_popcount(set);
    for (std::size_t i = 0; i < count && fits; ++i) {
      if ((set >> i & 1U) == 0) continue;
      fits = remaining.size[i] > 1 && (network || !crosses_network(physical[i].link)) && rest % remaining.size[i] == 0;
      if (fits) rest /= remaining.size[i];
      if (physical[i].link == LinkKind::kDieToDie) ++rank;
    }
    if (!fits || rest != 1 || rank <= best_rank) continue;
    best = set;
    best_rank = rank;
  }
  return best;
}

// Assigns `size` of the remaining positions. Returns false if the sizes do not divide.
bool assign(std::int64_t size, const std::vector<PhysicalAxis>& physical, Remaining& remaining,
            std::vector<AxisPiece>& pieces) {
  // Use the network only for axes that cannot be inside a slice or a node: an axis of two among eight GPUs does not
  // span two nodes.
  bool fits_inside = false;
  for (std::size_t i = 0; i < physical.size(); ++i) {
    fits_inside |= !crosses_network(physical[i].link) && std::gcd(size, remaining.size[i]) > 1;
  }
  for (const bool network : {false, true}) {
    if (network && fits_inside) break;
    const unsigned set = whole_axes(remaining, physical, size, network);
    if (set == 0) continue;
    for (std::size_t i = physical.size(); i-- > 0;) {
      if ((set >> i & 1U) != 0) remaining.take(i, remaining.size[i], pieces);
    }
    return true;
  }
  // First whole axes that divide the size, then a part of one. The network comes last.
  for (const bool network : {false, true}) {
    for (const bool whole : {true, false}) {
      for (std::size_t i = physical.size(); i-- > 0;) {
        if (crosses_network(physical[i].link) != network || remaining.size[i] <= 1) continue;
        const std::int64_t part = std::gcd(size, remaining.size[i]);
        if (whole && part != remaining.size[i]) continue;
        remaining.take(i, part, pieces);
        size /= part;
      }
    }
  }
  return size == 1;
}

// Assigns `size` slices of a text that names its slices.
bool assign_slices(std::int64_t size, const std::vector<PhysicalAxis>& physical, Remaining& remaining,
                   std::vector<AxisPiece>& pieces) {
  if (physical.empty() || !crosses_network(physical[0].link) || remaining.size[0] % size != 0) return false;
  remaining.take(0, size, pieces);
  return true;
}

// Assigns an axis of the mesh that is not between slices which the text names.
bool assign_in_slice(const LogicalMesh& mesh, int axis, const std::vector<PhysicalAxis>& physical, Remaining& remaining,
                     std::vector<AxisPiece>& pieces) {
  if (mesh.slices <= 1 || physical.empty() || physical[0].link != LinkKind::kDcn) {
    return assign(mesh.axes[axis].size, physical, remaining, pieces);
  }
  const std::int64_t slices = std::exchange(remaining.size[0], 1);
  const bool fits = assign(mesh.axes[axis].size, physical, remaining, pieces);
  remaining.size[0] = slices;
  return fits;
}

// Indices of the mesh's axes in the order of assignment: those in `order`, then the others from the innermost outwards.
absl::StatusOr<std::vector<int>> choosing_order(const LogicalMesh& mesh, const std::vector<std::string>& order) {
  std::vector<int> result;
  for (const std::string& name : order) {
    const auto at = std::find_if(mesh.axes.begin(), mesh.axes.end(), [&](const MeshAxis& a) { return a.name == name; });
    if (at == mesh.axes.end()) return invalid_argument(absl::StrCat("the mesh has no axis \"", name, "\""));
    const int axis = static_cast<int>(at - mesh.axes.begin());
    if (std::find(result.begin(), result.end(), axis) != result.end()) {
      return invalid_argument(absl::StrCat("the order of the mesh's axes has \"", name, "\" twice"));
    }
    result.push_back(axis);
  }
  for (int i = static_cast<int>(mesh.axes.size()); i-- > 0;) {
    if (std::find(result.begin(), result.end(), i) == result.end()) result.push_back(i);
  }
  return result;
}

}  // namespace

// Mesh = Axis { "," Axis } ; Axis = Name "=" Count
absl::StatusOr<std::vector<std::pair<std::string, std::int64_t>>> parse_mesh(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return invalid_argument(
        absl::StrCat("the mesh \"", to_absl(text.substr(0, 60)), "\": ", to_absl(why), "; expected data=4,model=2"));
  };
  std::vector<std::pair<std::string, std::int64_t>> axes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = from_absl(absl::StripAsciiWhitespace(to_absl(text.substr(begin, comma - begin))));
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) return bad("an axis must have the form NAME=SIZE");
    const std::optional<std::int64_t> size = parse_number<std::int64_t>(part.substr(equals + 1));
    if (!size || *size < 1) return bad("a size must be a positive integer");
    const std::string name(part.substr(0, equals));
    const bool is_repeated =
        std::any_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first == name; });
    if (is_repeated) return bad("the axis " + name + " is given twice");
    axes.emplace_back(name, *size);
    begin = comma + 1;
  }
  return axes;
}

absl::StatusOr<LogicalMesh> override_mesh(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes) {
  LogicalMesh result;
  result.device_count = mesh.device_count;
  result.slices = mesh.slices;
  const std::int64_t of_slice = mesh.device_count / std::max<std::int64_t>(mesh.slices, 1);
  result.unaligned = mesh.unaligned;
  std::int64_t stride = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto& [name, size] = axes[i];
    if (size < 1 || stride > mesh.device_count / size) {
      return invalid_argument(
          absl::StrCat("the mesh has more devices than the module, which has ", mesh.device_count, " devices"));
    }
    MeshAxis axis;
    axis.name = name;
    axis.named_in_text = true;
    axis.size = size;
    axis.stride = stride;
    // An axis that equals an inferred one keeps its roles.
    for (const MeshAxis& inferred : mesh.axes) {
      if (inferred.size == size && inferred.stride == stride) {
        axis.roles = inferred.roles;
        axis.why = inferred.why;
        axis.bytes = inferred.bytes;
      }
    }
    if (mesh.slices > 1 && stride < of_slice && of_slice % (stride * size) != 0) {
      return invalid_argument(absl::StrCat("the axis ", name, " crosses the slices of ", of_slice,
                                           " devices; give the axes of one slice, or let an axis end there"));
    }
    result.axes.insert(result.axes.begin(), std::move(axis));
    stride *= size;
  }
  if (stride == of_slice && mesh.slices > 1) {  // the axes of one slice; those between slices remain
    std::vector<MeshAxis> between;
    for (const MeshAxis& axis : mesh.axes) {
      if (axis.stride >= of_slice) between.push_back(axis);
    }
    result.axes.insert(result.axes.begin(), between.begin(), between.end());
    stride = mesh.device_count;
  }
  if (stride != mesh.device_count) {
    return invalid_argument(absl::StrCat("the mesh has ", stride, " devices, but the module has ", mesh.device_count));
  }
  result.notes.push_back("axes set by the user");
  return result;
}

absl::StatusOr<PhysicalMapping> map_mesh(const LogicalMesh& mesh, const Device& device, const Topology& topology,
                                         const MeshOptions& options) {
  if (topology.device_count() < mesh.device_count) {
    return invalid_argument(absl::StrCat("the topology ", topology.to_string(), " of ", device.name, " has ",
                                         topology.device_count(), " devices; the mesh needs ", mesh.device_count));
  }
  absl::StatusOr<std::vector<int>> order = choosing_order(mesh, options.order);
  if (!order.ok()) return order.status();

  PhysicalMapping mapping;
  mapping.topology = topology;
  mapping.physical = physical_axes(device, topology, options.wrap);
  mapping.pieces.resize(mesh.axes.size());
  const std::int64_t of_slice = mesh.device_count / std::max<std::int64_t>(mesh.slices, 1);
  if (!options.device_order.empty()) {
    std::vector<std::int64_t> devices = options.device_order;
    if (mesh.slices > 1 && static_cast<std::int64_t>(devices.size()) == of_slice) {  // the same order in every slice
      devices.reserve(devices.size() * static_cast<std::size_t>(mesh.slices));
      for (std::int64_t slice = 1; slice < mesh.slices; ++slice) {
        for (const std::int64_t id : options.device_order) devices.push_back(slice * of_slice + id);
      }
    }
    if (absl::Status status = place_in_order(devices, mesh, mapping); !status.ok()) return status;
    return mapping;
  }
  Remaining remaining;
  for (const PhysicalAxis& axis : mapping.physical) {
    remaining.size.push_back(axis.size);
    remaining.stride.push_back(1);
  }
  for (const int i : *order) {
    std::vector<AxisPiece>& pieces = mapping.pieces[i];
    const bool is_between = mesh.slices > 1 && mesh.axes[i].stride >= of_slice;
    if (mesh.axes[i].size > 1 && !(is_between ? assign_slices(mesh.axes[i].size, mapping.physical, remaining, pieces)
                                              : assign_in_slice(mesh, i, mapping.physical, remaining, pieces))) {
      mapping.aligned = false;
      mapping.notes.push_back(
          absl::StrCat(axis_with_size(mesh.axes[i]), " does not factor over the rest of ", topology.to_string()));
    }
    std::reverse(pieces.begin(), pieces.end());  // outermost first
    close_rings(mapping.physical, pieces);
  }
  if (topology.device_count() > mesh.device_count) {
    mapping.notes.push_back(
        absl::StrCat("the module uses ", mesh.device_count, " of ", topology.device_count(), " devices"));
  }
  return mapping;
}

std::string PhysicalMapping::placement(std::size_t axis) const {
  if (axis >= pieces.size() || pieces[axis].empty()) return "one device";
  std::string text;
  for (const AxisPiece& piece : pieces[axis]) {
    const PhysicalAxis& on = physical[piece.physical];
    absl::StrAppend(&text, text.empty() ? "" : " and ", on.name);
    if (piece.size != on.size) {
      absl::StrAppend(&text, " (", piece.size, " of ", on.size);
      if (piece.stride != 1) absl::StrAppend(&text, ", every ", piece.stride, piece.stride == 2 ? "nd" : "th");
      absl::StrAppend(&text, ")");
    } else if (piece.wraps) {
      absl::StrAppend(&text, on.twisted ? " (twisted ring)" : " (ring)");
    } else if (on.twisted) {
      absl::StrAppend(&text, " (twisted, open)");
    }
  }
  return text;
}

std::string PhysicalMapping::to_string(const LogicalMesh& mesh) const {
  std::string text;
  for (std::size_t i = 0; i < mesh.axes.size() && i < pieces.size(); ++i) {
    const MeshAxis& axis = mesh.axes[i];
    absl::StrAppend(&text, text.empty() ? "" : "; ", axis.name);
    absl::StrAppend(&text, is_description_of_axis(axis.name) ? " axis" : absl::StrCat(" ", axis.size), " on ",
                    placement(i));
  }
  return text.empty() ? "one device" : text;
}

}  // namespace hloroof::internal::inline analysis
