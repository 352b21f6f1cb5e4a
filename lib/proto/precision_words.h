// The words of PrecisionConfig in the order of its enums.
#ifndef HLOROOF_LIB_PROTO_PRECISION_WORDS_H_
#define HLOROOF_LIB_PROTO_PRECISION_WORDS_H_

#include <string_view>

#include "absl/types/span.h"

namespace hloroof::internal::inline proto {

inline absl::Span<const std::string_view> dot_algorithm_words() {
  static constexpr std::string_view kWords[] = {
      "unset",
      "dot_any_f8_any_f8_f32",
      "dot_any_f8_any_f8_f32_fast_accum",
      "dot_f16_f16_f16",
      "dot_f16_f16_f32",
      "dot_bf16_bf16_bf16",
      "dot_bf16_bf16_f32",
      "dot_bf16_bf16_f32_x3",
      "dot_bf16_bf16_f32_x6",
      "dot_tf32_tf32_f32",
      "dot_tf32_tf32_f32_x3",
      "dot_f32_f32_f32",
      "dot_f64_f64_f64",
      "dot_bf16_bf16_f32_x9",
  };
  return kWords;
}

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_PRECISION_WORDS_H_
