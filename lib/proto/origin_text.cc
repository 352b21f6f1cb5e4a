// Prints statistics and original values, and finds the texts that messages refer to by number.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal::inline proto {
namespace {

// leaf := '{' '}' | '{' STRING ( ' ' '{' list(INT) '}' )? '}'
void append_original_leaf(const WireMessage& element, std::string& out) {
  namespace o = fields::original_value;
  out += '{';
  if (element.has(o::kArray)) {
    const WireMessage array = element.message(o::kArray);
    append_quoted(array.bytes(o::kInstruction), out);
    const std::vector<std::int64_t> index = array.integers(o::kIndex);
    if (!index.empty()) {
      out += " {";
      append_list(index, out);
      out += '}';
    }
  }
  out += '}';
}

}  // namespace

// statistics={visualizing_index=0,name=1.5}, omitted if there are none
void append_statistics(const WireMessage& statistics, std::string& out) {
  namespace s = fields::statistics;
  const std::vector<std::string_view> all = statistics.all(s::kStatistics);
  if (all.empty()) return;
  absl::StrAppend(&out, ", statistics={visualizing_index=", statistics.integer(s::kShown));
  for (std::string_view bytes : all) {
    const WireMessage statistic(bytes);
    absl::StrAppend(&out, ",", to_absl(statistic.bytes(s::kName)), "=", statistic.floating(s::kValue));
  }
  out += '}';
}

// origin={({"a" {0}}, ({}, {"b"}))}: the elements at their places in nested tuples, in depth-first order
bool append_original_value(const WireMessage& value, std::string& out) {
  namespace o = fields::original_value;
  if (value.flag(o::kIsSyntheticCall)) {
    out += ", origin={[synthetic_call]}";
    return value.ok();
  }
  out += ", origin={";
  std::vector<std::int64_t> place;
  bool is_first = true;
  for (std::string_view bytes : value.all(o::kElements)) {
    const WireMessage element(bytes);
    const std::vector<std::int64_t> next = element.integers(o::kPlace);
    std::size_t same = 0;
    if (!is_first) {
      same = static_cast<std::size_t>(std::mismatch(place.begin(), place.end(), next.begin(), next.end()).first -
                                      place.begin());
      // The place of an array is neither that of another nor inside it.
      if (same == place.size() || same == next.size() || next[same] < place[same]) return false;
      out.append(place.size() - same - 1, ')');
      out += ", ";
    }
    out.append(next.size() - same - (is_first ? 0 : 1), '(');
    append_original_leaf(element, out);
    place = next;
    is_first = false;
  }
  out += is_first ? "()" : std::string(place.size(), ')');
  out += '}';
  return value.ok();
}

std::string_view payload_text(const WireMessage& payload, const Names& names) {
  if (payload.has(fields::payload::kValue)) return payload.bytes(fields::payload::kValue);
  const WireField* id = payload.find(fields::payload::kId);
  if (id == nullptr || id->type != WireType::kVarint || id->value >= names.payloads.size()) return {};
  return names.payloads[static_cast<std::size_t>(id->value)];
}

}  // namespace hloroof::internal::inline proto
