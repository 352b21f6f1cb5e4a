#include "lib/hardware/names.h"

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lib/base/decimal.h"

namespace hloroof::internal::inline hardware {
namespace {

constexpr size_t kMaxAxes = 8;
constexpr int64_t kMaxExtent = 1'000'000'000;

}  // namespace

std::optional<std::vector<int64_t>> parse_box(std::string_view text) {
  std::vector<int64_t> shape;
  while (true) {
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 1 || extent > kMaxExtent) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return shape;
    if ((text.front() != 'x' && text.front() != 'X') || shape.size() == kMaxAxes) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::string print_box(std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

std::optional<SliceName> parse_slice_name(std::string_view text) {
  const size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  SliceName name{.version = text.substr(0, dash)};
  name.cores = parse_number<int64_t>(text.substr(dash + 1)).value_or(0);
  if (name.cores < 1 || name.cores > kMaxExtent) return std::nullopt;
  return name;
}

std::optional<int64_t> box_size(std::span<const int64_t> shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  }
  return size;
}

}  // namespace hloroof::internal::inline hardware
