// The protocol buffer wire format: a message is a sequence of (field number, value), read here as views of its bytes.
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

namespace hloroof::inline v0 {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  // of a varint or fixed number, as its bits
  std::string_view bytes;   // of kBytes
};

// The fields of one message in order; messages inside it are bytes until they are read in turn, so nothing recurses.
// Bytes that are no message set `ok` to false and leave the fields before the fault.
class WireMessage {
 public:
  WireMessage() = default;
  explicit WireMessage(std::string_view bytes);

  bool ok() const { return ok_; }
  const std::vector<WireField>& fields() const { return fields_; }

  // The last of that number, as proto3 has it for fields that are not repeated; null if there is none.
  const WireField* find(std::uint32_t number) const;
  bool has(std::uint32_t number) const { return find(number) != nullptr; }
  std::int64_t integer(std::uint32_t number, std::int64_t missing = 0) const;
  bool flag(std::uint32_t number) const { return integer(number) != 0; }
  std::string_view bytes(std::uint32_t number) const;
  WireMessage message(std::uint32_t number) const { return WireMessage(bytes(number)); }

  // Repeated fields: strings or messages, and numbers whether packed or not.
  std::vector<std::string_view> all(std::uint32_t number) const;
  std::vector<std::int64_t> integers(std::uint32_t number) const;

 private:
  std::vector<WireField> fields_;
  bool ok_ = true;
};

// Reads a varint at the front of `bytes` and removes it; false if there is none of at most ten bytes.
bool read_varint(std::string_view& bytes, std::uint64_t& value);

// Reads one field at the front of `bytes` and removes it; false if the bytes are none.
bool read_field(std::string_view& bytes, WireField& field);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PROTO_WIRE_H_
