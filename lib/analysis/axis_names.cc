#include "lib/analysis/axis_names.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline analysis {
namespace {

// Removes the digits at the beginning of `text`. Returns false if there are none.
bool skip_number(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
  text.remove_prefix(digits);
  return digits > 0;
}

bool skip_text(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

// ScratchName = [ "_" ] "axis_" Number ; XLA writes it for the dimensions of an iota, and Shardy with the underscore.
bool is_scratch_axis_name(std::string_view name) {
  skip_text(name, "_");
  return skip_text(name, "axis_") && skip_number(name) && name.empty();
}

void describe_unnamed_axes(std::vector<MeshAxis>& axes) {
  std::map<std::int64_t, int> of_size;
  for (const MeshAxis& axis : axes) ++of_size[axis.size];
  for (MeshAxis& axis : axes) {
    if (!axis.name.empty()) continue;
    axis.name = of_size[axis.size] > 1 ? description_of_axis(axis.size, axis.stride) : absl::StrCat(axis.size, "-way");
  }
}

// Description = Number "-way" [ " stride-" Number ] ;
bool is_description_of_axis(std::string_view name) {
  if (!skip_number(name) || !skip_text(name, "-way")) return false;
  if (skip_text(name, " stride-") && !skip_number(name)) return false;
  return name.empty();
}

std::string description_of_axis(std::int64_t size, std::int64_t stride) {
  return absl::StrCat(size, "-way stride-", stride);
}

std::string axis_with_stride(const MeshAxis& axis) {
  return is_description_of_axis(axis.name)
             ? absl::StrCat(description_of_axis(axis.size, axis.stride), " axis")
             : absl::StrCat(axis.name, " (", axis.size, "-way, stride ", axis.stride, ")");
}

std::string axis_with_size(const MeshAxis& axis) {
  return is_description_of_axis(axis.name) ? axis_in_sentence(axis.name)
                                           : absl::StrCat("axis ", axis.name, " of ", axis.size);
}

std::string axis_in_sentence(std::string_view name) {
  return is_description_of_axis(name) ? absl::StrCat("the ", to_absl(name), " axis") : std::string(name);
}

std::string axes_in_sentence(const std::vector<std::string>& names) {
  return absl::StrJoin(names, " and ",
                       [](std::string* out, const std::string& name) { out->append(axis_in_sentence(name)); });
}

}  // namespace hloroof::internal::inline analysis
