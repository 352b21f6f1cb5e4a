// Parses arbitrary protos. The text of a valid one must parse as the same module.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/text/proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hloroof::ParseOptions options;
  options.max_bytes = 1 << 20;
  const auto module =
      hloroof::internal::parse_proto(std::string_view(reinterpret_cast<const char*>(data), size), options);
  if (!module.ok()) return 0;
  const auto again = hloroof::parse_module(hloroof::print_module(*module));
  if (!again.ok() || !hloroof::equal(*module, *again)) std::abort();
  return 0;
}
