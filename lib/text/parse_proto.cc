#include "lib/text/parse_proto.h"

#include <utility>

#include "lib/base/source_text.h"
#include "lib/proto/containers.h"
#include "lib/proto/message_text.h"
#include "lib/text/module_choice.h"
#include "lib/text/proto.h"

namespace hloroof::internal {
namespace {

// Adds the path. The names in the message are arbitrary bytes of the proto.
absl::Status at_path(const absl::Status& status, const std::string& path) {
  std::string message(status.message());
  make_printable(message);
  return absl::Status(status.code(), path + ": " + message);
}

absl::StatusOr<std::string> text_of(const ContainedModule& contained, const ParseOptions& options,
                                    LargeConstants constants) {
  absl::StatusOr<std::string> text =
      module_text(contained.proto, {options.max_bytes, constants == LargeConstants::kKeep});
  if (!text.ok()) return at_path(text.status(), options.path);
  return text;
}

absl::StatusOr<Module> parse_contained(const ContainedModule& contained, const ParseOptions& options) {
  const absl::StatusOr<std::string> text = text_of(contained, options, LargeConstants::kElide);
  if (!text.ok()) return text.status();
  ParseOptions of_text = options;
  of_text.borrow = false;
  return parse_module(*text, of_text);
}

}  // namespace

bool holds_modules(std::string_view bytes) { return find_modules(bytes).ok(); }

absl::StatusOr<std::string> chosen_proto_text(std::string_view bytes, std::string_view choice,
                                              const ParseOptions& options, LargeConstants constants) {
  const absl::StatusOr<std::vector<ContainedModule>> found = find_modules(bytes);
  if (!found.ok()) return at_path(found.status(), options.path);
  std::vector<std::string_view> names;
  for (const ContainedModule& module : *found) names.push_back(module.name);
  const absl::StatusOr<std::size_t> chosen = choose_module(names, choice, options.path);
  if (!chosen.ok()) return chosen.status();
  return text_of((*found)[*chosen], options, constants);
}

absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options) {
  return chosen_proto_text(bytes, {}, options, LargeConstants::kElide);
}

absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options) {
  const absl::StatusOr<std::string> text = proto_to_text(bytes, options);
  if (!text.ok()) return text.status();
  ParseOptions of_text = options;
  of_text.borrow = false;
  return parse_module(*text, of_text);
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
