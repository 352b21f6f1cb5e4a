// Kernels whose body no compiler writes: each is followed or gives a Status.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "hloroof/parse.h"
#include "lib/base/strings.h"
#include "lib/kernel/tpu/read_kernel.h"
#include "lib/values/backend_config.h"
#include "tests/catch.h"
#include "tests/mlir/encode.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// A sample of which only the body of the kernel changes.
class Kernel {
 public:
  explicit Kernel(const std::string& name) {
    std::ifstream file(source_path("tests/kernel/samples/" + name + ".hlo"));
    REQUIRE(file.good());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const absl::StatusOr<Module> module = parse_module(text);
    REQUIRE(module.ok());
    body_ = kernel_body(module->entry().root());
    const std::string encoded = in_base64(body_);
    const std::size_t at = text.find(encoded);
    REQUIRE(at != std::string::npos);
    before_ = text.substr(0, at);
    after_ = text.substr(at + encoded.size());
  }

  const std::string& body() const { return body_; }

  void follow(const std::string& body) const {
    const absl::StatusOr<Module> module = parse_module(before_ + in_base64(body) + after_);
    REQUIRE(module.ok());
    ReadKernelOptions options;
    options.most_instructions = 10'000;
    const absl::StatusOr<KernelRun> run = read_kernel(module->entry().root(), options);
    if (!run.ok()) CHECK_FALSE(run.status().message().empty());
  }

 private:
  static std::string in_base64(const std::string& bytes) {
    std::string encoded;
    absl::Base64Escape(to_absl(bytes), &encoded);
    return encoded;
  }

  std::string before_;
  std::string body_;
  std::string after_;
};

// A body that is one operation without operands, around which nothing lies.
TEST_CASE("the end of a region may stand outside every region") {
  const Kernel kernel("loops");
  for (const char* dialect : {"func", "scf", "tpu"}) {
    mlir::Source source;
    source.dialect = dialect;
    source.op = dialect == std::string("func") ? "return" : "yield";
    source.attributes = {{mlir::varints({15})}};
    source.ir = mlir::varint(1 << 1) + mlir::varint(1) + std::string(1, '\0') + mlir::varint(0);
    kernel.follow(source.bytes());
  }
}

TEST_CASE("a flipped bit gives an error or a kernel") {
  for (const char* name : {"loops", "listed"}) {
    const Kernel kernel(name);
    for (std::size_t bit = 0; bit < 8 * kernel.body().size(); ++bit) {
      std::string flipped = kernel.body();
      flipped[bit / 8] = static_cast<char>(static_cast<unsigned char>(flipped[bit / 8]) ^ 1U << bit % 8);
      kernel.follow(flipped);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
