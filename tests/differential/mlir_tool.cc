// Prints MLIR bytecode for mlir_text.py.
//
// Standard input is a sequence of requests `WHAT SIZE\n` + SIZE bytes. The answer to each is `ok SIZE\n` or
// `error SIZE\n` + SIZE bytes. WHAT is `print` or `locations` (prints locations as well).
#include <cstddef>
#include <iostream>
#include <string>

#include "lib/mlir/module.h"
#include "tests/mlir/print.h"

int main() {
  namespace mlir = hloroof::internal::mlir;
  std::ios::sync_with_stdio(false);
  std::string what;
  std::size_t size = 0;
  std::string bytes;
  while (std::cin >> what >> size) {
    std::cin.get();
    bytes.resize(size);
    std::cin.read(bytes.data(), static_cast<std::streamsize>(size));
    const absl::StatusOr<mlir::Module> module = mlir::read_module(bytes);
    mlir::PrintOptions options;
    options.with_locations = what == "locations";
    const absl::StatusOr<std::string> text =
        module.ok() ? mlir::print(*module, options) : absl::StatusOr<std::string>(module.status());
    const std::string answer = text.ok() ? *text : std::string(text.status().message());
    std::cout << (text.ok() ? "ok " : "error ") << answer.size() << '\n' << answer << std::flush;
  }
  return 0;
}
