// How a LiteralProto stores its elements.
#ifndef HLOROOF_LIB_PROTO_LITERAL_LAYOUT_H_
#define HLOROOF_LIB_PROTO_LITERAL_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline proto {

// The field of LiteralProto that holds the elements of a type; 0 if there is none. The fields of type `bytes` are
// little-endian; integers of at most a byte take one byte each.
std::uint32_t literal_field(ElementType type);

// Whether `minor_to_major` is rank-1, ..., 1, 0, or empty.
bool is_row_major(absl::Span<const std::int64_t> minor_to_major);

// A literal stores its elements in the order of its layout. Element i of the result is the row-major position of the
// i-th stored one. Empty if `minor_to_major` is not a permutation of the dimensions, or if these do not have `count`
// elements.
std::vector<std::int64_t> elements_in_memory(absl::Span<const std::int64_t> dimensions,
                                             absl::Span<const std::int64_t> minor_to_major, std::int64_t count);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_LITERAL_LAYOUT_H_
