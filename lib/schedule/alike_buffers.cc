#include "lib/schedule/alike_buffers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "lib/analysis/op_name.h"

namespace hloroof::internal::inline schedule {

std::vector<AlikeBuffers> fold_alike(const std::vector<LiveBuffer>& buffers) {
  std::vector<AlikeBuffers> rows;
  std::map<std::tuple<double, std::string, std::string>, std::size_t> index;
  std::vector<std::set<std::string_view>> shapes;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const LiveBuffer& buffer = buffers[i];
    const bool is_argument = buffer.is_argument && !buffer.op_name.empty();
    // Without an op_name nothing says that two buffers are the same array of two layers.
    std::string name = buffer.op_name.empty() ? absl::StrCat("%", buffer.name) : fold_numbers(buffer.op_name);
    const auto [found, is_new] =
        index.try_emplace({buffer.bytes, std::move(name), is_argument ? "" : buffer.shape}, rows.size());
    if (is_new) {
      rows.push_back({.first = i, .count = 0, .is_argument = is_argument});
      shapes.emplace_back();
    }
    AlikeBuffers& row = rows[found->second];
    ++row.count;
    row.bytes += buffer.bytes;
    row.padding_bytes += buffer.padding_bytes;
    shapes[found->second].insert(buffer.shape);
    row.shapes = shapes[found->second].size();
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const AlikeBuffers& a, const AlikeBuffers& b) { return a.bytes > b.bytes; });
  return rows;
}

std::string alike_label(const AlikeBuffers& alike, const std::vector<LiveBuffer>& buffers) {
  const LiveBuffer& first = buffers[alike.first];
  const bool by_argument = alike.is_argument && alike.count > 1;
  return folded_label(by_argument ? fold_numbers(first.op_name) : first.name, alike.count);
}

}  // namespace hloroof::internal::inline schedule
