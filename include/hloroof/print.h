// Prints a module as HLO text that XLA can read, and writes it as a proto. The functions keep no state and are safe on
// any number of threads.
#ifndef HLOROOF_PRINT_H_
#define HLOROOF_PRINT_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// The defaults give XLA's default form (HloModule::ToString()). For a text x in that form,
// print_module(parse_module(x)) equals x byte for byte.
struct PrintOptions {
  bool percent = true;  // % before names
  bool operand_shapes = false;
  bool operand_names = true;
  bool index_comments = true;  // /*index=5*/ in operand lists
  bool program_shape = true;   // (parameters) -> result after a computation's name
  bool metadata = true;
  bool backend_config = true;
  bool control_predecessors = true;
  bool large_constants = true;       // false: arrays of more than ten elements become {...}
  bool full_computations = false;    // print called computations inline instead of their names
  bool canonical_names = false;      // tmp_0, tmp_1 ... per computation
  bool async_sugar = true;           // keep X-start( from the text
  bool compact_tuple_access = true;  // keep %t#1 from the text

  static PrintOptions short_parsable();
  static PrintOptions canonical();
};
std::string print_module(const Module& module, const PrintOptions& options = {});

// The module as an HloModuleProto, which XLA reads. A module that was read from a proto keeps that proto: every field
// that an edit did not change has the bytes that it had, also fields that this library does not know. Errors:
// InvalidArgument for a part of a module, and with the name of the instruction for a constant whose values the text
// elides and for an attribute that the proto has no field for.
absl::StatusOr<std::string> write_proto(const Module& module);

// One instruction including ROOT, without indentation and line end.
std::string print_instruction(InstructionView instruction, const PrintOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PRINT_H_
