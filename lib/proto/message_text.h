// HLO text of the messages of XLA's hlo.proto and xla_data.proto, in the form that HloModule::ToString() prints.
#ifndef HLOROOF_LIB_PROTO_MESSAGE_TEXT_H_
#define HLOROOF_LIB_PROTO_MESSAGE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/element_type.h"
#include "lib/proto/wire.h"

namespace hloroof::inline v0 {

// A whole module. Errors: InvalidArgument, naming the instruction where there is one; ResourceExhausted when the text
// would exceed `max_text`.
absl::StatusOr<std::string> module_text(std::string_view module_proto, std::int64_t max_text);

// The array type, token or opaque of that PrimitiveType; nothing for tuple, buffer and what does not exist.
std::optional<ElementType> element_type_of(std::int64_t number);

// ShapeProto. False if it is no shape.
bool append_shape(std::string_view shape_proto, bool with_layout, std::string& out);

// LiteralProto as it stands between the parentheses of constant( ): up to ten elements are written out, more become
// {...}, as XLA prints them by default. False if it is no literal.
bool append_literal(std::string_view literal_proto, std::string& out);

// OpSharding, braces included; false if it is none.
bool append_sharding(std::string_view sharding_proto, std::string& out);

// MeshAxesReplicaGroupListProto: mesh['x'=2,'y'=4] {'y'}. False if it is none.
bool append_mesh_groups(const WireMessage& groups, std::string& out);

// FrontendAttributes as the list between its braces: a="b",c={"d":1}.
void append_frontend_attributes(const WireMessage& attributes, std::string& out);

// "text" with what C++ would escape escaped, and {text} as it is where it is JSON.
void append_quoted(std::string_view text, std::string& out);
void append_json_or_quoted(std::string_view text, std::string& out);

// 1,2,3
void append_list(const std::vector<std::int64_t>& values, std::string& out, const char* separator = ",");

// The HloModule line with its end, and the tables of stack frames.
bool append_header(const WireMessage& module, std::string& out);

// What an instruction refers to by id.
struct Names {
  std::unordered_map<std::int64_t, std::string_view> computations;  // of the module
  std::unordered_map<std::int64_t, std::string_view> instructions;  // of the computation
  // Ids are short and names may be long: what the text may grow to at most.
  std::int64_t max_text = 0;
  bool has_stack_frames = false;  // without the tables a stack_frame_id says nothing
};

absl::Status too_long(std::int64_t max_text);

// The only instruction besides parameters of a computation that an async op wraps, for `X-start(` in place of
// `async-start( ... calls=`.
struct WrappedOp {
  WireMessage instruction;
  std::string_view opcode;
};
using WrappedOps = std::unordered_map<std::int64_t, WrappedOp>;  // by id of the computation

// One instruction without indentation: `ROOT %name = shape opcode(operands), attributes`. Errors: InvalidArgument.
absl::Status append_instruction(const WireMessage& instruction, bool is_root, const Names& names,
                                const std::unordered_map<std::int64_t, const WireMessage*>& by_id,
                                const WrappedOps& wrapped, std::string& out);

// The attributes that belong to its opcode, each with ", " before it. False if one can not be read.
bool append_opcode_attributes(const WireMessage& instruction, std::string_view opcode,
                              const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PROTO_MESSAGE_TEXT_H_
