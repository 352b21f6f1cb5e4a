#include "lib/edit/reads_back.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline edit {
namespace {

// The first name in a line of printed text, without %.
std::string_view name_in(std::string_view line) {
  std::size_t begin = 0;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  for (const std::string_view word : {"ENTRY ", "ROOT "}) {
    if (line.substr(begin, word.size()) == word) begin += word.size();
  }
  if (begin < line.size() && line[begin] == '%') ++begin;
  std::size_t end = begin;
  while (end < line.size() && is_word(line[end])) ++end;
  return line.substr(begin, end - begin);
}

// "computation.instruction" of a line of printed text; counts from 1.
std::string place_in(std::string_view text, std::int64_t number) {
  std::string_view computation;
  for (std::int64_t i = 1; !text.empty(); ++i) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (i == number) {
      const std::string name(name_in(line));
      return computation.empty() || line.empty() || line[0] != ' ' ? name : std::string(computation) + "." + name;
    }
    if (!line.empty() && line[0] != ' ' && line[0] != '}') computation = name_in(line);
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  }
  return "the text";
}

// The message of an error without its place and the source line.
std::string reason(std::string message) {
  constexpr std::string_view kError = ": error: ";
  const std::size_t begin = message.find(kError);
  if (begin != std::string::npos) message.erase(0, begin + kError.size());
  return message.substr(0, message.find('\n'));
}

}  // namespace

absl::Status check_reads_back(const Module& module) {
  const std::string text = print_module(module);
  ParseOptions options;
  options.borrow = true;
  const absl::StatusOr<Module> again = parse_module(text, options);
  if (!again.ok()) {
    const std::optional<ErrorPlace> place = error_place(again.status());
    const std::string where = place_in(text, place ? place->line : 0);
    return invalid_argument(where +
                            ": the printed text cannot be read: " + reason(std::string(again.status().message())));
  }
  std::string difference;
  if (!equal(module, *again, &difference)) {
    return invalid_argument("the printed text does not describe the same module: " + difference);
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline edit
