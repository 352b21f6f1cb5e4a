// Suggestions for "did you mean": the names nearest to one that was not found.
#ifndef HLOROOF_LIB_BASE_NEAREST_H_
#define HLOROOF_LIB_BASE_NEAREST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal::inline base {

// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
// alignment distance). Case-sensitive.
size_t edit_distance(std::string_view a, std::string_view b);

// Up to `count` of `names`, nearest first. Names at the same distance keep their order. There is no maximum distance.
std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names, size_t count);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_NEAREST_H_
