// Reads the body of every Pallas kernel in the shared corpus.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "lib/base/strings.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "tests/catch.h"
#include "tests/mlir/print.h"
#include "tests/paths.h"

namespace hloroof::internal::mlir {
namespace {

// The different bodies in a dump: base64 in "body":"...".
void add_bodies(const std::string& text, std::set<std::string>& bodies) {
  constexpr std::string_view kMember = "\"body\":";
  for (std::size_t at = text.find(kMember); at != std::string::npos; at = text.find(kMember, at)) {
    at += kMember.size();
    if (at < text.size() && text[at] == ' ') ++at;
    const std::size_t end = text.find('"', at + 1);
    std::string bytes;
    if (end == std::string::npos ||
        !absl::Base64Unescape(to_absl(std::string_view(text).substr(at + 1, end - at - 1)), &bytes)) {
      continue;
    }
    if (is_bytecode(bytes)) bodies.insert(std::move(bytes));
  }
}

TEST_CASE("every body of the corpus is read, decoded and printed") {
  std::set<std::string> bodies;
  for (const char* folder : {"corpus/pallas", "corpus/step", "corpus/tpu"}) {
    if (!std::filesystem::exists(shared_path(folder))) HLOROOF_SKIP("the shared corpus is absent");
    for (const auto& entry : std::filesystem::directory_iterator(shared_path(folder))) {
      if (entry.path().extension() != ".hlo") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      add_bodies({std::istreambuf_iterator<char>(file), {}}, bodies);
    }
  }
  REQUIRE(bodies.size() > 200);
  std::size_t ops = 0;
  std::set<std::string> names;
  for (const std::string& bytes : bodies) {
    const absl::StatusOr<Module> module = read_module(bytes);
    INFO(module.status().message());
    REQUIRE(module.ok());
    ops += module->ops.size();
    for (const OpName& name : module->op_names) names.insert(std::string(name.name));
    for (std::uint32_t i = 0; i < module->attributes.size(); ++i) {
      const absl::StatusOr<Attribute> attribute = decode(*module, AttributeId{i});
      INFO(attribute.status().message());
      REQUIRE(attribute.ok());
      REQUIRE(attribute->kind != AttributeKind::kUnknown);
    }
    for (std::uint32_t i = 0; i < module->types.size(); ++i) {
      const absl::StatusOr<Type> type = decode(*module, TypeId{i});
      REQUIRE(type.ok());
      REQUIRE(type->kind != TypeKind::kUnknown);
    }
    const absl::StatusOr<std::string> text = print(*module);
    INFO(text.status().message());
    REQUIRE(text.ok());
    CHECK(text->size() > bytes.size() / 4);
    // One line for each operation that has no region.
    std::size_t lines = 0;
    for (std::size_t at = text->find(" -> "); at != std::string::npos; at = text->find("\n", at + 1)) ++lines;
    CHECK(lines >= module->ops.size());
  }
  CHECK(ops > 400'000);
  CHECK(names.size() > 50);
}

}  // namespace
}  // namespace hloroof::internal::mlir
