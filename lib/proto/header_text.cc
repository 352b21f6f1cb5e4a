#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal::inline proto {
namespace {

// input_output_alias={ {0}: (1, {}, may-alias), ... }
void append_aliases(const WireMessage& module, std::string& out) {
  const char* separator = ", input_output_alias={ ";
  for (std::string_view bytes : module.message(fields::module::kInputOutputAlias).all(fields::alias::kEntries)) {
    const WireMessage entry(bytes);
    absl::StrAppend(&out, separator, "{");
    append_list(entry.integers(fields::alias::kOutputIndex), out);
    absl::StrAppend(&out, "}: (", entry.integer(fields::alias::kParameter), ", {");
    append_list(entry.integers(fields::alias::kParameterIndex), out);
    const bool must = entry.integer(fields::alias::kKind) == 2;
    absl::StrAppend(&out, "}, ", must ? "must-alias" : "may-alias", ")");
    separator = ", ";
  }
  if (separator[1] == ' ' && separator[2] == '\0') out += " }";
}

// buffer_donor={ (0, {}), (1, {0}) }, by parameter and index
void append_donors(const WireMessage& module, std::string& out) {
  std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> donors;
  for (std::string_view bytes : module.message(fields::module::kBufferDonor).all(fields::donor::kEntries)) {
    const WireMessage entry(bytes);
    donors.emplace_back(entry.integer(fields::donor::kParameter), entry.integers(fields::donor::kParameterIndex));
  }
  if (donors.empty()) return;
  std::sort(donors.begin(), donors.end());
  const char* separator = ", buffer_donor={ ";
  for (const auto& [parameter, index] : donors) {
    absl::StrAppend(&out, separator, "(", parameter, ", {");
    append_list(index, out);
    out += "})";
    separator = ", ";
  }
  out += " }";
}

// entry_computation_layout={(shape, ...)->shape}
bool append_entry_layout(const WireMessage& module, std::string& out) {
  if (!module.has(fields::module::kHostProgramShape)) return true;
  const WireMessage shape = module.message(fields::module::kHostProgramShape);
  out += ", entry_computation_layout={(";
  const std::vector<std::string_view> parameters = shape.all(fields::program_shape::kParameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % 5 == 0) absl::StrAppend(&out, "/*index=", i, "*/");
    if (!append_shape(parameters[i], true, out)) return false;
  }
  out += ")->";
  if (!append_shape(shape.bytes(fields::program_shape::kResult), true, out)) return false;
  out += '}';
  return true;
}

void append_strings(const char* title, const std::vector<std::string_view>& strings, std::string& out) {
  absl::StrAppend(&out, title, "\n");
  for (std::size_t i = 0; i < strings.size(); ++i) {
    absl::StrAppend(&out, i + 1, " \"", absl::CEscape(to_absl(strings[i])), "\"\n");
  }
  out += '\n';
}

// FileNames, FunctionNames, FileLocations, StackFrames: numbered from 1.
void append_stack_frames(const WireMessage& module, std::string& out) {
  const WireMessage stack = module.message(fields::module::kStackFrames);
  const std::vector<std::string_view> files = stack.all(fields::stack::kFiles);
  if (files.empty()) return;
  append_strings("FileNames", files, out);
  append_strings("FunctionNames", stack.all(fields::stack::kFunctions), out);
  out += "FileLocations\n";
  std::size_t number = 0;
  for (std::string_view bytes : stack.all(fields::stack::kLocations)) {
    const WireMessage location(bytes);
    absl::StrAppend(&out, ++number, " {file_name_id=", location.integer(fields::stack::kFile),
                    " function_name_id=", location.integer(fields::stack::kFunction));
    absl::StrAppend(&out, " line=", location.integer(fields::stack::kLine),
                    " end_line=", location.integer(fields::stack::kEndLine),
                    " column=", location.integer(fields::stack::kColumn),
                    " end_column=", location.integer(fields::stack::kEndColumn), "}\n");
  }
  out += "\nStackFrames\n";
  number = 0;
  for (std::string_view bytes : stack.all(fields::stack::kFrames)) {
    const WireMessage frame(bytes);
    // XLA prints the parent id plus 1, so the first frame, which has no parent, names itself.
    absl::StrAppend(&out, ++number, " {file_location_id=", frame.integer(fields::stack::kLocation),
                    " parent_frame_id=", frame.integer(fields::stack::kParent) + 1, "}\n");
  }
  out += "\n\n";
}

}  // namespace

bool append_header(const WireMessage& module, std::string& out) {
  absl::StrAppend(&out, "HloModule ", to_absl(module.bytes(fields::module::kName)));
  if (module.has(fields::module::kSchedule)) out += ", is_scheduled=true";
  append_aliases(module, out);
  append_donors(module, out);
  if (!append_entry_layout(module, out)) return false;
  const WireMessage devices = module.message(fields::module::kDeviceAssignment);
  const std::int64_t replicas = devices.integer(fields::device_assignment::kReplicas, 1);
  const std::int64_t partitions = devices.integer(fields::device_assignment::kComputations, 1);
  if (replicas != 1) absl::StrAppend(&out, ", replica_count=", replicas);
  if (partitions != 1) absl::StrAppend(&out, ", num_partitions=", partitions);
  const WireMessage attributes = module.message(fields::module::kFrontendAttributes);
  if (!attributes.fields().empty()) {
    out += ", frontend_attributes={";
    append_frontend_attributes(attributes, out);
    out += '}';
  }
  out += "\n\n";
  append_stack_frames(module, out);
  return true;
}

}  // namespace hloroof::internal::inline proto
