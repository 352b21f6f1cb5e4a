#include "lib/input/parse_proto.h"

#include <limits>
#include <utility>

#include "lib/base/source_text.h"
#include "lib/input/module_choice.h"
#include "lib/input/proto.h"
#include "lib/proto/containers.h"
#include "lib/proto/message_text.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline input {
namespace {

// Adds the path. The names in the message are arbitrary bytes of the proto.
absl::Status at_path(const absl::Status& status, const std::string& path) {
  std::string message(status.message());
  make_printable(message);
  return absl::Status(status.code(), path + ": " + message);
}

std::int64_t most_elements(LargeConstants constants) {
  switch (constants) {
    case LargeConstants::kElide: return kUsualElements;
    case LargeConstants::kModerate: return 4096;
    case LargeConstants::kKeep: break;
  }
  return std::numeric_limits<std::int64_t>::max();
}

absl::StatusOr<std::string> text_of(const ContainedModule& contained, const ParseOptions& options,
                                    LargeConstants constants) {
  absl::StatusOr<std::string> text = module_text(contained.proto, {options.max_bytes, most_elements(constants)});
  if (!text.ok()) return at_path(text.status(), options.path);
  return text;
}

absl::StatusOr<Module> parse_contained(const ContainedModule& contained, const ParseOptions& options) {
  const absl::StatusOr<std::string> text = text_of(contained, options, LargeConstants::kModerate);
  if (!text.ok()) return text.status();
  Module module;
  ModuleParser parser;
  absl::Status status = parser.parse(SourceText::of_proto(*text, options.path, contained.proto), options, module);
  if (!status.ok()) return status;
  return module;
}

absl::StatusOr<ContainedModule> find_chosen(std::string_view bytes, std::string_view choice,
                                            const ParseOptions& options) {
  const absl::StatusOr<std::vector<ContainedModule>> found = find_modules(bytes);
  if (!found.ok()) return at_path(found.status(), options.path);
  std::vector<std::string_view> names;
  names.reserve(found->size());
  for (const ContainedModule& module : *found) names.push_back(module.name);
  const absl::StatusOr<std::size_t> chosen = choose_module(names, choice, options.path);
  if (!chosen.ok()) return chosen.status();
  return (*found)[*chosen];
}

}  // namespace

bool holds_modules(std::string_view bytes) { return find_modules(bytes).ok(); }

absl::StatusOr<std::string> chosen_proto_text(std::string_view bytes, std::string_view choice,
                                              const ParseOptions& options, LargeConstants constants) {
  const absl::StatusOr<ContainedModule> chosen = find_chosen(bytes, choice, options);
  if (!chosen.ok()) return chosen.status();
  return text_of(*chosen, options, constants);
}

absl::StatusOr<std::shared_ptr<const SourceText>> chosen_proto_source(std::string_view bytes, std::string_view choice,
                                                                      const ParseOptions& options,
                                                                      LargeConstants constants) {
  const absl::StatusOr<ContainedModule> chosen = find_chosen(bytes, choice, options);
  if (!chosen.ok()) return chosen.status();
  const absl::StatusOr<std::string> text = text_of(*chosen, options, constants);
  if (!text.ok()) return text.status();
  return SourceText::of_proto(*text, options.path, chosen->proto);
}

absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options) {
  return chosen_proto_text(bytes, {}, options, LargeConstants::kElide);
}

absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options) {
  const absl::StatusOr<ContainedModule> chosen = find_chosen(bytes, {}, options);
  if (!chosen.ok()) return chosen.status();
  return parse_contained(*chosen, options);
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

}  // namespace hloroof::internal::inline input
