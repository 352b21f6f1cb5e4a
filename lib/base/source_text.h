// The bytes of an input with a NUL behind them, so that a lexer's inner loop needs no bounds check, and the way from an
// offset back to the line and column a person can find.
#ifndef HLOROOF_LIB_BASE_SOURCE_TEXT_H_
#define HLOROOF_LIB_BASE_SOURCE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace hloroof::inline v0 {

// Immutable. Safe to share between threads.
class SourceText {
 public:
  static constexpr std::size_t kPadding = 64;  // zero bytes that may be read behind a copied text

  // A copy of `text`, padded.
  static std::shared_ptr<const SourceText> copy(std::string_view text, const std::string& path);
  // No copy: the caller keeps `text` alive and readable up to and including a NUL at text.size().
  static std::shared_ptr<const SourceText> borrow(std::string_view text, const std::string& path);
  // As copy or, with `borrowed`, borrow; but where `*kept` is that of an earlier call and `holders` are all that hold
  // it, that one is written over and its memory used again. Only who knows the holders can know that nobody reads it.
  static void reuse(std::shared_ptr<SourceText>* kept, long holders, std::string_view text, const std::string& path,
                    bool borrowed);
  // The file at `path`: mapped where a page's zero tail serves as the NUL, else read. "-" is standard input, and .gz is
  // decompressed. Errors: NotFound, FailedPrecondition (a directory), ResourceExhausted (over `max_bytes`), DataLoss.
  static absl::StatusOr<std::shared_ptr<const SourceText>> read(const std::string& path, std::int64_t max_bytes);

  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;
  ~SourceText();

  const char* begin() const { return begin_; }
  const char* end() const { return begin_ + size_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return std::string_view(begin_, size_); }
  const std::string& path() const { return path_; }

 private:
  SourceText() = default;
  void set(std::string_view text, const std::string& path, bool borrowed);

  const char* begin_ = "";
  std::size_t size_ = 0;
  std::string path_;
  std::unique_ptr<char[]> owned_;
  std::size_t owned_size_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
};

// Both count from 1; columns are bytes.
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};

// Lines end at LF, at CR LF, and at a lone CR.
LineColumn line_column(std::string_view text, std::size_t offset);

// The line that `offset` lies in, without its end.
std::string_view line_at(std::string_view text, std::size_t offset);

// Bytes that a terminal would not show as a character each become one that it does, so that a caret stays in place:
// control bytes, which would move its cursor, a blank; what is no UTF-8 a question mark.
void make_printable(std::string& line);

// `path:line:column: error: message`, the source line and a caret under the column. Of a line over 200 bytes only the
// part around the column is shown. `lines_before` counts the lines of a larger text that stand before this one.
std::string located_message(std::string_view path, std::string_view text, std::size_t offset, std::string_view message,
                            std::string_view severity = "error", std::size_t lines_before = 0);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_BASE_SOURCE_TEXT_H_
