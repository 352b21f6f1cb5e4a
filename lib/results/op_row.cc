#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "absl/base/casts.h"
#include "absl/hash/hash.h"
#include "lib/describe/record_json.h"
#include "lib/results/prediction_fields.h"

namespace hloroof::internal {
namespace {

// The first fields of an op, which differ from op to op: name, computation, opcode and category. If the values of all
// other fields are those of an earlier op, so is their text. In llm_unrolled_fsdp.v5e_2x4, 5,950 of 6,788 ops copy it,
// which makes writing the JSON take a third fewer instructions.
constexpr std::size_t kOwnFields = 4;

bool same_bits(double a, double b) { return absl::bit_cast<std::uint64_t>(a) == absl::bit_cast<std::uint64_t>(b); }

// Whether two values have the same text. May miss that they have.
template <typename T>
bool same_value(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    return same_bits(a, b);
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    return a.has_value() == b.has_value() && same_bits(a.value_or(0), b.value_or(0));
  } else if constexpr (IsVector<T>::value) {
    return a.empty() && b.empty();
  } else {
    return a == b;
  }
}

bool same_other_values(const OpPrediction& a, const OpPrediction& b) {
  std::size_t field = 0;
  bool is_same = true;
  Described<OpPrediction>::kFields.each([&](const auto& row) {
    is_same =
        is_same && (field++ < kOwnFields || row.info.formats == Formats::kCsvOnly || same_value(row.of(a), row.of(b)));
  });
  return is_same;
}

}  // namespace

void OpRow::write_members(JsonWriter& out, DeviceFamily family) const {
  std::size_t field = 0;
  const auto write_fields = [&](auto is_wanted) {
    field = 0;
    for_each_field(*this, [&](const FieldInfo& info, const auto& value) {
      if (!is_wanted(field++) || info.formats == Formats::kCsvOnly) return;
      out.key(info.key);
      write_json_value(value, out, family);
    });
  };
  write_fields([](std::size_t i) { return i < kOwnFields; });
  WrittenTerms& written = *terms.written;
  const std::size_t hash = absl::HashOf(op.executions, op.exposed_seconds, op.critical_seconds, op.work.logical_bytes,
                                        op.efficiency, op.source_line, op.op_name, op.limit);
  const auto [found, is_new] = written.members.try_emplace(hash);
  WrittenTerms::Members& known = found->second;
  if (!is_new && written.are_same(known.op, terms.i) && same_other_values(written.op(known.op), op)) {
    return out.repeat_members(known.place.begin, known.place.end);
  }
  const std::size_t begin = out.text().size();
  write_fields([](std::size_t i) { return i >= kOwnFields; });
  known = {terms.i, {begin, out.text().size()}};
}

}  // namespace hloroof::internal
