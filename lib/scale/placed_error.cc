#include "lib/scale/placed_error.h"

#include <string>

#include "lib/base/error_place.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline scale {

absl::Status placed_error(InstructionView at, std::string_view why) {
  const Module& module = at.module();
  const std::string message =
      std::string(at.opcode_text()) + " " + std::string(at.name()) + " cannot be scaled: " + std::string(why);
  const TextRange name = row_of(at).name;
  const SourceText& source = ModuleRows::source(module);
  if (name.begin >= source.size()) return invalid_argument(message);  // an earlier edit inserted it
  return located_error(source.path(), source.view(), name.begin, message);
}

}  // namespace hloroof::internal::inline scale
