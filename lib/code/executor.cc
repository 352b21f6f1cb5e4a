#include "lib/code/executor.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/code/scalar_value.h"
#include "lib/code/slot_text.h"
#include "lib/hardware/device_facts.h"

namespace hloroof::internal::inline code {
namespace {

// The word of a transfer's descriptor that has its flag, and the bits of that word that are no flag (v2 and v3).
constexpr std::uint32_t kDescriptorFlag = 7;
constexpr std::uint32_t kNoFlagBits = 7168;

// Words of SMEM, flags and transfers that are kept at most, and results of divisions that are not taken.
constexpr std::size_t kMostKept = 1'000'000;

class Executor {
 public:
  Executor(const CodeProgram& program, const CodeCore& core, std::uint32_t core_id, std::string_view text)
      : program_(program), core_(core), core_id_(core_id), text_(text), transfers_(core) {}

  CodeRun run(std::int64_t most_bundles) {
    find_next();
    enters_.assign(program_.bundles.size() + 1, 0);
    const std::size_t size = program_.bundles.size();
    std::size_t at = 0;
    std::int64_t steps = 0;
    while (at < size && run_.failure.empty()) {
      if (!delay_) {
        pass(at, next_[at]);
        at = next_[at];
        if (at >= size) break;
      }
      if (++steps > most_bundles) {
        fail(absl::StrCat("More than ", format_count(static_cast<double>(most_bundles)),
                          " bundles with scalar instructions run; the loop around bundle ", name_of(at),
                          " may not end."));
        break;
      }
      pass(at, at + 1);
      const bool in_delay = delay_.has_value();
      run_bundle(program_.bundles[at]);
      if (words_.size() + transfers_.kept() + divisions_.size() > kMostKept) {
        fail("The code uses more words of SMEM, flags or transfers at a time than a core can have.");
      }
      ++at;
      if (!delay_) continue;
      if (in_delay) --*delay_;
      if (*delay_ > 0) continue;
      at = target_;
      delay_.reset();
    }
    if (delay_ && run_.failure.empty()) fail("The code ends between a branch and its target.");
    finish();
    return std::move(run_);
  }

 private:
  static std::string name_of(std::size_t bundle) { return absl::StrFormat("0x%x", bundle); }

  void fail(std::string why) {
    if (run_.failure.empty()) run_.failure = std::move(why);
  }
  void fail_transfers(std::string why) {
    if (run_.transfer_failure.empty()) run_.transfer_failure = std::move(why);
  }

  // next_[i] is the first bundle from i on that has scalar instructions.
  void find_next() {
    next_.resize(program_.bundles.size());
    std::size_t next = next_.size();
    for (std::size_t i = next_.size(); i-- > 0;) {
      if (program_.bundles[i].op_count > 0) next = i;
      next_[i] = next;
    }
  }

  // Bundles begin, ..., end - 1 run.
  void pass(std::size_t begin, std::size_t end) {
    ++enters_[begin];
    --enters_[end];
    now_ += static_cast<double>(end - begin);
    run_.busy += static_cast<double>(end - begin);
  }

  CodeValue read(const CodeOperand& operand, std::uint32_t reader) const {
    CodeValue value = CodeValue::unknown(reader);
    switch (operand.kind) {
      case CodeOperand::Kind::kNone:
      case CodeOperand::Kind::kUnknown: return value;
      case CodeOperand::Kind::kNumber: value = CodeValue::of(operand.number); break;
      case CodeOperand::Kind::kScalar:
        value = scalars_[operand.reg];
        if (value.known) value.bits += operand.number;
        break;
      case CodeOperand::Kind::kPredicate: value = predicates_[operand.reg]; break;
    }
    if (!value.known && value.origin == CodeValue::kNoOrigin) value.origin = reader;
    if (value.known && operand.is_negated) value.bits = value.bits == 0 ? 1 : 0;
    return value;
  }

  // An instruction with what it reads. All instructions of a bundle read before any of them writes.
  struct Issued {
    const ScalarOp* op = nullptr;
    std::uint32_t index = 0;
    CodeValue guard = CodeValue::of(1);
    CodeValue otherwise;
    std::array<CodeValue, 3> operands{};
  };

  void run_bundle(const Bundle& bundle) {
    issued_.clear();
    for (std::uint32_t i = bundle.first_op; i < bundle.first_op + bundle.op_count; ++i) {
      const ScalarOp& op = program_.ops[i];
      Issued& issued = issued_.emplace_back();
      issued.op = &op;
      issued.index = i;
      if (op.guard.kind != CodeOperand::Kind::kNone) issued.guard = read(op.guard, i);
      issued.otherwise = op.otherwise.kind != CodeOperand::Kind::kNone ? read(op.otherwise, i) : read(op.result, i);
      for (std::size_t k = 0; k < op.operands.size(); ++k) issued.operands[k] = read(op.operands[k], i);
      if (op.opcode == ScalarOpcode::kLoad) issued.operands[0] = load(issued);
    }
    for (const Issued& issued : issued_) {
      switch (issued.op->kind) {
        case ScalarKind::kValue:
          write_result(issued, issued.op->opcode == ScalarOpcode::kPopDivision ? pop(issued)
                               : issued.op->opcode == ScalarOpcode::kLoad
                                   ? issued.operands[0]
                                   : evaluate(issued.op->opcode, issued.operands, issued.index));
          break;
        case ScalarKind::kEffect: take_effect(issued); break;
        case ScalarKind::kBranch: branch(issued); break;
        case ScalarKind::kNothing: write_result(issued, CodeValue::unknown(issued.index)); break;
      }
    }
  }

  void write_result(const Issued& issued, CodeValue value) {
    const CodeOperand& result = issued.op->result;
    if (issued.op->opcode == ScalarOpcode::kUnread) value = CodeValue::unknown(issued.index);
    if (!issued.guard.is_number()) {
      if (!(value.known && value == issued.otherwise)) value = CodeValue::unknown(issued.guard.origin);
    } else if (issued.guard.bits == 0) {
      value = issued.otherwise;
    }
    if (result.kind == CodeOperand::Kind::kScalar) scalars_[result.reg] = value;
    if (result.kind == CodeOperand::Kind::kPredicate) {
      if (value.known) value.bits = value.bits != 0 ? 1 : 0;
      predicates_[result.reg] = value;
    }
  }

  CodeValue load(const Issued& issued) {
    if (issued.op->loads_core_id) {
      run_.loads_core_id = true;
      return CodeValue::of(core_id_);
    }
    const CodeValue& address = issued.operands[0];
    if (!address.is_number()) return CodeValue::unknown(issued.index);
    const auto found = words_.find(address.bits);
    return found != words_.end() ? found->second : CodeValue::unknown(issued.index);
  }

  CodeValue pop(const Issued& issued) {
    if (issued.guard.is_number() && issued.guard.bits == 0) return CodeValue::unknown(issued.index);
    if (divisions_.empty()) return CodeValue::unknown(issued.index);
    const CodeValue value = divisions_.front();
    divisions_.pop_front();
    return issued.guard.is_number() ? value : CodeValue::unknown(issued.guard.origin);
  }

  void divide(const Issued& issued) {
    const CodeValue& a = issued.operands[0];
    const CodeValue& b = issued.operands[1];
    CodeValue quotient = a.known ? b : a;
    CodeValue remainder = quotient;
    if (a.is_number() && b.is_number() && b.bits != 0) {
      quotient = CodeValue::of(a.bits / b.bits);
      remainder = CodeValue::of(a.bits % b.bits);
    } else if (a.known && b.known) {  // no number, or a division by zero
      quotient = remainder = CodeValue::unknown(issued.index);
    }
    const ScalarOpcode opcode = issued.op->opcode;
    if (opcode != ScalarOpcode::kRemainder && issued.op->keeps_quotient) divisions_.push_back(quotient);
    if (opcode != ScalarOpcode::kDivide && issued.op->keeps_remainder) divisions_.push_back(remainder);
  }

  void take_effect(const Issued& issued) {
    if (issued.guard.is_number() && issued.guard.bits == 0) return;
    const ScalarOpcode opcode = issued.op->opcode;
    if (opcode == ScalarOpcode::kStore) return store(issued);
    if (opcode == ScalarOpcode::kDivideRemainder || opcode == ScalarOpcode::kDivide ||
        opcode == ScalarOpcode::kRemainder) {
      return divide(issued);
    }
    if (!issued.guard.is_number()) return fail_transfers(depends("Whether this runs", issued.index, issued.guard));
    if (opcode == ScalarOpcode::kTransfer) return start(issued);
    const CodeValue& flag = issued.operands[0];
    const CodeValue count = issued.op->operands[1].kind == CodeOperand::Kind::kNone && opcode == ScalarOpcode::kWait
                                ? CodeValue::of(0)
                                : issued.operands[1];
    if (!flag.is_number() || !count.is_number()) {
      return fail_transfers(depends("What this does to a flag", issued.index, flag.is_number() ? count : flag));
    }
    if (opcode == ScalarOpcode::kSetFlag) return transfers_.set_flag(flag.bits, count.bits, now_);
    if (opcode == ScalarOpcode::kAddFlag) return transfers_.add_to_flag(flag.bits, count.bits, now_);
    if (opcode != ScalarOpcode::kWait) return fail_transfers(place(issued.index, "This is not understood"));
    if (!run_.transfer_failure.empty()) return;  // what it waits for may be missing
    const std::optional<double> done = transfers_.wait(flag.bits, count.bits, now_);
    if (!done) {
      return fail_transfers(place(issued.index, "This waits for more than the code's own transfers bring"));
    }
    run_.waiting += *done - now_;
    now_ = *done;
  }

  void store(const Issued& issued) {
    const CodeValue& address = issued.operands[0];
    if (!address.is_number()) {  // any word may have changed
      words_.clear();
      return;
    }
    CodeValue value = issued.operands[1];
    if (!issued.guard.is_number()) value = CodeValue::unknown(issued.guard.origin);
    words_[address.bits] = value;
  }

  void start(const Issued& issued) {
    const CodeTransfer& transfer = program_.transfers[issued.op->target];
    CodeValue flag = CodeValue::unknown(issued.index);
    if (transfer.flag.kind != CodeOperand::Kind::kNone) {
      flag = read(transfer.flag, issued.index);
    } else {
      const CodeValue descriptor = read(transfer.descriptor, issued.index);
      const auto found = descriptor.is_number() ? words_.find(descriptor.bits + kDescriptorFlag) : words_.end();
      if (found != words_.end()) flag = found->second;
      flag.bits &= ~kNoFlagBits;
    }
    double bytes = transfer.bytes;
    double granules = bytes / core_.granule_bytes;
    if (transfer.granules.kind != CodeOperand::Kind::kNone) {
      const CodeValue count = read(transfer.granules, issued.index);
      if (!count.is_number()) return fail_transfers(depends("The size of this transfer", issued.index, count));
      granules = count.bits;
      bytes = granules * core_.granule_bytes;
    }
    if (!flag.is_number()) return fail_transfers(depends("The flag of this transfer", issued.index, flag));
    if (transfer.to == CodeMemory::kSmem) forget(transfer, bytes, issued.index);
    transfers_.start(transfer, bytes, flag.bits, static_cast<std::uint32_t>(std::min(granules, 4294967295.0)), now_);
  }

  // A transfer overwrites words of SMEM with values that the code does not hold.
  void forget(const CodeTransfer& transfer, double bytes, std::uint32_t index) {
    const CodeValue first = read(transfer.destination, index);
    if (!first.is_number()) {
      words_.clear();
      return;
    }
    const double words = bytes / sizeof(std::uint32_t);
    absl::erase_if(words_, [&](const auto& word) {
      return word.first >= first.bits && static_cast<double>(word.first - first.bits) < words;
    });
  }

  void branch(const Issued& issued) {
    if (issued.op->opcode == ScalarOpcode::kUnread) {
      return fail(place(issued.index, "The target of this branch is not understood"));
    }
    if (!issued.guard.is_number()) return fail(depends("Whether this branches", issued.index, issued.guard));
    if (issued.guard.bits == 0) return;
    if (delay_) return fail(place(issued.index, "This branches in the delay slots of another branch"));
    delay_ = core_.delay_slots;
    target_ = issued.op->target;
  }

  // The instruction as the code has it, without comments, and its line.
  std::string quoted(std::uint32_t index) const {
    const std::uint32_t offset = program_.ops[index].offset;
    std::string_view text = text_.substr(std::min<std::size_t>(offset, text_.size()), 120);
    for (const std::string_view end : {" ;;", "/*", "}", "\n"}) text = text.substr(0, text.find(end));
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    std::string line(text);
    make_printable(line);
    return absl::StrCat("`", line, "` in line ", line_column(text_, offset).line);
  }

  std::string place(std::uint32_t index, std::string_view what) const {
    return absl::StrCat(to_absl(what), ": ", quoted(index), ".");
  }

  std::string depends(std::string_view what, std::uint32_t index, const CodeValue& value) const {
    std::string sentence =
        absl::StrCat(to_absl(what), " depends on a value that the code does not hold: ", quoted(index));
    if (value.origin != CodeValue::kNoOrigin && value.origin != index) {
      absl::StrAppend(&sentence, ", which needs the result of ", quoted(value.origin));
    }
    return sentence + ".";
  }

  void finish() {
    run_.runs.resize(program_.bundles.size());
    std::int64_t runs = 0;
    for (std::size_t i = 0; i < run_.runs.size(); ++i) {
      runs += enters_[i];
      run_.runs[i] = runs;
    }
    run_.totals = transfers_.totals();
    run_.draining = std::max(0.0, transfers_.end() - now_);
  }

  const CodeProgram& program_;
  const CodeCore& core_;
  std::uint32_t core_id_ = 0;
  std::string_view text_;
  TransferPipe transfers_;
  CodeRun run_;
  std::vector<std::size_t> next_;
  std::vector<std::int64_t> enters_;   // how often a run of bundles begins at each, less how often one ended before it
  double now_ = 0;                     // cycles
  std::optional<std::int64_t> delay_;  // bundles until the branch that was taken takes effect
  std::size_t target_ = 0;
  std::array<CodeValue, kRegisters> scalars_{};
  std::array<CodeValue, kRegisters> predicates_{};
  absl::flat_hash_map<std::uint32_t, CodeValue> words_;  // of SMEM, those that are known
  std::deque<CodeValue> divisions_;
  std::vector<Issued> issued_;
};

}  // namespace

absl::StatusOr<CodeCore> code_core(const Device& device) {
  const TpuCore* tpu = device.tpu();
  if (tpu == nullptr) {
    return invalid_argument(device.name + " is no TPU; bundles are the code of TPUs");
  }
  const TpuCore::Code& code = tpu->code;
  if (!code.delay_slots || !code.granule || !code.transfer_latency || !device.clock) {
    return invalid_argument("the device file of " + device.name +
                            " lacks clock, code.delay_slots, code.granule or code.transfer_latency, which say what "
                            "a bundle takes");
  }
  CodeCore core;
  core.clock = *device.clock;
  core.delay_slots = *code.delay_slots;
  core.granule_bytes = *code.granule;
  core.cores = std::max<std::int64_t>(1, device.cores_per_chip / std::max<std::int64_t>(1, device.devices_per_chip));
  const double share = 1 / (core.clock * static_cast<double>(core.cores));  // bytes a cycle of one core
  const auto hbm_rate = [&](const Fact<double>& efficiency) {
    return device.hbm.bandwidth * (efficiency ? *efficiency : device.hbm.efficiency) * share;
  };
  core.hbm_rate = hbm_rate(Fact<double>());
  core.read_rate = hbm_rate(device.hbm.read_efficiency);
  core.write_rate = hbm_rate(device.hbm.write_efficiency);
  core.turn = turning_share(core.hbm_rate, core.read_rate, core.write_rate);
  core.vmem_rate = std::min(tpu->on_chip.vmem_read_bandwidth, tpu->on_chip.vmem_write_bandwidth) * share;
  core.latency = *code.transfer_latency * core.clock;
  return core;
}

CodeRun run_code(const CodeProgram& program, const CodeCore& core, std::uint32_t core_id, std::string_view text,
                 std::int64_t most_bundles) {
  return Executor(program, core, core_id, text).run(most_bundles);
}

}  // namespace hloroof::internal::inline code
