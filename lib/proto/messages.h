// The messages of XLA's hlo.proto and xla_data.proto that several files need, each in both directions: as HLO text in
// the form of HloModule::ToString(), and written from what a module holds.
//
// Functions that append text return false if the message is malformed. Functions that write a message return its bytes,
// or nullopt if the text of the attribute is malformed, which an edit may cause, or has no form in the proto.
#ifndef HLOROOF_LIB_PROTO_MESSAGES_H_
#define HLOROOF_LIB_PROTO_MESSAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "hloroof/shape.h"
#include "lib/proto/module_text.h"
#include "lib/proto/wire.h"
#include "lib/values/attribute_values.h"
#include "lib/values/literal.h"

namespace hloroof::internal::inline proto {

// The names and texts that instructions refer to by number.
struct Names {
  std::unordered_map<std::int64_t, std::string_view> computations;  // of the module
  std::unordered_map<std::int64_t, std::string_view> instructions;  // of the computation
  // The maximum size of the text. A small proto can expand to a huge text, because ids are short and names may be long.
  std::int64_t max_text = 0;
  std::int64_t most_elements = kUsualElements;
  bool has_stack_frames = false;           // a stack_frame_id has no meaning without the tables
  std::vector<std::string_view> payloads;  // of the module, by number
};
absl::Status too_long(std::int64_t max_text);

// The texts that messages refer to by number, without duplicates, while they are written.
class Payloads {
 public:
  std::int64_t number_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

// ---- Text --------------------------------------------------------------------------------------------------------

// Appends 1,2,3.
void append_list(absl::Span<const std::int64_t> values, std::string& out, const char* separator = ",");

// append_quoted appends "text" with C++ escapes. append_json_or_quoted appends a JSON object unchanged and anything
// else quoted.
void append_quoted(std::string_view text, std::string& out);
void append_json_or_quoted(std::string_view text, std::string& out);

// ---- module_header.cc --------------------------------------------------------------------------------------------

// The HloModule line and the tables of stack frames.
bool append_header(const WireMessage& module, std::string& out);

// ---- instruction_text.cc -----------------------------------------------------------------------------------------

// The wrapped instruction of an async op whose computation has one instruction besides parameters. Such an async op is
// printed as `X-start(` instead of `async-start( ... calls=`.
struct WrappedOp {
  WireMessage instruction;
  std::string_view opcode;
};
using WrappedOps = std::unordered_map<std::int64_t, WrappedOp>;  // by computation id

// Appends one instruction without indentation: `ROOT %name = shape opcode(operands), attributes`. Errors:
// InvalidArgument.
absl::Status append_instruction(const WireMessage& instruction, bool is_root, const Names& names,
                                const std::unordered_map<std::int64_t, const WireMessage*>& by_id,
                                const WrappedOps& wrapped, std::string& out);

// ---- shape_messages.cc -------------------------------------------------------------------------------------------

// The array type, token or opaque of a PrimitiveType; nullopt for tuple, buffer and unknown numbers.
std::optional<ElementType> element_type_of(std::int64_t number);
// The PrimitiveType of an element type; 0 for kInvalid.
std::int64_t primitive_type(ElementType type);

bool append_shape(std::string_view shape_proto, bool with_layout, std::string& out);

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

// ---- literal_messages.cc -----------------------------------------------------------------------------------------

// In the form of the operand of constant( ), see ModuleTextOptions::most_elements. A literal without values becomes
// {...} too.
bool append_literal(std::string_view literal_proto, std::int64_t most_elements, std::string& out);

// `leaves` are the arrays of the shape in depth-first order. An array whose values the text elides has none; `*elided`
// becomes true for it.
std::string literal_proto(ShapeProtos& shapes, ShapeId id, absl::Span<const Literal> leaves, bool* elided);

// ---- sharding_messages.cc ----------------------------------------------------------------------------------------

// Including its braces.
bool append_sharding(std::string_view sharding_proto, std::string& out);
std::string sharding_proto(const ShardingAttribute& sharding);

// ---- metadata_messages.cc ----------------------------------------------------------------------------------------

std::string metadata_proto(const Metadata& metadata, Payloads& payloads);

// The text of a Payload, which has it or its number; empty if it has neither.
std::string_view payload_text(const WireMessage& payload, const Names& names);

// {a="b",c={"d":1}}
void append_frontend_attributes(const WireMessage& attributes, std::string& out);
std::string frontend_attributes_proto(const FrontendAttributes& attributes);

// The tables of stack frames.
void append_stack_frames(const WireMessage& stack, std::string& out);
std::optional<std::string> stack_frames_proto(std::string_view tables);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_MESSAGES_H_
