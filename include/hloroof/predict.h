// Predicts the step time of a module on a device.
//
//   absl::StatusOr<hloroof::StepPrediction> p = hloroof::predict_step_time(hlo_text, "tpu_v5e");
//   if (p.ok()) std::cout << p->step_seconds << '\n';
//
// A Predictor predicts a module again and again between edits. It recomputes only results that an edit invalidates, and
// the result is bit-identical to predict_step_time() on the current module:
//
//   absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *find_device("tpu_v5e"));
//   double before = predictor->summary()->step_seconds;
//   status = predictor->edit().set_layout(id, layout);
//   double after = predictor->summary()->step_seconds;
//
// Lifetime: a StepPrediction is a value. It also points to the facts it was made from, and the facts point to the
// module. The views of an op or of the timeline read the facts. With the text overload of predict_step_time(), the
// facts own the module. The other overload borrows the caller's module, and Predictor::predict() borrows the
// predictor's. The fields of a prediction stay valid after a borrowed module is edited or destroyed. Its `facts` do not
// stay valid: make the views that read them before that. Resetting `facts` frees their memory, except the work and the
// times of ops, which the facts share with the fields.
//
// A Predictor owns its module. ModuleEditor documents how long its ids and views are valid. A prediction that outlives
// an edit costs one copy of its facts.
//
// Threads: the functions keep no state. Several threads may call them at once, even on the same module and device.
// Predictions and facts are immutable. Any number of threads may read them while no thread edits the module. A
// Predictor serves one thread at a time; different predictors share no state.
#ifndef HLOROOF_PREDICT_H_
#define HLOROOF_PREDICT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/schedule.h"
#include "hloroof/shape.h"

namespace hloroof {
namespace internal {
inline namespace step {
struct StepFacts;
}  // namespace step
}  // namespace internal
inline namespace v0 {

enum class EstimateSource {
  kModel,     // hloroof's model; never reads the estimates in a dump
  kCompiler,  // the estimated_cycles of the dump if present, otherwise the model
};

struct PredictOptions {
  // "4x4". Default: the topology of the target, otherwise the smallest standard slice that fits.
  std::optional<std::string> topology;
  // Default: those of the text or of the target. If the text names its slices, this can only confirm their number. If
  // the module is the program of one slice, each slice runs a copy, and they exchange gradients.
  std::optional<std::int64_t> slices;
  // The number of partitions of a text that does not state num_partitions. Default: what replica groups and shardings
  // imply, otherwise 1.
  std::optional<std::int64_t> partitions;
  EstimateSource estimates = EstimateSource::kModel;
  // TPUs: the folder of the final code that libtpu dumped when it compiled the module. Ops that have code there take
  // its cycles instead of the time of the model. Empty: none.
  std::string code;
  std::map<std::string, std::int64_t> trip_counts;  // by name of the while; for loops whose count cannot be inferred
  std::int64_t default_trip_count = 1;              // for loops neither inferred nor in trip_counts
  std::vector<CustomCallCost> custom_calls;
  std::vector<KernelList> kernel_lists;
  // TPUs: KiB of VMEM that the compiler allowed each op (--xla_tpu_scoped_vmem_limit_kib), if the text does not say.
  // By default, what PROGRAM.tpu_comp_env.txt says, which libtpu writes beside a dump, if load_module() found it.
  std::optional<std::int64_t> scoped_vmem_limit_kib;
  std::vector<std::pair<std::string, double>> set;  // device parameters: path and value for set_parameter()
  std::map<std::string, std::vector<double>>
      branch_probabilities;       // by name of the conditional; default: slowest branch
  MeshOptions mesh;               // overrides of the inferred axes and of their placement on the machine
  CollectiveOptions collectives;  // what-ifs: quantized reductions, uneven exchanges
  // What the model needs for one step on all devices together, for StepPrediction::mfu.
  std::optional<double> model_flops;
  std::optional<double> tokens;    // of one step on all devices together, for the rate and the cost of tokens
  std::optional<double> price;     // dollars for an hour of one chip, for the cost of the step
  bool resource_what_ifs = false;  // also predict the step with each resource free in turn
  bool sensitivity = false;  // also predict it with each number of the device better, and with ops that take no time
  bool strict = false;       // unknown facts are errors instead of diagnostics
  // A program that was compiled for another kind of machine is an error, because the device would run another program:
  // its times can be several times off. true: it is predicted as it is, with the diagnostic wrong-backend.
  bool allow_other_backend = false;
};

// Returns the name of a resource on a family of devices: "mxu", "vpu", "hbm", "vmem", "ici", "dcn", "host", "latency";
// on GPUs "tensor", "cuda", "hbm", "l2", "nvlink", "network", "host", "latency"; on a CPU "matrix", "vector", "memory",
// "cache", "links", "network", "host", "latency".
std::string_view to_string(Resource resource, DeviceFamily family);

// Returns the name of a lane: "compute", "dma", "ici", "dcn", "host", "sparsecore"; on GPUs "async" for "dma", "nvlink"
// for "ici" and "network" for "dcn"; on a CPU "async", "links" and "network" for these.
std::string_view to_string(Lane lane, DeviceFamily family);

struct ResourceUse {
  Resource resource = Resource::kMatrix;
  double busy_seconds = 0;
  double utilization = 0;   // share of the step
  double idle_seconds = 0;  // of the step
  // The step time if this resource took no time. Requires PredictOptions::resource_what_ifs.
  std::optional<double> step_if_free_seconds;
};

// A transfer that the compute stream waits for.
struct TransferWait {
  InstructionId transfer;  // the start
  std::string name;        // of the start, without %
  std::string limit;       // the link and the mesh axes of the transfer: "ici, data", "hbm"
  double seconds = 0;      // in the whole step
  // The part of `seconds` that other transfers cause, which use the same link at the same time, and their number.
  double queued_seconds = 0;
  std::int64_t queued_behind = 0;
};

// A wait of the compute stream, as Predictor::waits() lists it.
struct OpWait {
  InstructionId op;        // where the compute stream waits, such as a done
  InstructionId transfer;  // the start of the transfer that it waits for
  double seconds = 0;      // in the whole step
};

// One executed top-level instruction of the entry, a loop body or condition, a called computation or a branch.
struct OpPrediction {
  InstructionId id;
  std::string name;  // without %
  std::string computation;
  std::string opcode;
  std::string category;  // XProf's name: "convolution fusion", "loop fusion", "all-reduce", "copy", ...
  double executions = 1;
  double seconds = 0;           // of one execution; for a start the time of its transfer, for a done 0
  double total_seconds = 0;     // seconds x executions
  double exposed_seconds = 0;   // in the whole step: time that the compute stream spends in this op, works or waits
  double wait_seconds = 0;      // the part of exposed_seconds in which it waits for transfers
  double overhead_seconds = 0;  // the part of exposed_seconds that is launch, latency and pipeline fill
  // In the whole step: time on the critical path. A transfer that the compute stream waits for replaces the ops that
  // ran at the same time.
  double critical_seconds = 0;
  std::optional<Resource> bound;  // of its own work; nullopt if the op takes no time
  // What limits the op in the step: the name of `bound`, or "wait (ici, data)" if it waits for longer than it works.
  // Empty if the op takes no time.
  std::string limit;
  std::vector<TransferWait> waits;  // longest first; the sum is wait_seconds
  Shared<Work> work;                // op.work->flops; equal ops share one
  Shared<OpTime> time;
  double efficiency = 0;
  CostSource source = CostSource::kModel;
  bool is_recomputed = false;    // a product of the forward pass that the backward pass computes again
  double copies_on_devices = 1;  // the devices that compute this product with the same operands
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;  // 0: the text does not state it
};

struct CollectivePrediction {
  InstructionId id;
  std::string name;
  std::string kind;  // "all-gather", ...
  double bytes = 0;  // of the full (gathered) array, per execution
  std::int64_t group_size = 1;
  std::int64_t group_count = 1;
  std::vector<std::string> axes;        // in words: "data (8-way, stride 16)", "8-way stride-16 axis"
  std::vector<std::string> axis_names;  // of the same axes: "data", or "8-way" if nothing names it
  AxisRole role = AxisRole::kUnknown;   // what it sends: kFsdp and kData are weights and gradients
  std::string algorithm;                // "ring, both directions", ...
  double seconds = 0;                   // of one execution
  double exposed_seconds = 0;           // in the whole step
  // Of these, what another order of the ops could hide at most: as long as ops run that neither come before its start
  // nor need its end. nullopt: little is exposed, or its end is in another computation.
  std::optional<double> hideable_seconds;
  double wire_bytes = 0;          // sent by each device, per execution
  double busiest_link_bytes = 0;  // over the busiest link, one direction, per execution
  double link_bandwidth = 0;      // bytes/s of that link in one direction, nominal; 0: unknown
  double link_utilization = 0;    // share of link_bandwidth that is attained
  double crossover_bytes = 0;     // full bytes at which latency and bandwidth take equal time
  // Per-device batch size, in rows, above which the matmuls hide this collective; nullopt if it does not move weights.
  std::optional<double> crossover_tokens;
};

// The time of one category of ops on the critical path.
struct CategoryPrediction {
  std::string category;
  double seconds = 0;
};

// The part of the step in which the compute stream works on one resource or waits for one link.
struct BreakdownPart {
  std::string name;  // "mxu", "hbm", "wait (ici, data)"
  Resource resource = Resource::kLatency;
  bool is_wait = false;
  double seconds = 0;
};

// One axis of the mesh over which the collectives run.
struct MeshAxisPrediction {
  std::string name;
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::vector<std::string> roles;  // "FSDP", "tensor", ...; most likely first
  std::string why;                 // the evidence for the roles
  std::string placement;           // the axes of the machine that carry it: "x (ring) and y"
};

enum class Severity { kInfo, kWarning, kError };

enum class DiagnosticCode : std::uint8_t {
#define HLOROOF_DIAGNOSTIC(enumerator, ...) enumerator,
#include "hloroof/diagnostic.def"
#undef HLOROOF_DIAGNOSTIC
};

std::string_view to_string(DiagnosticCode code);  // "unknown-trip-count"; stable
std::string_view to_string(Severity severity);    // "warning"

// One cause of lost time, or one reason to doubt the prediction, with all instructions that it concerns.
struct Diagnostic {
  DiagnosticCode code = DiagnosticCode::kUnknownOpcode;
  Severity severity = Severity::kInfo;
  std::string message;  // what was found and what to do about it; details are those of `op`
  std::string op;       // name of the instruction with the most seconds or bytes; empty for the whole module
  // The time of the step that a remedy can save at most, or that is in doubt. That of a warning is checked by a replay
  // of the step without what the remedy removes. No second counts for two diagnostics, so the sum over all diagnostics
  // is at most the step. nullopt if the finding is not about time.
  std::optional<double> seconds_at_stake;
  double counted_elsewhere_seconds = 0;  // further time that it concerns, which more specific diagnostics count
  std::optional<double> bytes_at_stake;  // memory that a remedy can save at most
  std::string cause;                     // what the instructions share: "all-gather over data"; may be empty
  std::vector<std::string> ops;          // all instructions, those with the most seconds or bytes first
};

// A ceiling of the roofline plot.
struct Roof {
  std::string name;         // "mxu bf16", "vpu f32", "hbm", "ici link"
  bool is_compute = false;  // true: rate in flop/s; false: in bytes/s
  double rate = 0;          // nominal
};

// The step on a device that differs in one number, which is better there by 10 %: more of a rate or an efficiency, less
// of a latency, of cycles or of the operations that one result takes. An efficiency is at most 1.
struct NumberSensitivity {
  std::string path;  // "hbm.bandwidth", as PredictOptions::set takes it
  std::string unit;
  std::string meaning;
  double value = 0;
  double better_value = 0;
  double step_seconds = 0;   // with better_value: that of a prediction with it in PredictOptions::set, to the last bit
  double saved_seconds = 0;  // negative if the step takes longer, because transfers meet others than before
  // The percent by which the step changes for a percent of the number, between the two values: the logarithm of the
  // ratio of the steps by that of the values. -1 if the step is inversely proportional to the number.
  double elasticity = 0;
};

// The step if one op, or the transfer that it starts, took no time in any of its executions. Everything else runs in
// the same order and takes as long as before.
struct OpSensitivity {
  InstructionId id;
  std::string name;          // without %
  double total_seconds = 0;  // of its own time
  double step_seconds = 0;
  double saved_seconds = 0;  // 0 for a transfer that other work hides; negative as that of a number
};

struct Sensitivity {
  // Those of which more or less is better and that change the step; what saves the most comes first.
  std::vector<NumberSensitivity> numbers;
  // The ops with the most time in the step, and the longest ones: at most 40; what saves the most comes first.
  std::vector<OpSensitivity> free_ops;
};

// The summary of a prediction: the step time, its bounds, and totals over the step.
struct StepSummary {
  double step_seconds = 0;
  double lower_bound_seconds = 0;              // perfect overlap: the busiest resource
  double serial_seconds = 0;                   // no overlap
  DeviceFamily family = DeviceFamily::kOther;  // of the device; determines the names of resources and lanes
  Resource bound = Resource::kLatency;
  // Hardware FLOP utilization: flops / (step x the device's bf16 peak). It counts everything that the device computes,
  // also what the model does not ask for; see StepPrediction::mfu.
  std::optional<double> hfu;
  std::vector<ResourceUse> resources;
  double exposed_communication_seconds = 0;

  double flops = 0;
  double transcendentals = 0;
  double hbm_bytes = 0;
  double logical_bytes = 0;
  double padded_bytes = 0;
  double wire_bytes = 0;

  // Shares of step_seconds. Their sum is 1.
  double modelled_share = 1;
  double code_share = 0;  // priced by PredictOptions::code
  double assumed_share = 0;
  double unknown_share = 0;
};

struct StepPrediction : StepSummary {
  std::string module_name;
  std::int64_t instructions = 0;
  std::int64_t num_partitions = 1;
  std::int64_t replica_count = 1;
  bool is_scheduled = false;
  ModuleOrigin origin;
  std::string device;
  std::string topology;  // of one slice
  std::int64_t slices = 1;
  std::int64_t text_slices = 1;  // slices that the text names; the module is then the program of one of them
  std::string device_file_sha256;
  std::vector<std::pair<std::string, double>> set;  // parameters of the device that PredictOptions::set changed

  std::optional<double> compiler_estimate_seconds;
  // Model FLOP utilization: the FLOPs that the model needs / (step x the device's bf16 peak). These are
  // PredictOptions::model_flops, or else `flops` without the two below: then no model that needs less work can be told
  // from the text, and this is the most that it can be.
  std::optional<double> mfu;
  double recomputed_flops = 0;  // of products that the backward pass computes again, by their op_names
  // Of products that several devices compute with the same operands: all but one of them. Without recomputed_flops.
  double redundant_flops = 0;
  std::vector<Roof> roofs;
  std::vector<OpPrediction> ops;
  std::vector<BreakdownPart> breakdown;           // longest first; the sum is step_seconds
  std::vector<CategoryPrediction> critical_path;  // longest first; the sum is about step_seconds
  std::vector<MeshAxisPrediction> mesh;           // outermost first
  std::vector<CollectivePrediction> collectives;
  std::optional<Sensitivity> sensitivity;  // requires PredictOptions::sensitivity
  MemoryPrediction memory;
  std::vector<Diagnostic> diagnostics;
  std::vector<TimelineEvent> timeline;

  std::shared_ptr<const internal::StepFacts> facts;  // the facts this was made from; see "Lifetime" above
};

// Predicts one step of `module` on `target`, which may be a plain Device. Errors: InvalidArgument if the topology holds
// fewer devices than the module needs, if the text names another number of slices or does not show what copies of it on
// several slices exchange, if an option names something that does not exist, if the folder of PredictOptions::code has
// code of another program or another TPU, or if the text shows that it was compiled for another kind of machine, unless
// options allow that; NotFound if that folder has no code; FailedPrecondition under `strict` if any fact is unknown.
absl::StatusOr<StepPrediction> predict_step_time(const Module& module, Target target,
                                                 const PredictOptions& options = {});

// Predicts one step from HLO text and the name of a target. Errors: additionally those of parse_module and find_target.
absl::StatusOr<StepPrediction> predict_step_time(std::string_view hlo, std::string_view target,
                                                 const PredictOptions& options = {});

// Predicts only the summary of one step, in about half of the time: no lists of ops, collectives and diagnostics, no
// timeline and no memory. The numbers are those of predict_step_time(), to the last bit. Errors: those of
// predict_step_time().
absl::StatusOr<StepSummary> predict_summary(const Module& module, Target target, const PredictOptions& options = {});
absl::StatusOr<StepSummary> predict_summary(std::string_view hlo, std::string_view target,
                                            const PredictOptions& options = {});

class Predictor {
 public:
  // Errors: those of predict_step_time(). A module of another kind of machine is none, because an edit can give the
  // text the first sign of one; predict() diagnoses it.
  static absl::StatusOr<Predictor> create(Module module, Target target, const PredictOptions& options = {});

  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const Module& module() const;

  // Returns the editor for all changes to the module. It lives as long as the predictor, and moving the predictor does
  // not invalidate it.
  ModuleEditor& edit();

  // Checkpoints of the module, as those of its editor; see hloroof/edit.h. rollback() also takes back what the results
  // of the predictor have followed since, in about the time that summary() took for the edits. Afterwards summary(),
  // memory() and predict() return what they returned at the checkpoint, to the last bit. The checkpoints are those of
  // edit(): edit().rollback() accepts them as well, but the next summary() then starts from scratch.
  //
  //   const hloroof::Checkpoint before = predictor->checkpoint();
  //   ...                                                                // edits of predictor->edit(), then summary()
  //   if (!is_faster) status = predictor->rollback(before);
  //
  // Errors: those of ModuleEditor.
  Checkpoint checkpoint();
  absl::Status rollback(const Checkpoint& checkpoint);
  absl::Status release(const Checkpoint& checkpoint);

  // Returns the step time and the totals of the current module. Recomputes the results that the edits since the last
  // call invalidated, then makes one pass over the totals. Errors: those of predict_step_time() except those of
  // `strict`. The next call retries, so the caller can revert an edit that made the module invalid.
  absl::StatusOr<StepSummary> summary();

  // Returns which ops wait for which transfers, those with the most seconds first. Recomputes as summary() does, and
  // builds nothing else. Errors: those of summary().
  absl::StatusOr<std::vector<OpWait>> waits();

  // Predicts the memory of one device, in a pass over the whole program. Errors: those of summary().
  absl::StatusOr<MemoryPrediction> memory();

  // Returns the full prediction. Reuses costs, but rebuilds the lists, the timeline and the diagnostics. Errors: those
  // of predict_step_time().
  absl::StatusOr<StepPrediction> predict();

 private:
  struct State;
  explicit Predictor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PREDICT_H_
