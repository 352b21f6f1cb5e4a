// The text of one instruction of a bundle, taken apart.
#ifndef HLOROOF_LIB_CODE_SLOT_TEXT_H_
#define HLOROOF_LIB_CODE_SLOT_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/code/program.h"

namespace hloroof::internal::inline code {

struct NamedOperand {
  std::string_view name;  // empty if it has none
  std::string_view text;
};

// slot    ::= ( '%' name '=' )? opcode attribute* operand ( ',' operand )*
// operand ::= ( '/*' name '=*/' )? text | guard
// guard   ::= '(' '!'? predicate ( ',' operand )? ')'
//
// Other comments are between any of these. What they say is in the flags below.
struct SlotText {
  std::string_view result;  // without %
  std::string_view opcode;
  std::string_view guard;      // "!%p34_p0"
  std::string_view otherwise;  // "%s36_s20"
  std::vector<NamedOperand> operands;
  std::string_view rest;  // all after the opcode, with the comments
  bool says_core_id = false;
  bool says_megacore = false;  // the core id is that of one of several cores that are one device
  bool says_quotient = false;  // of a division: only the quotient is kept
  bool says_remainder = false;
  double window_bytes = 0;  // window_bounds times element_size_in_bytes
};

// Reads `text`, which the result refers to. Never fails: what is not read as above is not in the result.
SlotText slot_text(std::string_view text);

// The name and the opcode alone, which is all that most vector instructions need.
SlotText slot_head(std::string_view text);

// operand ::= '!'? register | number | address
// number  ::= '-'? digits
// address ::= '[' ( memory ':' )? '['? base ']'? ( '+' ( '$' hex | register ) ']'? )* ...
// base    ::= '#allocation' digits '_spill'? | register
//
// kUnknown for other texts. Allocations lie in the order in which they appear.
class Allocations {
 public:
  CodeOperand operand(std::string_view text);

 private:
  // The first word of an allocation; nullopt if there are too many for an address of 32 bits.
  std::optional<std::uint32_t> address_of(std::uint64_t allocation);

  absl::flat_hash_map<std::uint64_t, std::uint32_t> addresses_;
};

// The register that a result names: "s7862_s22" is scalar register 22. kNone if it is no scalar or predicate.
CodeOperand result_register(std::string_view name);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_SLOT_TEXT_H_
