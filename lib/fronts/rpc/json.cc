#include "lib/fronts/rpc/json.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline rpc {
namespace {

// Counts brackets and commas outside of strings. The text may be malformed: the parser finds that.
absl::Status check_limits(std::string_view text, const JsonLimits& limits) {
  int depth = 0;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{' || c == ',') ++values;
    if (depth > limits.max_depth) {
      return resource_exhausted("the JSON nests deeper than " + std::to_string(limits.max_depth) + " levels");
    }
    if (values > limits.max_values) {
      return resource_exhausted("the JSON has more than " + std::to_string(limits.max_values) + " values");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Json> parse_message_json(std::string_view text, const JsonLimits& limits) {
  if (absl::Status status = check_limits(text, limits); !status.ok()) return status;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return invalid_argument("the message is not valid JSON");
  return absl::StatusOr<Json>(absl::in_place, std::move(value));
}

std::string message_text(const Json& value) {
  return value.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

const Json* find(const Json& value, JsonPath path) {
  const Json* at = &value;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto member = at->find(std::string(key));
    if (member == at->end()) return nullptr;
    at = &*member;
  }
  return at;
}

std::optional<std::string> string_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get_ref<const std::string&>();
}

std::optional<std::int64_t> integer_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  if (found->is_number_float()) {  // 3.0 and 3e0 are whole numbers of JSON, and some clients write all numbers so
    constexpr double kMost = 9007199254740992;  // 2^53: beyond, a double is none of several whole numbers
    const double number = found->get<double>();
    if (std::trunc(number) != number || std::abs(number) > kMost) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (found->is_number_unsigned()) {
    const auto number = found->get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<double> number_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<bool> bool_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

const Json& array_at(const Json& value, JsonPath path) {
  static const Json* const kEmpty = new Json(Json::array());
  const Json* found = find(value, path);
  return found != nullptr && found->is_array() ? *found : *kEmpty;
}

}  // namespace hloroof::internal::inline rpc
