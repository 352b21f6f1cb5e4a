// Reads arbitrary bytes as a dictionary of MLIR attributes. A value must be a part of the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/values/gpu_kernel_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"ir", "module", "grid_x", "name", ""}) {
    const std::string_view value = hloroof::internal::mlir_dictionary_member(text, name);
    if (value.size() > text.size()) std::abort();
    const std::string decoded = hloroof::internal::mlir_string_value(value);
    if (decoded.size() > value.size()) std::abort();
  }
  return 0;
}
