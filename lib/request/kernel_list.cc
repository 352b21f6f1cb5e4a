#include "lib/request/kernel_list.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/decimal.h"
#include "lib/base/json.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline request {
namespace {

constexpr std::int64_t kLongestList = std::int64_t{1} << 20;
constexpr std::int64_t kMostListBytes = std::int64_t{32} << 20;
constexpr double kLargestElement = 9007199254740992;  // 2^53: integers that JSON numbers hold exactly

// The text that is read and the name of its option, for messages.
struct Given {
  const std::string& text;
  const std::string& option;
};

absl::Status malformed_list(const Given& given, std::string_view expected) {
  return invalid_argument(given.option + " " + given.text + ": expected " + std::string(expected));
}

// COUNTxVALUE; nullopt for any other text.
std::optional<std::vector<std::int64_t>> parse_repeated(std::string_view text) {
  const std::size_t at = text.find('x');
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> count = parse_number<std::int64_t>(text.substr(0, at));
  const std::optional<std::int64_t> value = parse_number<std::int64_t>(text.substr(at + 1));
  if (!count || !value || *count < 1 || *count > kLongestList) return std::nullopt;
  return std::vector<std::int64_t>(static_cast<std::size_t>(*count), *value);
}

absl::StatusOr<std::vector<std::int64_t>> integers_of(const OrderedJson& list, const Given& given) {
  constexpr std::string_view kExpected = "a list of integers, such as [1,2,3]";
  if (!list.is_array()) return malformed_list(given, kExpected);
  std::vector<std::int64_t> values;
  values.reserve(list.size());
  for (const OrderedJson& element : list) {
    const double number = element.is_number() ? element.get<double>() : NAN;
    if (number != std::floor(number) || std::abs(number) > kLargestElement) return malformed_list(given, kExpected);
    values.push_back(static_cast<std::int64_t>(number));
  }
  return values;
}

absl::StatusOr<std::vector<std::int64_t>> parse_values(const std::string& values, const Given& given) {
  if (auto repeated = parse_repeated(values)) return *std::move(repeated);
  if (values.front() == '[') {
    const absl::StatusOr<OrderedJson> list = parse_json(values, given.option);
    if (!list.ok()) return list.status();
    return integers_of(*list, given);
  }
  const auto source = SourceText::read(values, kMostListBytes);
  if (!source.ok()) {
    return malformed_list(given,
                          "[1,2,3], 4x128 or a file with a JSON list; " + std::string(source.status().message()));
  }
  const absl::StatusOr<OrderedJson> list = parse_json((*source)->view(), values);
  if (!list.ok()) return list.status();
  return integers_of(*list, given);
}

}  // namespace

absl::StatusOr<KernelList> parse_kernel_list(const std::string& text, const std::string& option) {
  const Given given{text, option};
  constexpr std::string_view kExpected = "NAME.OPERAND=VALUES, such as gmm.group_sizes=8x512 or gmm.3=[0,1,2]";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) return malformed_list(given, kExpected);
  const std::size_t dot = text.rfind('.', equals);
  if (dot == std::string::npos || dot == 0 || dot + 1 == equals) return malformed_list(given, kExpected);
  KernelList list;
  const std::size_t first = text.front() == '%' && dot > 1 ? 1 : 0;
  list.kernel = text.substr(first, dot - first);
  list.operand = text.substr(dot + 1, equals - dot - 1);
  absl::StatusOr<std::vector<std::int64_t>> values = parse_values(text.substr(equals + 1), given);
  if (!values.ok()) return values.status();
  list.values = *std::move(values);
  return list;
}

}  // namespace hloroof::internal::inline request
