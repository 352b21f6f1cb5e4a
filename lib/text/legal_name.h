// The names that instructions and computations can have.
#ifndef HLOROOF_LIB_TEXT_LEGAL_NAME_H_
#define HLOROOF_LIB_TEXT_LEGAL_NAME_H_

#include <algorithm>
#include <string>
#include <string_view>

#include "lib/ir/element_type.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline text {

// Returns true for a word that the parser would read as a type.
inline bool is_type_name(std::string_view name) {
  const bool could_be = name.size() >= 2 && name.size() <= 13 &&
                        (is_digit(name[1]) || name == "pred" || name == "token" || name == "opaque" || name == "bf16");
  return could_be && element_type_from_string(name).has_value();
}

// Returns true for nearly all legal names of instructions; legal_name() decides about the others.
inline bool is_legal_word(std::string_view name) { return name[0] != '_' && !is_type_name(name); }

// Returns a name that XLA accepts. XLA prints only sanitized names and rejects others: type names, and names with a
// leading __ other than __xla_.
inline std::string legal_name(std::string_view name) {
  std::string legal(name);
  if (name.size() > 2 && name[0] == '_' && name[1] == '_' && name.substr(0, 6) != "__xla_") {
    legal[0] = 'a';
  } else if (is_type_name(name)) {
    legal += '_';
  }
  return legal;
}

// Returns true for a word that can follow %.
inline bool is_name(std::string_view name) {
  return !name.empty() && is_word_start(name[0]) && std::all_of(name.begin(), name.end(), is_word);
}

}  // namespace hloroof::internal::inline text

#endif  // HLOROOF_LIB_TEXT_LEGAL_NAME_H_
