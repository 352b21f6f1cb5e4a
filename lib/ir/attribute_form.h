// The columns of attribute.def that only the library reads.
#ifndef HLOROOF_LIB_IR_ATTRIBUTE_FORM_H_
#define HLOROOF_LIB_IR_ATTRIBUTE_FORM_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "hloroof/module.h"

namespace hloroof::internal::inline ir {

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

// The key spelled `text`; nullopt if there is none.
std::optional<AttributeKey> attribute_from_string(std::string_view text);
AttributeForm form(AttributeKey key);

// True if the value names computations, which the module keeps as references.
inline bool names_computations(AttributeKey key) {
  return form(key) == AttributeForm::kComputation || form(key) == AttributeForm::kComputationList;
}

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_ATTRIBUTE_FORM_H_
