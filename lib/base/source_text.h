// The bytes of an input followed by a NUL, so that a lexer's inner loop needs no bounds check. Also maps offsets to
// lines and columns for messages.
#ifndef HLOROOF_LIB_BASE_SOURCE_TEXT_H_
#define HLOROOF_LIB_BASE_SOURCE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline base {

struct FreeBytes {
  void operator()(char* bytes) const { std::free(bytes); }
};

// Immutable. Safe to share between threads.
class SourceText {
 public:
  static constexpr std::size_t kPadding = 64;  // readable zero bytes after a copied text

  // A copy of `text`, padded.
  static std::shared_ptr<const SourceText> copy(std::string_view text, const std::string& path);
  // The same for a text that was made from `proto`, of which it keeps a copy.
  static std::shared_ptr<const SourceText> of_proto(std::string_view text, const std::string& path,
                                                    std::string_view proto);
  // Does not copy. `text` must outlive the result, and text.data()[text.size()] must be a readable NUL.
  static std::shared_ptr<const SourceText> borrow(std::string_view text, const std::string& path);
  // Like copy(), or borrow() if `borrowed` is set, but overwrites `*kept` and reuses its memory if `holders` is its use
  // count. The caller must guarantee that none of these holders still reads the buffer.
  static void reuse(std::shared_ptr<SourceText>* kept, long holders, std::string_view text, const std::string& path,
                    bool borrowed);
  // Reads the file at `path`. Maps it into memory if the zero tail of its last page can serve as the NUL. "-" is
  // standard input, and gzip is decompressed. Errors: NotFound, FailedPrecondition (a directory), ResourceExhausted
  // (larger than `max_bytes`, or than the memory), DataLoss.
  static absl::StatusOr<std::shared_ptr<const SourceText>> read(const std::string& path, std::int64_t max_bytes);

  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;
  ~SourceText();

  const char* begin() const { return begin_; }
  const char* end() const { return begin_ + size_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return std::string_view(begin_, size_); }
  const std::string& path() const { return path_; }
  // The HloModuleProto that the text was made from; empty for any other text.
  const std::string& proto() const { return proto_; }

 private:
  SourceText() = default;
  // Takes `bytes`, of which `size` are the text and `room` are allocated, at least kPadding more.
  static std::shared_ptr<const SourceText> own(std::unique_ptr<char[], FreeBytes> bytes, std::size_t size,
                                               std::size_t room, const std::string& path);
  void set(std::string_view text, const std::string& path, bool borrowed);

  const char* begin_ = "";
  std::size_t size_ = 0;
  std::string path_;
  std::string proto_;
  std::unique_ptr<char[], FreeBytes> owned_;
  std::size_t owned_size_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
};

// Both start at 1. Columns are bytes.
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};

// Lines end at LF, at CR LF, and at a lone CR.
LineColumn line_column(std::string_view text, std::size_t offset);

// The line that contains `offset`, without its line end.
std::string_view line_at(std::string_view text, std::size_t offset);

// Replaces control bytes by blanks and invalid UTF-8 by question marks, so that a caret below the line keeps its
// column.
void make_printable(std::string& line);

// Returns `path:line:column: error: message`, the source line and a caret below the column. A line over 200 bytes is
// clipped around the column.
std::string located_message(std::string_view path, std::string_view text, std::size_t offset, std::string_view message,
                            std::string_view severity = "error");

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_SOURCE_TEXT_H_
