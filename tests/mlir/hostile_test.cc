// Bytes that no producer writes: truncated, with flipped bits, or made to need much time or memory.
#include <cstdint>
#include <string>

#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "tests/catch.h"
#include "tests/mlir/encode.h"
#include "tests/mlir/print.h"
#include "tests/mlir/read_file.h"

namespace hloroof::internal::mlir {
namespace {

// Reads, decodes and prints all that can be.
void read_all(const std::string& bytes) {
  const absl::StatusOr<Module> module = read_module(bytes);
  if (!module.ok()) {
    CHECK_FALSE(module.status().message().empty());
    return;
  }
  PrintOptions options;
  options.with_locations = true;
  options.max_bytes = 1 << 20U;
  const absl::StatusOr<std::string> text = print(*module, options);
  CHECK((text.ok() || !text.status().message().empty()));
}

TEST_CASE("every prefix of a sample is an error") {
  for (const char* name : kSamples) {
    const std::string bytes = sample(name);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string prefix = bytes.substr(0, size);
      const absl::StatusOr<Module> module = read_module(prefix);
      if (module.ok()) FAIL(name << " up to byte " << size << " is read without an error");
    }
  }
}

TEST_CASE("a flipped bit gives an error or a module") {
  for (const char* name : {"forms.version0", "forms.version6"}) {
    const std::string bytes = sample(name);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(static_cast<unsigned char>(flipped[bit / 8]) ^ 1U << bit % 8);
      read_all(flipped);
    }
  }
}

// Nested operations, each with one region of one block that declares `values` values and defines none.
std::string nested_claims(std::size_t depth, std::uint64_t values) {
  std::string ir;
  for (std::size_t i = 0; i < depth; ++i) {
    ir += varint(1 << 1) + varint(1) + std::string(1, 16) + varints({0, 1 << 1, 1, values});
  }
  return ir + varint(0);
}

TEST_CASE("nested regions cannot declare more values than there are bytes") {
  Source source;
  source.attributes = {{varints({15})}};
  source.ir = nested_claims(20'000, 10'000);
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  REQUIRE_FALSE(module.ok());
  CHECK_THAT(std::string(module.status().message()), ContainsSubstring("more blocks or values than there are bytes"));
}

TEST_CASE("deep nesting needs no stack") {
  constexpr std::size_t kDepth = 200'000;
  Source source;
  source.attributes = {{varints({15})}};
  source.ir = nested_claims(kDepth, 0);
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  INFO(module.status().message());
  REQUIRE(module.ok());
  CHECK(module->ops.size() == kDepth);
  PrintOptions options;
  options.max_bytes = 1 << 16U;
  CHECK(print(*module, options).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("an attribute that doubles at each level is cut off") {
  Source source;
  constexpr std::uint64_t kLevels = 60;
  for (std::uint64_t i = 0; i < kLevels; ++i) source.attributes.push_back({varints({0, 2, i + 1, i + 1})});
  source.attributes.push_back({varints({7})});
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  REQUIRE(module.ok());
  PrintOptions options;
  options.max_bytes = 1 << 16U;
  CHECK(print(*module, AttributeId{0}, options).status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(print(*module, AttributeId{kLevels - 1}, options).ok());
}

TEST_CASE("a deeply nested attribute needs no stack") {
  Source source;
  constexpr std::uint64_t kLevels = 100'000;
  for (std::uint64_t i = 0; i < kLevels; ++i) source.attributes.push_back({varints({0, 1, i + 1})});
  source.attributes.push_back({varints({7})});
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  REQUIRE(module.ok());
  const absl::StatusOr<std::string> text = print(*module, AttributeId{0});
  REQUIRE(text.ok());
  CHECK(text->size() == 2 * kLevels + 4);
}

TEST_CASE("a splat of many elements is not expanded without limit") {
  Source source;
  source.attributes = {{varints({18, 1, 4}) + std::string(4, '\0')}};
  source.types = {{varints({0, 32 << 2})}, {varints({13, 2, zigzag(1 << 30), zigzag(1 << 30), 0})}};
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  REQUIRE(module.ok());
  CHECK_FALSE(integers(*module, AttributeId{0}).has_value());
  CHECK(*print(*module, AttributeId{0}) == "dense<0> : tensor<1073741824x1073741824xi32>");
}

}  // namespace
}  // namespace hloroof::internal::mlir
