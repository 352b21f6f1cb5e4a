#include "lib/time/vector_time.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/device_fields.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/isa.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline time {
namespace {

bool has_integer_weight(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kMaximum:
    case Opcode::kReduce: return true;
    default: return false;
  }
}

// The name of an operation's cost in a device file, whatever makes it cheaper.
std::string weight_name(const VectorWork& work, const TpuCore* tpu) {
  // Rows of less than 32 bits share a sublane. Those that change places are taken apart and joined again.
  if (bits(work.type) < kLaneBits && tpu != nullptr) {
    if (work.opcode == Opcode::kTranspose) return "packed-transpose";
    if (work.opcode == Opcode::kSlice || work.opcode == Opcode::kPad || work.opcode == Opcode::kConcatenate) {
      return "packed-shift";
    }
  }
  if (is_integral(work.type) && has_integer_weight(work.opcode))
    return "integer-" + std::string(to_string(work.opcode));
  // Sorts of the compiler compare elements that it moves across lanes. Those of libraries place keys by their digits.
  if (work.opcode == Opcode::kSort && !work.cross_lane) return "radix-sort";
  if (work.opcode == Opcode::kConvolution && work.cross_lane) return "convolution-word";
  if (work.opcode == Opcode::kConvert) {
    return "convert-" + std::string(to_string(work.type)) + "-" + std::string(to_string(work.to));
  }
  return std::string(to_string(work.opcode));
}

// What follows the name of an operation in a device file for the code that a shortcut makes shorter.
std::string_view suffix(Shortcut shortcut) {
  switch (shortcut) {
    case Shortcut::kNone: return "";
    case Shortcut::kConstant: return "-by-constant";
    case Shortcut::kPowerOfTwo: return "-by-shift";
    case Shortcut::kQuarters: return "-by-quarters";
    case Shortcut::kSymmetric: return "-symmetric";
    case Shortcut::kRounded: return "-rounded";
  }
  return "";
}

// The cost of an operation in a device file, or null if the file has none. A file that does not list what makes the
// operation cheaper has the cost of all such operations.
const OpWeight* weight_of(const VectorWork& work, const VectorUnit& unit, const TpuCore* tpu,
                          const ReductionWindows& reduction) {
  const std::string name = weight_name(work, tpu);
  const OpWeight* found = nullptr;
  // No steps of Newton follow the reciprocal of a division that the program states in bf16.
  if (work.opcode == Opcode::kDivide && (work.type == ElementType::kBf16 || work.to == ElementType::kBf16)) {
    found = find_op_weight(unit, name + "-bf16");
  }
  if (work.opcode == Opcode::kReduce && reduction.windows > 0) {
    if (reduction.is_alone) found = find_op_weight(unit, name + "-alone");
    if (found == nullptr) found = find_op_weight(unit, name + "-in-registers");
  }
  if (work.shortcut != Shortcut::kNone) found = find_op_weight(unit, name + std::string(suffix(work.shortcut)));
  const bool is_special_constant = work.shortcut == Shortcut::kPowerOfTwo || work.shortcut == Shortcut::kQuarters;
  if (is_special_constant && found == nullptr) {
    found = find_op_weight(unit, name + std::string(suffix(Shortcut::kConstant)));
  }
  return found != nullptr ? found : find_op_weight(unit, name);
}

// The amount of vector work in words: "557,056 convert".
std::string kind_of(const VectorWork& work) {
  return format_count(work.elements) + " " + std::string(to_string(work.opcode));
}

// The operations of one type on the ALUs: their name, and the rate at the peak.
template <class Num>
struct TypedOperations {
  std::string_view name;
  Num rate = 0.0;
};
template <class Num>
TypedOperations<Num> operations_of(ElementType type, const VectorUnit& unit, const Numbers<Num>& n) {
  switch (type) {
    case ElementType::kBf16:
      if (n.has(unit.bf16_rate)) return {"vector operations, bf16", n.at(*unit.bf16_rate, &unit.bf16_rate)};
      break;
    case ElementType::kF16:
      if (n.has(unit.f16_rate)) return {"vector operations, f16", n.at(*unit.f16_rate, &unit.f16_rate)};
      break;
    case ElementType::kF64:
      if (n.has(unit.f64_rate)) return {"vector operations, f64", n.at(*unit.f64_rate, &unit.f64_rate)};
      break;
    default: break;
  }
  // A type wider than a lane takes two operations instead of one.
  if (bits(type) > 32) return {"vector operations, 64-bit", n.at(unit.f32_rate) / 2.0};
  return {"vector operations", n.at(unit.f32_rate)};
}

// The cycles of a cross-lane unit for a register. Reductions are fast. Values are spread over lanes, and shifted to
// other lanes, by permutes.
template <class Num>
Num cross_lane_cycles(const VectorWork& v, const TpuCore::Vector& unit, const Numbers<Num>& n) {
  switch (v.opcode) {
    case Opcode::kReduce: return n.at(unit.lane_reduction_cycles);
    case Opcode::kTranspose:
      return bits(v.type) == 16 ? n.at(unit.packed_transpose_cycles) / 2.0 : n.at(unit.transpose_cycles);
    default: return n.known_or(unit.permute_cycles, n.at(unit.transpose_cycles));
  }
}

// Adds the time of moving elements through the cross-lane unit.
template <class Num>
void add_cross_lane(const VectorWork& v, const TpuCore::Vector& unit, const Numbers<Num>& n, VectorTime<Num>& time) {
  const bool is_relayout = v.opcode == Opcode::kTranspose;
  const double registers = v.elements / register_elements(unit);
  const Num seconds = n.amount(is_relayout ? "layout changed across lanes" : "across lanes", registers, "register") *
                      cross_lane_cycles(v, unit, n) / (n.clock() * n.cores() * n.at(unit.cross_lane_units));
  add_alike(is_relayout ? time.relayout_seconds : time.register_seconds, noted(seconds, [&] { return kind_of(v); }));
}

// Adds the time of rows that the scalar units find by number, one after another.
template <class Num>
void add_rows(const RowWork& rows, const TpuCore& core, const Numbers<Num>& n, VectorTime<Num>& time) {
  if (rows.moved + rows.combined <= 0) return;
  const Num rate = n.clock() * n.cores();
  // A device without a number for rows of one register moves them as others.
  const bool has_registers = rows.moved_registers > 0 && n.has(core.vector.register_move_cycles);
  const double in_registers = has_registers ? rows.moved_registers : 0;
  if (in_registers > 0) {
    add_alike(time.row_seconds, n.amount("rows of one register moved", in_registers, "row") *
                                    n.known_or(core.vector.register_move_cycles, 0.0) / rate);
  }
  if (rows.moved > in_registers) {
    add_alike(time.row_seconds, n.amount("rows moved", rows.moved - in_registers, "row") *
                                    n.known_or(core.vector.row_move_cycles, 0.0) / rate);
  }
  if (rows.combined > 0) {
    add_alike(time.row_seconds,
              n.amount("rows combined", rows.combined, "row") * n.known_or(core.vector.row_combine_cycles, 0.0) / rate);
  }
  const double stored = rows.stores * register_elements(core.vector) * kLaneBits / 8;
  time.row_seconds = sum("rows, one after another", time.row_seconds,
                         n.amount("stores", stored, "B") / n.at(core.on_chip.vmem_write_bandwidth));
}

// Adds the time of updates that lie row by row. One core stores all of them.
template <class Num>
void add_updated_rows(const RowWork& rows, const TpuCore& core, const Numbers<Num>& n, VectorTime<Num>& time) {
  if (rows.updated <= 0) return;
  const Num begun = n.amount("rows of an update", rows.updated, "row") * n.known_or(core.vector.update_row_cycles, 0.0);
  const Num stored = n.amount("registers of these rows", rows.updated_registers, "register") *
                     n.known_or(core.vector.update_store_cycles, 0.0);
  time.row_seconds = sum("rows stored in part", time.row_seconds, begun / n.clock(), stored / n.clock());
}

// Adds the waits of a reduction in windows: an addition for the one before it to the same sum. Rows are reduced one
// after another, or some side by side; all other sums of a window are added to in turn.
template <class Num>
void add_reduction(const ReductionWindows& reduction, const TpuCore& core, const Numbers<Num>& n,
                   VectorTime<Num>& time) {
  if (reduction.windows <= 0) return;
  const Num rate = n.clock() * n.cores();
  const double each = reduction.registers / reduction.sums;                        // registers that are added to a sum
  const double steps = reduction.is_by_rows ? reduction.sums * (each - 1) : each;  // of a window
  time.chain_seconds = n.amount("additions in turn", reduction.windows * steps, "operation") *
                       n.known_or(core.vector.operation_latency, 0.0) / rate;
  if (reduction.is_by_rows) {
    const Num rows = n.known_or(core.vector.reduced_rows, reduction.sums);
    time.chain_seconds = time.chain_seconds / (value(rows) < reduction.sums ? rows : Num(reduction.sums));
  }
  if (const OpWeight* const weight = find_op_weight(n.device().vector, "reduce"); weight && reduction.carried > 0) {
    const double operations = reduction.carried * register_elements(core.vector) * weight->vector_ops;
    time.operation_seconds = sum("", time.operation_seconds,
                                 n.amount("sums carried from window to window", operations, "op") /
                                     (n.at(n.device().vector.f32_rate) * n.at(core.vector.efficiency)));
  }
}

// Adds what the threads of a GPU take beside their operations.
template <class Num>
void add_threads(const Work& work, const GpuCore& core, const Numbers<Num>& n, VectorTime<Num>& time) {
  if (work.block_threads > 0) {
    const Num full = n.known_or(core.vector.block_threads, work.block_threads);
    if (value(full) > work.block_threads) {
      time.operation_seconds = time.operation_seconds * n.computed(value(full) / work.block_threads, "1", full);
    }
  }
  // Some warps compute while others find, load and store their elements.
  if (work.thread_elements > 0 && n.has(core.vector.element_rate)) {
    time.operation_seconds = slowest("operations", std::move(time.operation_seconds),
                                     n.amount("elements of threads", work.thread_elements, "element") /
                                         n.at(*core.vector.element_rate, &core.vector.element_rate));
  }
}

template <class Num>
VectorTime<Num> time_of(const std::vector<VectorWork>& work, const ReductionWindows& reduction, const Numbers<Num>& n) {
  const VectorUnit& unit = n.device().vector;
  const TpuCore* const tpu = n.device().tpu();
  VectorTime<Num> time;
  for (const VectorWork& v : work) {
    // Sorts compare more than they move.
    if (tpu != nullptr && v.cross_lane && v.opcode != Opcode::kSort) {
      add_cross_lane(v, tpu->vector, n, time);
      continue;
    }
    static const OpWeight kOneOperation;
    const OpWeight* const listed = weight_of(v, unit, tpu, reduction);
    const OpWeight& weight = listed != nullptr ? *listed : kOneOperation;
    TypedOperations<Num> operations;
    if (v.opcode == Opcode::kConvert && listed != nullptr) {
      // The operations of a conversion are counted in code that fills the ALUs with them, on elements of 32 bits.
      operations = {"conversions", n.at(unit.f32_rate)};
    } else {
      operations = operations_of(v.type, unit, n);
      // On a TPU, the share of the ALUs that compiled operations keep busy.
      if (tpu != nullptr) operations.rate = operations.rate * n.at(tpu->vector.efficiency);
      // The compiler splits no call of its top-k between the cores of a chip.
      if (tpu != nullptr && v.opcode == Opcode::kTopk) operations.rate = operations.rate / n.cores();
    }
    if (value(operations.rate) > 0) {
      add_alike(time.operation_seconds,
                noted(n.amount(operations.name, v.elements * weight.vector_ops, "op") / operations.rate,
                      [&] { return kind_of(v); }));
    }
    if (unit.transcendental_rate > 0) {
      add_alike(time.result_seconds, n.amount("transcendental results", v.elements * weight.transcendentals, "op") /
                                         n.at(unit.transcendental_rate));
    }
  }
  return time;
}

}  // namespace

template <class Num>
Num window_seconds(const Work& work, const TpuCore& core, const Numbers<Num>& n) {
  const double starts = work.window_steps + std::max(work.reduction.windows - work.reduction.results, 0.0);
  const double waits = work.window_waits + work.reduction.results;
  if (starts + waits <= 0) return 0.0;
  const Num rate = n.clock() * n.cores();
  Num starting = 0.0;
  if (starts > 0) {
    starting = n.amount(work.window_steps > 0 ? "windows and their transfers" : "windows", starts, "window") *
               n.known_or(core.vector.window_cycles, 0.0) / rate;
  }
  Num waiting = 0.0;
  if (waits > 0) {
    waiting = n.amount(work.window_waits > 0 ? "first results across lanes" : "cross-lane waits", waits, "window") *
              n.known_or(core.kernel.unit_latency, 0.0) / rate;
  }
  return sum("windows", std::move(starting), std::move(waiting));
}
template double window_seconds(const Work&, const TpuCore&, const Numbers<double>&);
template Traced window_seconds(const Work&, const TpuCore&, const Numbers<Traced>&);

template <class Num>
VectorTime<Num> vector_time(const std::vector<VectorWork>& work, const Numbers<Num>& n) {
  return time_of(work, ReductionWindows(), n);
}
template VectorTime<double> vector_time(const std::vector<VectorWork>&, const Numbers<double>&);
template VectorTime<Traced> vector_time(const std::vector<VectorWork>&, const Numbers<Traced>&);

template <class Num>
VectorTime<Num> vector_time(const Work& work, const Numbers<Num>& n) {
  std::vector<VectorWork> converted;
  for (const MatrixWork& product : work.matrix) add_conversions(product, n.device(), converted);
  if (!converted.empty()) converted.insert(converted.begin(), work.vector.begin(), work.vector.end());
  VectorTime<Num> time = time_of(converted.empty() ? work.vector : converted, work.reduction, n);
  if (const GpuCore* const gpu = n.device().gpu(); gpu != nullptr && work.programs > 0) {
    // The weights of what a library does in several kernels are those of its own code, which no compiler made.
    const bool is_library = work.kernels > 1;
    const Fact<double>& efficiency =
        work.is_for_threads ? gpu->program.thread_vector_efficiency : gpu->program.vector_efficiency;
    const Num idle = idle_factor(work.programs, *gpu, n);
    const Num factor = is_library ? idle : idle / n.known_or(efficiency, 1.0);
    time.operation_seconds = time.operation_seconds * factor;
    time.result_seconds = time.result_seconds * factor;
  }
  if (const GpuCore* const gpu = n.device().gpu()) add_threads(work, *gpu, n, time);
  if (const TpuCore* const tpu = n.device().tpu()) {
    const double partial = work.partial_tile_elements / register_elements(tpu->vector) - work.rows.updated_registers;
    time.partial_seconds = n.amount("registers updated in part", std::max(partial, 0.0), "register") *
                           n.at(tpu->vector.partial_update_cycles) / (n.clock() * n.cores());
    add_rows(work.rows, *tpu, n, time);
    add_updated_rows(work.rows, *tpu, n, time);
    add_reduction(work.reduction, *tpu, n, time);
    const bool reduces_rows = std::any_of(work.vector.begin(), work.vector.end(), [](const VectorWork& v) {
      return v.opcode == Opcode::kReduce && v.cross_lane;
    });
    if (reduces_rows && !work.reduction.is_by_rows) time.row_norm = n.known_or(tpu->vector.row_norm, 0.0);
    if (work.window_copies > 0) {
      add_alike(time.relayout_seconds, over(n.amount("windows copied within VMEM", work.window_copies, "B"),
                                            n.at(tpu->on_chip.vmem_write_bandwidth)));
    }
    time.in_turn_seconds = sum("", time.in_turn_seconds, window_seconds(work, *tpu, n));
    if (work.units_in_turn > 0) {
      const Num in_turn = n.amount("units that wait for one another", work.units_in_turn, "operation") *
                          n.known_or(tpu->kernel.unit_latency, 0.0) / n.clock();
      time.in_turn_seconds = sum("waits", time.in_turn_seconds, in_turn);
    }
  }
  return time;
}
template VectorTime<double> vector_time(const Work&, const Numbers<double>&);
template VectorTime<Traced> vector_time(const Work&, const Numbers<Traced>&);

std::string deciding_vector_number(const Work& work, const Device& device) {
  const VectorUnit& unit = device.vector;
  const auto path = [&](const auto& number) { return std::string(path_of(&number, device)); };
  const VectorTime<double> whole = vector_time(work, device);
  if (whole.result_seconds > whole.operation_seconds) return path(unit.transcendental_rate);
  if (const GpuCore* const gpu = device.gpu()) {
    const auto takes_longer = [&](double elements, const Fact<double>& rate) {
      return elements > 0 && rate && elements / *rate >= whole.operation_seconds;
    };
    if (takes_longer(work.tiles.exchanged, gpu->on_chip.exchange_rate)) return path(gpu->on_chip.exchange_rate);
    if (takes_longer(work.thread_elements, gpu->vector.element_rate)) return path(gpu->vector.element_rate);
  }
  const VectorWork* longest = nullptr;
  double seconds = 0;
  for (const VectorWork& v : work.vector) {
    const double own = vector_time({v}, device).operation_seconds;
    if (own <= seconds) continue;
    longest = &v;
    seconds = own;
  }
  const OpWeight* const weight = longest != nullptr ? weight_of(*longest, unit, device.tpu(), work.reduction) : nullptr;
  if (weight != nullptr) return absl::StrCat(to_absl(kWeightsPath), weight->op);
  return path(unit.f32_rate);
}

}  // namespace hloroof::internal::inline time
