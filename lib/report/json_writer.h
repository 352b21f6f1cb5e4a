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
  std::string_view text() const { return std::string_view(out_).substr(0, size_); }
  std::string take() {
    out_.resize(size_);
    size_ = 0;
    return std::move(out_);
  }
  // The complete text as a file has it, with an end of line.
  std::string take_document() {
    put("\n");
    return take();
  }

 private:
  void open(char bracket);
  void close(char bracket);
  // Where `bytes` more may be written; end() says how far they were. start() puts what separates a value first.
  char* room(std::size_t bytes);
  char* start(std::size_t bytes);
  void end(const char* at) { size_ = static_cast<std::size_t>(at - out_.data()); }
  void put(std::string_view text);
  char* new_line(char* at) const;

  std::string out_;                // longer than what is written, so that most writes need not look for room
  std::size_t size_ = 0;           // of what is written
  std::vector<char> has_members_;  // of each object or array that is open
  bool after_key_ = false;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_JSON_WRITER_H_
