// Converts between the enumerations of device.h and their words in device files and listings.
#ifndef HLOROOF_LIB_HARDWARE_NAMES_H_
#define HLOROOF_LIB_HARDWARE_NAMES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// The word for one value. Messages and the schema list the tables in full.
template <typename Enum>
struct Word {
  std::string_view word;
  Enum value;
};

inline constexpr Word<DeviceFamily> kFamilyWords[] = {{"tpu", DeviceFamily::kTpu},
                                                      {"gpu", DeviceFamily::kGpu},
                                                      {"cpu", DeviceFamily::kCpu},
                                                      {"other", DeviceFamily::kOther}};

inline constexpr Word<Provenance> kProvenanceWords[] = {{"published", Provenance::kPublished},
                                                        {"derived", Provenance::kDerived},
                                                        {"fitted", Provenance::kFitted},
                                                        {"assumed", Provenance::kAssumed},
                                                        {"user", Provenance::kUser}};

inline constexpr Word<WrapRule> kWrapWords[] = {{"none", WrapRule::kNone},
                                                {"full_axis", WrapRule::kFullAxis},
                                                {"whole_cubes", WrapRule::kWholeCubes},
                                                {"always", WrapRule::kAlways}};

inline constexpr Word<Measured> kMeasuredWords[] = {{"steps", Measured::kSteps},
                                                    {"kernels", Measured::kKernels},
                                                    {"matmuls", Measured::kMatmuls},
                                                    {"collectives", Measured::kCollectives}};

template <typename Enum, size_t n>
std::optional<Enum> value_of(const Word<Enum> (&words)[n], std::string_view word) {
  for (const Word<Enum>& w : words) {
    if (w.word == word) return w.value;
  }
  return std::nullopt;
}

template <typename Enum, size_t n>
std::string_view word_of(const Word<Enum> (&words)[n], Enum value) {
  for (const Word<Enum>& w : words) {
    if (w.value == value) return w.word;
  }
  return "?";
}

// Lists the words for a message: `"tpu", "gpu" or "other"`.
template <typename Enum, size_t n>
std::string list_words(const Word<Enum> (&words)[n]) {
  std::string list;
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) list += i + 1 == n ? " or " : ", ";
    list += '"';
    list += words[i].word;
    list += '"';
  }
  return list;
}

// Parses Box = Count { "x" Count }, with counts of 1 to 1e9: "4x4x8". Returns nullopt for any other text and for more
// than 8 axes.
std::optional<std::vector<int64_t>> parse_box(std::string_view text);

std::string print_box(std::span<const int64_t> shape);

// The suffixes of a slice's box in Cloud TPU names: "4x4x8_twisted". A plain torus is the default; its suffix is
// optional.
inline constexpr std::string_view kTwistedSuffix = "_twisted";
inline constexpr std::string_view kUntwistedSuffix = "_untwisted";

// The name of a Cloud TPU slice: a version of TPU and a number of TensorCores, "v5p-64". The number counts cores on
// every version. On v5e and v6e it looks like a number of chips, because their chips have one core.
struct SliceName {
  std::string_view version;
  int64_t cores = 0;
};

// Parses SliceName = Version "-" Count, with a count of 1 to 1e9. Returns nullopt for any other text.
std::optional<SliceName> parse_slice_name(std::string_view text);

// Returns the product of the extents; nullopt if it overflows.
std::optional<int64_t> box_size(std::span<const int64_t> shape);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_NAMES_H_
