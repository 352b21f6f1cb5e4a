// Writes the protocol buffer wire format of wire.h.
#ifndef HLOROOF_LIB_PROTO_WIRE_WRITER_H_
#define HLOROOF_LIB_PROTO_WIRE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline proto {

// Appends the fields of one message in the order of the calls. As proto3 does, integer(), text() and packed() omit a
// field that has its default value: 0, false, or nothing.
class WireWriter {
 public:
  void integer(std::uint32_t number, std::int64_t value) {
    if (value != 0) present(number, value);
  }
  void text(std::uint32_t number, std::string_view value) {
    if (!value.empty()) bytes(number, value);
  }
  void packed(std::uint32_t number, absl::Span<const std::int64_t> values);

  // These write the field in any case: for messages, members of a oneof and elements of repeated fields.
  void present(std::uint32_t number, std::int64_t value);
  void bytes(std::uint32_t number, std::string_view value);
  void fixed32(std::uint32_t number, std::uint32_t bits);
  void fixed64(std::uint32_t number, std::uint64_t bits);
  void floating(std::uint32_t number, double value);  // a double
  void field(const WireField& field);

  bool empty() const { return out_.empty(); }
  const std::string& view() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  void tag(std::uint32_t number, WireType type);

  std::string out_;
};

// Appends the varint of `value`.
void append_varint(std::uint64_t value, std::string& out);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_WIRE_WRITER_H_
