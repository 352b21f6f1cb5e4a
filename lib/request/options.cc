#include "lib/request/options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/request/forms.h"

namespace hloroof::internal::inline request {
namespace {

constexpr bool kCommon = false;
constexpr bool kRare = true;

constexpr OptionRow kRows[] = {
#define HLOROOF_OPTION(id, flag, key, member, Form, argument, group, extent, text)   \
  {OptionId::id,                                                                     \
   flag,                                                                             \
   key,                                                                              \
   forms::Form::kForm,                                                               \
   forms::Form::kLeast,                                                              \
   argument,                                                                         \
   group,                                                                            \
   extent,                                                                           \
   text,                                                                             \
   [](const PredictOptions& options) { return forms::Form::write(options.member); }, \
   [](const OptionValue& value, const Reading& reading, PredictOptions& options) {   \
     return forms::Form::read(value, reading, options.member);                       \
   }},
#define HLOROOF_MEMBER_WITHOUT_OPTION(member)
#include "lib/request/option.def"
};

// Becomes a value of any type, to count the members of a struct: as many as its braces take.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <typename Struct, typename... Members>
constexpr std::size_t member_count() {
  if constexpr (requires { Struct{Members{}..., Anything{}}; }) {
    return member_count<Struct, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

constexpr std::size_t kMembersWithoutOption = 0
#define HLOROOF_OPTION(id, flag, key, member, Form, argument, group, extent, text)
#define HLOROOF_MEMBER_WITHOUT_OPTION(member) +1
#include "lib/request/option.def"
    ;
constexpr std::size_t kMembers =
    member_count<PredictOptions>() - 2 + member_count<MeshOptions>() + member_count<CollectiveOptions>();
static_assert(kOptionCount + kMembersWithoutOption == kMembers,
              "each member of PredictOptions, MeshOptions and CollectiveOptions has a row in option.def");

}  // namespace

absl::Span<const OptionRow> option_rows() { return kRows; }

const OptionRow& option_row(OptionId id) { return kRows[static_cast<std::size_t>(id)]; }

OptionValues::OptionValues() {
  const PredictOptions defaults;
  for (const OptionRow& row : kRows) (*this)[row.id] = row.write(defaults);
}

bool OptionValues::is_set(OptionId id) const { return (*this)[id] != option_row(id).write(PredictOptions()); }

std::string option_name(const OptionRow& row, OptionNames names) {
  switch (names) {
    case OptionNames::kFlags: return absl::StrCat("--", to_absl(row.flag));
    case OptionNames::kKeys: return std::string(row.key);
    case OptionNames::kMembers: return absl::StrCat("options.", to_absl(row.key));
  }
  return "";
}

absl::Status read_options(const OptionValues& values, OptionNames names, const Device* device,
                          PredictOptions& options) {
  for (const OptionRow& row : kRows) {
    absl::Status status = row.read(values[row.id], {option_name(row, names), device}, options);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

namespace {

// The words behind the option, one for each time that it is given.
std::vector<std::string> words_of(const OptionRow& row, const OptionValue& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    if (row.is_split()) return {absl::StrJoin(*texts, ",")};
    return *texts;
  }
  if (const auto* text = std::get_if<std::string>(&value)) return {*text};
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return {std::to_string(*whole)};
  if (const auto* number = std::get_if<double>(&value)) return {shortest(*number)};
  return {""};  // a flag
}

}  // namespace

std::vector<std::pair<std::string, std::string>> command_options(const PredictOptions& options) {
  const PredictOptions defaults;
  std::vector<std::pair<std::string, std::string>> given;
  for (const OptionRow& row : kRows) {
    if (row.flag.empty()) continue;
    const OptionValue value = row.write(options);
    if (value == row.write(defaults)) continue;
    for (std::string& word : words_of(row, value)) {
      given.emplace_back(option_name(row, OptionNames::kFlags), std::move(word));
    }
  }
  return given;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace hloroof::internal::inline request
