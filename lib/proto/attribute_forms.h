// The forms in which HloInstructionProto has the values of attributes: how each is printed, and how it is written.
#ifndef HLOROOF_LIB_PROTO_ATTRIBUTE_FORMS_H_
#define HLOROOF_LIB_PROTO_ATTRIBUTE_FORMS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/proto/messages.h"

namespace hloroof::internal::inline proto {

struct AttributeField;

// An attribute of a proto, to be printed.
struct ProtoAttribute {
  const AttributeField& field;
  const WireMessage& in;  // the message that has the field
  const WireMessage& instruction;
  const WireMessage* first_operand;  // of a comparison; null if it is missing
  const Names& names;
  std::string& out;

  std::int64_t integer() const;
  std::vector<std::int64_t> integers() const;
  std::string_view bytes() const;
  WireMessage message() const { return WireMessage(bytes()); }
  bool has() const;

  // These append `, name=` and the value, and return true.
  std::string& named() const;  // only the name; returns the text
  bool print(std::string_view word) const;
  bool print(std::int64_t value) const;
  bool print_quoted(std::string_view text) const;
};

// An attribute of a module, to be written.
struct ModuleAttribute {
  const AttributeField& field;
  InstructionView i;
  ShapeProtos& shapes;
  Payloads& payloads;
  bool& elided;  // becomes true if the values of a constant are not in the text
  WireWriter& out;

  bool has() const;  // false: what the proto has without an attribute is to be written
  std::string_view text() const;
};

struct ProtoForm {
  // Prints the attribute if the text has it. Returns false if it is malformed.
  bool (*print)(const ProtoAttribute& a);
  // Appends the field. Returns false if the attribute cannot be written.
  bool (*write)(const ModuleAttribute& a);
  bool is_implied = false;  // the proto has the field without an attribute too
};

namespace forms {

// attribute_forms.cc
extern const ProtoForm kInteger;   // always in the text
extern const ProtoForm kPositive;  // in the text unless it is below 1
extern const ProtoForm kPresent;   // in the text if the field is present, also if it is 0
extern const ProtoForm kCount;     // in the text if it is above 1; without an attribute, the field is 1
extern const ProtoForm kList;      // {0,2,1}; always in the text
extern const ProtoForm kListUnlessEmpty;
extern const ProtoForm kFirst;   // a number, which the proto has as a list
extern const ProtoForm kFlag;    // in the text if it is true
extern const ProtoForm kTruth;   // always in the text; without an attribute, the field is true
extern const ProtoForm kWord;    // a string of the proto, without quotes
extern const ProtoForm kNumber;  // a word by its number in the order of `words`; in the text unless below `lowest`
extern const ProtoForm kString;  // quoted; always in the text
extern const ProtoForm kStringUnlessEmpty;
// Each of these and of those below is the form of one attribute.
extern const ProtoForm kTupleIndex;
extern const ProtoForm kFloat;
extern const ProtoForm kDistribution;
extern const ProtoForm kComparisonType;
extern const ProtoForm kComparisonOrder;
extern const ProtoForm kThread;
extern const ProtoForm kGlobalIds;
extern const ProtoForm kPrecision;
extern const ProtoForm kBackendConfig;

// value_forms.cc
extern const ProtoForm kWindow;
extern const ProtoForm kDimLabels;
extern const ProtoForm kPairs;
extern const ProtoForm kPadding;
extern const ProtoForm kSlices;
extern const ProtoForm kAliasing;
extern const ProtoForm kReplication;
extern const ProtoForm kShape;
extern const ProtoForm kLayoutConstraints;
extern const ProtoForm kLiteral;

// sharding_messages.cc
extern const ProtoForm kSharding;
extern const ProtoForm kReplicaGroups;
extern const ProtoForm kDomain;

// metadata_messages.cc
extern const ProtoForm kFrontendAttributes;
extern const ProtoForm kStatistics;
extern const ProtoForm kResultAccuracy;
extern const ProtoForm kOrigin;
extern const ProtoForm kMetadata;

}  // namespace forms

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_ATTRIBUTE_FORMS_H_
