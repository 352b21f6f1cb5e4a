// Prints the instructions of a proto.
#ifndef HLOROOF_LIB_PROTO_INSTRUCTION_TEXT_H_
#define HLOROOF_LIB_PROTO_INSTRUCTION_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/proto/messages.h"

namespace hloroof::internal::inline proto {

// The wrapped instruction of an async op whose computation has one instruction besides parameters. Such an async op is
// printed as `X-start(` instead of `async-start( ... calls=`.
struct WrappedOp {
  WireMessage instruction;
  std::string_view opcode;
};
using WrappedOps = std::unordered_map<std::int64_t, WrappedOp>;  // by computation id

// Appends one instruction without indentation: `ROOT %name = shape opcode(operands), attributes`. Errors:
// InvalidArgument.
absl::Status append_instruction(const WireMessage& instruction, bool is_root, const Names& names,
                                const std::unordered_map<std::int64_t, const WireMessage*>& by_id,
                                const WrappedOps& wrapped, std::string& out);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_INSTRUCTION_TEXT_H_
