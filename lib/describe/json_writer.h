// A streaming JSON writer. It writes members in the order of the calls. A number is the shortest text that reads back
// as the same value. An infinite number or NaN becomes null.
#ifndef HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_
#define HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/decimal.h"

namespace hloroof::internal::inline describe {

// How many open brackets a member may be in and still have a line. Deeper ones follow without blanks.
enum class JsonLayout : std::uint8_t {
  kCompact = 0,          // one line
  kRows = 2,             // a line for each member of the document, and for each row of those that are lists
  kRowsOfDocuments = 3,  // the same for a list of documents
  kIndented = 255,       // a line for each member
};

// A name with the quotes and the colon that stand around it, for the names of a table, which are written often.
class JsonKey {
 public:
  constexpr JsonKey() = default;
  constexpr explicit JsonKey(std::string_view name) {
    text_[size_++] = '"';
    for (const char c : name) text_[size_++] = c;
    text_[size_++] = '"';
    text_[size_++] = ':';
  }

 private:
  friend class JsonWriter;
  // Of one size, so that it is copied without a loop. A longer name does not compile.
  std::array<char, 48> text_ = {};
  std::uint8_t size_ = 0;
};

class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout = JsonLayout::kIndented);

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Writes a name as it stands: names need no escapes.
  void key(std::string_view name);
  void key(const JsonKey& name) {
    separate();
    after_key_ = true;
    std::memcpy(room(name.text_.size()), name.text_.data(), name.text_.size());
    size_ += name.size_;
    if (has_lines()) put(' ');
  }

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);
  void value(std::int64_t number) { json(std::to_string(number)); }
  void value(bool truth) { json(truth ? "true" : "false"); }
  void null() { json("null"); }
  // Writes a value that is JSON already.
  void json(std::string_view text);

  template <typename T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  template <typename T>
  void member(std::string_view name, const std::optional<T>& v) {
    key(name);
    if (v) {
      value(*v);
    } else {
      null();
    }
  }

  // Announces that about so many bytes follow, for which the text makes room at once.
  void expect(std::size_t bytes) { out_.reserve(out_.size() + size_ + bytes); }

  // Returns the text. It is complete once every object and array has ended.
  std::string take();
  // The same with a final line end, as for a file.
  std::string take_document() {
    put('\n');
    return take();
  }

 private:
  void open(char bracket);
  void close(char bracket);
  // Writes what stands before a value or a key.
  void separate() {
    if (std::exchange(after_key_, false) || depth_ == 0) return;
    if (std::exchange(has_members_, true)) put(',');
    if (has_lines()) new_line();
  }
  void new_line();
  bool has_lines() const { return depth_ <= static_cast<std::size_t>(layout_); }

  // Makes room in the buffer for so many bytes more and returns where they begin.
  char* room(std::size_t count) {
    if (buffer_.size() - size_ < count) flush(count);
    return buffer_.data() + size_;
  }
  void flush(std::size_t count);
  void put(char c) {
    *room(1) = c;
    ++size_;
  }
  void put(std::string_view text) {
    text.copy(room(text.size()), text.size());
    size_ += text.size();
  }
  void put_escaped(std::string_view text);

  // A number that was written, as text.
  struct Written {
    std::uint64_t bits = 0;
    std::uint8_t size = 0;  // 0: none yet
    char text[kShortestSize] = {};
  };

  JsonLayout layout_;
  std::string out_;  // the text before the buffer
  // The end of the text, then room for more. It stays in the cache. Room at the end of a large string would be cleared
  // first and copied whenever the string grows, which took half of the time of a prediction.
  std::string buffer_;
  std::size_t size_ = 0;  // of the end of the text
  // The last number of each hash, if there are rows. Most numbers of a row are those of a row before it, and finding
  // the shortest text of one takes several times as long as looking here.
  std::vector<Written> written_;
  std::size_t depth_ = 0;     // number of open objects and arrays
  bool has_members_ = false;  // the innermost of them; each outer one has the one inside
  bool after_key_ = false;
};

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_
