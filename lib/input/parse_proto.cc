#include "lib/input/parse_proto.h"

#include <limits>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/input/module_choice.h"
#include "lib/proto/fields.h"
#include "lib/proto/module_text.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline input {
namespace {

struct ContainedModule {
  std::string_view name;
  std::string_view proto;  // HloModuleProto
};

// An HloModuleProto has a name, the name of its entry computation, and computations.
bool is_module(const WireMessage& message) {
  if (!message.ok()) return false;
  const WireField* name = message.find(fields::module::kName);
  const WireField* entry = message.find(fields::module::kEntryName);
  const WireField* computations = message.find(fields::module::kComputations);
  return name != nullptr && name->type == WireType::kBytes && entry != nullptr && entry->type == WireType::kBytes &&
         computations != nullptr && computations->type == WireType::kBytes;
}

// An HloProto contains a module and a buffer assignment.
bool is_hlo(const WireMessage& message) {
  return message.ok() && message.has(fields::hlo::kModule) && is_module(message.message(fields::hlo::kModule));
}

// An HloSnapshot contains an HloProto, the arguments and the result of one run.
bool is_snapshot(const WireMessage& message) {
  return message.ok() && message.has(fields::hlo::kModule) && is_hlo(message.message(fields::hlo::kModule));
}

// Appends the modules of all stats whose value is the bytes of an HloProto.
void find_in_plane(const WireMessage& plane, std::vector<ContainedModule>& found) {
  for (std::string_view entry : plane.all(fields::xplane::kEventMetadata)) {
    const WireMessage metadata = WireMessage(entry).message(fields::map_entry::kValue);
    for (std::string_view bytes : metadata.all(fields::event_metadata::kStats)) {
      const std::string_view value = WireMessage(bytes).bytes(fields::stat::kBytes);
      if (value.empty()) continue;
      const WireMessage hlo(value);
      if (!is_hlo(hlo)) continue;
      const std::string_view module = hlo.bytes(fields::hlo::kModule);
      bool is_new = true;
      for (const ContainedModule& other : found) is_new = is_new && other.proto != module;
      if (is_new) found.push_back({WireMessage(module).bytes(fields::module::kName), module});
    }
  }
}

// The modules of an HloModuleProto, an HloProto, an HloSnapshot, or an XSpace. XProf writes an XSpace as *.xplane.pb,
// with an HloProto for each executed module in the metadata of the plane "/host:metadata". A duplicate module appears
// once. The results point into `bytes`. Errors: InvalidArgument if `bytes` is none of these or contains no module.
absl::StatusOr<std::vector<ContainedModule>> find_modules(std::string_view bytes) {
  const WireMessage message(bytes);
  std::vector<ContainedModule> found;
  if (is_module(message)) {
    found.push_back({message.bytes(fields::module::kName), bytes});
    return found;
  }
  if (is_hlo(message)) {
    const std::string_view module = message.bytes(fields::hlo::kModule);
    found.push_back({WireMessage(module).bytes(fields::module::kName), module});
    return found;
  }
  if (is_snapshot(message)) return find_modules(message.bytes(fields::hlo::kModule));
  if (!message.ok()) {
    return invalid_argument(absl::StrCat("not a valid protocol buffer: malformed or truncated field at byte ",
                                         message.fault(), "; check that the file is complete"));
  }
  for (std::string_view plane : message.all(fields::xspace::kPlanes)) find_in_plane(WireMessage(plane), found);
  if (found.empty()) {
    return invalid_argument(
        "not an HloModuleProto, an HloProto, an HloSnapshot or a profile (XSpace) that contains modules");
  }
  return found;
}

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

absl::StatusOr<std::shared_ptr<const SourceText>> chosen_proto_source(std::string_view bytes, std::string_view choice,
                                                                      const ParseOptions& options,
                                                                      LargeConstants constants) {
  const absl::StatusOr<ContainedModule> chosen = find_chosen(bytes, choice, options);
  if (!chosen.ok()) return chosen.status();
  const absl::StatusOr<std::string> text = module_text(chosen->proto, {options.max_bytes, most_elements(constants)});
  if (!text.ok()) return at_path(text.status(), options.path);
  return SourceText::of_proto(*text, options.path, chosen->proto);
}

}  // namespace hloroof::internal::inline input
