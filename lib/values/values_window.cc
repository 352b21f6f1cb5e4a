// Parses window, dim_labels, padding, slice and sparsity_config.
#include <algorithm>
#include <string>
#include <tuple>

#include "lib/values/attribute_values.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {

namespace {

using Integers = std::vector<std::int64_t>;

// dxd := INT | DxD
bool read_window_sizes(Cursor& cursor, Integers* values) {
  if (cursor.peek() != '-') return cursor.read_dims_by_x(values);
  return read_integer(cursor, &values->emplace_back());  // XLA accepts a single negative number
}

// Checks that a list is empty or has as many entries as size=.
bool check_same_count(Cursor& cursor, const char* where, std::string_view name, const Integers& values,
                      std::size_t count) {
  if (values.empty() || values.size() == count) return true;
  return cursor.fail(where, "expects '" + std::string(name) + "=' has the same size as 'size='");
}

// The positions of one part of dim_labels. `first` and `second` are its letters: b and f, or i and o.
struct LabelPart {
  static constexpr int kDigits = 10;  // the name of a spatial dimension is one digit

  LabelPart() { std::fill(spatial, spatial + kDigits, -1); }
  void copy_spatial(Integers* out) const { out->assign(spatial, spatial + spatial_count); }

  std::int64_t first = -1;
  std::int64_t second = -1;
  std::int64_t spatial[kDigits];
  std::size_t spatial_count = 0;
};

bool read_label_part(Cursor& cursor, const char* where, std::string_view labels, std::string_view name, char first,
                     char second, LabelPart* part) {
  const auto is_spatial = [](char c) { return is_digit(c); };
  // More than ten labels contain a duplicate, which is rejected below.
  part->spatial_count = static_cast<std::size_t>(std::count_if(labels.begin(), labels.end(), is_spatial));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    if (c == '?') continue;
    std::int64_t* slot = c == first ? &part->first : c == second ? &part->second : nullptr;
    if (slot == nullptr && is_digit(c)) {
      const std::size_t dimension = static_cast<std::size_t>(c - '0');
      if (dimension >= part->spatial_count) {
        return cursor.fail(where, "expects [0-" + std::to_string(part->spatial_count - 1) + first + second + "?] in " +
                                      std::string(name) + " dimension numbers, but sees " + std::string(labels));
      }
      slot = &part->spatial[dimension];
    }
    if (slot == nullptr || *slot != -1) {
      return cursor.fail(where,
                         "expects unique " + std::string(name) + " dimension numbers, but sees " + std::string(labels));
    }
    *slot = static_cast<std::int64_t>(i);
  }
  return true;
}

}  // namespace

// window := '{' (field)* '}'
// field  := 'size=' dxd | 'stride=' dxd | 'pad=' PAD | 'lhs_dilate=' dxd | 'rhs_dilate=' dxd | 'rhs_reversal=' dxd
//
// Fields are separated by spaces, in any order, each at most once. All lists have the length of size.
bool read_window(Cursor& cursor, Window* out) {
  if (!cursor.expect('{')) return false;
  cursor.skip_space();
  const char* start = cursor.at();
  Integers size, stride, base_dilation, window_dilation, reversal, pad;
  while (!cursor.accept('}')) {
    const std::string_view name = cursor.accept_attribute_name();
    if (name.empty()) return cursor.fail_expects("sub-attributes in window");
    const char* value = cursor.at();
    Integers* values = name == "size"           ? &size
                       : name == "stride"       ? &stride
                       : name == "pad"          ? &pad
                       : name == "lhs_dilate"   ? &base_dilation
                       : name == "rhs_dilate"   ? &window_dilation
                       : name == "rhs_reversal" ? &reversal
                                                : nullptr;
    if (values == nullptr) {
      return cursor.fail(name.data(), "unexpected attribute name: " + std::string(name.substr(0, 64)));
    }
    if (!values->empty()) return cursor.fail(value, "sub-attribute '" + std::string(name) + "=' already exists");
    if (values == &pad) {
      std::vector<std::uint8_t> fields;
      cursor.skip_space();
      value = cursor.at();
      if (!cursor.read_padding(&pad, &fields)) return false;
      if (std::any_of(fields.begin(), fields.end(), [](std::uint8_t n) { return n != 2; })) {
        return cursor.fail(value, "expects padding_low and padding_high separated by '_'");
      }
    } else if (!read_window_sizes(cursor, values)) {
      return false;
    }
  }
  const std::size_t n = size.size();
  if (!check_same_count(cursor, start, "stride", stride, n) ||
      !check_same_count(cursor, start, "lhs_dilate", base_dilation, n) ||
      !check_same_count(cursor, start, "rhs_dilate", window_dilation, n) ||
      !check_same_count(cursor, start, "rhs_reversal", reversal, n)) {
    return false;
  }
  if (!pad.empty() && pad.size() != 2 * n) return cursor.fail(start, "expects 'pad=' has the same size as 'size='");
  if (out == nullptr) return true;
  out->dimensions.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    WindowDimension& d = out->dimensions[i];
    d.size = size[i];
    if (!stride.empty()) d.stride = stride[i];
    if (!pad.empty()) {
      d.pad_low = pad[2 * i];
      d.pad_high = pad[2 * i + 1];
    }
    if (!base_dilation.empty()) d.base_dilation = base_dilation[i];
    if (!window_dilation.empty()) d.window_dilation = window_dilation[i];
    if (!reversal.empty()) d.reversal = reversal[i] == 1;
  }
  return true;
}

// labels := [0-9bf?]{2,} '_' [0-9io?]{2,} '->' [0-9bf?]{2,}
//
// Each label occurs at most once per part. Digits are below the number of spatial dimensions, which is equal in all
// parts.
bool read_dim_label_numbers(Cursor& cursor, ConvolutionDimensionNumbers* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  std::string_view labels;
  if (!cursor.read_dim_labels(&labels)) return false;
  const std::size_t underscore = labels.find('_');
  const std::size_t arrow = labels.find("->");
  LabelPart lhs, rhs, output;
  if (!read_label_part(cursor, where, labels.substr(0, underscore), "lhs", 'b', 'f', &lhs) ||
      !read_label_part(cursor, where, labels.substr(underscore + 1, arrow - underscore - 1), "rhs", 'i', 'o', &rhs) ||
      !read_label_part(cursor, where, labels.substr(arrow + 2), "output", 'b', 'f', &output)) {
    return false;
  }
  if (lhs.spatial_count != rhs.spatial_count || lhs.spatial_count != output.spatial_count) {
    return cursor.fail(where, "input, kernel, and output must have same number of spatial dimensions, but got " +
                                  std::to_string(lhs.spatial_count) + ", " + std::to_string(rhs.spatial_count) + ", " +
                                  std::to_string(output.spatial_count) + ", respectively");
  }
  if (out == nullptr) return true;
  out->lhs_batch = lhs.first;
  out->lhs_feature = lhs.second;
  lhs.copy_spatial(&out->lhs_spatial);
  out->rhs_input_feature = rhs.first;
  out->rhs_output_feature = rhs.second;
  rhs.copy_spatial(&out->rhs_spatial);
  out->output_batch = output.first;
  out->output_feature = output.second;
  output.copy_spatial(&out->output_spatial);
  return true;
}

// pad := low '_' high ('_' interior)? ('x' ...)*
bool read_padding_dimensions(Cursor& cursor, std::vector<PaddingDimension>* out) {
  if (out == nullptr) return cursor.read_padding(nullptr, nullptr);
  Integers values;
  std::vector<std::uint8_t> fields;
  if (!cursor.read_padding(&values, &fields)) return false;
  std::size_t at = 0;
  for (std::uint8_t count : fields) {
    PaddingDimension& d = out->emplace_back();
    d.low = values[at];
    d.high = values[at + 1];
    if (count == 3) d.interior = values[at + 2];
    at += count;
  }
  return true;
}

// ranges := '{' list(range) '}'       range := '[' INT ':' INT (':' INT)? ']'
bool read_slice_ranges(Cursor& cursor, std::vector<SliceRange>* out) {
  return read_list(cursor, '{', '}', [&] {
    cursor.skip_space();
    const char* where = cursor.at();
    if (!cursor.expect('[')) return false;
    std::int64_t values[3] = {0, 0, 1};
    std::size_t count = 0;
    if (!cursor.accept(']')) {
      do {
        std::int64_t value = 0;
        if (!read_integer(cursor, &value)) return false;
        if (count < 3) values[count] = value;
        ++count;
      } while (cursor.accept(':'));
      if (!cursor.expect(']')) return false;
    }
    if (count != 2 && count != 3) {
      return cursor.fail(
          where, "expects [start:limit:step] or [start:limit], but sees " + std::to_string(count) + " elements");
    }
    if (out != nullptr) out->push_back({values[0], values[1], values[2]});
    return true;
  });
}

// sparsity := '{' (('lhs=' | 'rhs=') '{' part* '}')* '}'
// part     := 'sparsity=' D+ 'x' D+ | 'dimension=' INT | 'stride=' INT | 'idx=' INT
//
// Separated by spaces, each at most once. Discards the values, because structured sparsity is not modelled.
bool read_sparsity(Cursor& cursor) {
  if (!cursor.expect('{')) return false;
  unsigned sides_seen = 0;
  while (!cursor.accept('}')) {
    const std::string_view side = cursor.accept_attribute_name();
    const unsigned bit = side == "lhs" ? 1 : side == "rhs" ? 2 : 0;
    if (side.empty()) return cursor.fail_expects("lhs= or rhs=");
    if (bit == 0 || (sides_seen & bit) != 0) return cursor.fail(side.data(), "unknown or repeated attribute");
    sides_seen |= bit;
    if (!cursor.expect('{')) return false;
    unsigned seen = 0;
    while (!cursor.accept('}')) {
      const std::string_view name = cursor.accept_attribute_name();
      if (name.empty()) return cursor.fail_expects("an attribute name");
      const unsigned part = name == "sparsity"    ? 1
                            : name == "dimension" ? 2
                            : name == "stride"    ? 4
                            : name == "idx"       ? 8
                                                  : 0;
      if (part == 0 || (seen & part) != 0) return cursor.fail(name.data(), "unknown or repeated attribute");
      seen |= part;
      const char* where = cursor.at();
      Integers values;
      std::int64_t value = 0;
      if (part != 1) {
        if (!read_integer(cursor, &value)) return false;
      } else if (!cursor.read_dims_by_x(&values)) {
        return false;
      } else if (values.size() != 2) {
        return cursor.fail(where, "expects sparsity as non-zeros x block size");
      }
    }
  }
  return true;
}

}  // namespace hloroof::internal::inline values

namespace hloroof::inline v0 {
using namespace internal;

// A structured binding names all members, so that a new member must be added here.
bool operator==(const WindowDimension& a, const WindowDimension& b) {
  const auto& [size, stride, pad_low, pad_high, base_dilation, window_dilation, reversal] = a;
  return std::tie(size, stride, pad_low, pad_high, base_dilation, window_dilation, reversal) ==
         std::tie(b.size, b.stride, b.pad_low, b.pad_high, b.base_dilation, b.window_dilation, b.reversal);
}

}  // namespace hloroof::inline v0
