// A streaming JSON writer. It writes members in the order of the calls. A number is the shortest text that reads back
// as the same value. An infinite number or NaN becomes null.
#ifndef HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_
#define HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hloroof::internal::inline describe {

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
  // Writes a name as it stands: names need no escapes.
  void key(std::string_view name);

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

  // Returns the text so far. It is complete once every object and array has ended.
  std::string_view text() const { return out_; }
  std::string take() { return std::move(out_); }
  // The same with a final line end, as for a file.
  std::string take_document() {
    out_ += '\n';
    return take();
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void new_line();

  JsonLayout layout_;
  std::string out_;
  std::size_t depth_ = 0;     // number of open objects and arrays
  bool has_members_ = false;  // the innermost of them; each outer one has the one inside
  bool after_key_ = false;
};

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_JSON_WRITER_H_
