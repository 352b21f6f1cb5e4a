// Parses words that are values of an enumeration.
#include <array>
#include <string>

#include "lib/values/attribute_values.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {
namespace {

enum class Case : std::uint8_t { kExact, kIgnored };

// The permitted words of a key. The lists have at most 15 short words, for which a linear search is fastest.
struct EnumWords {
  std::string_view what;  // in messages: `expects fusion kind but sees: kFoo`
  Case letters = Case::kExact;
  std::array<std::string_view, 15> words{};
};

// Source: the enums of openxla/xla xla/xla_data.proto and the parsers of their names in xla/hlo/ir/hlo_instruction.cc,
// 2026-08-22.
constexpr EnumWords kDirections{"comparison direction", Case::kExact, {"EQ", "NE", "GE", "GT", "LE", "LT"}};
constexpr EnumWords kComparisonTypes{"comparison type", Case::kExact, {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}};
constexpr EnumWords kComparisonOrders{"comparison order", Case::kExact, {"PARTIAL", "TOTAL"}};
constexpr EnumWords kFusionKinds{"fusion kind", Case::kExact, {"kLoop", "kInput", "kOutput", "kCustom"}};
constexpr EnumWords kFftTypes{"fft type", Case::kExact, {"FFT", "IFFT", "RFFT", "IRFFT"}};
constexpr EnumWords kPaddingTypes{"padding type", Case::kExact, {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"}};
constexpr EnumWords kTransposes{
    "a transpose of triangular-solve", Case::kExact, {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}};
constexpr EnumWords kConvolutionKinds{"convolution kind", Case::kExact, {"unset", "fprop", "wgrad", "dgrad"}};
constexpr EnumWords kGroupModes{"collective op group mode",
                                Case::kExact,
                                {"cross_replica", "cross_partition", "cross_replica_and_partition", "flattened_id"}};
constexpr EnumWords kDistributions{"random distribution", Case::kIgnored, {"rng_invalid", "rng_uniform", "rng_normal"}};
constexpr EnumWords kSchedules{
    "custom-call schedule", Case::kIgnored, {"schedule_none", "schedule_latest", "schedule_earliest"}};
constexpr EnumWords kApiVersions{"custom-call API version",
                                 Case::kIgnored,
                                 {"api_version_original", "api_version_status_returning",
                                  "api_version_status_returning_unified", "api_version_typed_ffi"}};
constexpr EnumWords kRandomAlgorithms{
    "random algorithm", Case::kIgnored, {"rng_default", "rng_three_fry", "rng_philox"}};
constexpr EnumWords kDotAlgorithms{
    "algorithm",
    Case::kIgnored,
    {"unset", "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32",
     "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_bf16_bf16_f32_x9",
     "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64"}};
constexpr EnumWords kAccuracyModes{"accuracy mode", Case::kIgnored, {"default", "highest"}};
constexpr EnumWords kLogModes{"log mode", Case::kExact, {"default", "fusion_debugger"}};
constexpr EnumWords kPrecisions{"precision", Case::kIgnored, {"default", "high", "highest"}};

// The permitted words of a key; null if any word is permitted.
const EnumWords* words_of(Opcode opcode, AttributeKey key) {
  switch (key) {
    case AttributeKey::kDirection: return &kDirections;
    case AttributeKey::kType: return &kComparisonTypes;
    case AttributeKey::kOrder: return &kComparisonOrders;
    case AttributeKey::kKind: return &kFusionKinds;
    case AttributeKey::kFftType: return &kFftTypes;
    case AttributeKey::kPaddingType: return &kPaddingTypes;
    case AttributeKey::kTransposeA: return &kTransposes;
    case AttributeKey::kConvolutionKind: return &kConvolutionKinds;
    case AttributeKey::kMode: return &kGroupModes;
    case AttributeKey::kDistribution: return &kDistributions;
    case AttributeKey::kSchedule: return &kSchedules;
    case AttributeKey::kApiVersion: return &kApiVersions;
    case AttributeKey::kAlgorithm: return opcode == Opcode::kRngBitGenerator ? &kRandomAlgorithms : &kDotAlgorithms;
    case AttributeKey::kOperandPrecision: return &kPrecisions;
    default: return nullptr;
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same(std::string_view a, std::string_view b, Case letters) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && (letters == Case::kExact || lower(a[i]) != b[i])) return false;
  }
  return true;
}

// word := one of `known`       Sets `index` to its position.
bool read_word_of(Cursor& cursor, const EnumWords& known, std::size_t* index, std::string_view* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  const std::string_view word = cursor.accept_word();
  if (word.empty()) return cursor.fail_expects(known.what);
  for (std::size_t i = 0; i < known.words.size() && !known.words[i].empty(); ++i) {
    if (!same(word, known.words[i], known.letters)) continue;
    if (index != nullptr) *index = i;
    if (out != nullptr) *out = word;
    return true;
  }
  return cursor.fail(where, "expects " + std::string(known.what) + " but sees: " + std::string(word.substr(0, 64)));
}

}  // namespace

bool read_enum_word(Cursor& cursor, Opcode opcode, AttributeKey key, std::string_view* out) {
  if (const EnumWords* known = words_of(opcode, key)) return read_word_of(cursor, *known, nullptr, out);
  const std::string_view word = cursor.accept_word();
  if (word.empty()) return cursor.fail_expects("a word");
  if (out != nullptr) *out = word;
  return true;
}

// precisions := '{' list('default' | 'high' | 'highest') '}'      in any case
bool read_precision_list(Cursor& cursor, std::vector<Precision>* out) {
  return read_list(cursor, '{', '}', [&] {
    std::size_t index = 0;
    if (!read_word_of(cursor, kPrecisions, &index, nullptr)) return false;
    if (out != nullptr) out->push_back(static_cast<Precision>(index));
    return true;
  });
}

bool read_accuracy_mode(Cursor& cursor, std::size_t* index) {
  return read_word_of(cursor, kAccuracyModes, index, nullptr);
}

bool read_log_mode(Cursor& cursor) { return read_word_of(cursor, kLogModes, nullptr, nullptr); }

}  // namespace hloroof::internal::inline values
