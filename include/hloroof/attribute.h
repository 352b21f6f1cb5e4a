// The names of HLO attributes, generated from attribute.def. A Module keeps attribute values as text, and
// attribute_values.h decodes them on demand: most readers need few of them, and they are most of a dump's bytes.
#ifndef HLOROOF_ATTRIBUTE_H_
#define HLOROOF_ATTRIBUTE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hloroof {
inline namespace v0 {

enum class AttributeKey : std::uint8_t {
#define HLOROOF_ATTRIBUTE(enumerator, text, value_form) enumerator,
#include "hloroof/attribute.def"
  kConstantLiteral,  // the operand text of constant(...); has no name in the text
  kUnknown,          // a name unknown to this version; kept as `name=value` and printed unchanged
};

// The grammar rule of a value. Each rule has a parse function of the same name in lib/text.
enum class AttributeForm : std::uint8_t {
  kInteger,          // 4
  kBool,             // true
  kFloat,            // 1e-5
  kString,           // "..."
  kWord,             // kLoop, EQ, SCHEDULE_NONE
  kWordList,         // {default,highest}
  kIntegerList,      // {0,2,1}
  kIntegerListList,  // {{0,1},{1,0}}
  kBoolList,         // {true,false}
  kBoolOrBoolList,
  kComputation,      // a name or an inline body
  kComputationList,  // {a, b}
  kInstructionList,  // {%a, %b}
  kWindow,           // {size=3x3 pad=1_1x1_1}
  kDimLabels,        // b01f_01io->b01f
  kPadding,          // 0_1_0x1_1
  kSliceRanges,      // {[0:4], [2:8:2]}
  kAlias,            // {{0}: (1, {})}
  kReplicaGroups,
  kShape,
  kShapeList,
  kShapedLiteral,  // s32[2] {1, 2}
  kSharding,
  kFrontendAttributes,
  kStatistics,
  kOrigin,
  kMetadata,
  kStringOrJson,  // "..." or {...}
  kSparsity,
  kDomain,
  kResultAccuracy,
  kHeaderAlias,
  kHeaderDonor,
  kEntryLayout,
  kOriginTable,
  kDebugAttributes,
  kRaw,  // unknown, or removed from XLA's grammar: balanced text up to the next top-level comma
};

// The spelling in HLO text ("lhs_contracting_dims"); empty for kConstantLiteral and kUnknown.
std::string_view to_string(AttributeKey key);

// The key spelled `text`; nullopt if there is none.
std::optional<AttributeKey> attribute_from_string(std::string_view text);

AttributeForm form(AttributeKey key);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ATTRIBUTE_H_
