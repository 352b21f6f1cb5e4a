// Writes the attributes of one instruction as `, name=value` pairs, one function for each attribute that needs more
// than its number, word or list.
#ifndef HLOROOF_LIB_PROTO_ATTRIBUTE_WRITER_H_
#define HLOROOF_LIB_PROTO_ATTRIBUTE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/proto/wire.h"

namespace hloroof::internal::inline proto {

// Reads the attributes from `instruction`, an HloInstructionProto. The functions that return bool return false if the
// attribute is malformed.
class AttributeWriter {
 public:
  AttributeWriter(const WireMessage& instruction, std::string& out) : i_(instruction), out_(out) {}

  void name(const char* text);
  void word(const char* text, std::string_view value);
  void integer(const char* text, std::int64_t value);
  void flag(const char* text, bool value);  // nothing for false
  void list(const char* text, const std::vector<std::int64_t>& values);
  void list_unless_empty(const char* text, const std::vector<std::int64_t>& values);
  void quoted(const char* text, std::string_view value);

  void dimensions();
  void window();
  void dim_labels();
  void group_counts();
  void precision();
  void dot_numbers(const WireMessage& numbers);
  void channel();
  bool replica_groups();
  void source_target_pairs();
  void padding();
  void slices();
  void gather_numbers();
  void scatter_numbers();
  void output_aliasing();
  void parameter_replication();
  bool shape(const char* text, std::string_view shape_proto);
  bool operand_layout_constraints();
  bool literal();
  bool domain();

 private:
  void append_grid(const WireMessage& iota);

  const WireMessage& i_;
  std::string& out_;
};

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_ATTRIBUTE_WRITER_H_
