// Writing a module as HLO text that XLA reads.
#ifndef HLOROOF_PRINT_H_
#define HLOROOF_PRINT_H_

#include <string>

#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// The defaults are XLA's default form (HloModule::ToString()); print_module(parse_module(x)) is x byte for byte for
// texts in that form.
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
  bool full_computations = false;    // called computations in place rather than by name
  bool canonical_names = false;      // tmp_0, tmp_1 ... per computation
  bool async_sugar = true;           // X-start( where the text had it
  bool compact_tuple_access = true;  // %t#1 where the text had it

  static PrintOptions short_parsable();
  static PrintOptions canonical();
};

std::string print_module(const Module& module, const PrintOptions& options = {});
std::string print_computation(ComputationView computation, const PrintOptions& options = {});
// One instruction without indentation or line end, ROOT included.
std::string print_instruction(InstructionView instruction, const PrintOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PRINT_H_
