// The tokens of MLIR text.
//
//   token := '%' name ['#' digits] | '@' name | '#' dialect name ['<' balanced '>'] | '!' dialect name ['<' balanced
//   '>']
//          | name | number | string | punctuation
//   name  := letters, digits, '_', '$', '.', '-'     a '-' only inside '%' and '@'
#ifndef HLOROOF_LIB_MLIR_TEXT_TOKENS_H_
#define HLOROOF_LIB_MLIR_TEXT_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hloroof::internal::mlir {

struct Token {
  enum class Kind : std::uint8_t { kValue, kSymbol, kDialect, kName, kNumber, kString, kPunctuation, kEnd };

  Kind kind = Kind::kEnd;
  // kValue: without '%' and '#'. kSymbol: without '@'. kDialect: from '#' or '!' to the end of "<...>". kString:
  // without quotes, as it is written. Others: as it is written.
  std::string_view text;
  std::uint32_t number = 0;  // of kValue: after '#'
  bool begins_line = false;
  std::size_t offset = 0;
};

// The last token is kEnd. Errors: InvalidArgument with line and column.
absl::StatusOr<std::vector<Token>> tokens_of(std::string_view text);

// InvalidArgument: "MLIR text:LINE:COLUMN: `what`".
absl::Status text_error(std::string_view text, std::size_t offset, std::string_view what);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_TEXT_TOKENS_H_
