#include "lib/fronts/lsp/features.h"

namespace hloroof::internal::inline lsp {

std::string_view attribute_meaning(AttributeKey key) {
  switch (key) {
#define HLOROOF_MEANING(enumerator, meaning) \
  case AttributeKey::enumerator:             \
    return meaning;
#include "lib/fronts/lsp/attribute_meaning.def"
#undef HLOROOF_MEANING
    case AttributeKey::kConstantLiteral:
    case AttributeKey::kUnknown: break;
  }
  return "";
}

}  // namespace hloroof::internal::inline lsp
