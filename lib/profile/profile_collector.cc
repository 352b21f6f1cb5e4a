#include "lib/profile/profile_collector.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/decimal.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline profile {

MeasuredProgram& ProfileCollector::program(std::string_view name) {
  const auto found = programs_.find(name);
  if (found != programs_.end()) return profile_.programs[found->second];
  programs_.emplace(std::string(name), profile_.programs.size());
  profile_.programs.emplace_back();
  profile_.programs.back().name = std::string(name);
  return profile_.programs.back();
}

void ProfileCollector::add(std::string_view program_name, std::string_view name, double occurrences, double seconds) {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  name = name.substr(0, name.find(' '));
  const bool is_finite = std::isfinite(seconds) && std::isfinite(occurrences);
  if (name.empty() || !is_finite || seconds < 0 || occurrences < 0) return;
  MeasuredProgram& of = program(program_name);
  const auto index = static_cast<std::size_t>(&of - profile_.programs.data());
  const auto [found, is_new] = ops_.try_emplace({index, std::string(name)}, of.ops.size());
  if (is_new) of.ops.push_back({std::string(name), 0, 0});
  MeasuredOp& op = of.ops[found->second];
  // Each value is finite; the sum is clamped so that it remains finite.
  op.occurrences = std::min(op.occurrences + occurrences, std::numeric_limits<double>::max());
  op.seconds = std::min(op.seconds + seconds, std::numeric_limits<double>::max());
}

void ProfileCollector::add_execution(std::string_view program_name, double seconds) {
  MeasuredProgram& of = program(program_name);
  of.executions += 1;
  of.wall_seconds = std::min(of.wall_seconds + seconds, std::numeric_limits<double>::max());
}

absl::StatusOr<MeasuredProfile> ProfileCollector::take(std::string format, std::string_view path) {
  std::erase_if(profile_.programs, [](const MeasuredProgram& program) { return program.ops.empty(); });
  if (profile_.programs.empty()) return invalid_argument(std::string(path) + ": no op with a time in this " + format);
  profile_.format = std::move(format);
  return std::move(profile_);
}

double number_of(const std::string& cell) {
  double value = 0;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  while (begin < end && *begin == ' ') ++begin;
  const auto [rest, error] = read_decimal(begin, end, value);
  return error == std::errc() ? value : NAN;
}

const std::string& string_in(const OrderedJson* value) {
  static const std::string* const kNone = new std::string;
  return value != nullptr && value->is_string() ? value->get_ref<const std::string&>() : *kNone;
}

double number_in(const OrderedJson* value) {
  if (value == nullptr) return NAN;
  if (value->is_string()) return number_of(value->get_ref<const std::string&>());
  return value->is_number() ? value->get<double>() : NAN;
}

std::string text_in(const OrderedJson* value) {
  if (value == nullptr || !value->is_number()) return string_in(value);
  const auto number = value->get<double>();  // an id is a whole number
  if (std::abs(number) < 9e15) return std::to_string(std::llround(number));
  return shortest(number);
}

}  // namespace hloroof::internal::inline profile
