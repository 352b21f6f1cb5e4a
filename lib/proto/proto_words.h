// The words of enums, in the order of their numbers in the proto.
#ifndef HLOROOF_LIB_PROTO_PROTO_WORDS_H_
#define HLOROOF_LIB_PROTO_PROTO_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/types/span.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline proto {

using ProtoWords = absl::Span<const std::string_view>;

// The position of a word in the order of an enum of the proto, in any case of letters; -1 if it is none of them.
inline std::int64_t number_of_word(std::string_view word, ProtoWords words) {
  const std::string lower = absl::AsciiStrToLower(to_absl(word));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (absl::AsciiStrToLower(to_absl(words[i])) == lower) return static_cast<std::int64_t>(i);
  }
  return -1;
}

inline constexpr std::string_view kFftTypeWords[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
inline constexpr std::string_view kPaddingTypeWords[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
inline constexpr std::string_view kTransposeWords[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
inline constexpr std::string_view kConvolutionKindWords[] = {"unset", "fprop", "dgrad", "wgrad"};
inline constexpr std::string_view kDistributionWords[] = {"rng_invalid", "rng_uniform", "rng_normal"};
inline constexpr std::string_view kScheduleWords[] = {"schedule_none", "schedule_latest", "schedule_earliest"};
inline constexpr std::string_view kApiVersionWords[] = {
    "api_version_unspecified", "api_version_original", "api_version_status_returning",
    "api_version_status_returning_unified", "api_version_typed_ffi"};
inline constexpr std::string_view kRandomWords[] = {"rng_default", "rng_three_fry", "rng_philox"};

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_PROTO_WORDS_H_
