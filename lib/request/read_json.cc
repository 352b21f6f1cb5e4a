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

using Kind = JsonValue::Kind;

constexpr double kLargestWhole = 9007199254740992;  // 2^53: integers that JSON numbers hold exactly

bool is_whole(const JsonValue& value) {
  return value.is(Kind::kNumber) && value.number == std::floor(value.number) && std::abs(value.number) <= kLargestWhole;
}

// Whole numbers have no exponent, because the readers of counts take none.
std::string number_text(const JsonValue& value) {
  return is_whole(value) ? std::to_string(static_cast<std::int64_t>(value.number)) : shortest(value.number);
}

// A number or a text; an empty text for anything else, which no reader takes.
std::string scalar_text(const JsonValue& value) {
  if (value.is(Kind::kNumber)) return number_text(value);
  return value.is(Kind::kString) ? value.string : "";
}

std::string list_text(const JsonValue& list) {
  return absl::StrJoin(list.elements, ",",
                       [](std::string* out, const JsonValue& element) { *out += scalar_text(element); });
}

// "flops:1,bytes:2", or "data=4,model=2" with another separator.
std::string members_text(const JsonValue& object, std::string_view separator) {
  return absl::StrJoin(object.members, ",", [&](std::string* out, const JsonMember& member) {
    absl::StrAppend(out, member.name, to_absl(separator), scalar_text(member.value));
  });
}

// The VALUE of a text NAME=VALUE.
std::string named_text(const JsonValue& value, OptionForm form) {
  if (value.is(Kind::kObject)) return value.members.empty() ? "none" : members_text(value, ":");
  if (!value.is(Kind::kArray)) return scalar_text(value);
  return form == OptionForm::kKernelLists ? absl::StrCat("[", list_text(value), "]") : list_text(value);
}

std::string_view expected_kind(OptionForm form) {
  switch (form) {
    case OptionForm::kFlag: return "true or false";
    case OptionForm::kCount:
    case OptionForm::kWhole: return "a whole number";
    case OptionForm::kRatio:
    case OptionForm::kAmount: return "a number";
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
    case OptionForm::kDeviceIds: return "a list of device ids";
  }
  return "";
}

bool read_value(const JsonValue& json, const OptionRow& row, bool& value) {
  value = json.boolean;
  return json.is(Kind::kBool) && row.form == OptionForm::kFlag;
}

bool read_value(const JsonValue& json, const OptionRow& row, std::int64_t& value) {
  if (!is_whole(json) || json.number < static_cast<double>(row.least)) return false;
  value = static_cast<std::int64_t>(json.number);
  return true;
}

bool read_value(const JsonValue& json, const OptionRow&, double& value) {
  value = json.number;
  return json.is(Kind::kNumber);
}

// One text, which may be written as an object or a list instead.
bool read_value(const JsonValue& json, const OptionRow& row, std::string& value) {
  if (json.is(Kind::kBool) && row.form == OptionForm::kSwitch) {
    value = json.boolean ? "on" : "off";
  } else if (json.is(Kind::kObject) && row.form == OptionForm::kMeshAxes) {
    value = members_text(json, "=");
  } else if (json.is(Kind::kArray) && row.form == OptionForm::kDeviceIds) {
    value = list_text(json);
  } else {
    value = json.string;
    return json.is(Kind::kString);
  }
  return true;
}

// Several texts: NAME=VALUE for each member of an object, or a list of words.
bool read_value(const JsonValue& json, const OptionRow& row, std::vector<std::string>& value) {
  value.clear();
  if (row.is_split()) {
    for (const JsonValue& element : json.elements) value.push_back(scalar_text(element));
    if (json.is(Kind::kString)) value.push_back(json.string);
    return json.is(Kind::kArray) || json.is(Kind::kString);
  }
  for (const JsonMember& member : json.members) {
    value.push_back(absl::StrCat(member.name, "=", named_text(member.value, row.form)));
  }
  return json.is(Kind::kObject);
}

absl::Status unknown_key(const std::string& key) {
  std::vector<std::string> keys;
  for (const OptionRow& row : option_rows()) keys.emplace_back(row.key);
  return invalid_argument(
      absl::StrCat("there is no option ", key, "; the nearest are ", absl::StrJoin(nearest_names(key, keys, 3), ", ")));
}

}  // namespace

absl::Status read_option_values(const JsonValue& object, OptionValues& values) {
  if (!object.is(Kind::kObject)) return invalid_argument("the options are not a JSON object");
  for (const JsonMember& member : object.members) {
    const OptionRow* found = nullptr;
    for (const OptionRow& row : option_rows()) {
      if (row.key == member.name) found = &row;
    }
    if (found == nullptr) return unknown_key(member.name);
    if (member.value.is(Kind::kNull)) continue;
    const bool is_read =
        std::visit([&](auto& value) { return read_value(member.value, *found, value); }, values[found->id]);
    if (!is_read) {
      return invalid_argument(absl::StrCat(member.name, ": expected ", to_absl(expected_kind(found->form)),
                                           found->least > 0 ? " from 1" : ""));
    }
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline request
