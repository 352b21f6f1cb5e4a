#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "lib/analysis/sizes.h"
#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/explain/explain.h"
#include "lib/ir/element_type.h"
#include "lib/ir/memory_spaces.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline explain {
namespace {

std::string grouped_digits(std::int64_t value) {
  std::string digits = absl::StrCat(value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(at, ",");
  return digits;
}

std::string dimensions_text(const Shape& shape) {
  if (shape.dimensions.empty()) return "a scalar";
  std::string text = absl::StrJoin(shape.dimensions, " x ");
  return text + " = " + grouped_digits(element_count(shape)) + " elements";
}

std::string order_text(const Shape& shape) {
  std::vector<std::string> parts;
  for (std::int64_t dimension : shape.layout.minor_to_major) {
    const bool known = dimension >= 0 && static_cast<std::size_t>(dimension) < shape.dimensions.size();
    parts.push_back(absl::StrFormat("%d (%d)", dimension, known ? shape.dimensions[dimension] : 0));
  }
  return "dimension " + absl::StrJoin(parts, ", then ") + (parts.size() > 1 ? ", fastest first" : "");
}

// Gives the reason for a tile group, as far as the element type determines it.
std::string tile_text(const Shape& shape, std::size_t i) {
  const Tile& tile = shape.layout.tiles[i];
  std::vector<std::string> sizes;
  for (std::int64_t d : tile.dimensions) sizes.push_back(d == Tile::kCombine ? "*" : absl::StrCat(d));
  const std::string size = absl::StrJoin(sizes, "x");
  if (i == 0) {
    const std::size_t covered = std::min(tile.dimensions.size(), shape.layout.minor_to_major.size());
    std::vector<std::string> dims;
    for (std::size_t k = covered; k-- > 0;) dims.push_back(absl::StrCat(shape.layout.minor_to_major[k]));
    return absl::StrFormat("%s tiles over dimension%s %s", size, covered == 1 ? "" : "s", absl::StrJoin(dims, ", "));
  }
  const int width = bits(shape.element_type);
  if (tile.dimensions.size() == 2 && tile.dimensions[1] == 1 && width > 0 && 32 % width == 0 &&
      tile.dimensions[0] == 32 / width) {
    return absl::StrFormat("in them %d rows interleaved, because %d %s share a 32-bit sublane", tile.dimensions[0],
                           tile.dimensions[0], std::string(to_string(shape.element_type)));
  }
  return "in them " + size + " tiles";
}

std::string memory_text(const Shape& shape, DeviceFamily family) {
  const std::int64_t space = shape.layout.memory_space;
  if (family != DeviceFamily::kTpu) return space == kHostSpace ? "S(5): host memory" : "device memory";
  switch (memory_space(shape)) {
    case MemorySpace::kHbm: return "HBM";
    case MemorySpace::kVmem:
      return absl::StrFormat("S(%d): %s, on the chip", space, space == kVmemSpace ? "VMEM" : "CMEM");
    case MemorySpace::kHost: return absl::StrFormat("S(%d): host memory", space);
    case MemorySpace::kScalar: return absl::StrFormat("S(%d): scalar memory or semaphores", space);
  }
  return "HBM";
}

// Draws a tile of the two minor dimensions to scale, with # for values and . for padding. Empty if these dimensions
// have no padding.
std::string tile_picture(const Shape& shape, std::size_t indent) {
  const Layout& layout = shape.layout;
  if (layout.tiles.empty() || layout.minor_to_major.size() < 2 || layout.tiles[0].dimensions.size() != 2) return "";
  const std::int64_t rows = layout.tiles[0].dimensions[0];
  const std::int64_t columns = layout.tiles[0].dimensions[1];
  if (rows <= 0 || columns <= 0) return "";
  const std::int64_t row_size = shape.dimensions[layout.minor_to_major[1]];
  const std::int64_t column_size = shape.dimensions[layout.minor_to_major[0]];
  if (row_size <= 0 || column_size <= 0) return "";
  const std::int64_t last_rows = (row_size - 1) % rows + 1;
  const std::int64_t last_columns = (column_size - 1) % columns + 1;
  if (last_rows == rows && last_columns == columns) return "";
  constexpr std::int64_t kRows = 8;
  constexpr std::int64_t kColumns = 32;
  std::string out =
      std::string(indent, ' ') + absl::StrFormat("the last tile, %d of %d rows and %d of %d columns used:\n", last_rows,
                                                 rows, last_columns, columns);
  const std::int64_t shown_rows = std::min(kRows, rows);
  const std::int64_t shown_columns = std::min(kColumns, columns);
  for (std::int64_t r = 0; r < shown_rows; ++r) {
    out.append(indent + 2, ' ');
    for (std::int64_t c = 0; c < shown_columns; ++c) {
      // In floating point, as tiles may have any size.
      const bool used = static_cast<double>(r) * static_cast<double>(rows) <
                            static_cast<double>(last_rows) * static_cast<double>(shown_rows) &&
                        static_cast<double>(c) * static_cast<double>(columns) <
                            static_cast<double>(last_columns) * static_cast<double>(shown_columns);
      out += used ? '#' : '.';
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string explain_shape(const Shape& shape, DeviceFamily family, std::size_t indent) {
  const std::string pad(indent, ' ');
  if (!shape.is_array()) {
    return pad +
           std::string(shape.element_type == ElementType::kToken ? "a token: order, no data"
                                                                 : to_string(shape.element_type)) +
           "\n";
  }
  std::string out = pad + std::string(to_string(shape.element_type)) + ", " + dimensions_text(shape) + "\n";
  if (shape.layout.present && shape.layout.minor_to_major.size() > 1) {
    out += pad + "order   " + wrap(order_text(shape), 80, indent + 8) + "\n";
  }
  for (std::size_t i = 0; i < shape.layout.tiles.size(); ++i)
    out += pad + (i == 0 ? "tiles   " : "        ") + tile_text(shape, i) + "\n";
  out += pad + "memory  " + memory_text(shape, family) + "\n";
  const std::int64_t logical = logical_bytes(shape);
  const std::int64_t padded = padded_bytes(shape);
  const std::int64_t elements = padded_elements(shape);
  if (elements != element_count(shape)) out += pad + "padded  to " + grouped_digits(elements) + " elements\n";
  out += pad + "bytes   " + grouped_digits(logical) + " logical, " + grouped_digits(padded) + " padded";
  if (logical > 0 && padded != logical) {
    out += absl::StrFormat(" (%.1fx expansion)", static_cast<double>(padded) / static_cast<double>(logical));
  }
  out += "\n";
  if (padded > logical) out += tile_picture(shape, indent + 2);
  return out;
}

std::string padding_advice(const Shape& shape) {
  constexpr double kWorthSaying = 1.2;
  const Layout& layout = shape.layout;
  if (!shape.is_array() || layout.tiles.empty() || layout.tiles[0].dimensions.size() != 2) return "";
  const std::size_t rank = shape.dimensions.size();
  if (rank < 2 || layout.minor_to_major.size() != rank) return "";
  const auto rows = static_cast<double>(layout.tiles[0].dimensions[0]);
  const auto columns = static_cast<double>(layout.tiles[0].dimensions[1]);
  if (rows <= 0 || columns <= 0) return "";
  const auto rounded_up = [](double size, double unit) { return std::ceil(size / unit) * unit; };
  // Counts the elements if dimension `minor` is along a tile's columns and `second` along its rows.
  double best = static_cast<double>(padded_elements(shape));
  const double now = best;
  std::size_t best_minor = 0;
  std::size_t best_second = 0;
  for (std::size_t minor = 0; minor < rank; ++minor) {
    for (std::size_t second = 0; second < rank; ++second) {
      if (minor == second) continue;
      double elements = 1;
      for (std::size_t d = 0; d < rank; ++d) {
        const auto size = static_cast<double>(shape.dimensions[d]);
        elements *= d == minor ? rounded_up(size, columns) : d == second ? rounded_up(size, rows) : size;
      }
      if (elements >= best) continue;
      best = elements;
      best_minor = minor;
      best_second = second;
    }
  }
  if (best <= 0 || now < kWorthSaying * best) return "";
  const double bytes = best * bits(shape.element_type) / 8;
  return absl::StrFormat("with dimension %d (%d) fastest and %d (%d) next it would take %s, %.1fx less", best_minor,
                         shape.dimensions[best_minor], best_second, shape.dimensions[best_second], format_bytes(bytes),
                         now / best);
}

}  // namespace hloroof::internal::inline explain
