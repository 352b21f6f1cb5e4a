// Writes the parts of a module as XLA's messages of hlo.proto and xla_data.proto, the opposite of
// lib/proto/message_text.h. write_proto.cc puts them together.
//
// The functions return the bytes of one message, or append its fields to a WireWriter. They return nullopt or false if
// the text of the attribute is malformed, which an edit may cause, or has no form in the proto.
#ifndef HLOROOF_LIB_PROTO_ENCODE_H_
#define HLOROOF_LIB_PROTO_ENCODE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/proto/instruction_fields.h"
#include "lib/proto/wire_writer.h"
#include "lib/values/attribute_values.h"
#include "lib/values/literal.h"

namespace hloroof::internal::inline proto {

// The PrimitiveType of an element type; 0 for kInvalid.
std::int64_t primitive_type(ElementType type);

// The ShapeProtos of a table. The table may grow, and the messages are written as they are asked for.
class ShapeProtos {
 public:
  explicit ShapeProtos(ShapeTable table) : table_(std::move(table)) {}
  ShapeTable& table() { return table_; }
  const std::string& of(ShapeId id);

 private:
  ShapeTable table_;
  std::vector<std::string> messages_;
};

// A LiteralProto. `leaves` are the arrays of the shape in depth-first order. An array whose values the text elides has
// none; `*elided` becomes true for it.
std::string literal_proto(ShapeProtos& shapes, ShapeId id, absl::Span<const Literal> leaves, bool* elided);

std::string sharding_proto(const ShardingAttribute& sharding);

// Appends the field of an instruction for the groups: a list, an iota form, or mesh axes.
void append_replica_groups(const ReplicaGroups& groups, WireWriter& out);

// The texts that messages refer to by number, without duplicates.
class Payloads {
 public:
  std::int64_t number_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

std::string metadata_proto(const Metadata& metadata, Payloads& payloads);
std::string frontend_attributes_proto(const FrontendAttributes& attributes);
std::string statistics_proto(const Statistics& statistics);
std::string result_accuracy_proto(const ResultAccuracy& accuracy);
std::optional<std::string> original_value_proto(std::string_view text);
std::optional<std::string> stack_frames_proto(std::string_view tables);

// What the instructions of one module share while they are written.
struct InstructionEncoder {
  InstructionEncoder(ShapeProtos& of_shapes, Payloads& of_texts) : shapes(of_shapes), payloads(of_texts) {}

  ShapeProtos& shapes;
  Payloads& payloads;
  // Set by append() if the values of a constant are not in the text.
  bool elided = false;

  // Appends what the opcode and the attributes of `i` say: all but its name, id, operands and other references. Returns
  // false after setting `fault` to the attribute that cannot be written.
  bool append(InstructionView i, WireWriter& out);
  std::string fault;

 private:
  // Each returns false if the attribute cannot be written.
  bool append_fields(InstructionView i, WireWriter& out);
  bool append_field(InstructionView i, const AttributeField& field, WireWriter& out);
  bool append_message(InstructionView i, std::uint32_t message, WireWriter& out);
  bool append_numbered(InstructionView i, std::uint32_t message, std::uint32_t inner, std::uint32_t number,
                       WireWriter& out);
  bool append_other(InstructionView i, AttributeKey key, WireWriter& out);
  bool fail(AttributeKey key);
  bool append_literals(InstructionView i, WireWriter& out);
  bool append_shapes(InstructionView i, AttributeKey key, WireWriter& out);
};

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_ENCODE_H_
