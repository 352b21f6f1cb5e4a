#include "lib/kernel/tpu/read_kernel.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/ir/element_type.h"
#include "lib/ir/shapes.h"
#include "lib/kernel/tpu/kernel_name.h"
#include "lib/kernel/tpu/partition.h"
#include "lib/kernel/tpu/prefetched.h"
#include "lib/kernel/tpu/program.h"
#include "lib/kernel/tpu/region_work.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr double kInstructions = 1e6;
// A share of work that does not matter.
constexpr double kNegligible = 1e-3;
// A call reaches all rows of an array if it reaches this share of them: some arrays have a row for what is left out.
constexpr double kCoversAll = 0.9;
constexpr double kInstructionsPerByte = 0.05;
constexpr double kMostInstructions = 2e8;
// A step of the grid costs at least as much as so many instructions.
constexpr std::int64_t kInstructionsPerStep = 16;

using BlockIndex = std::optional<std::vector<std::int64_t>>;  // nullopt: depends on data

enum class Follow : std::uint8_t { kBody, kWindowsOnly };

// The value of an affine map's results at `point`. nullopt if it has symbols or is malformed.
BlockIndex affine_values(const mlir::AffineMap& map, const std::vector<std::int64_t>& point) {
  std::vector<std::int64_t> stack;
  // Operators stand before their operands, so a walk from the end finds the operands on the stack.
  for (auto term = map.terms.rbegin(); term != map.terms.rend(); ++term) {
    using Kind = mlir::AffineTerm::Kind;
    if (term->kind == Kind::kConstant) {
      stack.push_back(term->value);
    } else if (term->kind == Kind::kDimension) {
      if (static_cast<std::size_t>(term->value) >= point.size()) return std::nullopt;
      stack.push_back(point[static_cast<std::size_t>(term->value)]);
    } else {
      if (term->kind == Kind::kSymbol || stack.size() < 2) return std::nullopt;
      const std::int64_t a = stack.back();
      stack.pop_back();
      const std::int64_t b = stack.back();
      stack.pop_back();
      std::int64_t value = 0;
      if (term->kind == Kind::kAdd) {
        if (__builtin_add_overflow(a, b, &value)) return std::nullopt;
      } else if (term->kind == Kind::kMultiply) {
        if (__builtin_mul_overflow(a, b, &value)) return std::nullopt;
      } else {
        if (b <= 0) return std::nullopt;
        const std::int64_t floor = a / b - (a % b < 0 ? 1 : 0);
        value = term->kind == Kind::kModulo ? a - floor * b : term->kind == Kind::kFloorDivide ? floor : -((-a) / b);
      }
      stack.push_back(value);
    }
  }
  std::reverse(stack.begin(), stack.end());
  return stack;
}

// Runs the kernel as the pipeline emitter does: the blocks of the next step are fetched while the current step runs,
// and a block of a result is written back when its index changes.
class Pipeline {
 public:
  Pipeline(const KernelProgram& program, const KernelCode& code, const PrefetchedData& data, UnknownBranches branches,
           std::int64_t most_instructions, Follow follow, KernelRun& run)
      : program_(program),
        run_(run),
        follow_(follow),
        most_steps_(most_instructions / kInstructionsPerStep),
        machine_(code, run, branches, most_instructions),
        grid_(data.grid) {
    machine_.set_grid(data.grid);
    const mlir::Module& module = *code.module;
    const mlir::Block& entry = module[module[module[program.function].first_region].first_block];
    arguments_.resize(entry.argument_count);
    for (std::uint32_t i = program.first_array_argument; i < entry.argument_count; ++i) {
      const std::uint32_t array = i - program.first_array_argument;
      KernelValue& value = arguments_[i];
      value.state = KernelValue::State::kMemory;
      value.buffer = machine_.add_buffer(array < data.arrays.size() ? data.arrays[array] : KernelBuffer());
    }
    for (std::uint32_t w = 0; w < program.windows.size(); ++w) {
      const KernelArray& array = program.arrays[program.windows[w].array];
      KernelTransfer transfer;
      transfer.kind = array.is_on_chip  ? KernelTransfer::Kind::kLocal
                      : array.is_output ? KernelTransfer::Kind::kWrite
                                        : KernelTransfer::Kind::kRead;
      transfer.bytes = program.windows[w].bytes;
      transfer.unpadded_bytes = unpadded_bytes(program.windows[w].block, array.bits);
      transfer.window = w;
      transfer.buffer = KernelCode::value_number(
          mlir::ValueId{entry.first_argument.index + program.first_array_argument + program.windows[w].array});
      run.transfers.push_back(transfer);
      run.windows.push_back({program.windows[w].block, array.is_output, program.windows[w].bytes, 0, 0});
    }
    seen_.resize(program.windows.size());
    first_event_.resize(program.windows.size(), 0);
    end_event_.resize(program.windows.size(), 0);
    dimensions_.reserve(program.windows.size());
    for (const KernelWindow& window : program.windows) dimensions_.push_back(dimensions_of(window, code));
  }

  const std::vector<BufferReach>& reach() const { return machine_.reach(); }

  absl::Status run() {
    std::int64_t steps = 1;
    for (const std::int64_t bound : grid_) {
      if (bound < 0 || __builtin_mul_overflow(steps, bound, &steps) || steps > most_steps_) {
        return absl::ResourceExhaustedError("the kernel's grid has too many steps to follow them");
      }
    }
    run_.steps = steps;
    find_split();
    std::vector<std::int64_t> point(grid_.size(), 0);
    std::vector<BlockIndex> now(program_.windows.size());
    std::vector<BlockIndex> next(program_.windows.size());
    if (absl::Status status = indices(point, 0, next, now); !status.ok()) return status;
    std::vector<std::int64_t> following;  // the vectors keep their memory from step to step
    std::vector<bool> next_waits;
    std::vector<bool> waits(program_.windows.size(), false);
    std::vector<bool> writes(program_.windows.size(), false);
    for (std::int64_t step = 0; step < steps; ++step) {
      begin_step(point);
      if (step == 0) {
        for (std::uint32_t w = 0; w < waits.size(); ++w) waits[w] = start_read(w);
      }
      following = point;
      const bool is_last = step + 1 == steps;
      if (!is_last) {
        const std::size_t changed = advance(following);
        if (absl::Status status = indices(following, changed, now, next); !status.ok()) return status;
      }
      next_waits.assign(waits.size(), false);
      for (std::uint32_t w = 0; w < waits.size(); ++w) {
        if (waits[w]) wait(w);
        if (!is_last && changes(w, now, next)) next_waits[w] = start_read(w);
      }
      for (std::size_t d = 0; d < point.size(); ++d) {
        arguments_[d].state = KernelValue::State::kNumber;
        arguments_[d].number = point[d];
      }
      if (follow_ == Follow::kBody) {
        if (absl::Status status = machine_.call(program_.function, arguments_); !status.ok()) return status;
      }
      for (std::uint32_t w = 0; w < writes.size(); ++w) {
        const KernelWindow& window = program_.windows[w];
        if (!window.has_index || !program_.arrays[window.array].is_output) continue;
        if (!is_last && !changes(w, now, next)) continue;
        if (writes[w]) wait(w);
        writes[w] = true;
        start(w);
      }
      waits = next_waits;
      point = following;
      std::swap(now, next);
    }
    for (std::uint32_t w = 0; w < writes.size(); ++w) {
      if (writes[w]) wait(w);
    }
    run_.assumptions.assign(machine_.assumptions().begin(), machine_.assumptions().end());
    return absl::OkStatus();
  }

 private:
  // The first parallel dimension is split between the two cores of a chip. On SparseCores, each point of the parallel
  // dimensions is a program of its own subcore.
  void find_split() {
    if (program_.runs_on_sparse_core) {
      for (std::size_t d = 0; d < grid_.size() && d < program_.semantics.size(); ++d) {
        if (program_.semantics[d] != GridSemantics::kArbitrary)
          run_.side_by_side *= std::max<std::int64_t>(grid_[d], 1);
      }
      return;
    }
    for (std::size_t d = 0; d < grid_.size() && d < program_.semantics.size(); ++d) {
      if (program_.semantics[d] == GridSemantics::kArbitrary || grid_[d] < 2) continue;
      split_ = d;
      return;
    }
  }

  void begin_step(const std::vector<std::int64_t>& point) {
    bool is_second = split_ && point[*split_] >= (grid_[*split_] + 1) / 2;
    for (std::size_t d = 0; run_.side_by_side > 1 && d < point.size() && d < program_.semantics.size(); ++d) {
      is_second = is_second || (program_.semantics[d] != GridSemantics::kArbitrary && point[d] > 0);
    }
    run_.events.push_back({KernelEvent::Kind::kStep, is_second ? 1U : 0U, 0});
  }

  // Returns the first dimension that may have changed.
  std::size_t advance(std::vector<std::int64_t>& point) const {
    for (std::size_t d = point.size(); d-- > 0;) {
      if (++point[d] < grid_[d]) return d;
      point[d] = 0;
    }
    return 0;
  }

  // How many of the first dimensions of the grid decide the block of a window: one more than the last that its index
  // uses. All of them if its index may depend on what was stored, or does more than to compute.
  std::size_t dimensions_of(const KernelWindow& window, const KernelCode& code) const {
    std::size_t dimensions = 0;
    if (window.map) {
      for (const mlir::AffineTerm& term : window.map->terms) {
        if (term.kind == mlir::AffineTerm::Kind::kDimension)
          dimensions = std::max(dimensions, static_cast<std::size_t>(term.value) + 1);
      }
      return dimensions;
    }
    const mlir::Module& module = *code.module;
    if (!window.has_index || !window.function.valid() || module[module[window.function].first_region].block_count == 0)
      return grid_.size();
    const std::uint32_t first = module[module[module[window.function].first_region].first_block].first_argument.index;
    for (std::uint32_t i = window.function.index; i < module[window.function].end.index; ++i) {
      const mlir::OpId op{i};
      const KernelOpKind kind = code.row(op).kind;
      switch (kind) {
        case KernelOpKind::kScalarStore:
        case KernelOpKind::kAllocate:
        case KernelOpKind::kTransferStart:
        case KernelOpKind::kTransferWait:
        case KernelOpKind::kCall: return grid_.size();
        case KernelOpKind::kScalarLoad:
          if (std::any_of(code.instructions.begin(), code.instructions.end(),
                          [](const KernelInstruction& in) { return in.kind == KernelOpKind::kScalarStore; })) {
            return grid_.size();
          }
          break;
        default: break;
      }
      for (std::uint32_t k = 0; k < module[op].operand_count; ++k) {
        const std::uint32_t value = module.operand(op, k).index;
        if (value >= first && value - first < grid_.size())
          dimensions = std::max<std::size_t>(dimensions, value - first + 1);
      }
    }
    return dimensions;
  }

  // Computes the block of each window at `point`. `before` are those of the step before, if there was one, and
  // `changed` is the first dimension that may differ from it.
  absl::Status indices(const std::vector<std::int64_t>& point, std::size_t changed,
                       const std::vector<BlockIndex>& before, std::vector<BlockIndex>& out) {
    index_arguments_.assign(
        arguments_.begin(),
        arguments_.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(arguments_.size()),
                                                      program_.first_array_argument + program_.prefetched));
    for (std::size_t d = 0; d < point.size() && d < index_arguments_.size(); ++d) {
      index_arguments_[d].state = KernelValue::State::kNumber;
      index_arguments_[d].number = point[d];
    }
    for (std::size_t w = 0; w < out.size(); ++w) {
      const KernelWindow& window = program_.windows[w];
      if (!window.has_index) continue;
      if (before[w] && dimensions_[w] <= changed) {
        out[w] = before[w];
        repeat_runs(w);
        continue;
      }
      if (window.map) {
        out[w] = affine_values(*window.map, point);
        note_block(w, before[w], out[w]);
        continue;
      }
      first_event_[w] = run_.events.size();
      absl::Status status = machine_.call(window.function, index_arguments_);
      end_event_[w] = run_.events.size();
      if (!status.ok() && follow_ == Follow::kBody) return status;
      const std::vector<KernelValue>& values = machine_.results();
      const bool is_known = status.ok() && std::all_of(values.begin(), values.end(),
                                                       [](const KernelValue& value) { return value.is_number(); });
      if (!is_known) {
        out[w].reset();
        machine_.note("A window whose index depends on data is assumed to move at each step.");
        continue;
      }
      if (!out[w]) out[w].emplace();
      out[w]->clear();
      for (const KernelValue& value : values) out[w]->push_back(value.number);
      note_block(w, before[w], out[w]);
    }
    return absl::OkStatus();
  }

  // The index of a window that was computed before runs the same code again.
  void repeat_runs(std::size_t w) {
    for (std::size_t i = first_event_[w]; i < end_event_[w]; ++i) {
      const KernelEvent event = run_.events[i];
      if (event.kind == KernelEvent::Kind::kRun) run_.regions[event.index].runs += 1;
      run_.events.push_back(event);
    }
  }

  // Counts a block that no step before had.
  void note_block(std::size_t w, const BlockIndex& before, const BlockIndex& now) {
    if (!now || before == now) return;
    if (seen_[w].insert(*now).second) run_.windows[w].blocks += 1;
  }

  static bool changes(std::uint32_t w, const std::vector<BlockIndex>& now, const std::vector<BlockIndex>& next) {
    return !now[w] || !next[w] || *now[w] != *next[w];
  }

  bool start_read(std::uint32_t w) {
    const KernelWindow& window = program_.windows[w];
    if (!window.has_index || program_.arrays[window.array].is_output) return false;
    start(w);
    return true;
  }

  // Windows have the semaphores 1, 2, ...; those of the kernel begin at 2^16.
  void start(std::uint32_t w) {
    run_.windows[w].moves += 1;
    run_.events.push_back({KernelEvent::Kind::kStart, w, w + 1});
  }
  void wait(std::uint32_t w) { run_.events.push_back({KernelEvent::Kind::kWait, 0, w + 1}); }

  const KernelProgram& program_;
  KernelRun& run_;
  Follow follow_;
  std::int64_t most_steps_;
  KernelMachine machine_;
  std::vector<std::int64_t> grid_;
  std::vector<KernelValue> arguments_;
  std::vector<KernelValue> index_arguments_;  // of the functions that compute indices
  std::optional<std::size_t> split_;
  // By window: see dimensions_of, and the events of the last time that its index was computed.
  std::vector<std::size_t> dimensions_;
  std::vector<std::size_t> first_event_;
  std::vector<std::size_t> end_event_;
  std::vector<absl::flat_hash_set<std::vector<std::int64_t>>> seen_;  // block indices, by window
};

// Whether the body has products and none of them runs. Then what is assumed about its data is wrong.
bool skips_all_products(const KernelRun& run) {
  bool has_products = false;
  for (const KernelRegion& region : run.regions) {
    if (region.work.matrix.empty()) continue;
    if (region.runs > 0) return false;
    has_products = true;
  }
  return has_products;
}

void forget_events(KernelRun& run) {
  run.events.clear();
  run.transfers.clear();
  run.windows.clear();
  for (KernelRegion& region : run.regions) region.runs = 0;
}

}  // namespace

std::int64_t instruction_limit(InstructionView call) {
  const ShapeTable& table = call.module().shapes();
  double bytes = 0;
  const auto add = [&](ShapeId id) {
    for (const ShapeId leaf : table.leaves(id)) {
      if (!table[leaf].is_array()) continue;
      bytes += static_cast<double>(ir::element_count(table[leaf])) * bits(table[leaf].element_type) / 8;
    }
  };
  for (InstructionView operand : call.operands()) add(operand.shape_id());
  add(call.shape_id());
  return static_cast<std::int64_t>(std::min(kInstructions + kInstructionsPerByte * bytes, kMostInstructions));
}

namespace {

// A kernel that is read and whose data are known or assumed. It can be followed any number of times.
class Body {
 public:
  // Errors: those of read_kernel().
  static absl::StatusOr<std::unique_ptr<const Body>> read(InstructionView call, const ReadKernelOptions& options) {
    auto body = std::make_unique<Body>();
    body->bytes_ = kernel_body(call);
    absl::StatusOr<mlir::Module> module = read_body(body->bytes_);
    if (!module.ok()) return module.status();
    body->module_ = *std::move(module);
    body->code_.emplace(body->module_);
    absl::StatusOr<KernelProgram> program = read_program(call, *body->code_);
    if (!program.ok()) return program.status();
    body->program_ = *std::move(program);
    body->most_instructions_ = options.most_instructions.value_or(instruction_limit(call));
    body->has_lists_ = !options.lists.empty();
    body->is_idle_ = options.is_idle;
    body->checks_bounds_ = checks_bounds(call);
    const auto probe = [&](const PrefetchedData& data) {
      KernelRun scratch;
      scratch.regions = body->code_->regions;
      Pipeline pipeline = body->pipeline(data, UnknownBranches::kExpected, Follow::kBody, scratch);
      return pipeline.run().ok() ? pipeline.reach() : std::vector<BufferReach>();
    };
    absl::StatusOr<PrefetchedData> data = prefetched_data(
        body->program_, *body->code_, lists_of(call, body->program_.name, options.lists), probe, options.is_idle);
    if (!data.ok()) return data.status();
    body->data_ = *std::move(data);
    return body;
  }

  // Errors: those of read_kernel().
  absl::StatusOr<KernelRun> follow(UnknownBranches branches) const {
    KernelRun run;
    run.name = program_.name;
    run.window_vmem_bytes = program_.window_vmem_bytes;
    run.scratch_vmem_bytes = program_.scratch_vmem_bytes;
    run.regions = code_->regions;
    if (!checks_bounds_) {
      for (KernelRegion& region : run.regions) region.work.checked_transfers = 0;
    }
    run.unknown_ops = code_->unknown_ops;
    run.grid = data_.grid;
    run.covered = data_.covered;
    if (!is_idle_) run.most_work = std::max(1.0, data_.most_trips);
    if (const absl::Status status = pipeline(data_, branches, Follow::kBody, run).run(); !status.ok()) {
      forget_events(run);
      if (!pipeline(data_, branches, Follow::kWindowsOnly, run).run().ok()) return status;
      run.failure = std::string(status.message());
      return run;
    }
    if (branches == UnknownBranches::kExpected && !has_lists_ && !is_idle_ && skips_all_products(run)) {
      return absl::InvalidArgumentError(
          "none of its matrix products runs with what is assumed about its data; --kernel states the data");
    }
    run.assumptions.insert(run.assumptions.begin(), data_.assumptions.begin(), data_.assumptions.end());
    if (program_.runs_on_sparse_core) {
      for (KernelRegion& region : run.regions) region.work.vector.clear();
      run.assumptions.push_back("The vector work of a SparseCore is not counted.");
    }
    return run;
  }

 private:
  Pipeline pipeline(const PrefetchedData& data, UnknownBranches branches, Follow follow, KernelRun& run) const {
    return Pipeline(program_, *code_, data, branches, most_instructions_, follow, run);
  }

  std::string bytes_;  // which module_ refers to
  mlir::Module module_;
  std::optional<KernelCode> code_;
  KernelProgram program_;
  PrefetchedData data_;
  std::int64_t most_instructions_ = 0;
  bool has_lists_ = false;
  bool is_idle_ = false;
  bool checks_bounds_ = true;
};

// What the calls that share the work of one of them do if each has all of it.
struct Sharing {
  std::size_t worker = 0;  // the call that does the work: the one that does the least of those that reach all rows
  double most = 0;         // how many times as much work another of them does
};

// Whether the work goes to one call or another depends on data. nullopt if they do not share it.
std::optional<Sharing> sharing_of(const std::vector<InstructionView>& calls, const ReadKernelOptions& options) {
  std::vector<double> weights;
  for (const InstructionView call : calls) {
    const auto body = Body::read(call, options);
    if (!body.ok()) return std::nullopt;
    const absl::StatusOr<KernelRun> run = (*body)->follow(UnknownBranches::kExpected);
    if (!run.ok() || !run->failure.empty() || !run->covered) return std::nullopt;
    weights.push_back(*run->covered < kCoversAll ? 0 : weight_of(*run));
  }
  std::optional<Sharing> sharing;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    if (!sharing) sharing.emplace().worker = i;
    if (weights[i] < weights[sharing->worker]) sharing->worker = i;
  }
  for (std::size_t i = 0; sharing && i < weights.size(); ++i) {
    if (i != sharing->worker) sharing->most = std::max(sharing->most, weights[i] / weights[sharing->worker]);
  }
  return sharing;
}

// Bounds of the work of `run`, what `body` is expected to do: if each branch and each loop that depends on data does as
// little as it can, and if products take only the parts of their buffers that are filled. What is expected of a branch
// or a loop is also the most that it does, if it has an end.
void set_bounds(const Body& body, KernelRun& run) {
  if (!run.failure.empty()) return;
  const double expected = weight_of(run);
  if (expected <= 0) return;
  if (run.has_unknown_branch || run.has_unknown_loop) {
    absl::StatusOr<KernelRun> least = body.follow(UnknownBranches::kLeast);
    if (least.ok() && least->failure.empty()) run.least = std::make_shared<const KernelRun>(*std::move(least));
  }
  // A loop without work does not matter.
  run.has_unknown_loop =
      run.has_unknown_loop && run.least != nullptr && weight_of(*run.least) < expected * (1 - kNegligible);
  absl::flat_hash_map<std::uint32_t, double> spare;  // by buffer
  for (const KernelTransfer& transfer : run.transfers) {
    const auto [entry, is_new] = spare.emplace(transfer.buffer, transfer.spare);
    if (!is_new) entry->second = std::min(entry->second, transfer.spare);
  }
  double idle = 0;
  for (const KernelRegion& region : run.regions) {
    double most = 1;
    for (const auto* buffers : {&region.buffers, &region.late_buffers}) {
      for (const std::uint32_t buffer : *buffers) {
        if (const auto found = spare.find(buffer); found != spare.end()) most = std::max(most, found->second);
      }
    }
    if (!region.work.matrix.empty()) idle += region.runs * weight_of(region.work) * (1 - 1 / most);
  }
  if (idle <= 0) return;
  run.least_work = std::max(0.0, run.least_work - idle / expected);
  run.assumptions.push_back("Products are assumed to take all of a buffer, also where the array fills a part of it.");
}

absl::StatusOr<KernelRun> read_with_bounds(InstructionView call, const ReadKernelOptions& options) {
  const auto body = Body::read(call, options);
  if (!body.ok()) return body.status();
  absl::StatusOr<KernelRun> run = (*body)->follow(UnknownBranches::kExpected);
  if (run.ok()) set_bounds(**body, *run);
  return run;
}

}  // namespace

absl::StatusOr<KernelRun> read_kernel(InstructionView call, const ReadKernelOptions& options) {
  const std::vector<InstructionView> calls = partition_of(call);
  const bool are_stated = std::any_of(calls.begin(), calls.end(), [&](InstructionView one) {
    return !lists_of(one, kernel_name(one), options.lists).empty();
  });
  const std::optional<Sharing> sharing = are_stated || calls.empty() ? std::nullopt : sharing_of(calls, options);
  if (!sharing) return read_with_bounds(call, options);
  ReadKernelOptions own = options;
  own.is_idle = calls[sharing->worker] != call;
  absl::StatusOr<KernelRun> run = read_with_bounds(call, own);
  if (!run.ok()) return run;
  if (!own.is_idle) run->most_work = std::max(run->most_work, sharing->most);
  run->assumptions.push_back(own.is_idle ? "Another call is assumed to do the work that this one shares with it."
                                         : "This call is assumed to do all of the work that it shares with others.");
  return run;
}

std::string kernel_inputs(InstructionView call, const ReadKernelOptions& options) {
  std::string inputs = std::to_string(options.most_instructions.value_or(-1)) + ' ';
  const auto append = [&inputs](std::string_view text) {  // with its length, so that no two lists read alike
    inputs += std::to_string(text.size()) + ' ';
    inputs += text;
  };
  append(call.text(AttributeKey::kBackendConfig));
  append_arguments(call, inputs);
  for (const InstructionView other : partition_of(call)) {
    if (other == call) {
      inputs += "self ";
      continue;
    }
    append(other.text(AttributeKey::kBackendConfig));
    append_arguments(other, inputs);
  }
  if (options.lists.empty()) return inputs;
  append(call.name());  // which lists are about it
  for (const GivenList& list : options.lists) {
    append(list.kernel);
    append(list.operand);
    inputs += std::to_string(list.values.size()) + ' ';
    for (const std::int64_t value : list.values) inputs += std::to_string(value) + ' ';
  }
  return inputs;
}

}  // namespace hloroof::internal::inline kernel
