#include "lib/input/module_choice.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "lib/base/decimal.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline input {
namespace {

constexpr std::size_t kMostListed = 20;   // names in a message
constexpr std::size_t kLongestName = 80;  // characters of a name in a message

std::string shown_name(std::string_view name) {
  std::string shown(name.substr(0, kLongestName));
  make_printable(shown);
  return shown;
}

// The names in order, with the numbers of those that occur several times: "jit_f (#1), jit_g, jit_f (#3)".
std::string list_of(const std::vector<std::string_view>& names) {
  std::vector<std::string_view> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMostListed; ++i) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), names[i]);
    absl::StrAppend(&list, i == 0 ? "" : ", ", shown_name(names[i]));
    if (last - first > 1) absl::StrAppend(&list, " (#", i + 1, ")");
  }
  if (names.size() > kMostListed) absl::StrAppend(&list, " and ", names.size() - kMostListed, " more");
  return list;
}

// The path as the command line takes it.
std::string as_argument(const std::string& path) { return path == kStandardInput ? "-" : path; }

}  // namespace

std::pair<std::string, std::string> split_module_path(const std::string& path) {
  const std::size_t hash = path.rfind('#');
  std::error_code error;
  if (hash == std::string::npos || hash == 0 || std::filesystem::exists(path, error)) return {path, ""};
  std::string file = path.substr(0, hash);
  if (file == kStandardInput) file = "-";
  return {std::move(file), path.substr(hash + 1)};
}

absl::StatusOr<std::size_t> choose_module(const std::vector<std::string_view>& names, std::string_view choice,
                                          const std::string& path) {
  std::vector<std::size_t> matches;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (choice.empty() || names[i] == choice) matches.push_back(i);
  }
  if (matches.size() == 1) return matches.front();
  if (choice.empty()) {
    return invalid_argument(absl::StrCat(path, ": holds ", names.size(), " modules: ", list_of(names),
                                         "\n  Select one with FILE#NAME or FILE#NUMBER, such as ", as_argument(path),
                                         "#1"));
  }
  if (matches.size() > 1) {
    std::string numbers;
    for (std::size_t i = 0; i < matches.size() && i < kMostListed; ++i) {
      absl::StrAppend(&numbers, i == 0 ? "#" : ", #", matches[i] + 1);
    }
    return invalid_argument(absl::StrCat(path, ": holds ", matches.size(), " modules ", shown_name(choice), ": ",
                                         numbers, "\n  Select one by its number, such as ", path, "#",
                                         matches.front() + 1));
  }
  if (const auto number = parse_number<std::size_t>(choice); number && *number >= 1 && *number <= names.size()) {
    return *number - 1;
  }
  return not_found(absl::StrCat(path, ": no module ", shown_name(choice), "; there are ", list_of(names)));
}

}  // namespace hloroof::internal::inline input
