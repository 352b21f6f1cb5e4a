// The protocol buffer wire format. A message is a sequence of (field number, value); values are views of its bytes.
//
//   message  := (tag value)*           tag := varint, number << 3 | wire type
//   value    := varint | 8 bytes | varint length, bytes | 4 bytes
//
// Source: protobuf.dev/programming-guides/encoding.
#ifndef HLOROOF_LIB_PROTO_WIRE_H_
#define HLOROOF_LIB_PROTO_WIRE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace hloroof::internal::inline proto {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  // the bits of a varint or fixed number
  std::string_view bytes;   // for kBytes

  friend bool operator==(const WireField&, const WireField&) = default;
};

// The fields of one message in order. A nested message remains bytes until a WireMessage is constructed from them, so
// parsing does not recurse. If the bytes are malformed, ok() is false and fields() has the fields before the fault.
class WireMessage {
 public:
  WireMessage() = default;
  explicit WireMessage(std::string_view bytes);

  bool ok() const { return ok_; }
  // The offset of the field that is malformed or truncated, if ok() is false.
  std::size_t fault() const { return fault_; }
  const std::vector<WireField>& fields() const { return fields_; }

  // The last field with this number, which is the value of a non-repeated field in proto3; null if there is none.
  const WireField* find(std::uint32_t number) const;
  bool has(std::uint32_t number) const { return find(number) != nullptr; }
  std::int64_t integer(std::uint32_t number, std::int64_t missing = 0) const;
  double floating(std::uint32_t number) const;  // a double; 0 if it is missing
  bool flag(std::uint32_t number) const { return integer(number) != 0; }
  std::string_view bytes(std::uint32_t number) const;
  WireMessage message(std::uint32_t number) const { return WireMessage(bytes(number)); }

  // Repeated fields: all() for strings and messages, integers() for packed and unpacked numbers.
  std::vector<std::string_view> all(std::uint32_t number) const;
  std::vector<std::int64_t> integers(std::uint32_t number) const;

 private:
  std::vector<WireField> fields_;
  bool ok_ = true;
  std::size_t fault_ = 0;
};

// Removes a varint from the front of `bytes`. Returns false if there is none of at most ten bytes.
bool read_varint(std::string_view& bytes, std::uint64_t& value);

// Removes one field from the front of `bytes`. Returns false if it is malformed or truncated.
bool read_field(std::string_view& bytes, WireField& field);

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

// The message with its fields in ascending order of their numbers, as protobuf writes them.
std::string sorted_by_number(std::string_view message);

// Appends the varint of `value`.
void append_varint(std::uint64_t value, std::string& out);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_WIRE_H_
