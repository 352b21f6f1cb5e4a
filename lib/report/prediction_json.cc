#include "lib/report/prediction_json.h"

#include "hloroof/version.h"
#include "lib/report/op_fields.h"

namespace hloroof::inline v0 {
namespace {

void write_op(const OpPrediction& op, JsonWriter& out) {
  out.begin_object();
  for_each_op_field(op, [&out](std::string_view name, const auto& value) { out.member(name, value); });
  out.end_object();
}

void write_collective(const CollectivePrediction& collective, JsonWriter& out) {
  out.begin_object();
  out.member("name", std::string_view(collective.name));
  out.member("kind", std::string_view(collective.kind));
  out.member("bytes", collective.bytes);
  out.member("group_size", collective.group_size);
  out.member("group_count", collective.group_count);
  out.key("axes");
  out.begin_array();
  for (const std::string& axis : collective.axes) out.value(std::string_view(axis));
  out.end_array();
  out.key("axis_names");
  out.begin_array();
  for (const std::string& name : collective.axis_names) out.value(std::string_view(name));
  out.end_array();
  out.member("algorithm", text_or_null(collective.algorithm));
  out.member("seconds", collective.seconds);
  out.member("exposed_seconds", collective.exposed_seconds);
  out.member("wire_bytes", collective.wire_bytes);
  out.member("busiest_link_bytes", collective.busiest_link_bytes);
  const bool known_link = collective.link_bandwidth > 0;
  out.member("link_bandwidth", known_link ? std::optional<double>(collective.link_bandwidth) : std::nullopt);
  out.member("link_utilization", known_link ? std::optional<double>(collective.link_utilization) : std::nullopt);
  out.member("crossover_bytes",
             collective.crossover_bytes > 0 ? std::optional<double>(collective.crossover_bytes) : std::nullopt);
  out.member("crossover_tokens", collective.crossover_tokens);
  out.end_object();
}

void write_mesh_axis(const MeshAxisPrediction& axis, JsonWriter& out) {
  out.begin_object();
  out.member("name", std::string_view(axis.name));
  out.member("size", axis.size);
  out.member("stride", axis.stride);
  out.key("roles");
  out.begin_array();
  for (const std::string& role : axis.roles) out.value(std::string_view(role));
  out.end_array();
  out.member("why", text_or_null(axis.why));
  out.member("placement", std::string_view(axis.placement));
  out.end_object();
}

void write_memory(const MemoryPrediction& memory, JsonWriter& out) {
  out.begin_object();
  out.member("peak_bytes", memory.peak_bytes);
  out.member("hbm_peak_bytes", memory.hbm_peak_bytes);
  out.member("arguments_bytes", memory.arguments_bytes);
  out.member("outputs_bytes", memory.outputs_bytes);
  out.member("aliased_bytes", memory.aliased_bytes);
  out.member("temporaries_bytes", memory.temporaries_bytes);
  out.member("capacity_bytes", memory.capacity_bytes);
  out.member("fits", memory.fits);
  out.member("vmem_peak_bytes", memory.vmem_peak_bytes);
  out.member("host_peak_bytes", memory.host_peak_bytes);
  out.member("padding_bytes", memory.padding_bytes);
  out.key("live_at_peak");
  out.begin_array();
  for (const LiveBuffer& live : memory.live_at_peak) {
    out.begin_object();
    out.member("name", std::string_view(live.name));
    out.member("shape", std::string_view(live.shape));
    out.member("bytes", live.bytes);
    out.member("padding_bytes", live.padding_bytes);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace

std::string_view cost_source_name(CostSource source) {
  switch (source) {
    case CostSource::kModel: return "model";
    case CostSource::kCompiler: return "compiler";
    case CostSource::kUser: return "user";
    case CostSource::kAssumed: return "assumed";
    case CostSource::kUnknown: return "unknown";
  }
  return "unknown";
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "error";
}

void write_json(const StepPrediction& p, JsonWriter& out) {
  out.begin_object();
  out.member("schema", "hloroof.prediction/1");
  out.key("generator");
  out.begin_object();
  out.member("version", HLOROOF_VERSION_STRING);
  out.member("device_file_sha256", text_or_null(p.device_file_sha256));
  out.end_object();
  out.key("module");
  out.begin_object();
  out.member("name", std::string_view(p.module_name));
  out.member("instructions", p.instructions);
  out.member("num_partitions", p.num_partitions);
  out.member("replica_count", p.replica_count);
  out.member("is_scheduled", p.is_scheduled);
  out.end_object();
  out.key("device");
  out.begin_object();
  out.member("name", std::string_view(p.device));
  out.member("topology", std::string_view(p.topology));
  out.member("slices", p.slices);
  out.key("set");
  out.begin_object();
  for (const auto& [parameter, value] : p.set) out.member(parameter, value);
  out.end_object();
  out.end_object();
  out.member("step_seconds", p.step_seconds);
  out.member("lower_bound_seconds", p.lower_bound_seconds);
  out.member("serial_seconds", p.serial_seconds);
  out.member("compiler_estimate_seconds", p.compiler_estimate_seconds);
  out.member("bound", std::string_view(p.bound));
  out.member("mfu", p.mfu);
  out.key("resources");
  out.begin_array();
  for (const ResourceUse& use : p.resources) {
    out.begin_object();
    out.member("name", std::string_view(use.name));
    out.member("busy_seconds", use.busy_seconds);
    out.member("utilization", use.utilization);
    out.member("idle_seconds", use.idle_seconds);
    out.member("step_if_free_seconds", use.step_if_free_seconds);
    out.end_object();
  }
  out.end_array();
  out.member("exposed_communication_seconds", p.exposed_communication_seconds);
  out.key("totals");
  out.begin_object();
  out.member("flops", p.flops);
  out.member("transcendentals", p.transcendentals);
  out.member("hbm_bytes", p.hbm_bytes);
  out.member("logical_bytes", p.logical_bytes);
  out.member("padded_bytes", p.padded_bytes);
  out.member("wire_bytes", p.wire_bytes);
  out.end_object();
  out.key("coverage");
  out.begin_object();
  out.member("modelled", p.modelled_share);
  out.member("assumed", p.assumed_share);
  out.member("unknown", p.unknown_share);
  out.end_object();
  out.key("ops");
  out.begin_array();
  for (const OpPrediction& op : p.ops) write_op(op, out);
  out.end_array();
  out.key("critical_path");
  out.begin_array();
  for (const CategoryPrediction& part : p.critical_path) {
    out.begin_object();
    out.member("category", std::string_view(part.category));
    out.member("seconds", part.seconds);
    out.end_object();
  }
  out.end_array();
  out.key("mesh");
  out.begin_array();
  for (const MeshAxisPrediction& axis : p.mesh) write_mesh_axis(axis, out);
  out.end_array();
  out.key("collectives");
  out.begin_array();
  for (const CollectivePrediction& collective : p.collectives) write_collective(collective, out);
  out.end_array();
  out.key("memory");
  write_memory(p.memory, out);
  out.key("diagnostics");
  out.begin_array();
  for (const Diagnostic& diagnostic : p.diagnostics) {
    out.begin_object();
    out.member("code", std::string_view(diagnostic.code));
    out.member("severity", severity_name(diagnostic.severity));
    out.member("message", std::string_view(diagnostic.message));
    out.member("op", text_or_null(diagnostic.op));
    out.member("seconds_at_stake", diagnostic.seconds_at_stake);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

std::string predictions_json(const std::vector<StepPrediction>& predictions) {
  JsonWriter out;
  std::size_t ops = 0;
  for (const StepPrediction& prediction : predictions) ops += prediction.ops.size();
  constexpr std::size_t kOpBytes = 1024;  // what one op takes, with its event on the timeline; room to spare
  out.reserve(kOpBytes * ops);
  if (predictions.size() != 1) out.begin_array();
  for (const StepPrediction& prediction : predictions) write_json(prediction, out);
  if (predictions.size() != 1) out.end_array();
  return out.take_document();
}

}  // namespace hloroof::inline v0
