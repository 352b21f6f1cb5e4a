#include "lib/explain/explain.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/explain/find_instruction.h"
#include "lib/explain/kernel_rows.h"
#include "lib/explain/op_code.h"
#include "lib/explain/terms_view.h"
#include "lib/ir/element_type.h"
#include "lib/results/fold.h"
#include "lib/results/rows.h"
#include "lib/schedule/async_pairs.h"
#include "lib/step/execution_terms.h"
#include "lib/step/facts.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline explain {
namespace {

// Maximum number of tuple leaves to explain in full.
constexpr std::size_t kMaxLeaves = 4;

constexpr std::size_t kWidestKey = 12;

constexpr std::size_t kMostAdvice = 6;

constexpr std::size_t kMostProducts = 8;

const char* matrix_type_name(MatrixType type) {
  switch (type) {
    case MatrixType::kF64: return "f64";
    case MatrixType::kF32: return "f32";
    case MatrixType::kF32Highest: return "f32 (highest precision)";
    case MatrixType::kTf32: return "tf32";
    case MatrixType::kF16: return "f16";
    case MatrixType::kF8: return "f8";
    case MatrixType::kF4: return "f4";
    case MatrixType::kS8: return "s8";
    case MatrixType::kS4: return "s4";
    default: return "bf16";
  }
}

constexpr double kWorthPadding = 1.01;  // padded bytes by logical bytes that a short explanation mentions

constexpr double kAtItsRoof = 0.85;  // share of the nominal peak

class Explanation {
 public:
  Explanation(InstructionView instruction, const StepPrediction& prediction, std::size_t width)
      : module_(instruction.module()),
        instruction_(instruction),
        device_(prediction.facts->target.device),
        prediction_(prediction),
        collectives_(prediction.facts->collectives),
        width_(width) {
    for (const OpPrediction& op : prediction.ops) {
      if (op.id == instruction.id()) op_ = &op;
    }
  }

  std::string run() {
    header();
    shapes();
    if (op_ != nullptr) {
      work();
      kernel();
      code();
      time();
      terms();
      advice();
    } else {
      out_ += "\nIt is not executed on its own: its work belongs to what calls its computation.\n";
    }
    collective();
    return std::move(out_);
  }

  // What fits into a small window: no operands, no formulas, no advice.
  std::string run_short() {
    line("opcode", std::string(instruction_.opcode_text()) + (op_ != nullptr ? ", category " + op_->category : ""));
    const absl::Span<const ShapeId> leaves = module_.shapes().leaves(instruction_.shape_id());
    if (leaves.size() == 1) {
      out_ += explain_shape(module_.shape(leaves[0]), device_.family(), 2);
    } else {
      const auto largest = std::max_element(leaves.begin(), leaves.end(), [&](ShapeId a, ShapeId b) {
        return padded_bytes(module_.shape(a)) < padded_bytes(module_.shape(b));
      });
      line("result", absl::StrFormat("a tuple of %d arrays", leaves.size()) +
                         (largest == leaves.end() ? "" : ", the largest " + to_string(module_.shapes(), *largest)));
    }
    if (op_ == nullptr) {
      out_ += "  It is not executed on its own: its work belongs to what calls its computation.\n";
      return std::move(out_);
    }
    if (op_->executions != 1) line("runs", format_count(op_->executions) + " times in a step");
    if (op_->seconds > 0 || op_->exposed_seconds > 0) {
      line("time", format_seconds(op_->seconds) + ", bound by " + bound_text(*op_, prediction_.family) + " at " +
                       format_percent(op_->efficiency) + " of its peak");
      const std::string terms = main_terms(execution_terms(*prediction_.facts, op_->id), 3);
      if (!terms.empty()) line("terms", terms);
      in_the_step();
    } else {
      line("time", "none of its own");
    }
    if (op_->work->padded_bytes > kWorthPadding * op_->work->logical_bytes) padding();
    if (!op_->op_name.empty()) line("op_name", op_->op_name);
    source_line();
    return std::move(out_);
  }

 private:
  void line(std::string_view key, const std::string& text) {
    out_ += absl::StrFormat("  %-12s ", std::string(key)) + wrap(text, width_, 15) + "\n";
  }

  void header() {
    PrintOptions print;
    print.metadata = false;
    print.backend_config = false;
    out_ += wrap(print_instruction(instruction_, print), width_, 4) + "\n\n";
    line("opcode", std::string(instruction_.opcode_text()) + (op_ != nullptr ? ", category " + op_->category : ""));
    line("computation", std::string(instruction_.computation().name()));
    if (op_ == nullptr) return;
    if (op_->executions != 1) line("runs", format_count(op_->executions) + " times in a step");
    if (!op_->op_name.empty()) line("op_name", op_->op_name);
    source_line();
  }

  void source_line() {
    if (op_->source_file.empty()) return;
    line("source", op_->source_file + (op_->source_line > 0 ? absl::StrFormat(":%d", op_->source_line) : ""));
  }

  void shapes() {
    out_ += "\nResult\n";
    shape(instruction_.shape_id());
    for (std::size_t i = 0; i < instruction_.operand_count(); ++i) {
      if (i == 8 && instruction_.operand_count() > 10) {
        out_ += absl::StrFormat("[%d more operands]\n", instruction_.operand_count() - i);
        break;
      }
      out_ += absl::StrFormat("Operand %d, %%%s\n", i, std::string(instruction_.operand(i).name()));
      shape(instruction_.operand(i).shape_id());
    }
  }

  void shape(ShapeId id) {
    const absl::Span<const ShapeId> leaves = module_.shapes().leaves(id);
    const bool is_tuple = module_.shape(id).is_tuple();
    if (is_tuple) out_ += absl::StrFormat("  a tuple of %d arrays\n", leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (is_tuple && i == kMaxLeaves) {
        out_ += absl::StrFormat("  [%d more]\n", leaves.size() - i);
        return;
      }
      out_ += "  " + wrap(to_string(module_.shapes(), leaves[i]), width_, 2);
      const bool is_new = std::find(explained_.begin(), explained_.end(), leaves[i].index) == explained_.end();
      if (!is_new) {
        out_ += " (as above)\n";
        continue;
      }
      explained_.push_back(leaves[i].index);
      out_ += "\n" + explain_shape(module_.shape(leaves[i]), device_.family(), 4);
    }
  }

  void work() {
    const Work& work = op_->work;
    if (work.padded_bytes == 0 && work.flops == 0 && op_->seconds == 0) {
      out_ += "\nIt moves and computes nothing of its own.\n";
      return;
    }
    out_ += "\nWork of one execution\n";
    if (work.flops > 0)
      line("flops",
           absl::StrFormat("%s, of which %s on the %s", format_flops(work.flops), format_flops(work.matrix_flops),
                           std::string(to_string(Resource::kMatrix, prediction_.family))));
    if (work.transcendentals > 0) line("transc.", format_count(work.transcendentals) + " transcendental results");
    products();
    const auto bytes = [&](std::string_view key, double read, double written) {
      if (read + written > 0) line(key, format_bytes(read) + " read, " + format_bytes(written) + " written");
    };
    bytes("HBM", work.read.hbm, work.written.hbm);
    if (work.read_again > 0) line("", format_bytes(work.read_again) + " read again, for windows that come back");
    if (work.between_kernels > 0 && prediction_.family == DeviceFamily::kGpu) {
      line("", format_bytes(work.between_kernels) + " moved again, between the kernels of the library");
    }
    bytes(to_string(Resource::kVmem, prediction_.family), work.read.vmem, work.written.vmem);
    if (work.tiles.exchanged > 0 && prediction_.family == DeviceFamily::kGpu) {
      line("shared", format_count(work.tiles.exchanged) + " elements pass between threads in shared memory:");
      line("", "a dimension of one lies inside the tile that is reduced");
    }
    bytes("host", work.read.host, work.written.host);
    if (op_->time->wire_bytes > 0) line("wire", format_bytes(op_->time->wire_bytes) + " sent by each device");
    padding();
  }

  void padding() {
    const Work& work = op_->work;
    if (work.padded_bytes <= work.logical_bytes || work.logical_bytes <= 0) return;
    line("padding",
         absl::StrFormat("%s of these bytes are tile padding (%.2fx)",
                         format_bytes(work.padded_bytes - work.logical_bytes), work.padded_bytes / work.logical_bytes));
  }

  // The products of different shapes. A kernel may have many, of which the largest are listed.
  void products() {
    std::vector<MatrixWork> products;
    for (const MatrixWork& product : op_->work->matrix) {
      if (!product.is_shape_known) continue;
      const auto same = std::find_if(products.begin(), products.end(), [&](const MatrixWork& other) {
        return op_->work->kernel != nullptr && other.m == product.m && other.n == product.n && other.k == product.k &&
               other.lhs == product.lhs && other.rhs == product.rhs && other.passes == product.passes;
      });
      if (same == products.end()) {
        products.push_back(product);
      } else {
        same->batch += product.batch;
        same->flops += product.flops;
      }
    }
    if (products.size() > kMostProducts) {
      std::stable_sort(products.begin(), products.end(),
                       [](const MatrixWork& a, const MatrixWork& b) { return a.flops > b.flops; });
    }
    for (std::size_t i = 0; i < products.size() && i < kMostProducts; ++i) product_lines(products[i]);
    if (products.size() > kMostProducts) line("", absl::StrFormat("[%d more]", products.size() - kMostProducts));
  }

  void product_lines(const MatrixWork& product) {
    std::string text;
    if (product.batch > 1) text += format_count(product.batch) + " times ";
    text += absl::StrFormat("%s[%.0f x %.0f] by %s[%.0f x %.0f]: 2 x %.0f x %.0f x %.0f",
                            std::string(to_string(product.lhs)), product.m, product.k,
                            std::string(to_string(product.rhs)), product.k, product.n, product.m, product.n, product.k);
    if (product.batch > 1) text += absl::StrFormat(" x %.0f", product.batch);
    text += " = " + format_flops(2 * product.m * product.n * product.k * product.batch, 4);
    if (product.passes > 1) text += absl::StrFormat(", in %d passes", product.passes);
    line("product", text);
    if (device_.tpu() == nullptr) return;
    const ProductSize padded = padded_size(product, device_.tpu()->vector);
    if (padded.m > product.m || padded.n > product.n || padded.k > product.k) {
      line("", absl::StrFormat("the tiles that the arrays lie in make it 2 x %.0f x %.0f x %.0f", padded.m, padded.n,
                               padded.k));
    }
  }

  void kernel() {
    const std::optional<KernelRow> kernel = kernel_row(prediction_, *op_);
    if (kernel) out_ += "\nKernel\n" + explain_kernel(*kernel, width_);
  }

  void code() {
    if (const std::optional<CodeRow> row = op_code(prediction_, *op_)) {
      out_ += "\n" + explain_code(prediction_, *row, width_);
    }
  }

  // Returns the roof: the time of the resource at its nominal peak. Empty if that is not a single division.
  std::string roof(Resource resource) const {
    const Work& work = op_->work;
    if (resource == Resource::kMatrix) {
      std::optional<ProductPeak<double>> common;
      for (const MatrixWork& product : work.matrix) {
        const std::optional<ProductPeak<double>> peak = product_peak(product, device_);
        if (!peak || (common && common->rate != peak->rate)) return "";
        common = peak;
      }
      if (!common || work.matrix_flops <= 0) return "";
      return absl::StrFormat("%s / %s %s peak = %s", format_flops(work.matrix_flops, 4),
                             format_rate(common->rate, "flop/s"), matrix_type_name(common->type),
                             format_seconds(work.matrix_flops / common->rate));
    }
    if (resource == Resource::kHbm && device_.hbm.bandwidth > 0) {
      const double bytes = work.read.hbm + work.written.hbm;
      return absl::StrFormat("%s / %s = %s at the nominal bandwidth", format_bytes(bytes),
                             format_rate(device_.hbm.bandwidth, "B/s"), format_seconds(bytes / device_.hbm.bandwidth));
    }
    return "";
  }

  void time() {
    if (op_->seconds <= 0 && op_->exposed_seconds <= 0) return;
    out_ += "\nTime of one execution on " + device_.display_name + "\n";
    double next = 0;
    std::string_view next_name;
    for (int r = 0; r < kResourceCount; ++r) {
      const auto resource = static_cast<Resource>(r);
      const double seconds = op_->time->resources[resource];
      if (seconds <= 0) continue;
      std::string text = format_seconds(seconds);
      if (const std::string at_peak = roof(resource); !at_peak.empty()) text += "   " + at_peak;
      line(to_string(resource, prediction_.family), text);
      if (resource != op_->time->bound && resource != Resource::kLatency && seconds > next) {
        next = seconds;
        next_name = to_string(resource, prediction_.family);
      }
    }
    line("together", format_seconds(op_->seconds) + ", bound by " + bound_text(*op_, prediction_.family) + " at " +
                         format_percent(op_->efficiency) + " of its peak");
    if (next > 0 && !next_name.empty()) {
      // If the bounding resource were free, the next one would limit. The overhead remains unless it was the bound.
      const double without = next + (op_->time->bound == Resource::kLatency ? 0 : op_->time->overhead);
      line("next roof",
           std::string(next_name) + " at " + format_seconds(next) +
               (op_->seconds > without ? absl::StrFormat(": %.2fx faster if %s were free", op_->seconds / without,
                                                         bound_text(*op_, prediction_.family))
                                       : ""));
    }
    in_the_step();
    if (op_->source == CostSource::kCode) {
      line("source", "the cycles of the compiler's final code");
    } else if (op_->source != CostSource::kModel) {
      line("source", "part of this is " + std::string(op_->source == CostSource::kUnknown   ? "not known"
                                                      : op_->source == CostSource::kAssumed ? "assumed"
                                                      : op_->source == CostSource::kUser    ? "given by you"
                                                                                         : "the compiler's estimate"));
    }
  }

  // Work, overhead and waits add up to the time in the step.
  void in_the_step() {
    std::string text = format_seconds(op_->exposed_seconds);
    if (prediction_.step_seconds > 0) text += ", " + format_percent(op_->exposed_seconds / prediction_.step_seconds);
    const double own = op_->exposed_seconds - op_->wait_seconds;
    if (op_->wait_seconds > 0) {
      text += ": " + format_seconds(op_->wait_seconds) + " wait, " + format_seconds(own - op_->overhead_seconds) +
              " work, " + format_seconds(op_->overhead_seconds) + " overhead";
    }
    line("in the step", text);
    for (const TransferWait& wait : op_->waits) {
      line("waits for", wait.name + " (" + wait.limit + "): " + format_seconds(wait.seconds) + queued(wait));
    }
    const Demand& demand = prediction_.facts->costs.demand[op_->id.index];
    if (demand.held > 0) {
      line("start", "ends after " + format_percent(demand.held / demand.seconds) +
                        " of the collective, the first step of its ring; other work can hide the rest");
    }
    waited_for();
  }

  static std::string queued(const TransferWait& wait) {
    if (wait.queued_behind == 0) return "";
    return absl::StrFormat(", of which it queued %s behind %d other transfer%s", format_seconds(wait.queued_seconds),
                           wait.queued_behind, wait.queued_behind == 1 ? "" : "s");
  }

  // The ops that wait for this transfer, or for others that queue behind it.
  void waited_for() {
    double seconds = 0;
    double of_others = 0;
    InstructionId at;
    double most = 0;
    for (const Wait& wait : prediction_.facts->timeline.waits) {
      if (wait.cause != op_->id) continue;
      seconds += wait.seconds;
      if (wait.awaited != op_->id) of_others += wait.seconds;
      if (wait.seconds <= most) continue;
      most = wait.seconds;
      at = wait.op;
    }
    if (seconds <= 0) return;
    std::string text = format_seconds(seconds) + " of the step wait for this transfer";
    if (of_others > 0) text += ", " + format_seconds(of_others) + " of them in transfers that queue behind it";
    if (at.valid() && at != op_->id) text += "; most at " + std::string(module_.instruction(at).name());
    line("exposed", text);
  }

  // Lists the terms of the seconds and the sources of the device parameters in them.
  void terms() {
    const Term term = execution_terms(*prediction_.facts, op_->id);
    if (term.seconds <= 0) return;
    out_ += "\nTerms of one execution\n" + terms_table(term, width_);
    const std::string numbers = parameters_table(term, device_, width_);
    out_ += "\nNumbers of the device in them\n" + numbers;
  }

  void collective() {
    bool any = false;
    const auto half = collectives_.slice_halves.find(instruction_.id().index);
    const InstructionId other = half == collectives_.slice_halves.end() ? InstructionId() : half->second;
    for (std::size_t c = 0; c < collectives_.collectives.size(); ++c) {
      const Collective& collective = collectives_.collectives[c];
      if (collective.carrier != instruction_.id() && collective.carrier != other &&
          collective.instruction != instruction_.id() && collective.done != instruction_.id()) {
        continue;
      }
      any = true;
      out_ += "\nCollective\n";
      list(explain_collective(module_, collective, collectives_.roles[c], collectives_.costs[c], collectives_.mesh,
                              collectives_.mapping, device_));
      for (const CollectivePrediction& predicted : prediction_.collectives) {
        if (predicted.id != collective.carrier || predicted.seconds > 0 || predicted.wire_bytes <= 0) continue;
        list({"counted: " + predicted.algorithm + ", and costs nothing of its own"});
      }
    }
    for (const GradientExchange& exchange : collectives_.exchanges) {
      if (exchange.after != instruction_.id() && exchange.between.instruction != instruction_.id()) continue;
      any = true;
      out_ += "\nExchange of the copies\n";
      list(explain_collective(module_, exchange.between, AxisRole::kData, exchange.cost, collectives_.mesh,
                              collectives_.mapping, device_));
    }
    if (!any) return;
    out_ += "\nMesh\n";
    list(explain_mesh(collectives_.mesh, collectives_.mapping));
  }

  // Lists the diagnostics of the instruction and of the other half of its transfer, and dimension orders with less
  // padding.
  void advice() {
    if (op_->total_seconds <= 0 && op_->exposed_seconds <= 0) return;
    std::vector<std::string> lines;
    std::set<std::string> names = {op_->name};
    for (const CollectivePrediction& collective : prediction_.collectives) {
      if (collective.id == op_->id) names.insert(collective.name);
    }
    if (async_role(instruction_) == AsyncRole::kDone && instruction_.operand_count() > 0) {
      names.emplace(instruction_.operand(0).name());
    }
    for (const Diagnostic& diagnostic : prediction_.diagnostics) {
      const bool is_one = std::any_of(diagnostic.ops.begin(), diagnostic.ops.end(),
                                      [&](const std::string& name) { return names.count(name) > 0; });
      if (!is_one) continue;
      std::string text = "[" + std::string(to_string(diagnostic.code)) + "] ";
      if (diagnostic.seconds_at_stake && *diagnostic.seconds_at_stake > 0) {
        text += format_seconds(*diagnostic.seconds_at_stake) + " at stake";
        if (diagnostic.ops.size() > 1) text += absl::StrFormat(" in %d ops like it", diagnostic.ops.size());
        text += ": ";
      }
      lines.push_back(text + diagnostic.message);
    }
    const auto shape = [&](std::string_view what, ShapeId id) {
      for (ShapeId leaf : module_.shapes().leaves(id)) {
        const std::string better = padding_advice(module_.shape(leaf));
        if (!better.empty()) lines.push_back(std::string(what) + ": " + better);
      }
    };
    shape("the result", instruction_.shape_id());
    for (std::size_t i = 0; i < instruction_.operand_count() && lines.size() < kMostAdvice; ++i) {
      shape("%" + std::string(instruction_.operand(i).name()), instruction_.operand(i).shape_id());
    }
    if (lines.empty() && op_->efficiency >= kAtItsRoof) {
      lines.push_back(absl::StrFormat("it attains %s of the %s's peak: only less work there would make it faster",
                                      format_percent(op_->efficiency), bound_text(*op_, prediction_.family)));
    }
    if (lines.empty()) return;
    out_ += "\nWhat would help\n";
    for (const std::string& text : lines) out_ += "  " + wrap(text, width_, 4) + "\n";
  }

  // Writes lines of the form "key: text", or without a key.
  void list(const std::vector<std::string>& lines) {
    for (const std::string& text : lines) {
      const std::size_t colon = text.find(": ");
      const bool has_key = text[0] != ' ' && colon != std::string::npos && colon <= kWidestKey;
      line(has_key ? text.substr(0, colon) : "", text.substr(has_key ? colon + 2 : text.find_first_not_of(' ')));
    }
  }

  const Module& module_;
  InstructionView instruction_;
  const Device& device_;
  const StepPrediction& prediction_;
  const CollectiveCosts& collectives_;
  std::size_t width_;
  const OpPrediction* op_ = nullptr;
  std::vector<std::uint32_t> explained_;  // shapes already explained
  std::string out_;
};

}  // namespace

absl::StatusOr<InstructionView> find_op(const StepPrediction& prediction, std::string_view name) {
  std::map<std::uint32_t, int> preferences;  // ops that take time, then others that are executed
  for (const OpPrediction& op : prediction.ops) preferences[op.id.index] = takes_time(op) ? 2 : 1;
  return find_instruction(*prediction.facts->module, name, [&](InstructionId id) {
    const auto found = preferences.find(id.index);
    return found != preferences.end() ? found->second : 0;
  });
}

absl::StatusOr<std::string> explanation_text(const StepPrediction& prediction, std::string_view name,
                                             std::size_t width) {
  const absl::StatusOr<InstructionView> instruction = find_op(prediction, name);
  if (!instruction.ok()) return instruction.status();
  return Explanation(*instruction, prediction, width).run();
}

std::string explain_shortly(const StepPrediction& prediction, InstructionView instruction, std::size_t width) {
  return Explanation(instruction, prediction, width).run_short();
}

}  // namespace hloroof::internal::inline explain
