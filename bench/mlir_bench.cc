// Times reading the bodies of Pallas kernels, on one thread.
//
//   mlir_bench [--seconds S] [FILE...]
//
// The default files are the Pallas kernels of the shared corpus. Prints the best times over all bodies together of
// reading the modules, and of reading them and decoding each attribute and type once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/reference.h"
#include "hloroof/parse.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "lib/values/backend_config.h"

namespace {

namespace fs = std::filesystem;
namespace mlir = hloroof::internal::mlir;

std::vector<std::string> pallas_files() {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(HLOROOF_SHARED_DIR) / "corpus/pallas", error)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path().string());
  }
  return files;
}

// Adds the bodies of the custom calls of a dump.
void add_bodies(const hloroof::Module& module, std::vector<std::string>& bodies) {
  for (hloroof::ComputationView computation : module.computations()) {
    for (hloroof::InstructionView instruction : computation.instructions()) {
      std::string body = hloroof::internal::kernel_body(instruction);
      if (mlir::is_bytecode(body)) bodies.push_back(std::move(body));
    }
  }
}

std::uint64_t decode_all(const mlir::Module& module) {
  std::uint64_t decoded = 0;
  for (std::uint32_t i = 0; i < module.attributes.size(); ++i)
    decoded += decode(module, mlir::AttributeId{i}).ok() ? 1 : 0;
  for (std::uint32_t i = 0; i < module.types.size(); ++i) decoded += decode(module, mlir::TypeId{i}).ok() ? 1 : 0;
  return decoded;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  double budget = 2;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--seconds" && i + 1 < argc) {
      budget = std::atof(argv[++i]);
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) files = pallas_files();
  std::vector<std::string> bodies;
  for (const std::string& file : files) {
    const absl::StatusOr<hloroof::Module> module = hloroof::load_module(file);
    if (module.ok()) add_bodies(*module, bodies);
  }
  if (bodies.empty()) {
    std::fprintf(stderr, "mlir_bench: no files given and no corpus at %s\n", HLOROOF_SHARED_DIR);
    return 1;
  }
  std::size_t bytes = 0;
  std::size_t ops = 0;
  for (const std::string& body : bodies) {
    bytes += body.size();
    const absl::StatusOr<mlir::Module> module = mlir::read_module(body);
    if (module.ok()) ops += module->ops.size();
  }
  std::uint64_t sink = 0;  // uses the results of the loops
  const double read = bench::best_seconds(budget, [&] {
    for (const std::string& body : bodies) sink += mlir::read_module(body)->ops.size();
  });
  const double decode = bench::best_seconds(budget, [&] {
    for (const std::string& body : bodies) sink += decode_all(*mlir::read_module(body));
  });
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::printf("%zu bodies, %.2f MB, %zu operations\n", bodies.size(), megabytes, ops);
  std::printf("read             %7.2f ms  %7.0f MB/s\n", read * 1e3, megabytes / read);
  std::printf("read and decode  %7.2f ms  %7.0f MB/s\n", decode * 1e3, megabytes / decode);
  return sink == 0 ? 1 : 0;
}
