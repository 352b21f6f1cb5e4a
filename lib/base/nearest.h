// "Did you mean": the names closest to one that was not found.
#ifndef HLOROOF_LIB_BASE_NEAREST_H_
#define HLOROOF_LIB_BASE_NEAREST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::inline v0 {

// The number of characters to insert, delete, replace or swap with a neighbour to turn `a` into `b` (optimal string
// alignment distance). Case counts.
size_t edit_distance(std::string_view a, std::string_view b);

// Up to `count` of `names`, the nearest first; names at the same distance in the order given. Names that share nothing
// with `wanted` but their length are still names: the caller decides how many to show.
std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names, size_t count);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_BASE_NEAREST_H_
