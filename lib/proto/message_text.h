// Converts the messages of XLA's hlo.proto and xla_data.proto to HLO text in the form of HloModule::ToString().
#ifndef HLOROOF_LIB_PROTO_MESSAGE_TEXT_H_
#define HLOROOF_LIB_PROTO_MESSAGE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/shape.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline proto {

constexpr std::int64_t kUsualElements = 10;

struct ModuleTextOptions {
  std::int64_t max_text = 0;  // maximum size of the text
  // Arrays of more elements become {...}. XLA's limit is ten, up to which tuples become {...} too.
  std::int64_t most_elements = kUsualElements;
};

// The text of a module. Errors: InvalidArgument, which names the instruction if there is one; ResourceExhausted if the
// text would exceed max_text.
absl::StatusOr<std::string> module_text(std::string_view module_proto, const ModuleTextOptions& options);

// The array type, token or opaque of a PrimitiveType; nullopt for tuple, buffer and unknown numbers.
std::optional<ElementType> element_type_of(std::int64_t number);

// Appends a ShapeProto. Returns false if it is malformed.
bool append_shape(std::string_view shape_proto, bool with_layout, std::string& out);

// Appends a LiteralProto in the form of the operand of constant( ), see ModuleTextOptions::most_elements. A literal
// without values becomes {...} too. Returns false if it is malformed.
bool append_literal(std::string_view literal_proto, std::int64_t most_elements, std::string& out);

// Appends an OpSharding including its braces. Returns false if it is malformed.
bool append_sharding(std::string_view sharding_proto, std::string& out);

// Appends a MeshAxesReplicaGroupListProto: mesh['x'=2,'y'=4] {'y'}. Returns false if it is malformed.
bool append_mesh_groups(const WireMessage& groups, std::string& out);

// Appends FrontendAttributes without braces: a="b",c={"d":1}.
void append_frontend_attributes(const WireMessage& attributes, std::string& out);

// append_quoted appends "text" with C++ escapes. append_json_or_quoted appends a JSON object unchanged and anything
// else quoted.
void append_quoted(std::string_view text, std::string& out);
void append_json_or_quoted(std::string_view text, std::string& out);

// Appends 1,2,3.
void append_list(const std::vector<std::int64_t>& values, std::string& out, const char* separator = ",");

// Appends the HloModule line and the tables of stack frames.
bool append_header(const WireMessage& module, std::string& out);

// The names that an instruction refers to by id.
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

// Appends a StatisticsViz and an OriginalValueProto, each preceded by ", ". Returns false if it is malformed.
void append_statistics(const WireMessage& statistics, std::string& out);
bool append_original_value(const WireMessage& value, std::string& out);

// The text of a Payload, which has it or its number; empty if it has neither.
std::string_view payload_text(const WireMessage& payload, const Names& names);

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

// Appends the attributes of its opcode, each preceded by ", ". Returns false if one is malformed.
bool append_opcode_attributes(const WireMessage& instruction, std::string_view opcode,
                              const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_MESSAGE_TEXT_H_
