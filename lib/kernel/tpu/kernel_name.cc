#include "lib/kernel/tpu/kernel_name.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "lib/kernel/common/body_facts.h"
#include "lib/mlir/attributes.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::string_view kSymbolName = "sym_name";

// transform_0, transform_1, ...: the index functions of windows.
bool is_index_function(std::string_view name) {
  constexpr std::string_view kPrefix = "transform_";
  return name.size() > kPrefix.size() && name.substr(0, kPrefix.size()) == kPrefix &&
         std::all_of(name.begin() + kPrefix.size(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

mlir::OpId main_function(const mlir::Module& kernel) {
  for (const mlir::OpId module : kernel.top_level()) {
    for (const mlir::RegionId region : kernel.regions_of(module)) {
      for (const mlir::BlockId block : kernel.blocks_of(region)) {
        for (const mlir::OpId function : kernel.ops_of(block)) {
          const std::optional<std::string_view> name = mlir::string(kernel, mlir::find(kernel, function, kSymbolName));
          if (name && !is_index_function(*name)) return function;
        }
      }
    }
  }
  return {};
}

std::string kernel_name(const mlir::Module& kernel) {
  const mlir::OpId function = main_function(kernel);
  if (!function.valid()) return "";
  const std::optional<std::string_view> name = mlir::string(kernel, mlir::find(kernel, function, kSymbolName));
  if (name == "main") {
    const std::optional<std::string_view> of_module =
        mlir::string(kernel, mlir::find(kernel, kernel.parent(function), kSymbolName));
    if (of_module) return std::string(*of_module);
  }
  return std::string(name.value_or(""));
}

std::string kernel_name(InstructionView custom_call) {
  std::string body = kernel_body(custom_call);
  const absl::StatusOr<mlir::Module> kernel = read_body(body);
  return kernel.ok() ? kernel_name(*kernel) : "";
}

}  // namespace hloroof::internal::inline kernel
