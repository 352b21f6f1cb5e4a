// A streaming JSON writer. It writes members in the order of the calls. A number is the shortest text that reads back
// as the same value. An infinite number or NaN becomes null.
#ifndef HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_
#define HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal {

// The text of a key that is known when compiling, with its quotes and colon: `"seconds": `. It is padded, so that
// blocks of constant size copy it.
class JsonKey {
 public:
  constexpr explicit JsonKey(std::string_view name) {
    char* at = text_;
    *at++ = '"';
    for (const char c : name) *at++ = c;  // a longer name than kMost - 4 does not compile
    for (const char c : {'"', ':', ' '}) *at++ = c;
    size_ = static_cast<std::uint8_t>(at - text_);
  }

  static constexpr std::size_t kMost = 48;
  constexpr const char* text() const { return text_; }
  constexpr std::size_t size() const { return size_; }

 private:
  char text_[kMost] = {};
  std::uint8_t size_ = 0;
};

enum class JsonLayout : std::uint8_t {
  kIndented,  // a line for each member
  kCompact,   // one line without blanks
};

class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout = JsonLayout::kIndented) : layout_(layout) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void key(const JsonKey& name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);
  void value(std::int64_t number);
  void value(bool truth);
  void null();
  // Writes a value that is JSON already.
  void json(std::string_view text);

  // Writes the value again whose text stands at [begin, end_of_text) of text(). It was written at the same depth.
  void repeat(std::size_t begin, std::size_t end_of_text);

  // Writes the members again whose text, with the comma before the first, stands at [begin, end_of_text) of text().
  // They were written at the same depth. The object has a member already.
  void repeat_members(std::size_t begin, std::size_t end_of_text);

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
  void null_member(std::string_view name) {
    key(name);
    null();
  }

  // Reserves memory for a text of about `bytes`.
  void reserve(std::size_t bytes);

  // Returns the text so far. It is complete once every object and array has ended.
  std::string_view text() const { return std::string_view(out_).substr(0, size_); }
  std::string take() {
    out_.resize(size_);
    size_ = 0;
    return std::move(out_);
  }
  // Returns the complete text with a final line end, as for a file.
  std::string take_document() {
    put("\n");
    return take();
  }

 private:
  void open(char bracket);
  void close(char bracket);
  // room() returns a pointer to which `bytes` more may be written. start() does the same after it has written the
  // separator before a value. The caller passes the end of the written text to end().
  char* room(std::size_t bytes);
  void grow(std::size_t bytes);
  char* start(std::size_t bytes);
  void end(const char* at) { size_ = static_cast<std::size_t>(at - out_.data()); }
  void put(std::string_view text);
  char* new_line(char* at) const;

  // Upper bound for the length of a number.
  static constexpr std::size_t kNumber = 32;
  // A number that is not whole, with its text.
  struct KnownNumber {
    std::uint64_t bits = 0;
    std::uint8_t size = 0;  // 0: none
    char text[kNumber] = {};
  };
  static constexpr int kKnownBits = 9;

  JsonLayout layout_;
  std::vector<KnownNumber> known_;  // by a hash of the bits; empty before the first
  std::string out_;                 // longer than the written text, so that most writes need no allocation
  std::size_t size_ = 0;            // of the written text
  std::size_t depth_ = 0;           // number of open objects and arrays
  bool has_members_ = false;        // the innermost of them; each outer one has the one inside
  bool after_key_ = false;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_
