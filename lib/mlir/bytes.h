// A cursor over a range of MLIR bytecode. Every read is checked. The first fault is kept with its offset, and all later
// reads return 0, so a parser may test ok() once per entity instead of once per read.
//
//   varint := prefix byte, further bytes     the trailing zero bits of the prefix say how many bytes follow
//   signed := varint                         zigzag
//
// Source: mlir/docs/BytecodeFormat.md.
#ifndef HLOROOF_LIB_MLIR_BYTES_H_
#define HLOROOF_LIB_MLIR_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace hloroof::internal::mlir {

// InvalidArgument: "MLIR bytecode: `what` at byte `offset`".
absl::Status error_at(std::size_t offset, std::string_view what);

// The bytes of a varint, and of a signed one.
std::string encode_varint(std::uint64_t value);
std::string encode_signed_varint(std::int64_t value);

class ByteCursor {
 public:
  // Reads [begin, end) of `body`. Offsets in messages are those in `body`.
  ByteCursor(std::string_view body, std::size_t begin, std::size_t end) : body_(body), at_(begin), end_(end) {}

  bool ok() const { return fault_ == nullptr; }
  absl::Status status() const { return ok() ? absl::OkStatus() : error_at(fault_offset_, fault_); }
  std::size_t offset() const { return at_; }
  std::size_t end() const { return end_; }
  std::size_t remaining() const { return end_ - at_; }

  // Records the first fault. `what` must be a literal.
  void fail(const char* what) {
    if (fault_ == nullptr) {
      fault_ = what;
      fault_offset_ = at_;
    }
    at_ = end_;
  }

  std::uint8_t byte() {
    if (at_ >= end_) {
      fail("the bytes end in the middle of an entity");
      return 0;
    }
    return static_cast<std::uint8_t>(body_[at_++]);
  }

  std::uint64_t varint() {
    if (at_ < end_ && (static_cast<std::uint8_t>(body_[at_]) & 1U) != 0) {
      return static_cast<std::uint8_t>(body_[at_++]) >> 1U;
    }
    return long_varint();
  }

  // A varint whose low bit is a flag.
  std::uint64_t flagged_varint(bool& flag) {
    const std::uint64_t value = varint();
    flag = (value & 1U) != 0;
    return value >> 1U;
  }

  std::int64_t signed_varint() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1));
  }

  // The number of entities that follow, of which each takes at least one byte. A number that the remaining bytes cannot
  // hold is a fault.
  std::uint32_t count() { return bounded(varint()); }
  std::uint32_t flagged_count(bool& flag) { return bounded(flagged_varint(flag)); }

  // An index below `limit`.
  std::uint32_t index(std::size_t limit, const char* what_if_not) {
    const std::size_t before = at_;
    const std::uint64_t value = varint();
    if (value < limit) return static_cast<std::uint32_t>(value);
    at_ = ok() ? before : at_;
    fail(what_if_not);
    return 0;
  }

  std::string_view bytes(std::uint64_t size) {
    if (size > remaining()) {
      fail("a length reaches beyond the end of its section");
      return {};
    }
    const std::string_view result = body_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return result;
  }

  // The bytes before the next NUL, which is skipped.
  std::string_view c_string();

  // Skips the padding before an offset that is a multiple of `alignment`.
  void align(std::uint64_t alignment);

 private:
  std::uint64_t long_varint();
  std::uint32_t bounded(std::uint64_t value) {
    if (value <= remaining()) return static_cast<std::uint32_t>(value);
    fail("a count is larger than the bytes that follow");
    return 0;
  }

  std::string_view body_;
  std::size_t at_;
  std::size_t end_;
  const char* fault_ = nullptr;
  std::size_t fault_offset_ = 0;
};

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_BYTES_H_
