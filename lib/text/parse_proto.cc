#include "lib/text/parse_proto.h"

#include <utility>

#include "lib/base/strings.h"
#include "lib/proto/containers.h"
#include "lib/proto/message_text.h"
#include "lib/text/proto.h"

namespace hloroof::internal {
namespace {

absl::Status at_path(const absl::Status& status, const std::string& path) {
  return absl::Status(status.code(), path + ": " + std::string(status.message()));
}

absl::StatusOr<Module> parse_contained(const ContainedModule& contained, const ParseOptions& options) {
  absl::StatusOr<std::string> text = module_text(contained.proto, options.max_bytes);
  if (!text.ok()) return at_path(text.status(), options.path);
  ParseOptions of_text = options;
  of_text.borrow = false;
  return parse_module(*text, of_text);
}

// The module `name`, or the only module if `name` is empty.
absl::StatusOr<ContainedModule> find_one(std::string_view bytes, std::string_view name, const std::string& path) {
  absl::StatusOr<std::vector<ContainedModule>> found = find_modules(bytes);
  if (!found.ok()) return at_path(found.status(), path);
  std::string names;
  for (const ContainedModule& module : *found) {
    if (module.name == name) return module;
    names += (names.empty() ? "" : ", ") + std::string(module.name);
  }
  if (!name.empty()) return not_found(path + ": no module " + std::string(name) + "; there are " + names);
  if (found->size() == 1) return found->front();
  return invalid_argument(path + ": holds " + std::to_string(found->size()) + " modules: " + names +
                          "; select one with FILE#NAME");
}

}  // namespace

std::pair<std::string, std::string> split_proto_path(const std::string& path) {
  for (const char* suffix : {".pb", ".pb.gz"}) {
    const std::string_view ending = suffix;
    const std::size_t hash = path.rfind('#');
    const std::string file = path.substr(0, hash);
    if (file.size() > ending.size() && file.compare(file.size() - ending.size(), ending.size(), ending) == 0) {
      return {file, hash == std::string::npos ? std::string() : path.substr(hash + 1)};
    }
  }
  return {};
}

absl::StatusOr<Module> parse_named_proto(std::string_view bytes, std::string_view name, const ParseOptions& options) {
  const absl::StatusOr<ContainedModule> found = find_one(bytes, name, options.path);
  if (!found.ok()) return found.status();
  return parse_contained(*found, options);
}

absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options) {
  const absl::StatusOr<ContainedModule> found = find_one(bytes, {}, options.path);
  if (!found.ok()) return found.status();
  absl::StatusOr<std::string> text = module_text(found->proto, options.max_bytes);
  if (!text.ok()) return at_path(text.status(), options.path);
  return text;
}

absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options) {
  return parse_named_proto(bytes, {}, options);
}

absl::StatusOr<std::vector<Module>> parse_protos(std::string_view bytes, const ParseOptions& options) {
  absl::StatusOr<std::vector<ContainedModule>> found = find_modules(bytes);
  if (!found.ok()) return at_path(found.status(), options.path);
  std::vector<Module> modules;
  for (const ContainedModule& contained : *found) {
    absl::StatusOr<Module> module = parse_contained(contained, options);
    if (!module.ok()) return module.status();
    modules.push_back(*std::move(module));
  }
  return modules;
}

}  // namespace hloroof::internal
