#include "lib/code/read_bundles.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/base/error_place.h"
#include "lib/base/strings.h"
#include "lib/code/slot_text.h"

namespace hloroof::internal::inline code {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool begins(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

void count(std::uint8_t& counter) {
  if (counter < std::numeric_limits<std::uint8_t>::max()) ++counter;
}

CodeMemory memory_of(std::string_view name) {
  if (name == "hbm") return CodeMemory::kHbm;
  if (name == "vmem") return CodeMemory::kVmem;
  if (name == "smem") return CodeMemory::kSmem;
  return CodeMemory::kOther;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  // file ::= ( bundle | any other line )*
  absl::StatusOr<CodeProgram> read() {
    if (text_.size() > std::numeric_limits<std::uint32_t>::max())
      return invalid_argument(path_ + ": larger than 4 GiB");
    while (at_ < text_.size()) {
      if (const std::optional<std::uint64_t> number = bundle_number()) {
        if (absl::Status status = read_bundle(*number); !status.ok()) return status;
      }
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    }
    if (program_.bundles.empty()) {
      return error(0, "no bundle of instructions; this is not a file *-packed-bundles-post-ra.txt of libtpu's dump");
    }
    for (const ScalarOp& op : program_.ops) {
      if (op.opcode == ScalarOpcode::kBranch && op.target >= program_.bundles.size()) {
        return error(op.offset, absl::StrCat("the branch goes to bundle ", op.target, ", but the last one is ",
                                             program_.bundles.size() - 1, "; the file may be cut off"));
      }
    }
    program_.unread.assign(unread_.begin(), unread_.end());
    return std::move(program_);
  }

 private:
  absl::Status error(std::size_t offset, std::string_view message) const {
    return located_error(path_, text_, offset, message);
  }

  // head   ::= blanks number label? ':' blanks '>'* blanks '{'
  // number ::= '0' | '0x' [0-9a-f]+
  // label  ::= [A-Z] [A-Z]
  //
  // Moves behind the brace. Nullopt, and no move, if the line is none of these.
  std::optional<std::uint64_t> bundle_number() {
    std::size_t at = at_;
    const auto skip = [&](std::string_view set) {
      while (at < text_.size() && set.find(text_[at]) != std::string_view::npos) ++at;
    };
    skip(" \t");
    if (at >= text_.size() || text_[at] != '0') return std::nullopt;
    ++at;
    std::uint64_t number = 0;
    if (at < text_.size() && text_[at] == 'x') {
      const std::size_t digits = ++at;
      for (; at < text_.size() && at - digits < 12; ++at) {
        const char c = text_[at];
        if (c >= '0' && c <= '9') {
          number = number * 16 + static_cast<std::uint64_t>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
          number = number * 16 + static_cast<std::uint64_t>(c - 'a') + 10;
        } else {
          break;
        }
      }
      if (at == digits) return std::nullopt;
    }
    skip(" \t");
    if (at + 1 < text_.size() && is_upper(text_[at]) && is_upper(text_[at + 1])) at += 2;
    skip(" \t");
    if (at >= text_.size() || text_[at] != ':') return std::nullopt;
    ++at;
    skip(" \t>");
    if (at >= text_.size() || text_[at] != '{') return std::nullopt;
    at_ = at + 1;
    return number;
  }

  // bundle ::= head ( slot ( ' ;; ' slot )* )? '}'
  //
  // Brackets and comments may contain braces, and comments ends of lines.
  absl::Status read_bundle(std::uint64_t number) {
    const std::size_t begin = at_ - 1;
    if (number != program_.bundles.size()) {
      return error(begin, absl::StrCat("bundle ", number, " where bundle ", program_.bundles.size(),
                                       " is expected; the file may have been cut or joined"));
    }
    Bundle& bundle = program_.bundles.emplace_back();
    bundle.first_op = static_cast<std::uint32_t>(program_.ops.size());
    std::size_t slot = at_;
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '/' && text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return error(at_, "the comment does not end; the file may be cut off");
        at_ = end + 1;
      } else if (c == '[') {
        ++depth;
      } else if (c == ']' && depth > 0) {
        --depth;
      } else if (depth == 0 && c == ';' && text_.substr(at_, 2) == ";;") {
        read_slot(slot, at_, bundle);
        slot = ++at_ + 1;
      } else if (depth == 0 && c == '}') {
        read_slot(slot, at_, bundle);
        bundle.op_count = static_cast<std::uint32_t>(program_.ops.size()) - bundle.first_op;
        return absl::OkStatus();
      }
    }
    return error(begin, "the bundle does not end; the file may be cut off");
  }

  void read_slot(std::size_t begin, std::size_t end, Bundle& bundle) {
    const std::string_view text = text_.substr(begin, end - begin);
    const SlotText head = slot_head(text);
    if (head.opcode.empty()) return;
    bundle.is_empty = false;
    const CodeUnit unit = unit_of(head.opcode);
    count_matrix_units(head.opcode);
    const bool is_scalar = head.opcode[0] != 'v' || begins(head.opcode, "vsync") || begins(head.opcode, "vwait") ||
                           begins(head.opcode, "vtos");
    const ScalarOpRow* row = is_scalar ? find_scalar_op(head.opcode) : nullptr;
    if (row == nullptr || row->kind != ScalarKind::kNothing) count(bundle.issued[static_cast<std::size_t>(unit)]);
    if (head.rest.find("_spill]") != std::string_view::npos) {
      if (begins(head.opcode, "vst")) count(bundle.vector_spills);
      if (begins(head.opcode, "vld")) count(bundle.vector_fills);
      if (begins(head.opcode, "sst")) count(bundle.scalar_spills);
      if (begins(head.opcode, "sld")) count(bundle.scalar_fills);
    }
    if (is_scalar) read_scalar(head, row, text, begin);
  }

  // opcode ::= ... '.mxu' digit ...
  void count_matrix_units(std::string_view opcode) {
    constexpr std::string_view kUnit = ".mxu";
    const std::size_t found = opcode.find(kUnit);
    if (found == std::string_view::npos || found + kUnit.size() >= opcode.size()) return;
    const char digit = opcode[found + kUnit.size()];
    if (digit < '0' || digit > '9') return;
    program_.matrix_units = std::max<std::int64_t>(program_.matrix_units, digit - '0' + 1);
  }

  void read_scalar(const SlotText& head, const ScalarOpRow* row, std::string_view text, std::size_t begin) {
    ScalarOp op;
    op.offset = static_cast<std::uint32_t>(begin + (text.find_first_not_of(" \n\r\t")));
    op.result = result_register(head.result);
    if (row != nullptr && row->kind == ScalarKind::kNothing) return;
    if (row == nullptr) {
      unread_.insert(std::string(head.opcode));
    } else if (row->opcode == ScalarOpcode::kArgument) {
      // An address in the memory that follows the dot. What is in no memory is a number that the caller has.
      op.opcode = row->opcode;
      op.kind = row->kind;
      const bool is_address = head.opcode.substr(head.opcode.find('.') + 1).find('<') == std::string_view::npos;
      op.operands[0].kind = is_address ? CodeOperand::Kind::kNumber : CodeOperand::Kind::kUnknown;
    } else {
      op.opcode = row->opcode;
      op.kind = row->kind;
      if (!read_operands(op, *row, slot_text(text), head.opcode)) {
        unread_.insert(std::string(head.opcode));
        op.opcode = ScalarOpcode::kUnread;
      }
    }
    program_.ops.push_back(op);
  }

  // False if the instruction lacks what it needs.
  bool read_operands(ScalarOp& op, const ScalarOpRow& row, const SlotText& slot, std::string_view opcode) {
    if (!slot.guard.empty()) op.guard = allocations_.operand(slot.guard);
    if (!slot.otherwise.empty()) op.otherwise = allocations_.operand(slot.otherwise);
    if (op.opcode == ScalarOpcode::kTransfer) return read_transfer(op, slot, opcode);
    if (op.opcode == ScalarOpcode::kBranch) return read_target(op, slot.rest);
    program_.joins_cores = program_.joins_cores || slot.says_megacore;
    op.loads_core_id = op.opcode == ScalarOpcode::kLoad && slot.says_core_id;
    op.keeps_quotient = !slot.says_remainder;
    op.keeps_remainder = !slot.says_quotient;
    // "smov" of nothing but a number that is no integer has an unknown operand, which is no reason to fail.
    for (std::size_t i = 0; i < op.operands.size() && i < slot.operands.size(); ++i) {
      op.operands[i] = allocations_.operand(slot.operands[i].text);
    }
    return slot.operands.size() >= row.operands;
  }

  // branch ::= 'sbr.rel' guard? 'target bundleno = ' digits ...
  static bool read_target(ScalarOp& op, std::string_view rest) {
    constexpr std::string_view kTarget = "bundleno = ";
    const std::size_t found = rest.find(kTarget);
    if (found == std::string_view::npos) return false;
    std::uint64_t target = 0;
    std::size_t at = found + kTarget.size();
    const std::size_t first = at;
    for (; at < rest.size() && rest[at] >= '0' && rest[at] <= '9' && at - first < 10; ++at) {
      target = target * 10 + static_cast<std::uint64_t>(rest[at] - '0');
    }
    op.target = static_cast<std::uint32_t>(std::min<std::uint64_t>(target, std::numeric_limits<std::uint32_t>::max()));
    return at > first;
  }

  // transfer ::= 'dma.' memory '_to_' memory ... | 'dma.general' ... | 'dma' descriptor
  //
  // Sizes, flags and destinations are named operands.
  bool read_transfer(ScalarOp& op, const SlotText& slot, std::string_view opcode) {
    CodeTransfer transfer;
    const std::size_t to = opcode.find("_to_");
    if (to != std::string_view::npos) {
      transfer.from = memory_of(opcode.substr(4, to - 4));
      transfer.to = memory_of(opcode.substr(to + 4));
    }
    transfer.bytes = slot.window_bytes;
    for (const NamedOperand& operand : slot.operands) {
      if (operand.name == "size_in_granules") transfer.granules = allocations_.operand(operand.text);
      if (operand.name == "dst_syncflagno") transfer.flag = allocations_.operand(operand.text);
      if (operand.name == "smem") transfer.destination = allocations_.operand(operand.text);
    }
    if (opcode == "dma" && !slot.operands.empty()) transfer.descriptor = allocations_.operand(slot.operands[0].text);
    const bool has_size = transfer.granules.kind != CodeOperand::Kind::kNone || transfer.bytes > 0;
    const bool has_flag =
        transfer.flag.kind != CodeOperand::Kind::kNone || transfer.descriptor.kind != CodeOperand::Kind::kNone;
    op.target = static_cast<std::uint32_t>(program_.transfers.size());
    program_.transfers.push_back(transfer);
    return has_size && has_flag;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  CodeProgram program_;
  Allocations allocations_;
  std::set<std::string> unread_;
};

}  // namespace

absl::StatusOr<CodeProgram> read_bundles(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

}  // namespace hloroof::internal::inline code
