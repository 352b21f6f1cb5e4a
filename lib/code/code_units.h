// The units of a TPU core that the instructions of a bundle go to.
#ifndef HLOROOF_LIB_CODE_CODE_UNITS_H_
#define HLOROOF_LIB_CODE_CODE_UNITS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hloroof::internal::inline code {

enum class CodeUnit : std::uint8_t {
  kMatrix,
  kCrossLane,
  kVector,
  kTranscendental,
  kPop,  // takes results of the matrix, cross-lane and transcendental units
  kLoad,
  kStore,
  kScalar,
  kMisc,  // masks, transfers, sync flags
};
inline constexpr std::size_t kCodeUnitCount = 9;

// Instructions of each unit.
using UnitCounts = std::array<std::uint8_t, kCodeUnitCount>;

// As libtpu's tables name them: "MXU", "XLU", "VALU", "EUP", "VPOP", "VLD", "VST", "SALU"; "other".
std::string_view to_string(CodeUnit unit);

// The unit of an opcode such as "vmatmul.bf16.gmra.mxu0" or "sadd.s32".
CodeUnit unit_of(std::string_view opcode);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_CODE_UNITS_H_
