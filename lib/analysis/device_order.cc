#include "lib/analysis/device_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/rings.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr std::int64_t kMaxDevices = 1 << 20;

// The sections of machine axes that a set of positions covers, outermost first. nullopt unless the positions form a box
// with regular spacing.
std::optional<std::vector<AxisPiece>> box_of(const std::vector<std::int64_t>& places, const PhysicalMapping& mapping) {
  std::vector<AxisPiece> pieces;
  std::int64_t inner = 1;
  std::int64_t covered = 1;
  for (std::size_t k = mapping.physical.size(); k-- > 0;) {
    const PhysicalAxis& axis = mapping.physical[k];
    std::set<std::int64_t> coordinates;
    for (const std::int64_t place : places) coordinates.insert(place / inner % axis.size);
    inner *= axis.size;
    if (coordinates.size() == 1) continue;
    AxisPiece piece;
    piece.physical = static_cast<int>(k);
    piece.size = static_cast<std::int64_t>(coordinates.size());
    piece.stride = *std::next(coordinates.begin()) - *coordinates.begin();
    std::int64_t expected = *coordinates.begin();
    for (const std::int64_t coordinate : coordinates) {
      if (coordinate != expected) return std::nullopt;
      expected += piece.stride;
    }
    covered *= piece.size;
    pieces.insert(pieces.begin(), piece);
  }
  // As many distinct positions as the box has places cover the whole box.
  if (covered != static_cast<std::int64_t>(places.size())) return std::nullopt;
  close_rings(mapping.physical, pieces);
  return pieces;
}

}  // namespace

// DeviceOrder = Id { "," Id } | IotaOrder, as in replica groups
absl::StatusOr<std::vector<std::int64_t>> parse_device_order(std::string_view text) {
  text = from_absl(absl::StripAsciiWhitespace(to_absl(text)));
  const auto bad = [&](std::string_view why) {
    return invalid_argument(absl::StrCat("the device order \"", to_absl(text.substr(0, 60)), "\": ", to_absl(why),
                                         "; expected 0,2,1,3 or [1,4]<=[2,2]T(1,0)"));
  };
  std::vector<std::int64_t> order;
  if (!text.empty() && text[0] == '[') {
    absl::StatusOr<ReplicaGroups> groups = parse_replica_groups(text);
    if (!groups.ok()) return bad(from_absl(groups.status().message()));
    const bool all = groups->for_each_group(
        [&](absl::Span<const std::int64_t> ids) {
          order.insert(order.end(), ids.begin(), ids.end());
          return true;
        },
        kMaxDevices);
    if (!all) return bad("more than 2^20 devices");
    return order;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view digits = from_absl(absl::StripAsciiWhitespace(to_absl(text.substr(begin, comma - begin))));
    const std::optional<std::int64_t> id = parse_number<std::int64_t>(digits);
    if (!id || *id < 0) return bad("an id must be a non-negative integer");
    if (order.size() == static_cast<std::size_t>(kMaxDevices)) return bad("more than 2^20 devices");
    order.push_back(*id);
    begin = comma + 1;
  }
  return order;
}

absl::Status place_in_order(const std::vector<std::int64_t>& order, const LogicalMesh& mesh, PhysicalMapping& mapping) {
  const std::int64_t count = mesh.device_count;
  if (static_cast<std::int64_t>(order.size()) != count) {
    return invalid_argument(absl::StrCat("the device order has ", order.size(), " devices, but the module ", count));
  }
  mapping.position.assign(order.size(), -1);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::int64_t device = order[place];
    if (device < 0 || device >= count) {
      return invalid_argument(
          absl::StrCat("the device order has device ", device, ", but the module only 0 to ", count - 1));
    }
    if (mapping.position[device] >= 0) {
      return invalid_argument(absl::StrCat("the device order has device ", device, " twice"));
    }
    mapping.position[device] = static_cast<std::int64_t>(place);
  }
  mapping.notes.push_back("devices in the order set by the user");
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    const MeshAxis& axis = mesh.axes[i];
    std::vector<AxisPiece>& pieces = mapping.pieces[i];
    if (axis.size <= 1) continue;
    bool even = true;
    for (std::int64_t device = 0; device < count && even; ++device) {
      if (device / axis.stride % axis.size != 0) continue;
      std::vector<std::int64_t> places;
      for (std::int64_t k = 0; k < axis.size; ++k) places.push_back(mapping.position[device + k * axis.stride]);
      std::optional<std::vector<AxisPiece>> box = box_of(places, mapping);
      even = box && (device == 0 || pieces == *box);
      if (even && device == 0) pieces = *std::move(box);
    }
    if (even) continue;
    pieces.clear();
    mapping.aligned = false;
    mapping.notes.push_back(
        absl::StrCat("in this device order ", axis_with_size(axis), " is not regular on the machine"));
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline analysis
