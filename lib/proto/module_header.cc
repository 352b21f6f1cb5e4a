// The HloModule line and the tables below it, which are fields of HloModuleProto.
#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"
#include "lib/proto/encode_module.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_rows.h"

namespace hloroof::internal::inline proto {

template <>  // and the kind
constexpr auto kMembers<ParameterAlias> = std::tuple(&ParameterAlias::output, &ParameterAlias::parameter,
                                                     &ParameterAlias::parameter_index);
template <>
constexpr auto kMembers<BufferDonor> = std::tuple(&BufferDonor::parameter, &BufferDonor::parameter_index);

namespace {

// { {0}: (1, {}, may-alias), ... }
void append_aliases(const WireMessage& module, std::string& out) {
  const char* separator = ", input_output_alias={ ";
  for (std::string_view bytes : module.message(fields::module::kInputOutputAlias).all(fields::alias::kEntries)) {
    const WireMessage entry(bytes);
    const auto alias = read_message<ParameterAlias>(entry);
    absl::StrAppend(&out, separator, "{");
    append_list(alias.output, out);
    absl::StrAppend(&out, "}: (", alias.parameter, ", {");
    append_list(alias.parameter_index, out);
    const bool must = entry.integer(fields::alias::kKind) == 2;
    absl::StrAppend(&out, "}, ", must ? "must-alias" : "may-alias", ")");
    separator = ", ";
  }
  if (separator[2] == '\0') out += " }";
}

// { (0, {}), (1, {0}) }, by parameter and index
void append_donors(const WireMessage& module, std::string& out) {
  auto donors = read_messages<BufferDonor>(module.message(fields::module::kBufferDonor), fields::donor::kEntries);
  std::sort(donors.begin(), donors.end(), [](const BufferDonor& a, const BufferDonor& b) {
    return std::tie(a.parameter, a.parameter_index) < std::tie(b.parameter, b.parameter_index);
  });
  const char* separator = ", buffer_donor={ ";
  for (const BufferDonor& donor : donors) {
    absl::StrAppend(&out, separator, "(", donor.parameter, ", {");
    append_list(donor.parameter_index, out);
    out += "})";
    separator = ", ";
  }
  if (!donors.empty()) out += " }";
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
    out += ", frontend_attributes=";
    append_frontend_attributes(attributes, out);
  }
  out += "\n\n";
  append_stack_frames(module.message(fields::module::kStackFrames), out);
  return true;
}

std::string ModuleEncoder::header() {
  namespace f = fields::module;
  WireWriter out;
  out.text(f::kName, module_.name().empty() ? of(module_.entry()).name : module_.name());  // XLA needs one
  out.text(f::kEntryName, of(module_.entry()).name);
  out.bytes(f::kHostProgramShape, host_shape());
  out.integer(f::kEntryId, of(module_.entry()).id);
  WireWriter aliases;
  for (const ParameterAlias& alias : input_output_alias(module_)) {
    WireWriter entry;
    append_fields(alias, entry);
    entry.integer(fields::alias::kKind, alias.must_alias ? 2 : 1);
    aliases.bytes(fields::alias::kEntries, entry.view());
  }
  if (!aliases.empty()) out.bytes(f::kInputOutputAlias, aliases.view());
  append_devices(out);
  const std::string_view tables = ModuleRows::stack_frame_tables(module_);
  if (!tables.empty()) out.text(f::kStackFrames, stack_frames_proto(tables).value_or(""));
  WireWriter donors;
  append_messages(fields::donor::kEntries, buffer_donors(module_), donors);
  if (!donors.empty()) out.bytes(f::kBufferDonor, donors.view());
  const FrontendAttributes attributes = frontend_attributes(module_);
  if (!attributes.empty()) out.bytes(f::kFrontendAttributes, frontend_attributes_proto(attributes));
  for (const std::string& text : payloads_.texts()) out.bytes(f::kPayloads, text);
  return out.take();
}

// The layouts of the caller, or those of the entry computation.
std::string ModuleEncoder::host_shape() {
  namespace f = fields::program_shape;
  std::optional<EntryLayout> layout = entry_computation_layout(module_, shapes_.table());
  if (!layout) {
    layout.emplace();
    const std::vector<InstructionId> parameters = module_.entry().parameters();
    layout->parameters.reserve(parameters.size());
    for (InstructionId id : parameters) {
      if (id.valid()) layout->parameters.push_back(module_.instruction(id).shape_id());
    }
    layout->result = module_.entry().root().shape_id();
  }
  WireWriter out;
  for (ShapeId id : layout->parameters) out.bytes(f::kParameters, shapes_.of(id));
  out.bytes(f::kResult, shapes_.of(layout->result));
  for (std::size_t p = 0; p < layout->parameters.size(); ++p) out.bytes(f::kNames, absl::StrCat("p", p));
  return out.take();
}

// The proto has the number of replicas and partitions only as part of an assignment of devices. The text does not say
// which devices, so they are numbered in the order in which XLA numbers them by default.
void ModuleEncoder::append_devices(WireWriter& out) const {
  namespace f = fields::device_assignment;
  const std::int64_t replicas = module_.replica_count();
  const std::int64_t partitions = module_.num_partitions();
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  if (ModuleRows::counts_are_implied(module_)) return;  // readers infer them again, from the module as it is then
  if (replicas < 1 || partitions < 1 || (replicas == 1 && partitions == 1)) return;
  WireWriter devices;
  devices.integer(f::kReplicas, replicas);
  devices.integer(f::kComputations, partitions);
  for (std::int64_t p = 0; replicas <= kMost / partitions && p < partitions; ++p) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(replicas));
    for (std::int64_t r = 0; r < replicas; ++r) ids[static_cast<std::size_t>(r)] = r * partitions + p;
    WireWriter devices_of_partition;
    devices_of_partition.packed(f::kReplicaDevices, ids);
    devices.bytes(f::kDevices, devices_of_partition.view());
  }
  out.bytes(fields::module::kDeviceAssignment, devices.view());
}

}  // namespace hloroof::internal::inline proto
