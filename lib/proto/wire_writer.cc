#include "lib/proto/wire_writer.h"

#include <cstring>

namespace hloroof::internal::inline proto {
namespace {

void append_little_endian(std::uint64_t bits, int size, std::string& out) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(bits >> (8 * i) & 0xff);
}

}  // namespace

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void WireWriter::tag(std::uint32_t number, WireType type) {
  append_varint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type), out_);
}

void WireWriter::present(std::uint32_t number, std::int64_t value) {
  tag(number, WireType::kVarint);
  append_varint(static_cast<std::uint64_t>(value), out_);
}

void WireWriter::bytes(std::uint32_t number, std::string_view value) {
  tag(number, WireType::kBytes);
  append_varint(value.size(), out_);
  out_ += value;
}

void WireWriter::packed(std::uint32_t number, absl::Span<const std::int64_t> values) {
  if (values.empty()) return;
  std::string packed;
  packed.reserve(values.size());
  for (std::int64_t value : values) append_varint(static_cast<std::uint64_t>(value), packed);
  bytes(number, packed);
}

void WireWriter::fixed32(std::uint32_t number, std::uint32_t bits) {
  tag(number, WireType::kFixed32);
  append_little_endian(bits, 4, out_);
}

void WireWriter::fixed64(std::uint32_t number, std::uint64_t bits) {
  tag(number, WireType::kFixed64);
  append_little_endian(bits, 8, out_);
}

void WireWriter::floating(std::uint32_t number, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (bits != 0) fixed64(number, bits);
}

void WireWriter::field(const WireField& field) {
  switch (field.type) {
    case WireType::kVarint: return present(field.number, static_cast<std::int64_t>(field.value));
    case WireType::kFixed64: return fixed64(field.number, field.value);
    case WireType::kFixed32: return fixed32(field.number, static_cast<std::uint32_t>(field.value));
    case WireType::kBytes: return bytes(field.number, field.bytes);
  }
}

}  // namespace hloroof::internal::inline proto
