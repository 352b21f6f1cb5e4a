#include "lib/request/forms.h"

#include <cmath>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "hloroof/shape.h"
#include "lib/analysis/mesh.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/hardware/settings.h"
#include "lib/ir/element_type.h"
#include "lib/request/kernel_list.h"

namespace hloroof::internal::inline request::forms {
namespace {

using Texts = std::vector<std::string>;

absl::Status malformed(const Reading& reading, std::string_view text, std::string_view expected) {
  return invalid_argument(absl::StrCat(reading.name, " ", to_absl(text), ": expected ", to_absl(expected)));
}

// Splits NAME=VALUE at the last '='. A leading % is part of the printed form and not of the name.
std::optional<std::pair<std::string, std::string_view>> name_and_value(std::string_view text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
  std::string_view name = text.substr(0, at);
  if (name.size() > 1 && name[0] == '%') name.remove_prefix(1);
  return std::make_pair(std::string(name), text.substr(at + 1));
}

std::string joined(const std::vector<double>& numbers) {
  return absl::StrJoin(numbers, ",", [](std::string* out, double number) { *out += shortest(number); });
}

// The numbers of a custom call by their names.
struct CallNumber {
  std::string_view name;
  std::optional<double> CustomCallCost::*member;
};
constexpr CallNumber kCallNumbers[] = {{"flops", &CustomCallCost::flops},
                                       {"bytes", &CustomCallCost::bytes},
                                       {"transcendentals", &CustomCallCost::transcendentals},
                                       {"seconds", &CustomCallCost::seconds}};

// The value of a call about which no number is stated: it only moves its operands and its result.
constexpr char kNoNumbers[] = "none";

// Reads "flops:N". Returns false if it has another form.
bool read_call_number(std::string_view text, CustomCallCost& cost) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::optional<double> value = parse_number<double>(text.substr(colon + 1));
  if (!value || !(*value >= 0)) return false;
  for (const CallNumber& number : kCallNumbers) {
    if (number.name != text.substr(0, colon)) continue;
    cost.*number.member = value;
    return true;
  }
  return false;
}

}  // namespace

template <>
OptionValue Flag::write(const bool& member) {
  return member;
}

template <>
absl::Status Flag::read(const OptionValue& value, const Reading&, bool& member) {
  member = std::get<bool>(value);
  return absl::OkStatus();
}

template <>
OptionValue Count::write(const std::optional<std::int64_t>& member) {
  return member.value_or(0);
}

template <>
absl::Status Count::read(const OptionValue& value, const Reading& reading, std::optional<std::int64_t>& member) {
  const std::int64_t count = std::get<std::int64_t>(value);
  if (count < 0) return malformed(reading, std::to_string(count), "a whole number from 1");
  if (count > 0) member = count;
  return absl::OkStatus();
}

template <>
OptionValue Whole::write(const std::int64_t& member) {
  return member;
}

template <>
absl::Status Whole::read(const OptionValue& value, const Reading& reading, std::int64_t& member) {
  const std::int64_t number = std::get<std::int64_t>(value);
  if (number < 0) return malformed(reading, std::to_string(number), "a whole number from 0");
  member = number;
  return absl::OkStatus();
}

template <>
OptionValue Ratio::write(const double& member) {
  return member;
}

template <>
absl::Status Ratio::read(const OptionValue& value, const Reading& reading, double& member) {
  if (!(std::get<double>(value) >= 1)) return invalid_argument(reading.name + ": expected a number from 1");
  member = std::get<double>(value);
  return absl::OkStatus();
}

template <>
OptionValue Amount::write(const std::optional<double>& member) {
  return member.value_or(0);
}

template <>
absl::Status Amount::read(const OptionValue& value, const Reading& reading, std::optional<double>& member) {
  const double amount = std::get<double>(value);
  if (!(amount >= 0) || std::isinf(amount)) return invalid_argument(reading.name + ": expected a number above 0");
  if (amount > 0) member = amount;
  return absl::OkStatus();
}

template <>
OptionValue Estimates::write(const EstimateSource& member) {
  return std::string(member == EstimateSource::kCompiler ? "compiler" : "model");
}

template <>
absl::Status Estimates::read(const OptionValue& value, const Reading& reading, EstimateSource& member) {
  const std::string& text = std::get<std::string>(value);
  if (text != "model" && text != "compiler") return malformed(reading, text, "model or compiler");
  member = text == "compiler" ? EstimateSource::kCompiler : EstimateSource::kModel;
  return absl::OkStatus();
}

template <>
OptionValue Switch::write(const std::optional<bool>& member) {
  return std::string(!member ? "" : *member ? "on" : "off");
}

template <>
absl::Status Switch::read(const OptionValue& value, const Reading& reading, std::optional<bool>& member) {
  const std::string& text = std::get<std::string>(value);
  if (text.empty()) return absl::OkStatus();
  if (text != "on" && text != "off") return malformed(reading, text, "on or off");
  member = text == "on";
  return absl::OkStatus();
}

// The first type of that width. A width that no type has is written as a number of bytes, and read as one.
template <>
OptionValue ElementBytes::write(const std::optional<double>& member) {
  if (!member) return std::string();
  for (const std::string_view name : {"s8", "bf16", "f32", "f64", "s4", "c128", "s2"}) {
    const std::optional<ElementType> type = element_type_from_string(name);
    if (type && bits(*type) / 8.0 == *member) return std::string(name);
  }
  return shortest(*member);
}

template <>
absl::Status ElementBytes::read(const OptionValue& value, const Reading& reading, std::optional<double>& member) {
  const std::string& text = std::get<std::string>(value);
  if (text.empty()) return absl::OkStatus();
  const std::optional<ElementType> type = element_type_from_string(text);
  const std::optional<double> bytes = type && bits(*type) > 0 ? bits(*type) / 8.0 : parse_number<double>(text);
  if (!bytes || !(*bytes > 0)) return malformed(reading, text, "an element type such as s8 or bf16");
  member = bytes;
  return absl::OkStatus();
}

template <>
OptionValue Topology::write(const std::optional<std::string>& member) {
  return member ? Texts{*member} : Texts();
}

// The command predicts several topologies one after the other, and sets each itself.
template <>
absl::Status Topology::read(const OptionValue& value, const Reading&, std::optional<std::string>& member) {
  const Texts& texts = std::get<Texts>(value);
  if (texts.size() == 1) member = texts.front();
  return absl::OkStatus();
}

template <>
OptionValue Words::write(const std::vector<std::string>& member) {
  return member;
}

template <>
absl::Status Words::read(const OptionValue& value, const Reading&, std::vector<std::string>& member) {
  member = std::get<Texts>(value);
  return absl::OkStatus();
}

template <>
OptionValue TripCounts::write(const std::map<std::string, std::int64_t>& member) {
  Texts texts;
  for (const auto& [name, count] : member) texts.push_back(absl::StrCat(name, "=", count));
  return texts;
}

template <>
absl::Status TripCounts::read(const OptionValue& value, const Reading& reading,
                              std::map<std::string, std::int64_t>& member) {
  for (const std::string& text : std::get<Texts>(value)) {
    const auto parts = name_and_value(text);
    const std::optional<std::int64_t> trips = parts ? parse_number<std::int64_t>(parts->second) : std::nullopt;
    if (!trips || *trips < 0) return malformed(reading, text, "NAME=N");
    member[parts->first] = *trips;
  }
  return absl::OkStatus();
}

template <>
OptionValue BranchProbabilities::write(const std::map<std::string, std::vector<double>>& member) {
  Texts texts;
  for (const auto& [name, shares] : member) texts.push_back(absl::StrCat(name, "=", joined(shares)));
  return texts;
}

template <>
absl::Status BranchProbabilities::read(const OptionValue& value, const Reading& reading,
                                       std::map<std::string, std::vector<double>>& member) {
  constexpr std::string_view kExpected = "NAME=P,P...";
  for (const std::string& text : std::get<Texts>(value)) {
    const auto parts = name_and_value(text);
    if (!parts) return malformed(reading, text, kExpected);
    std::vector<double>& shares = member[parts->first];
    for (const absl::string_view part : absl::StrSplit(to_absl(parts->second), ',')) {
      const std::optional<double> share = parse_number<double>(from_absl(part));
      if (!share) return malformed(reading, text, kExpected);
      shares.push_back(*share);
    }
  }
  return absl::OkStatus();
}

template <>
OptionValue CustomCalls::write(const std::vector<CustomCallCost>& member) {
  Texts texts;
  for (const CustomCallCost& cost : member) {
    std::string numbers;
    for (const CallNumber& number : kCallNumbers) {
      if (const std::optional<double>& stated = cost.*number.member) {
        absl::StrAppend(&numbers, numbers.empty() ? "" : ",", to_absl(number.name), ":", shortest(*stated));
      }
    }
    texts.push_back(absl::StrCat(cost.target, "=", numbers.empty() ? kNoNumbers : numbers));
  }
  return texts;
}

template <>
absl::Status CustomCalls::read(const OptionValue& value, const Reading& reading, std::vector<CustomCallCost>& member) {
  for (const std::string& text : std::get<Texts>(value)) {
    const auto parts = name_and_value(text);
    CustomCallCost cost;
    bool is_read = parts.has_value();
    if (is_read) cost.target = parts->first;
    if (is_read && parts->second != kNoNumbers) {
      for (const absl::string_view part : absl::StrSplit(to_absl(parts->second), ',')) {
        is_read = is_read && read_call_number(from_absl(part), cost);
      }
    }
    if (!is_read) {
      return malformed(reading, text, "TARGET=flops:N,bytes:N,transcendentals:N,seconds:N (any of them)");
    }
    member.push_back(std::move(cost));
  }
  return absl::OkStatus();
}

template <>
OptionValue KernelLists::write(const std::vector<KernelList>& member) {
  Texts texts;
  for (const KernelList& list : member) {
    texts.push_back(absl::StrCat(list.kernel, ".", list.operand, "=[", absl::StrJoin(list.values, ","), "]"));
  }
  return texts;
}

template <>
absl::Status KernelLists::read(const OptionValue& value, const Reading& reading, std::vector<KernelList>& member) {
  for (const std::string& text : std::get<Texts>(value)) {
    absl::StatusOr<KernelList> list = parse_kernel_list(text, reading.name);
    if (!list.ok()) return list.status();
    member.push_back(*std::move(list));
  }
  return absl::OkStatus();
}

template <>
OptionValue Settings::write(const std::vector<std::pair<std::string, double>>& member) {
  Texts texts;
  texts.reserve(member.size());
  for (const auto& [path, number] : member) texts.push_back(path + "=" + shortest(number));
  return texts;
}

template <>
absl::Status Settings::read(const OptionValue& value, const Reading& reading,
                            std::vector<std::pair<std::string, double>>& member) {
  const Texts& texts = std::get<Texts>(value);
  if (reading.device == nullptr || texts.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<Setting>> settings = parse_settings(texts, reading.name);
  if (!settings.ok()) return settings.status();
  for (const Setting& setting : *settings) {
    if (setting.values.size() == 1) continue;
    return invalid_argument(reading.name + " " + setting.parameter + ": a prediction takes one value");
  }
  absl::StatusOr<std::vector<Point>> points = points_of(*settings, *reading.device, reading.name);
  if (!points.ok()) return points.status();
  member = std::move(points->front());
  return absl::OkStatus();
}

template <>
OptionValue Text::write(const std::string& member) {
  return member;
}

template <>
absl::Status Text::read(const OptionValue& value, const Reading&, std::string& member) {
  member = std::get<std::string>(value);
  return absl::OkStatus();
}

template <>
OptionValue MeshAxes::write(const std::vector<std::pair<std::string, std::int64_t>>& member) {
  return absl::StrJoin(member, ",", absl::PairFormatter("="));
}

template <>
absl::Status MeshAxes::read(const OptionValue& value, const Reading&,
                            std::vector<std::pair<std::string, std::int64_t>>& member) {
  const std::string& text = std::get<std::string>(value);
  if (text.empty()) return absl::OkStatus();
  absl::StatusOr<std::vector<std::pair<std::string, std::int64_t>>> axes = parse_mesh(text);
  if (axes.ok()) member = *std::move(axes);
  return axes.status();
}

template <>
OptionValue DeviceIds::write(const std::vector<std::int64_t>& member) {
  return absl::StrJoin(member, ",");
}

template <>
absl::Status DeviceIds::read(const OptionValue& value, const Reading&, std::vector<std::int64_t>& member) {
  const std::string& text = std::get<std::string>(value);
  if (text.empty()) return absl::OkStatus();
  absl::StatusOr<std::vector<std::int64_t>> order = parse_device_order(text);
  if (order.ok()) member = *std::move(order);
  return order.status();
}

}  // namespace hloroof::internal::inline request::forms
