// The attributes of each opcode in HLO text and in HloInstructionProto: one row for each, which the reader
// (attributes_text.cc) and the writer (encode_attributes.cc) walk. attribute.def has the names in the text.
#ifndef HLOROOF_LIB_PROTO_INSTRUCTION_FIELDS_H_
#define HLOROOF_LIB_PROTO_INSTRUCTION_FIELDS_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline proto {

// How the value is stored, and when the text has it. What is said of a field without an attribute holds if the text has
// none.
enum class FieldForm : std::uint8_t {
  kInteger,          // always in the text
  kPositive,         // in the text unless it is below 1
  kPresent,          // in the text if the field is present, also if it is 0
  kCount,            // in the text if it is above 1; without an attribute, the field is 1
  kList,             // {0,2,1}; always in the text
  kListUnlessEmpty,  //
  kFirst,            // a number, which the proto has as a list
  kFlag,             // in the text if it is true
  kTruth,            // always in the text; without an attribute, the field is true
  kWord,             // a string of the proto, without quotes
  kNumber,           // a word by its number in the order of `words`; in the text unless it is below `lowest`
  kString,           // quoted; always in the text
  kStringUnlessEmpty,
  // Each of these is the form of one attribute.
  kTupleIndex,
  kFloat,         // with the bits of a float, such as a fixed32
  kDistribution,  // a word by its number; unknown ones are rng_uniform
  kComparisonType,
  kComparisonOrder,
  kThread,
  kWindow,
  kDimLabels,
  kPrecision,
  kReplicaGroups,
  kPairs,
  kPadding,
  kSlices,
  kAliasing,
  kReplication,
  kShape,
  kLayoutConstraints,
  kLiteral,
  kDomain,
};

struct AttributeField {
  AttributeKey key;
  FieldForm form;
  std::uint32_t number;
  // The message of the instruction that has the field, and the one in that; 0: the instruction itself.
  std::uint32_t message = 0;
  std::uint32_t inner = 0;
  absl::Span<const std::string_view> words = {};
  std::int64_t lowest = 0;   // a word with a lower number means the same as none; 0: the attribute is required
  std::int64_t missing = 0;  // the number in the proto without an attribute
  bool is_in_text = true;    // false: XLA does not print it, or append_called() does
};

// The rows of an opcode in the order of XLA's text; none for an unknown opcode, which has only the common attributes.
absl::Span<const AttributeField> attribute_fields(Opcode opcode);

// The type of a comparison of elements of `type`, which XLA leaves out of the text.
std::string_view usual_comparison(ElementType type);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_INSTRUCTION_FIELDS_H_
