// The final code of the ops of a program, from the folder that PredictOptions::code names.
//
// An op and its code have the same name, because libtpu names the files by the instructions of the program that it
// compiles. That is how one file of a dump is told from another; no cost follows from a name. The dump has the program
// as well, and an op takes the code only if the instruction of that program is the same as its own.
#ifndef HLOROOF_LIB_STEP_PROGRAM_CODE_H_
#define HLOROOF_LIB_STEP_PROGRAM_CODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/code/code_rows.h"
#include "lib/code/transfers.h"
#include "lib/time/code_time.h"

namespace hloroof::internal::inline step {

struct OpCode {
  std::optional<std::size_t> identity;  // of the instruction in the program of the dump; nullopt: the dump has none
  std::optional<CodeRow> row;           // nullopt: not read
  std::string failure;                  // why not; empty if the instruction is another one
};

struct ProgramCode {
  // What it was read for.
  std::string folder;
  CodeCore core;
  double matrix_units = 0;  // of a core of the device

  absl::flat_hash_map<std::string, OpCode> ops;  // by name of the instruction, those that the program has
  std::size_t others = 0;                        // files with code of instructions that the program does not have
  std::string doubt;                             // why it may be code of another TPU; empty if nothing says so
};

// Reads the code of the ops of `module` for `device`. Errors: those of find_code() and code_core(); InvalidArgument if
// no op of the module has code in the folder, or if the code uses units or cores that the device does not have.
absl::StatusOr<std::shared_ptr<const ProgramCode>> read_program_code(const std::string& folder, const Module& module,
                                                                     const Device& device);

// Whether `code` is what read_program_code() returns for this folder and device, and the same module.
bool is_code_of(const ProgramCode& code, const std::string& folder, const Device& device);

enum class CodeUse : std::uint8_t {
  kNone,      // the folder has no code of the op
  kUsed,      //
  kOtherOp,   // its code is of another instruction of that name
  kNotKnown,  // it cannot be read, or it is not known which of its bundles run
};
struct FoundCode {
  CodeUse use = CodeUse::kNone;
  const CodeRow* row = nullptr;  // kUsed, and kNotKnown if it was read
  std::string_view why;          // of kNotKnown
};
FoundCode find_code_of(const ProgramCode& code, InstructionView instruction);

CodeCycles cycles_of(const CodeRow& row, InstructionView instruction);

// Equal for instructions that differ in names, metadata and the values of constants only: opcode, shapes with layouts,
// what they call, and the body of a kernel.
std::size_t op_identity(InstructionView instruction);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_PROGRAM_CODE_H_
