// The protocol buffer wire format. A message is a sequence of (field number, value); values are views of its bytes.
//
//   message  := (tag value)*           tag := varint, number << 3 | wire type
//   value    := varint | 8 bytes | varint length, bytes | 4 bytes
//
// Source: protobuf.dev/programming-guides/encoding.
#ifndef HLOROOF_LIB_PROTO_WIRE_H_
#define HLOROOF_LIB_PROTO_WIRE_H_

#include <cstdint>
#include <string_view>
#include <vector>

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

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_WIRE_H_
