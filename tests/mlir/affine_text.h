// Affine maps and integer sets as MLIR prints them.
#ifndef HLOROOF_TESTS_MLIR_AFFINE_TEXT_H_
#define HLOROOF_TESTS_MLIR_AFFINE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/mlir/affine.h"

namespace hloroof::internal::mlir {

bool is_identity(const AffineMap& map);

// "affine_map<(d0) -> (d0 + 1)>" or "affine_set<(d0) : (d0 >= 0)>". Errors: ResourceExhausted if there are more than
// 10,000 terms.
absl::StatusOr<std::string> affine_text(const AffineMap& map, bool is_set);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_AFFINE_TEXT_H_
