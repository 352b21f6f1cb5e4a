// Writes a module as an HloModuleProto.
//
// A module that was read from a proto keeps the bytes of that proto (SourceText::proto). Each field of the module, of a
// computation or of an instruction that says the same as when it was read has the bytes that it had, so that fields
// unknown to this library survive. What an edit changed is written anew.
#ifndef HLOROOF_LIB_TEXT_WRITE_PROTO_H_
#define HLOROOF_LIB_TEXT_WRITE_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal {

// What becomes of a constant whose values the text elides as {...}.
enum class ElidedConstants : bool { kRefuse, kWriteWithoutValues };

absl::StatusOr<std::string> module_proto(const Module& module, ElidedConstants elided);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TEXT_WRITE_PROTO_H_
