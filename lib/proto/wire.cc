#include "lib/proto/wire.h"

#include <algorithm>
#include <cstring>

namespace hloroof::internal::inline proto {
namespace {

bool read_fixed(std::string_view& bytes, int size, std::uint64_t& value) {
  if (bytes.size() < static_cast<std::size_t>(size)) return false;
  value = 0;
  for (int i = 0; i < size; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])} << (8 * i);
  }
  bytes.remove_prefix(static_cast<std::size_t>(size));
  return true;
}

void append_little_endian(std::uint64_t bits, int size, std::string& out) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(bits >> (8 * i) & 0xff);
}

}  // namespace

bool read_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool read_field(std::string_view& bytes, WireField& field) {
  std::uint64_t tag = 0;
  if (!read_varint(bytes, tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return false;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.bytes = {};
  field.value = 0;
  switch (tag & 7) {
    case 0: field.type = WireType::kVarint; return read_varint(bytes, field.value);
    case 1: field.type = WireType::kFixed64; return read_fixed(bytes, 8, field.value);
    case 2: {
      field.type = WireType::kBytes;
      std::uint64_t size = 0;
      if (!read_varint(bytes, size) || size > bytes.size()) return false;
      field.bytes = bytes.substr(0, size);
      bytes.remove_prefix(size);
      return true;
    }
    case 5: field.type = WireType::kFixed32; return read_fixed(bytes, 4, field.value);
    default: return false;  // a group, which proto3 does not allow
  }
}

WireMessage::WireMessage(std::string_view bytes) {
  WireField field;
  const char* const begin = bytes.data();
  while (!bytes.empty()) {
    const char* const at = bytes.data();
    if (!read_field(bytes, field)) {
      ok_ = false;
      fault_ = static_cast<std::size_t>(at - begin);
      return;
    }
    fields_.push_back(field);
  }
}

const WireField* WireMessage::find(std::uint32_t number) const {
  for (std::size_t i = fields_.size(); i > 0; --i) {
    if (fields_[i - 1].number == number) return &fields_[i - 1];
  }
  return nullptr;
}

std::int64_t WireMessage::integer(std::uint32_t number, std::int64_t missing) const {
  const WireField* field = find(number);
  return field != nullptr && field->type != WireType::kBytes ? static_cast<std::int64_t>(field->value) : missing;
}

double WireMessage::floating(std::uint32_t number) const {
  const auto bits = static_cast<std::uint64_t>(integer(number));
  double value = 0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string_view WireMessage::bytes(std::uint32_t number) const {
  const WireField* field = find(number);
  return field != nullptr ? field->bytes : std::string_view();
}

std::vector<std::string_view> WireMessage::all(std::uint32_t number) const {
  std::vector<std::string_view> values;
  for (const WireField& field : fields_) {
    if (field.number == number && field.type == WireType::kBytes) values.push_back(field.bytes);
  }
  return values;
}

std::vector<std::int64_t> WireMessage::integers(std::uint32_t number) const {
  std::vector<std::int64_t> values;
  for (const WireField& field : fields_) {
    if (field.number != number) continue;
    if (field.type != WireType::kBytes) {
      values.push_back(static_cast<std::int64_t>(field.value));
      continue;
    }
    std::string_view packed = field.bytes;
    std::uint64_t value = 0;
    while (read_varint(packed, value)) values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

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

std::string sorted_by_number(std::string_view message) {
  std::vector<WireField> fields = WireMessage(message).fields();
  std::stable_sort(fields.begin(), fields.end(),
                   [](const WireField& a, const WireField& b) { return a.number < b.number; });
  WireWriter out;
  for (const WireField& field : fields) out.field(field);
  return out.take();
}

}  // namespace hloroof::internal::inline proto
