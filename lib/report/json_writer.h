// JSON written as it goes, members in the order in which they are written. Numbers are the shortest text that reads
// back as the same value; what is no number (infinite, not a number) becomes null.
#ifndef HLOROOF_LIB_REPORT_JSON_WRITER_H_
#define HLOROOF_LIB_REPORT_JSON_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::inline v0 {

class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);
  void value(std::int64_t number);
  void value(bool truth);
  void null();

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

  // Makes room for a text of about `bytes`.
  void reserve(std::size_t bytes) { out_.reserve(bytes); }

  // The text so far; complete when everything begun has ended.
  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }
  // The complete text as a file has it, with an end of line.
  std::string take_document() {
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void new_line(bool after_comma);

  std::string out_;
  std::vector<char> has_members_;  // of each object or array that is open
  bool after_key_ = false;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_JSON_WRITER_H_
