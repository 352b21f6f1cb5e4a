// Mutates HLO text so that most of it remains well-formed: deletes, repeats, swaps and truncates lines, and replaces
// numbers, names, opcodes, types and attributes.
#ifndef HLOROOF_TESTS_FUZZ_TEXT_MUTATOR_H_
#define HLOROOF_TESTS_FUZZ_TEXT_MUTATOR_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hloroof::internal {

class TextMutator {
 public:
  explicit TextMutator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  // Changes `text` at one to three places.
  void mutate(std::string* text);
  // Inserts some lines of `b` into `a`.
  std::string cross(const std::string& a, const std::string& b);

 private:
  // [first, second) in bytes.
  using Range = std::pair<std::size_t, std::size_t>;

  std::uint64_t next();
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(next() % limit); }

  void mutate_once(std::string* text);
  void change_line(std::string* text);
  void change_number(std::string* text);
  void exchange_words(std::string* text);
  void change_opcode_or_type(std::string* text);
  void change_attributes(std::string* text);
  void drop_shape(std::string* text);
  void change_brackets(std::string* text);

  std::uint64_t state_;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_FUZZ_TEXT_MUTATOR_H_
