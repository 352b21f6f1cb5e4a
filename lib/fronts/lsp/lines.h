// Offsets into a text as positions of the Language Server Protocol, and back.
#ifndef HLOROOF_LIB_FRONTS_LSP_LINES_H_
#define HLOROOF_LIB_FRONTS_LSP_LINES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/base/json.h"

namespace hloroof::internal::inline lsp {

// What a character of a position counts: units of UTF-16, which is the default of the protocol, or bytes of UTF-8.
enum class PositionUnit { kUtf16, kUtf8 };

struct Position {
  std::size_t line = 0;       // from 0
  std::size_t character = 0;  // from 0
};

// Where lines begin. They end at LF, at CR LF and at a lone CR.
class Lines {
 public:
  Lines() { begins_.push_back(0); }
  explicit Lines(std::string_view text);

  // Updates the lines after `removed` bytes at `offset` were replaced by `added` bytes; `text` is the new text.
  void replace(std::string_view text, std::size_t offset, std::size_t removed, std::size_t added);

  std::size_t count() const { return begins_.size(); }
  std::size_t begin(std::size_t line) const { return begins_[line]; }
  // The offset after the last byte of the line, before its line end.
  std::size_t end(std::string_view text, std::size_t line) const;
  std::size_t line_of(std::size_t offset) const;

  Position position(std::string_view text, std::size_t offset, PositionUnit unit) const;
  // A position beyond the end of its line is that end, and one beyond the text its end.
  std::size_t offset(std::string_view text, const Position& position, PositionUnit unit) const;

 private:
  std::vector<std::size_t> begins_;
};

// The number of units that `text` takes. Each byte that is not UTF-8 counts as one character.
std::size_t count_units(std::string_view text, PositionUnit unit);

// {"line": 0, "character": 0}; negative or missing numbers are 0.
Position read_position(const Json& json);
Json position_json(const Position& position);

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_LINES_H_
