// Sizes in elements, and places in tiled arrays.
#ifndef HLOROOF_LIB_ANALYSIS_SIZES_H_
#define HLOROOF_LIB_ANALYSIS_SIZES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline analysis {

// The number of elements including padding, which is the number that the vector unit processes.
std::int64_t padded_elements(const Shape& shape);

// The index in the physical array, in elements, of the element at `coordinates` (logical, dimension 0 first). Errors:
// InvalidArgument unless there are `rank` coordinates, all inside the shape.
absl::StatusOr<std::int64_t> physical_index(const Shape& shape, absl::Span<const std::int64_t> coordinates);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_SIZES_H_
