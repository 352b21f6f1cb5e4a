// The fields of a prediction: one row for each, from which all output formats follow (record.h). The rows are in the
// order of the JSON, schema "hloroof.prediction/2".
#ifndef HLOROOF_LIB_RESULTS_PREDICTION_FIELDS_H_
#define HLOROOF_LIB_RESULTS_PREDICTION_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hloroof/predict.h"
#include "hloroof/schedule.h"
#include "hloroof/version.h"
#include "lib/describe/record.h"
#include "lib/results/estimates.h"
#include "lib/results/layers.h"
#include "lib/results/step_fields.h"
#include "lib/results/terms_fields.h"
#include "lib/step/step_cost.h"

namespace hloroof::internal {

template <>
struct EnumNames<CostSource> {
  static constexpr std::string_view kNames[] = {"model", "code", "compiler", "user", "assumed", "unknown"};
};

template <>
struct EnumNames<Severity> {
  static constexpr std::string_view kNames[] = {"info", "warning", "error"};
};

// The resources of TPUs, then the names that differ on GPUs, then those on a CPU.
template <>
struct EnumNames<Resource> {
  static constexpr std::string_view kNames[] = {"mxu",     "vpu",     "hbm",    "vmem",   "ici",   "dcn",
                                                "host",    "latency", "tensor", "cuda",   "l2",    "nvlink",
                                                "network", "matrix",  "vector", "memory", "cache", "links"};
  static std::string_view name(Resource resource, DeviceFamily family) { return to_string(resource, family); }
};

template <>
struct EnumNames<DiagnosticCode> {
  static constexpr std::string_view kNames[] = {
#define HLOROOF_DIAGNOSTIC(enumerator, code, ...) code,
#include "hloroof/diagnostic.def"
#undef HLOROOF_DIAGNOSTIC
  };
};

template <>
struct EnumNames<Backend> {
  static constexpr std::string_view kNames[] = {"unknown", "tpu", "gpu", "cpu"};
};

template <>
struct EnumNames<CompileStage> {
  static constexpr std::string_view kNames[] = {"unknown", "not-partitioned", "not-optimized", "optimized"};
};

// The largest a sum of shares may be: 1, and the rounding of the sum.
inline constexpr double kWhole = 1.000001;

template <>
struct Described<TransferWait> {
  static constexpr RecordInfo kInfo = {"wait", "Wait", "A transfer that the compute stream waits for."};
  static constexpr auto kFields =
      fields(field("transfer", "Instruction that starts the transfer.", &TransferWait::name),
             field("limit", "Link and mesh axes of the transfer.", &TransferWait::limit),
             field("seconds", Unit::kSeconds, "Time of the step.", &TransferWait::seconds),
             field("queued_seconds", Unit::kSeconds, "Part that other transfers on the same link cause.",
                   &TransferWait::queued_seconds),
             field("queued_behind", Unit::kCount, "Number of those transfers.", &TransferWait::queued_behind));
};

template <>
struct Described<BreakdownPart> {
  static constexpr RecordInfo kInfo = {"breakdown_part", "BreakdownPart",
                                       "Part of the step in which it works on one resource or waits for one link."};
  static constexpr auto kFields =
      fields(field("name", "`mxu`, `hbm`, `wait (ici, data)`.", &BreakdownPart::name),
             field("resource", "Resource that is used or waited for.", &BreakdownPart::resource),
             field("is_wait", "True if the compute stream waits.", &BreakdownPart::is_wait),
             field("seconds", Unit::kSeconds, "Time of the step.", &BreakdownPart::seconds));
};

template <>
struct Described<OpPrediction> {
  static constexpr RecordInfo kInfo = {
      "op", "Op", "One executed instruction of ENTRY, a loop body or condition, a called computation or a branch."};
  static constexpr auto kFields = fields(
      field("name", "Name of the instruction, without %.", &OpPrediction::name).titled("op"),
      field("computation", "Computation that contains the instruction.", &OpPrediction::computation),
      field("opcode", "Opcode as the HLO text has it.", &OpPrediction::opcode),
      field("category", "Category as XProf names it.", &OpPrediction::category).titled("category"),
      field("executions", Unit::kCount, "Executions in one step.", &OpPrediction::executions).titled("runs"),
      field("seconds", Unit::kSeconds, "Time of one execution. A start has the time of its transfer, a done has 0.",
            &OpPrediction::seconds),
      field("total_seconds", Unit::kSeconds, "seconds x executions.", &OpPrediction::total_seconds).titled("busy"),
      field("exposed_seconds", Unit::kSeconds, "Time that the compute stream spends in this op, working or waiting.",
            &OpPrediction::exposed_seconds)
          .titled("in step"),
      field("wait_seconds", Unit::kSeconds, "Part of exposed_seconds in which it waits for transfers.",
            &OpPrediction::wait_seconds)
          .titled("wait"),
      field("overhead_seconds", Unit::kSeconds, "Part of exposed_seconds that is launch, latency and pipeline fill.",
            &OpPrediction::overhead_seconds),
      field("critical_seconds", Unit::kSeconds, "Time on the critical path of the step.",
            &OpPrediction::critical_seconds),
      field("bound",
            "What limits the op in the step: a resource, or `wait (ici, data)` if it waits for longer than it works; "
            "null if it takes no time.",
            or_null(&OpPrediction::limit))
          .titled("bound"),
      field("waits", "Transfers that the compute stream waits for in this op, the longest wait first.",
            &OpPrediction::waits),
      field("flops", Unit::kFlops, "FLOPs of one execution.", [](const OpPrediction& op) { return op.work->flops; })
          .titled("flops"),
      field("transcendentals", Unit::kCount, "Transcendental functions of one execution.",
            [](const OpPrediction& op) { return op.work->transcendentals; }),
      field("hbm_bytes", Unit::kBytes, "Bytes read from and written to HBM by one execution.",
            [](const OpPrediction& op) { return op.work->read.hbm + op.work->written.hbm; })
          .titled("HBM"),
      field("vmem_bytes", Unit::kBytes, "Bytes read from and written to VMEM by one execution.",
            [](const OpPrediction& op) { return op.work->read.vmem + op.work->written.vmem; }),
      field("wire_bytes", Unit::kBytes, "Bytes that this device sends over the interconnect in one execution.",
            [](const OpPrediction& op) { return op.time->wire_bytes; }),
      field("logical_bytes", Unit::kBytes, "Bytes read and written by one execution, without tile padding.",
            [](const OpPrediction& op) { return op.work->logical_bytes; }),
      field("padded_bytes", Unit::kBytes, "Bytes read and written by one execution, with tile padding.",
            [](const OpPrediction& op) { return op.work->padded_bytes; }),
      field("efficiency", Unit::kShare, "Share of the nominal peak of the limiting resource; null if it takes no time.",
            [](const OpPrediction& op) { return op.seconds > 0 ? std::optional<double>(op.efficiency) : std::nullopt; })
          .titled("roof"),
      field("source", "Origin of the time: the model, the compiler, the user, an assumption, or unknown.",
            &OpPrediction::source),
      field("op_name", "op_name of the metadata: the path in the traced program.", or_null(&OpPrediction::op_name))
          .titled("op_name"),
      field("source_file", "Source file of the metadata.", or_null(&OpPrediction::source_file)),
      field("source_line", Unit::kCount, "Line in source_file.", [](const OpPrediction& op) {
        return op.source_line > 0 ? std::optional<std::int64_t>(op.source_line) : std::nullopt;
      }).at_least(1));
};

// An op in the JSON: its own fields, and which terms of the prediction are its own.
struct OpRow {
  const OpPrediction* op;
  std::optional<std::int64_t> terms;
};

template <>
struct Described<OpRow> {
  static constexpr RecordInfo kInfo = Described<OpPrediction>::kInfo;
  static constexpr auto kFields =
      concatenated(fields_of<&OpRow::op>(Described<OpPrediction>::kFields),
                   fields(field("terms", Unit::kCount,
                                "The parts of `seconds`: the index of an element of the prediction's `terms`; null if "
                                "the op takes no time.",
                                &OpRow::terms)));
};

template <>
struct Described<ResourceUse> {
  static constexpr RecordInfo kInfo = {"resource", "Resource", "How busy one part of the machine is."};
  static constexpr auto kFields = fields(
      field("name", "Name of the resource.", &ResourceUse::resource),
      field("busy_seconds", Unit::kSeconds, "Time of the step during which it is busy.", &ResourceUse::busy_seconds),
      field("utilization", Unit::kShare, "Share of the step during which it is busy.", &ResourceUse::utilization),
      field("idle_seconds", Unit::kSeconds, "Time of the step during which it is idle.", &ResourceUse::idle_seconds),
      field("step_if_free_seconds", Unit::kSeconds,
            "Step time if this resource took no time; null unless what-ifs were requested.",
            &ResourceUse::step_if_free_seconds));
};

template <>
struct Described<CategoryPrediction> {
  static constexpr RecordInfo kInfo = {"category", "CriticalPart",
                                       "Share of one category of ops in the critical path."};
  static constexpr auto kFields =
      fields(field("category", "Category of the ops.", &CategoryPrediction::category),
             field("seconds", Unit::kSeconds, "Time on the critical path.", &CategoryPrediction::seconds));
};

template <>
struct Described<MeshAxisPrediction> {
  static constexpr RecordInfo kInfo = {"mesh_axis", "MeshAxis", "One axis of the device mesh."};
  static constexpr auto kFields =
      fields(field("name", "Name of the axis.", &MeshAxisPrediction::name),
             field("size", Unit::kCount, "Devices along the axis.", &MeshAxisPrediction::size),
             field("stride", Unit::kCount, "Distance of neighbours along the axis, in device numbers.",
                   &MeshAxisPrediction::stride),
             field("roles", "Kinds of parallelism that use the axis, likeliest first.", &MeshAxisPrediction::roles),
             field("why", "Evidence for the roles.", or_null(&MeshAxisPrediction::why)),
             field("placement", "Axes of the machine that this axis is mapped to.", &MeshAxisPrediction::placement));
};

template <>
struct Described<CollectivePrediction> {
  static constexpr RecordInfo kInfo = {"collective", "Collective", "One collective and the links that it uses."};
  static std::optional<double> if_link_known(const CollectivePrediction& collective, double value) {
    return collective.link_bandwidth > 0 ? std::optional<double>(value) : std::nullopt;
  }
  static constexpr auto kFields = fields(
      field("name", "Name of the instruction, without %.", &CollectivePrediction::name),
      field("kind", "Opcode of the synchronous form.", &CollectivePrediction::kind),
      field("bytes", Unit::kBytes, "Size of the full (gathered) array in one execution.", &CollectivePrediction::bytes),
      field("group_size", Unit::kCount, "Devices in one replica group.", &CollectivePrediction::group_size),
      field("group_count", Unit::kCount, "Number of replica groups.", &CollectivePrediction::group_count),
      field("axes", "Mesh axes that the groups span, in words.", &CollectivePrediction::axes),
      field("axis_names", "Names of the same axes.", &CollectivePrediction::axis_names),
      field("algorithm", "Algorithm that the time is computed for.", or_null(&CollectivePrediction::algorithm)),
      field("seconds", Unit::kSeconds, "Time of one execution.", &CollectivePrediction::seconds),
      field("exposed_seconds", Unit::kSeconds, "Time in the step that nothing hides.",
            &CollectivePrediction::exposed_seconds),
      field("hideable_seconds", Unit::kSeconds,
            "Part of exposed_seconds that another order could hide at most: as long as ops run that neither come "
            "before its start nor need its end; null if little is exposed.",
            &CollectivePrediction::hideable_seconds),
      field("wire_bytes", Unit::kBytes, "Bytes that each device sends in one execution.",
            &CollectivePrediction::wire_bytes),
      field("busiest_link_bytes", Unit::kBytes, "Bytes over the busiest link in one direction, in one execution.",
            &CollectivePrediction::busiest_link_bytes),
      field("link_bandwidth", Unit::kBytesPerSecond, "Nominal bandwidth of that link in one direction.",
            [](const CollectivePrediction& c) { return if_link_known(c, c.link_bandwidth); }),
      field("link_utilization", Unit::kShare, "Share of that bandwidth that is achieved.",
            [](const CollectivePrediction& c) { return if_link_known(c, c.link_utilization); }),
      field("crossover_bytes", Unit::kBytes, "Size at which latency and bandwidth take equal time.",
            [](const CollectivePrediction& c) {
              return c.crossover_bytes > 0 ? std::optional<double>(c.crossover_bytes) : std::nullopt;
            }),
      field("crossover_tokens", Unit::kCount,
            "Per-device batch size above which the matmuls hide this collective; null if it does not move weights.",
            &CollectivePrediction::crossover_tokens));
};

template <>
struct Described<Layer> {
  static constexpr RecordInfo kInfo = {"layer", "Layer",
                                       "Time of the step in one scope of the traced program, or in one op of a scope."};
  static constexpr auto kFields =
      fields(field("path", "Scopes from the top, by slashes. * replaces the numbers of several scopes.", &Layer::path),
             field("name", "Last part of the path.", &Layer::name),
             field("depth", Unit::kCount, "0 at the top; the scopes in a scope follow it, one deeper.", &Layer::depth),
             field("is_op", "True for ops, the leaves; their sum is the step.", &Layer::is_op),
             field("repeats", Unit::kCount,
                   "Runs of a scope that is the body of a loop, times the scopes that * combines.", &Layer::repeats),
             field("share", Unit::kShare, "Share of the step.", &Layer::share).at_most(kWhole),
             field("seconds", Unit::kSeconds, "Time in the step, in all iterations of loops, with waits.",
                   [](const Layer& layer) { return layer.times.seconds; }),
             field("wait_seconds", Unit::kSeconds, "The part that waits for transfers.",
                   [](const Layer& layer) { return layer.times.wait_seconds; }),
             field("forward_seconds", Unit::kSeconds, "The part in the forward pass.",
                   [](const Layer& layer) { return layer.times.of(Phase::kForward); }),
             field("backward_seconds", Unit::kSeconds, "The part in the backward pass, without remat_seconds.",
                   [](const Layer& layer) { return layer.times.of(Phase::kBackward); }),
             field("remat_seconds", Unit::kSeconds, "The part in which the backward pass recomputes the forward pass.",
                   [](const Layer& layer) { return layer.times.of(Phase::kRemat); }),
             field("other_seconds", Unit::kSeconds, "The part in neither pass, such as the optimizer.",
                   [](const Layer& layer) { return layer.times.of(Phase::kOther); }));
};

template <>
struct Described<EstimatedOp> {
  static constexpr RecordInfo kInfo = {"estimated_op", "EstimatedOp",
                                       "An op with the time of the model beside that of the compiler's own estimate."};
  static constexpr auto kFields = fields(
      field("name", "Name of the instruction, without %.", &EstimatedOp::name),
      field("executions", Unit::kCount, "Executions in one step.", &EstimatedOp::executions),
      field("model_seconds", Unit::kSeconds, "Time of one execution by the model.", &EstimatedOp::model_seconds),
      field("compiler_seconds", Unit::kSeconds,
            "Time of one execution by the compiler: estimated_cycles at the device's clock.",
            &EstimatedOp::compiler_seconds),
      field("ratio", "model_seconds / compiler_seconds.", [](const EstimatedOp& op) { return op.ratio(); }),
      field("bound", "Resource that limits the op by the model.", &EstimatedOp::bound),
      field("believe", "Which of the two to believe.", [](const EstimatedOp& op) { return believe_name(op.believe()); })
          .one_of(kBelieveNames),
      field("why", "The reason.", [](const EstimatedOp& op) { return op.why(); }));
};

template <>
struct Described<LiveBuffer> {
  static constexpr RecordInfo kInfo = {"live_buffer", "LiveBuffer", "A buffer that is live at the memory peak."};
  static constexpr auto kFields = fields(
      field("name", "Instruction that defines the buffer.", &LiveBuffer::name),
      field("shape", "Shape as the HLO text has it.", &LiveBuffer::shape),
      field("bytes", Unit::kBytes, "Size with tile padding.", &LiveBuffer::bytes),
      field("padding_bytes", Unit::kBytes, "Tile padding in bytes.", &LiveBuffer::padding_bytes).may_be_negative());
};

template <>
struct Described<MemoryPrediction> {
  static constexpr RecordInfo kInfo = {"memory", "Memory",
                                       "Memory of one device, in HBM unless the name says otherwise."};
  static constexpr auto kFields =
      fields(field("peak_bytes", Unit::kBytes, "Peak as XLA reports it.", &MemoryPrediction::peak_bytes),
             field("hbm_peak_bytes", Unit::kBytes, "Peak of HBM alone.", &MemoryPrediction::hbm_peak_bytes),
             field("arguments_bytes", Unit::kBytes, "Size of the arguments.", &MemoryPrediction::arguments_bytes),
             field("outputs_bytes", Unit::kBytes, "Size of the outputs.", &MemoryPrediction::outputs_bytes),
             field("aliased_bytes", Unit::kBytes, "Size of the outputs that share a donated argument.",
                   &MemoryPrediction::aliased_bytes),
             field("temporaries_bytes", Unit::kBytes, "hbm_peak - arguments - outputs + aliased.",
                   &MemoryPrediction::temporaries_bytes)
                 .may_be_negative(),
             field("capacity_bytes", Unit::kBytes, "Capacity of the device.", &MemoryPrediction::capacity_bytes),
             field("usable_bytes", Unit::kBytes, "What the compiler or the allocator lets a program use of it.",
                   &MemoryPrediction::usable_bytes),
             field("fits", "True if hbm_peak_bytes is at most usable_bytes.", &MemoryPrediction::fits),
             field("vmem_peak_bytes", Unit::kBytes, "Peak of on-chip memory.", &MemoryPrediction::vmem_peak_bytes),
             field("host_peak_bytes", Unit::kBytes, "Peak of host memory.", &MemoryPrediction::host_peak_bytes),
             field("padding_bytes", Unit::kBytes, "Tile padding of the buffers live at the HBM peak.",
                   &MemoryPrediction::padding_bytes)
                 .may_be_negative(),
             field("live_at_peak", "Buffers in HBM at its peak, largest first.", &MemoryPrediction::live_at_peak));
};

template <>
struct Described<Diagnostic> {
  static constexpr RecordInfo kInfo = {"diagnostic", "Diagnostic",
                                       "One cause of lost time or of doubt, with all instructions that it concerns."};
  static constexpr auto kFields = fields(
      field("code", "Stable code; `hloroof lint --codes` explains each.", &Diagnostic::code),
      field("severity", "Severity of the finding.", &Diagnostic::severity),
      field("message", "What was found and what to do about it; details are those of `op`.", &Diagnostic::message),
      field("cause", "What the instructions share: `all-gather over data`; null if nothing is named.",
            or_null(&Diagnostic::cause)),
      field("op", "Instruction with the most seconds or bytes; null for a finding about the whole module.",
            or_null(&Diagnostic::op)),
      field("count", Unit::kCount, "Number of instructions.",
            [](const Diagnostic& diagnostic) { return static_cast<std::int64_t>(diagnostic.ops.size()); }),
      field("ops", "All instructions, those with the most seconds or bytes first.", &Diagnostic::ops),
      field("seconds_at_stake", Unit::kSeconds,
            "Upper bound of the time that a remedy can save, or time in doubt; null if it is not about time. No second "
            "counts for two diagnostics.",
            &Diagnostic::seconds_at_stake),
      field("counted_elsewhere_seconds", Unit::kSeconds, "Further time, which more specific diagnostics count.",
            &Diagnostic::counted_elsewhere_seconds),
      field("bytes_at_stake", Unit::kBytes,
            "Upper bound of the memory that a remedy can save; null if not about memory.",
            &Diagnostic::bytes_at_stake));
};

template <>
struct Described<Roof> {
  static constexpr RecordInfo kInfo = {"roof", "Roof", "A ceiling of the roofline plot."};
  static constexpr auto kFields =
      fields(field("name", "Name of the resource.", &Roof::name),
             field("is_compute", "True if rate is in flop/s, false if in B/s.", &Roof::is_compute),
             field("rate", "Nominal peak rate.", &Roof::rate));
};

template <>
struct Described<NumberSensitivity> {
  static constexpr RecordInfo kInfo = {"number_sensitivity", "NumberSensitivity",
                                       "A number of the device, and the step if it were 10 % better."};
  static constexpr auto kFields = fields(
      field("path", "Path in the device file, as `--set` takes it.", &NumberSensitivity::path),
      field("value", "Value in SI units.", &NumberSensitivity::value),
      field("unit", "Unit of the value.", &NumberSensitivity::unit),
      field("better_value", "The value that is 10 % better: more or less of it. Efficiencies are at most 1.",
            &NumberSensitivity::better_value),
      field("step_seconds", Unit::kSeconds, "Step time with better_value.", &NumberSensitivity::step_seconds),
      field("saved_seconds", Unit::kSeconds, "What that saves; negative if transfers then meet others than before.",
            &NumberSensitivity::saved_seconds)
          .may_be_negative(),
      field("elasticity", "Percent by which the step changes for a percent of the number.",
            &NumberSensitivity::elasticity)
          .may_be_negative(),
      field("meaning", "What the number says.", &NumberSensitivity::meaning));
};

template <>
struct Described<OpSensitivity> {
  static constexpr RecordInfo kInfo = {"op_sensitivity", "OpSensitivity",
                                       "An op, and the step if it, or the transfer that it starts, took no time."};
  static constexpr auto kFields =
      fields(field("name", "Name of the instruction, without %.", &OpSensitivity::name),
             field("total_seconds", Unit::kSeconds, "Its own time in all executions.", &OpSensitivity::total_seconds),
             field("step_seconds", Unit::kSeconds, "Step time without that.", &OpSensitivity::step_seconds),
             field("saved_seconds", Unit::kSeconds,
                   "What that saves: 0 for a transfer that other work hides; negative if transfers then meet others "
                   "than before.",
                   &OpSensitivity::saved_seconds)
                 .may_be_negative());
};

template <>
struct Described<Sensitivity> {
  static constexpr RecordInfo kInfo = {"sensitivity", "Sensitivity",
                                       "How the step depends on the numbers of the device and on single ops."};
  static constexpr auto kFields =
      fields(field("numbers", "Numbers that change the step; what saves the most comes first.", &Sensitivity::numbers),
             field("free_ops",
                   "The ops with the most time in the step, and the longest ones; what saves the most comes first.",
                   &Sensitivity::free_ops));
};

// Objects of the JSON whose members are members of StepPrediction itself.
struct StepPart {
  const StepPrediction& step;
};
struct GeneratorPart : StepPart {};
struct ModulePart : StepPart {};
struct DevicePart : StepPart {};
struct TotalsPart : StepPart {};
struct CoveragePart : StepPart {};

inline const StepPrediction& step_of(const StepPart& part) { return part.step; }

template <>
struct Described<GeneratorPart> {
  static constexpr RecordInfo kInfo = {"generator", "Generator", "What made the prediction."};
  static constexpr auto kFields =
      fields(field("version", "Version of hloroof.",
                   [](const GeneratorPart&) { return std::string_view(HLOROOF_VERSION_STRING); }),
             field("device_file_sha256", "SHA-256 of the device file; null if there is none.",
                   [](const GeneratorPart& part) { return text_or_null(part.step.device_file_sha256); }));
};

template <>
struct Described<ModuleOrigin> {
  static constexpr RecordInfo kInfo = {"origin", "Origin", "What the text shows about the compilation of the module."};
  static constexpr auto kFields = fields(
      field("backend", "Backend of XLA that compiled the module.", &ModuleOrigin::backend),
      field("backend_evidence", "Where the text shows the backend.", or_null(&ModuleOrigin::backend_evidence)),
      field("generations", "Built-in TPUs that have all hardware the text uses; empty if the text excludes none.",
            &ModuleOrigin::generations),
      field("generation_evidence", "Use of hardware that the other TPUs lack.",
            or_null(&ModuleOrigin::generation_evidence)),
      field("stage", "How far the compiler got before it printed the text.", &ModuleOrigin::stage),
      field("stage_evidence", "Where the text shows the stage.", or_null(&ModuleOrigin::stage_evidence)),
      field("sharded_over", Unit::kCount, "Devices that the shardings of a module that is not partitioned name.",
            [](const ModuleOrigin& origin) {
              return origin.stage == CompileStage::kUnpartitioned ? std::optional<std::int64_t>(origin.sharded_over)
                                                                  : std::nullopt;
            })
          .at_least(1));
};

template <>
struct Described<ModulePart> {
  static constexpr RecordInfo kInfo = {"module", "ModuleFacts", "The predicted module."};
  static constexpr auto kFields = fields(
      field("name", "Name of the module.", StepMember<&StepPrediction::module_name>()),
      field("instructions", Unit::kCount, "Instructions in all computations.",
            StepMember<&StepPrediction::instructions>()),
      field("num_partitions", Unit::kCount, "Partitions of the module.", StepMember<&StepPrediction::num_partitions>()),
      field("replica_count", Unit::kCount, "Replicas of the module.", StepMember<&StepPrediction::replica_count>()),
      field("slices", Unit::kCount,
            "Slices that the text names. If there are several, the partitions and replicas are those of one slice.",
            StepMember<&StepPrediction::text_slices>())
          .at_least(1),
      field("is_scheduled", "True if the text gives the order of execution.",
            StepMember<&StepPrediction::is_scheduled>()),
      field("origin", "", StepMember<&StepPrediction::origin>()));
};

template <>
struct Described<DevicePart> {
  static constexpr RecordInfo kInfo = {"device", "Device", "The device that the prediction is for."};
  static constexpr auto kFields =
      fields(field("name", "Name of the device.", StepMember<&StepPrediction::device>()),
             field("topology", "Topology of one slice, such as 4x4.", StepMember<&StepPrediction::topology>()),
             field("slices", Unit::kCount, "Number of slices.", StepMember<&StepPrediction::slices>()).at_least(1),
             field("set", "Device parameters that --set changed, in SI units.", StepMember<&StepPrediction::set>()));
};

template <>
struct Described<TotalsPart> {
  static constexpr RecordInfo kInfo = {"totals", "Totals", "Work of one device in one step."};
  static constexpr auto kFields = fields(
      field("flops", Unit::kFlops, "FLOPs.", StepMember<&StepPrediction::flops>()),
      field("recomputed_flops", Unit::kFlops,
            "FLOPs of products that the backward pass computes again, by their op_names.",
            StepMember<&StepPrediction::recomputed_flops>()),
      field("redundant_flops", Unit::kFlops,
            "FLOPs of products that several devices compute with the same operands: all but one of them.",
            StepMember<&StepPrediction::redundant_flops>()),
      field("transcendentals", Unit::kCount, "Transcendental functions.",
            StepMember<&StepPrediction::transcendentals>()),
      field("hbm_bytes", Unit::kBytes, "Bytes read from and written to HBM.", StepMember<&StepPrediction::hbm_bytes>()),
      field("logical_bytes", Unit::kBytes, "Bytes read and written in any memory, without tile padding.",
            StepMember<&StepPrediction::logical_bytes>()),
      field("padded_bytes", Unit::kBytes, "Bytes read and written in any memory, with tile padding.",
            StepMember<&StepPrediction::padded_bytes>()),
      field("wire_bytes", Unit::kBytes, "Bytes sent over the interconnect.",
            StepMember<&StepPrediction::wire_bytes>()));
};

template <>
struct Described<CoveragePart> {
  static constexpr RecordInfo kInfo = {"coverage", "Coverage", "Shares of the step by origin; they add up to 1."};
  static constexpr auto kFields = fields(
      field("modelled", Unit::kShare, "Modelled, or given by the compiler or the user.",
            StepMember<&StepPrediction::modelled_share>())
          .at_most(kWhole),
      field("code", Unit::kShare, "Cycles of the compiler's final code.", StepMember<&StepPrediction::code_share>())
          .at_most(kWhole),
      field("assumed", Unit::kShare, "Based on an assumption that a diagnostic states.",
            StepMember<&StepPrediction::assumed_share>())
          .at_most(kWhole),
      field("unknown", Unit::kShare, "Not known; only the bytes at the boundary are charged.",
            StepMember<&StepPrediction::unknown_share>())
          .at_most(kWhole));
};

inline constexpr std::string_view kPredictionSchema[] = {"hloroof.prediction/2"};

// All but the ops and their terms.
inline constexpr auto kStepFields = fields(
    schema_field<kPredictionSchema>(),
    field("generator", "", [](const StepPrediction& p) { return GeneratorPart{{p}}; }),
    field("module", "", [](const StepPrediction& p) { return ModulePart{{p}}; }),
    field("device", "", [](const StepPrediction& p) { return DevicePart{{p}}; }),
    field("step_seconds", Unit::kSeconds, "Predicted step time.", &StepPrediction::step_seconds),
    field("lower_bound_seconds", Unit::kSeconds, "Step time with perfect overlap: the busiest resource.",
          &StepPrediction::lower_bound_seconds),
    field("serial_seconds", Unit::kSeconds, "Step time without any overlap.", &StepPrediction::serial_seconds),
    field("compiler_estimate_seconds", Unit::kSeconds,
          "Step time by the estimates that the dump carries; null if it carries none.",
          &StepPrediction::compiler_estimate_seconds),
    field("bound", "Resource that limits the step.", &StepPrediction::bound),
    field("hfu", Unit::kShare, "Hardware FLOP utilization: flops / (step_seconds x bf16 peak).", &StepPrediction::hfu),
    field("mfu", Unit::kShare,
          "Model FLOP utilization: of model_flops, or else of flops without recomputed_flops and redundant_flops, "
          "which is the most that it can be.",
          &StepPrediction::mfu),
    field("resources", "Use of each resource.", &StepPrediction::resources),
    field("exposed_communication_seconds", Unit::kSeconds, "Time during which the step waits for communication.",
          &StepPrediction::exposed_communication_seconds),
    field("dollars",
          "Cost of the step in dollars: that of all chips of the topology at the option price; null without a price.",
          step_dollars),
    field("most_joules",
          "Upper bound of the energy of the step in joules: all chips of the topology at the device's power; null if "
          "that is not known.",
          most_joules),
    field("tokens_per_second", "The option tokens / step_seconds; null without it.", tokens_per_second),
    field("dollars_per_million_tokens",
          "Cost of a million tokens in dollars; null unless the options price and tokens are given.",
          dollars_per_million_tokens),
    field("most_joules_per_token", "most_joules of one token; null without the option tokens.", most_joules_per_token),
    field("totals", "", [](const StepPrediction& p) { return TotalsPart{{p}}; }),
    field("coverage", "", [](const StepPrediction& p) { return CoveragePart{{p}}; }),
    field("layers", "The step by scopes of the traced program: a tree in preorder.",
          [](const StepPrediction& p) { return make_layers(p); }),
    field("estimates", "Model against compiler, for ops for which the dump states an estimate; longest first.",
          [](const StepPrediction& p) { return estimated_ops(p); }),
    field("parameters", "The known numbers of the device, to which terms refer.",
          [](const StepPrediction& p) { return parameter_rows(p.facts.get()); }),
    field("breakdown", "What the compute stream does, longest first; adds up to the step.", &StepPrediction::breakdown),
    field("critical_path", "The critical path by category, longest first.", &StepPrediction::critical_path),
    field("sensitivity", "What better numbers and faster ops would save; null unless requested.",
          &StepPrediction::sensitivity),
    field("mesh", "Axes of the device mesh, outermost first.", &StepPrediction::mesh),
    field("collectives", "All collectives.", &StepPrediction::collectives),
    field("memory", "", &StepPrediction::memory),
    field("diagnostics", "Findings: those about the origin of the module, then the most severe and costly.",
          &StepPrediction::diagnostics));

// A prediction with what its JSON shares. The step must outlive it.
struct PredictionDocument {
  explicit PredictionDocument(const StepPrediction& of) : step(&of), terms(share_terms(of.facts.get(), of.ops)) {}

  const StepPrediction* step;
  SharedTerms terms;
};

// The rows of the ops, which must outlive them.
inline std::vector<OpRow> op_rows(const PredictionDocument& document) {
  std::vector<OpRow> rows;
  rows.reserve(document.step->ops.size());
  for (const OpPrediction& op : document.step->ops) rows.push_back({&op, document.terms.of_ops[rows.size()]});
  return rows;
}

template <>
struct Described<PredictionDocument> {
  static constexpr RecordInfo kInfo = {"prediction", "StepPrediction",
                                       "The predicted step of one module on one device."};
  static constexpr auto kFields = concatenated(
      fields_of<&PredictionDocument::step>(kStepFields),
      fields(field("ops", "All executed instructions outside of fusions.", op_rows),
             field("terms", "The parts of the times of ops, to which ops refer by index.",
                   [](const PredictionDocument& document) { return TermChildren{&document.terms.terms}; })));
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_RESULTS_PREDICTION_FIELDS_H_
