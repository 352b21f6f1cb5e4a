// Reads JSON text without building a tree: finds members, iterates over lists, reads numbers. It is designed for the
// configs that compilers write, where a reader needs one member in fifty for every instruction of a module.
//
// The text is not validated. A member that is missing or has another type gives an empty view or nullopt. No text makes
// the view read out of bounds or recurse.
#ifndef HLOROOF_LIB_VALUES_JSON_VIEW_H_
#define HLOROOF_LIB_VALUES_JSON_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal::inline values {

class JsonView {
 public:
  JsonView() = default;
  explicit JsonView(std::string_view text);  // trims white space

  std::string_view text() const { return text_; }
  explicit operator bool() const { return !text_.empty(); }  // whether a value is present

  // The first member of an object whose name is written as `name`.
  JsonView operator[](std::string_view name) const;

  // Calls fn(name as written, JsonView) for each member of an object, in order, until it returns false.
  template <typename Function>
  void for_each_member(Function&& fn) const {
    if (text_.empty() || text_.front() != '{') return;
    std::size_t at = skip_space(1);
    while (at < text_.size() && text_[at] == '"') {
      const std::size_t name_end = string_end(at);
      const std::string_view name = text_.substr(at, name_end - at);
      at = skip_space(name_end);
      if (at >= text_.size() || text_[at] != ':') return;
      at = skip_space(at + 1);
      const std::size_t end = value_end(at);
      if (end == at) return;
      const JsonView value(text_.substr(at, end - at));
      if (name.size() >= 2 && !fn(name.substr(1, name.size() - 2), value)) return;
      at = skip_space(end);
      if (at >= text_.size() || text_[at] != ',') return;
      at = skip_space(at + 1);
    }
  }

  // Calls fn(JsonView) for each element of a list, in order.
  template <typename Function>
  void for_each_element(Function&& fn) const {
    if (text_.empty() || text_.front() != '[') return;
    for (std::size_t at = skip_space(1); at < text_.size() && text_[at] != ']';) {
      const std::size_t end = value_end(at);
      if (end == at) return;
      fn(JsonView(text_.substr(at, end - at)));
      at = skip_space(end);
      if (at < text_.size() && text_[at] == ',') at = skip_space(at + 1);
    }
  }

  // 12 or "12".
  std::optional<std::int64_t> integer() const;
  std::int64_t integer_or(std::int64_t fallback) const { return integer().value_or(fallback); }
  // 1.5, "1.5", and everything that integer() accepts.
  std::optional<double> number() const;
  // The string without quotes and escapes; empty if this is not a string.
  std::string string() const;
  // The integer elements of a list.
  std::vector<std::int64_t> integers() const;

 private:
  std::string_view unquoted() const;
  std::size_t skip_space(std::size_t at) const;
  std::size_t string_end(std::size_t at) const;  // after the closing quote of the string whose opening quote is at `at`
  std::size_t value_end(std::size_t at) const;   // after the value at `at`; `at` itself if there is none

  std::string_view text_;
};

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_JSON_VIEW_H_
