// Writes a module as an HloModuleProto.
//
// A module that was read from a proto keeps the bytes of that proto (SourceText::proto). Each field of the module, of a
// computation or of an instruction that says the same as when it was read has the bytes that it had, so that fields
// unknown to this library survive. What an edit changed is written anew.
//
// What is lost: of a field that an edit changed, the parts that the text has no words for, such as the code size in
// metadata; the unknown fields of an instruction that an edit renamed or gave another opcode; and of a text, what
// XLA's proto has no field for (the mode of replica groups, alias_passthrough_params, the flags about the propagation
// of shardings) or this library does not write (origin_recovery_table, debug_attributes).
#ifndef HLOROOF_LIB_PROTO_WRITE_PROTO_H_
#define HLOROOF_LIB_PROTO_WRITE_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline proto {

// What becomes of a constant whose values the text elides as {...}.
enum class ElidedConstants : bool { kRefuse, kWriteWithoutValues };

absl::StatusOr<std::string> module_proto(const Module& module, ElidedConstants elided);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_WRITE_PROTO_H_
