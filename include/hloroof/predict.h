// The step time of a module on a device.
//
//   absl::StatusOr<hloroof::StepPrediction> p = hloroof::predict_step_time(hlo_text, "tpu_v5e");
//   if (p.ok()) std::cout << p->step_seconds << '\n';
#ifndef HLOROOF_PREDICT_H_
#define HLOROOF_PREDICT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/mesh.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

enum class EstimateSource {
  kModel,     // hloroof's own model; never reads the estimates a dump carries
  kCompiler,  // the estimated_cycles of the dump where present, the model elsewhere
};

// Work of custom calls, as `--custom-call TARGET=flops:...,bytes:...` gives it.
struct CustomCallCost {
  std::string target;  // or the name of one call; exact, or an RE2 pattern between slashes: /flash.*/
  std::optional<double> flops;
  std::optional<double> bytes;
  std::optional<double> transcendentals;
  std::optional<double> seconds;
};

struct PredictOptions {
  std::optional<std::string> topology;  // "4x4"; default: the device name's, else the smallest standard slice that fits
  std::optional<std::int64_t> slices;
  EstimateSource estimates = EstimateSource::kModel;
  std::map<std::string, std::int64_t> trip_counts;  // by name of the while instruction, for loops not inferred
  std::int64_t default_trip_count = 1;              // of loops neither inferred nor given
  std::vector<CustomCallCost> custom_calls;
  std::vector<std::pair<std::string, double>> set;  // device parameters, as set_parameter() takes them
  std::map<std::string, std::vector<double>>
      branch_probabilities;        // by name of the conditional; default: slowest branch
  MeshOptions mesh;                // axes and their place on the machine, where what is inferred should not stand
  CollectiveOptions collectives;   // what ifs: quantized reductions, uneven exchanges
  bool resource_what_ifs = false;  // also predict the step with each resource free in turn
  bool strict = false;             // an error for whatever is not known, rather than a diagnostic
};

struct ResourceUse {
  std::string
      name;  // "mxu", "vpu", "hbm", "vmem", "ici", "dcn", "host" (GPU: "tensor", "cuda", "l2", "nvlink", "network")
  double busy_seconds = 0;
  double utilization = 0;   // share of the step
  double idle_seconds = 0;  // of the step
  // What the step would take if this resource took no time; only with PredictOptions::resource_what_ifs.
  std::optional<double> step_if_free_seconds;
};

// One executed top-level instruction: of the entry, of loop bodies and conditions, called computations and branches.
struct OpPrediction {
  InstructionId id;
  std::string name;  // without %
  std::string computation;
  std::string opcode;
  std::string category;  // as XProf names them: "convolution fusion", "loop fusion", "all-reduce", "copy", ...
  double executions = 1;
  double seconds = 0;           // of one execution; of a start the transfer, of a done 0
  double total_seconds = 0;     // seconds x executions
  double exposed_seconds = 0;   // in the whole step: what the compute stream waits for or spends in this op
  double critical_seconds = 0;  // in the whole step: on the critical path, where a transfer that is waited for stands
                                // in the place of what ran beside it
  std::string bound;
  Work work;
  OpTime time;
  double efficiency = 0;
  CostSource source = CostSource::kModel;
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;  // 0: not in the text
};

struct CollectivePrediction {
  InstructionId id;
  std::string name;
  std::string kind;  // "all-gather", ...
  double bytes = 0;  // of the full (gathered) array, per execution
  std::int64_t group_size = 1;
  std::int64_t group_count = 1;
  std::vector<std::string> axes;        // "8-way over the axis of stride 16"
  std::vector<std::string> axis_names;  // of the same axes: "axis8", or the names in the text
  std::string algorithm;                // "ring, both directions", ...
  double seconds = 0;                   // of one execution
  double exposed_seconds = 0;           // in the whole step
  double wire_bytes = 0;                // sent by each device, per execution
  double busiest_link_bytes = 0;        // over the busiest link one way, per execution
  double link_bandwidth = 0;            // bytes/s, of that link one way, nominal; 0: not known
  double link_utilization = 0;          // share of it that is achieved
  double crossover_bytes = 0;           // full bytes at which latency and bandwidth take equal time
  // Rows of the batch on each device from which on the matmuls with the weights hide this transfer of theirs; absent
  // for what moves no weights.
  std::optional<double> crossover_tokens;
};

// What one category of ops has of the critical path.
struct CategoryPrediction {
  std::string category;
  double seconds = 0;
};

// One axis of the mesh the collectives run over.
struct MeshAxisPrediction {
  std::string name;
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::vector<std::string> roles;  // "FSDP", "tensor", ...: the likeliest first
  std::string why;                 // what they were read off
  std::string placement;           // where it lies on the machine: "x (ring) and y"
};

struct LiveBuffer {
  std::string name;
  std::string shape;
  double bytes = 0;
  double padding_bytes = 0;
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;
};

// An argument that is not donated though a result has its type and dimensions: donating it would save `bytes`.
struct DonatableArgument {
  std::int64_t number = 0;
  std::string name;
  double bytes = 0;
};

// Memory of one device, bytes, in HBM but where a name says otherwise. `fits` compares hbm_peak_bytes with
// capacity_bytes.
struct MemoryPrediction {
  // What XLA reports as peak memory: arguments, also those in host memory, and outputs, and beside them the larger of
  // the temporaries in HBM and of those in on-chip memory. Equal to hbm_peak_bytes for all but small programs and such
  // that offload to the host.
  double peak_bytes = 0;
  double hbm_peak_bytes = 0;  // HBM alone, at its own peak
  double arguments_bytes = 0;
  double outputs_bytes = 0;
  double aliased_bytes = 0;      // outputs that live in donated arguments
  double temporaries_bytes = 0;  // hbm_peak - arguments - outputs + aliased
  double capacity_bytes = 0;
  bool fits = true;
  double vmem_peak_bytes = 0;
  double host_peak_bytes = 0;
  double padding_bytes = 0;                  // of what is live at HBM's peak
  std::vector<LiveBuffer> live_at_peak;      // in HBM, at HBM's peak, largest first
  std::vector<DonatableArgument> donatable;  // largest first
  std::vector<double> hbm_over_program;      // the largest in HBM within equal parts of the program order, 512 at most
};

enum class Severity { kInfo, kWarning, kError };

struct Diagnostic {
  std::string code;  // stable: "unknown-trip-count"
  Severity severity = Severity::kInfo;
  std::string message;
  std::string op;  // name of the instruction; empty for the whole module
  std::optional<double> seconds_at_stake;
};

// One op on the timeline of a lane ("compute", "ici", "dma", "host"), first execution of its computation.
struct TimelineEvent {
  InstructionId id;
  std::string lane;
  double begin = 0;  // seconds from the start of the step
  double end = 0;
  double executions = 1;  // of the loop it stands for
};

// A ceiling of the roofline plot.
struct Roof {
  std::string name;         // "mxu bf16", "vpu f32", "hbm", "ici link"
  bool is_compute = false;  // rate in flop/s; else in bytes/s
  double rate = 0;          // nominal
};

// What heads a prediction: the step, its bounds, and sums over it.
struct StepSummary {
  double step_seconds = 0;
  double lower_bound_seconds = 0;  // perfect overlap: the busiest resource
  double serial_seconds = 0;       // no overlap at all
  std::string bound;
  std::optional<double> mfu;  // flops / (step x the device's bf16 peak)
  std::vector<ResourceUse> resources;
  double exposed_communication_seconds = 0;

  double flops = 0;
  double transcendentals = 0;
  double hbm_bytes = 0;
  double logical_bytes = 0;
  double padded_bytes = 0;
  double wire_bytes = 0;

  // Shares of step_seconds, together 1.
  double modelled_share = 1;
  double assumed_share = 0;
  double unknown_share = 0;
};

struct StepPrediction : StepSummary {
  std::string module_name;
  std::int64_t instructions = 0;
  std::int64_t num_partitions = 1;
  std::int64_t replica_count = 1;
  bool is_scheduled = false;
  std::string device;
  std::string topology;
  std::int64_t slices = 1;
  std::string device_file_sha256;
  std::vector<std::pair<std::string, double>> set;  // parameters of the device that PredictOptions::set changed

  std::optional<double> compiler_estimate_seconds;
  std::vector<Roof> roofs;
  std::vector<OpPrediction> ops;
  std::vector<CategoryPrediction> critical_path;  // longest first; together about the step
  std::vector<MeshAxisPrediction> mesh;           // outermost first
  std::vector<CollectivePrediction> collectives;
  MemoryPrediction memory;
  std::vector<Diagnostic> diagnostics;
  std::vector<TimelineEvent> timeline;
};

// Predicts one step of `module` on `device`. Errors: InvalidArgument if the topology holds fewer devices than the
// module needs or an option names nothing; FailedPrecondition under `strict` if anything is not known.
absl::StatusOr<StepPrediction> predict_step_time(const Module& module, const Device& device,
                                                 const PredictOptions& options = {});

// The same from text and a device name. Errors: also those of parse_module and find_device.
absl::StatusOr<StepPrediction> predict_step_time(std::string_view hlo, std::string_view device,
                                                 const PredictOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PREDICT_H_
