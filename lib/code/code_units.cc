#include "lib/code/code_units.h"

namespace hloroof::internal::inline code {
namespace {

constexpr std::string_view kUnitNames[] = {"MXU", "XLU", "VALU", "EUP", "VPOP", "VLD", "VST", "SALU", "other"};
static_assert(std::size(kUnitNames) == kCodeUnitCount);

struct UnitOfPrefix {
  std::string_view prefix;
  CodeUnit unit;
};
constexpr UnitOfPrefix kUnits[] = {
#define HLOROOF_CODE_UNIT_OF(prefix, unit) {prefix, CodeUnit::unit},
#include "lib/code/code_units.def"
};

}  // namespace

std::string_view to_string(CodeUnit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

CodeUnit unit_of(std::string_view opcode) {
  if (opcode.rfind("dma", 0) == 0) return CodeUnit::kMisc;
  if (opcode.empty() || opcode[0] != 'v') return CodeUnit::kScalar;
  if (opcode.rfind("vpop", 0) != 0 && opcode.find(".xlu") != std::string_view::npos) return CodeUnit::kCrossLane;
  UnitOfPrefix best = kUnits[0];
  for (const UnitOfPrefix& row : kUnits) {
    if (row.prefix.size() > best.prefix.size() && opcode.substr(0, row.prefix.size()) == row.prefix) best = row;
  }
  return best.unit;
}

}  // namespace hloroof::internal::inline code
