// JSON has a value where a command line has texts. Each value is written as those texts, so that there is one reader.
#include "lib/request/read_json.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/decimal.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline request {
namespace {

constexpr double kLargestWhole = 9007199254740992;  // 2^53: integers that JSON numbers hold exactly

bool is_whole(const OrderedJson& value) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  return number == std::floor(number) && std::abs(number) <= kLargestWhole;
}

// Whole numbers have no exponent, because the readers of counts take none.
std::string number_text(const OrderedJson& value) {
  return is_whole(value) ? std::to_string(value.get<std::int64_t>()) : shortest(value.get<double>());
}

// A number or a text; an empty text for anything else, which no reader takes.
std::string scalar_text(const OrderedJson& value) {
  if (value.is_number()) return number_text(value);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string list_text(const OrderedJson& list) {
  return absl::StrJoin(list, ",", [](std::string* out, const OrderedJson& element) { *out += scalar_text(element); });
}

// "flops:1,bytes:2", or "data=4,model=2" with another separator.
std::string members_text(const OrderedJson& object, std::string_view separator) {
  return absl::StrJoin(object.items(), ",", [&](std::string* out, const auto& member) {
    absl::StrAppend(out, member.key(), to_absl(separator), scalar_text(member.value()));
  });
}

// The VALUE of a text NAME=VALUE.
std::string named_text(const OrderedJson& value, OptionForm form) {
  if (value.is_object()) return value.empty() ? "none" : members_text(value, ":");
  if (!value.is_array()) return scalar_text(value);
  return form == OptionForm::kKernelLists ? absl::StrCat("[", list_text(value), "]") : list_text(value);
}

std::string_view expected_kind(OptionForm form) {
  switch (form) {
    case OptionForm::kFlag: return "true or false";
    case OptionForm::kCount:
    case OptionForm::kWhole: return "a whole number";
    case OptionForm::kRatio: return "a number";
    case OptionForm::kAmount: return "a number above 0";
    case OptionForm::kEstimates: return "\"model\" or \"compiler\"";
    case OptionForm::kSwitch: return "true or false";
    case OptionForm::kElementBytes: return "an element type such as \"s8\"";
    case OptionForm::kTopology: return "a text such as \"4x4\"";
    case OptionForm::kWords: return "a list of names";
    case OptionForm::kTripCounts:
    case OptionForm::kBranchProbabilities:
    case OptionForm::kCustomCalls:
    case OptionForm::kKernelLists:
    case OptionForm::kSettings: return "an object with a value for each name";
    case OptionForm::kMeshAxes: return "an object such as {\"data\": 4, \"model\": 2}";
    case OptionForm::kText: return "a text";
    case OptionForm::kDeviceIds: return "a list of device ids";
  }
  return "";
}

bool read_value(const OrderedJson& json, const OptionRow& row, bool& value) {
  if (!json.is_boolean() || row.form != OptionForm::kFlag) return false;
  value = json.get<bool>();
  return true;
}

bool read_value(const OrderedJson& json, const OptionRow& row, std::int64_t& value) {
  if (!is_whole(json) || json.get<double>() < static_cast<double>(row.least)) return false;
  value = json.get<std::int64_t>();
  return true;
}

bool read_value(const OrderedJson& json, const OptionRow& row, double& value) {
  if (!json.is_number() || (row.form == OptionForm::kAmount && !(json.get<double>() > 0))) return false;
  value = json.get<double>();
  return true;
}

// One text, which may be written as an object or a list instead.
bool read_value(const OrderedJson& json, const OptionRow& row, std::string& value) {
  if (json.is_boolean() && row.form == OptionForm::kSwitch) {
    value = json.get<bool>() ? "on" : "off";
  } else if (json.is_object() && row.form == OptionForm::kMeshAxes) {
    value = members_text(json, "=");
  } else if (json.is_array() && row.form == OptionForm::kDeviceIds) {
    value = list_text(json);
  } else if (json.is_string()) {
    value = json.get<std::string>();
  } else {
    return false;
  }
  return true;
}

// Several texts: NAME=VALUE for each member of an object, or a list of words.
bool read_value(const OrderedJson& json, const OptionRow& row, std::vector<std::string>& value) {
  value.clear();
  if (row.is_split()) {
    if (!json.is_array() && !json.is_string()) return false;
    for (const OrderedJson& element : json) value.push_back(scalar_text(element));  // a text is a list of one
    return true;
  }
  if (!json.is_object()) return false;
  for (const auto& [name, member] : json.items()) {
    value.push_back(absl::StrCat(name, "=", named_text(member, row.form)));
  }
  return true;
}

absl::Status unknown_key(const std::string& key) {
  std::vector<std::string> keys;
  for (const OptionRow& row : option_rows()) keys.emplace_back(row.key);
  return invalid_argument(
      absl::StrCat("there is no option ", key, "; the nearest are ", absl::StrJoin(nearest_names(key, keys, 3), ", ")));
}

}  // namespace

absl::Status read_option_values(const OrderedJson& object, OptionValues& values) {
  if (!object.is_object()) return invalid_argument("the options are not a JSON object");
  for (const auto& member : object.items()) {
    const OptionRow* found = nullptr;
    for (const OptionRow& row : option_rows()) {
      if (row.key == member.key()) found = &row;
    }
    if (found == nullptr) return unknown_key(member.key());
    if (member.value().is_null()) continue;
    const bool is_read =
        std::visit([&](auto& value) { return read_value(member.value(), *found, value); }, values[found->id]);
    if (!is_read) {
      return invalid_argument(absl::StrCat(member.key(), ": expected ", to_absl(expected_kind(found->form)),
                                           found->least > 0 ? " from 1" : ""));
    }
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline request
