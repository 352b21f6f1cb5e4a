// Follows the kernel whose body is arbitrary MLIR bytecode, called with up to seven operands: the first byte says how
// many.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "hloroof/parse.h"
#include "lib/base/strings.h"
#include "lib/kernel/tpu/read_kernel.h"

namespace {

std::string call_of(std::string_view body, int operands) {
  constexpr const char* kShapes[] = {"s32[]",       "s32[10]",           "s8[4,4]",       "bf16[512,1024]",
                                     "f32[64,256]", "bf16[8,1024,1024]", "bf16[1024,768]"};
  std::string parameters;
  std::string names;
  for (int i = 0; i < operands; ++i) {
    const std::string name = "x" + std::to_string(i);
    parameters += "  " + name + " = " + kShapes[i] + " parameter(" + std::to_string(i) + ")\n";
    names += (i > 0 ? ", " : "") + name;
  }
  std::string encoded;
  absl::Base64Escape(hloroof::internal::to_absl(body), &encoded);
  return "HloModule m\nENTRY e {\n" + parameters + "  ROOT k = (f32[64,256], bf16[512,768]) custom-call(" + names +
         "), custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\":{\"body\":\"" + encoded +
         "\"}}\n}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto module = hloroof::parse_module(call_of(body, data[0] % 8));
  if (!module.ok()) std::abort();
  hloroof::internal::ReadKernelOptions options;
  options.most_instructions = 100'000;
  const auto run = hloroof::internal::read_kernel(module->entry().root(), options);
  if (!run.ok()) {
    if (run.status().message().empty()) std::abort();
    return 0;
  }
  for (const auto& event : run->events) {
    using Kind = hloroof::internal::KernelEvent::Kind;
    if (event.kind == Kind::kRun && event.index >= run->regions.size()) std::abort();
    if (event.kind == Kind::kStart && event.index >= run->transfers.size()) std::abort();
  }
  for (const auto& transfer : run->transfers) {
    if (!(transfer.bytes >= 0) || std::isinf(transfer.bytes)) std::abort();
  }
  return 0;
}
