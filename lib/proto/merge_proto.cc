#include "lib/proto/merge_proto.h"

#include <algorithm>
#include <map>

namespace hloroof::internal::inline proto {
namespace {

using Same = absl::FunctionRef<std::uint32_t(std::uint32_t)>;
using FieldsByNumber = std::map<std::uint32_t, std::vector<const WireField*>>;

FieldsByNumber by_number(const WireMessage& message, Same same) {
  FieldsByNumber fields;
  for (const WireField& field : message.fields()) fields[same(field.number)].push_back(&field);
  return fields;
}

bool equal_fields(const std::vector<const WireField*>& a, const std::vector<const WireField*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const WireField* x, const WireField* y) { return *x == *y; });
}

}  // namespace

std::vector<WireField> merged_fields(const MessageForms& forms, Same same) {
  FieldsByNumber now = by_number(*forms.now, same);
  if (forms.original != nullptr && forms.before != nullptr) {
    FieldsByNumber before = by_number(*forms.before, same);
    FieldsByNumber original = by_number(*forms.original, same);
    for (const auto& entry : original) now[entry.first];  // fields that only the original has
    for (auto& [number, fields] : now) {
      if (equal_fields(fields, before[number])) fields = original[number];
    }
  }
  std::vector<WireField> merged;
  for (const auto& [number, fields] : now) {
    for (const WireField* field : fields) merged.push_back(*field);
  }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const WireField& a, const WireField& b) { return a.number < b.number; });
  return merged;
}

bool have_same_field(const WireMessage& a, const WireMessage& b, std::uint32_t number, Same same) {
  const auto of = [&](const WireMessage& message) {
    std::vector<const WireField*> fields;
    for (const WireField& field : message.fields()) {
      if (same(field.number) == number) fields.push_back(&field);
    }
    return fields;
  };
  return equal_fields(of(a), of(b));
}

}  // namespace hloroof::internal::inline proto
