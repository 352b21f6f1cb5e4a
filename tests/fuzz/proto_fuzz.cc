// Parses arbitrary protos. The text of a valid one must parse as the same module, and so must the proto that is written
// of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/proto/write_proto.h"
#include "tests/proto/proto_modules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hloroof::internal::ElidedConstants;
  hloroof::ParseOptions options;
  options.max_bytes = 1 << 20;
  const auto module =
      hloroof::internal::parse_proto(std::string_view(reinterpret_cast<const char*>(data), size), options);
  if (!module.ok()) return 0;
  const auto again = hloroof::parse_module(hloroof::print_module(*module));
  if (!again.ok() || !hloroof::equal(*module, *again)) std::abort();
  // Once with the proto beside it, and once from the text alone.
  if (const auto bytes = hloroof::write_proto(*module); bytes.ok()) {
    const auto written = hloroof::internal::parse_proto(*bytes);
    if (!written.ok() || !hloroof::equal(*module, *written)) std::abort();
  }
  if (const auto bytes = hloroof::internal::module_proto(*again, ElidedConstants::kWriteWithoutValues); bytes.ok()) {
    if (!hloroof::internal::parse_proto(*bytes).ok()) std::abort();
  }
  return 0;
}
