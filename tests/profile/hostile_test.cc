// Malformed xplane files must give a profile or a clear error.
#include <fstream>
#include <iterator>
#include <string>

#include "lib/profile/read_xspace.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string sample(const char* path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whether the bytes are a profile; a message must say what is wrong.
bool reads(std::string_view bytes) {
  XSpaceReader reader;
  const absl::Status status = reader.add(bytes, "host");
  if (!status.ok()) {
    CHECK_FALSE(status.message().empty());
    return false;
  }
  const auto profile = reader.take();
  if (!profile.ok()) return false;
  for (const MeasuredProgram& program : profile->programs) {
    for (const MeasuredOp& op : program.ops) CHECK(op.by_device.size() == program.devices.size());
  }
  return true;
}

constexpr const char* kSamples[] = {"tests/fuzz/seeds/xplane/tpu.pb", "tests/fuzz/seeds/xplane/gpu.pb"};

TEST_CASE("hostile: every prefix of an xplane file is an error or a profile") {
  for (const char* path : kSamples) {
    const std::string whole = sample(path);
    REQUIRE(reads(whole));
    std::size_t errors = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      errors += reads(std::string_view(whole).substr(0, size)) ? 0 : 1;
    }
    CHECK(errors > whole.size() * 9 / 10);
  }
}

TEST_CASE("hostile: every bit of an xplane file may be wrong") {
  for (const char* path : kSamples) {
    std::string bytes = sample(path);
    std::size_t read = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      const auto mask = static_cast<char>(1U << (bit % 8));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
      read += reads(bytes) ? 1 : 0;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    }
    CHECK(read > 0);
    CHECK(read < 8 * bytes.size());
  }
}

}  // namespace
}  // namespace hloroof::internal
