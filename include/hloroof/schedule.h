// Results of the schedule: the timeline of a step, and the memory of one device.
#ifndef HLOROOF_SCHEDULE_H_
#define HLOROOF_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/shape.h"

namespace hloroof {
inline namespace v0 {

struct LiveBuffer {
  std::string name;  // of the instruction that defines it
  std::string shape;
  double bytes = 0;
  double padding_bytes = 0;
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;
  bool is_argument = false;  // of the program
};

// An argument that is not donated although a result has the same type and dimensions. Donating it would save `bytes`.
struct DonatableArgument {
  std::int64_t number = 0;
  std::string name;
  double bytes = 0;
};

// Memory of one device, in bytes. A field describes HBM unless its name says otherwise. `fits` is true if
// hbm_peak_bytes is at most usable_bytes.
struct MemoryPrediction {
  // Peak memory as XLA reports it: the arguments, including those in host memory, plus the outputs, plus the larger of
  // the temporaries in HBM and the temporaries in on-chip memory. Equals hbm_peak_bytes except for small programs and
  // for programs that offload to the host.
  double peak_bytes = 0;
  double hbm_peak_bytes = 0;  // peak of HBM alone
  double arguments_bytes = 0;
  double outputs_bytes = 0;
  double aliased_bytes = 0;      // outputs that live in donated arguments
  double temporaries_bytes = 0;  // hbm_peak - arguments - outputs + aliased
  double capacity_bytes = 0;
  double usable_bytes = 0;  // of the capacity: what the compiler or the allocator lets a program use
  bool fits = true;
  double vmem_peak_bytes = 0;
  double host_peak_bytes = 0;
  double padding_bytes = 0;                  // padding of the buffers that are live at the peak of HBM
  std::vector<LiveBuffer> live_at_peak;      // buffers in HBM at the peak of HBM, largest first
  std::vector<DonatableArgument> donatable;  // largest first
  std::vector<double> hbm_over_program;      // peak of HBM in each of at most 512 equal parts of the program order
};

// One op on the timeline of a lane, in the first execution of its computation. An op that works and waits has an event
// for each.
struct TimelineEvent {
  InstructionId id;
  Lane lane = Lane::kCompute;
  double begin = 0;  // seconds from the start of the step
  double end = 0;
  double executions = 1;  // executions of the op in the whole step
  InstructionId awaited;  // the start of the transfer that the compute stream waits for; not valid if it works
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_SCHEDULE_H_
