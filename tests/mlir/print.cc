#include "tests/mlir/print.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/mlir/attributes.h"
#include "tests/mlir/text_writer.h"

namespace hloroof::internal::mlir {
namespace {

// The numbers in the names of values, as MLIR assigns them: %arg0 for arguments of the first block of a region, %0 for
// other values. A region is numbered as a whole, then the regions in it, last ones first. The results of one operation
// share a number.
class ValueNames {
 public:
  explicit ValueNames(const Module& module) : module_(module), numbers_(module.values.size()) {
    number_block(BlockId{0}, false);
    while (!pending_.empty()) {
      const RegionId region = pending_.back();
      pending_.pop_back();
      bool is_entry = true;
      for (const BlockId block : module.blocks_of(region)) number_block(block, std::exchange(is_entry, false));
    }
  }

  std::string operator[](ValueId id) const {
    const Value& value = module_[id];
    if (!value.op.valid()) return absl::StrCat(is_entry_argument(value) ? "%arg" : "%", numbers_[id.index]);
    const Op& op = module_[value.op];
    std::string name = absl::StrCat("%", numbers_[op.first_result.index]);
    if (op.result_count > 1) absl::StrAppend(&name, "#", value.index);
    return name;
  }

  std::string results(const Op& op) const {
    std::string name = absl::StrCat("%", numbers_[op.first_result.index]);
    if (op.result_count > 1) absl::StrAppend(&name, ":", op.result_count);
    return name;
  }

 private:
  bool is_entry_argument(const Value& value) const {
    return module_[module_[value.block].region].first_block == value.block;
  }

  // Postpones the regions in the block until the region of the block is complete.
  void number_block(BlockId block, bool is_entry) {
    for (const ValueId argument : module_.arguments_of(block)) {
      numbers_[argument.index] = is_entry ? next_argument_++ : next_value_++;
    }
    for (const OpId op : module_.ops_of(block)) {
      if (module_[op].result_count > 0) numbers_[module_[op].first_result.index] = next_value_++;
      for (const RegionId region : module_.regions_of(op)) pending_.push_back(region);
    }
  }

  const Module& module_;
  std::vector<std::uint32_t> numbers_;
  std::vector<RegionId> pending_;
  std::uint32_t next_value_ = 0;
  std::uint32_t next_argument_ = 0;
};

class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const PrintOptions& options)
      : module_(module), options_(options), names_(module), out_(module, options) {}

  absl::StatusOr<std::string> print();

 private:
  // The operation whose regions are being printed, and the next operation to print.
  struct Frame {
    OpId op;
    std::uint32_t next_region = 0;  // of the operation
    std::uint32_t block = 0;
    std::uint32_t end_block = 0;
    OpId next_op;
    std::uint32_t remaining_ops = 0;
  };

  void begin_block(Frame& frame, bool is_entry);
  void next_region(Frame& frame);
  void begin_op(OpId id);
  void end_op(OpId id);
  void indent(std::size_t levels) { out_.write(std::string(2 * levels, ' ')); }
  void location(AttributeId id);
  void block_name(BlockId block) {
    out_.write(absl::StrCat("^bb", block.index - module_[module_[block].region].first_block.index));
  }

  const Module& module_;
  const PrintOptions& options_;
  const ValueNames names_;
  TextWriter out_;
  std::vector<Frame> frames_;
};

void ModulePrinter::location(AttributeId id) {
  if (!options_.with_locations) return;
  out_.write(" loc(");
  if (id.valid()) {
    out_.location(id);
  } else {
    out_.write("unknown");
  }
  out_.write(")");
}

// ^bb0(%arg0: i32, %arg1: i32):
void ModulePrinter::begin_block(Frame& frame, bool is_entry) {
  const BlockId id{frame.block};
  const Block& block = module_[id];
  frame.next_op = block.first_op;
  frame.remaining_ops = block.op_count;
  if (is_entry && block.argument_count == 0 && block.op_count > 0) return;
  indent(frames_.size() - 2);
  block_name(id);
  bool is_first = true;
  for (const ValueId argument : module_.arguments_of(id)) {
    out_.write(is_first ? "(" : ", ");
    is_first = false;
    out_.write(names_[argument]);
    out_.write(": ");
    out_.type(module_[argument].type);
    location(module_[argument].location);
  }
  out_.write(is_first ? ":\n" : "):\n");
}

void ModulePrinter::next_region(Frame& frame) {
  const Op& op = module_[frame.op];
  if (frame.next_region == op.region_count) {
    const OpId id = frame.op;
    frames_.pop_back();
    indent(frames_.size() - 1);
    out_.write("})");
    end_op(id);
    return;
  }
  if (frame.next_region == 0) {
    out_.write(" ({\n");
  } else {
    indent(frames_.size() - 2);
    out_.write("}, {\n");
  }
  const Region& region = module_[RegionId{op.first_region.index + frame.next_region++}];
  frame.block = frame.end_block = 0;
  if (region.block_count == 0) return;
  frame.block = region.first_block.index;
  frame.end_block = frame.block + region.block_count;
  begin_block(frame, true);
}

// %0:2 = "dialect.name"(%1, %2)[^bb1] <{properties}>
void ModulePrinter::begin_op(OpId id) {
  const Op& op = module_[id];
  indent(frames_.size() - 1);
  if (op.result_count > 0) {
    out_.write(names_.results(op));
    out_.write(" = ");
  }
  const OpName& name = module_.op_names[op.name.index];
  const std::string_view dialect = module_.dialects[name.dialect.index].name;
  const bool has_both = !dialect.empty() && !name.name.empty();
  out_.quoted(absl::StrCat(to_absl(dialect), has_both ? "." : "", to_absl(name.name)));
  out_.write("(");
  for (std::uint32_t i = 0; i < op.operand_count && out_.ok(); ++i) {
    if (i > 0) out_.write(", ");
    out_.write(names_[module_.operand(id, i)]);
  }
  out_.write(")");
  for (std::uint32_t i = 0; i < op.successor_count && out_.ok(); ++i) {
    out_.write(i == 0 ? "[" : ", ");
    block_name(module_.successors[op.successor_begin + i]);
  }
  if (op.successor_count > 0) out_.write("]");
  if (op.properties.valid()) {
    out_.write(" <");
    out_.attribute(op.properties);
    out_.write(">");
  } else if (!op.raw_properties.empty()) {
    out_.write(" <");
    out_.quoted(op.raw_properties);
    out_.write(">");
  }
}

// {attributes} : (types) -> type
void ModulePrinter::end_op(OpId id) {
  const Op& op = module_[id];
  if (op.attributes.valid()) {
    out_.write(" ");
    out_.attribute(op.attributes);
  }
  out_.write(" : (");
  for (std::uint32_t i = 0; i < op.operand_count && out_.ok(); ++i) {
    if (i > 0) out_.write(", ");
    out_.type(module_[module_.operand(id, i)].type);
  }
  out_.write(") -> ");
  bool is_bare = op.result_count == 1;
  if (is_bare) {
    const absl::StatusOr<Type> type = decode(module_, module_[op.first_result].type);
    is_bare = !type.ok() || type->kind != TypeKind::kFunction;
  }
  if (!is_bare) out_.write("(");
  for (std::uint32_t i = 0; i < op.result_count && out_.ok(); ++i) {
    if (i > 0) out_.write(", ");
    out_.type(module_[ValueId{op.first_result.index + i}].type);
  }
  if (!is_bare) out_.write(")");
  location(op.location);
  out_.write("\n");
}

absl::StatusOr<std::string> ModulePrinter::print() {
  Frame top;
  top.next_op = module_.blocks[0].first_op;
  top.remaining_ops = module_.blocks[0].op_count;
  frames_.push_back(top);
  while (out_.ok()) {
    Frame& frame = frames_.back();
    if (frame.remaining_ops > 0) {
      const OpId id = frame.next_op;
      frame.next_op = module_[id].end;
      --frame.remaining_ops;
      begin_op(id);
      if (module_[id].region_count == 0) {
        end_op(id);
      } else {
        Frame inner;
        inner.op = id;
        frames_.push_back(inner);
      }
    } else if (frame.block + 1 < frame.end_block) {
      ++frame.block;
      begin_block(frame, false);
    } else if (frames_.size() > 1) {
      next_region(frame);
    } else {
      break;
    }
  }
  if (!out_.ok()) return out_.status();
  return std::move(out_.text());
}

}  // namespace

absl::StatusOr<std::string> print(const Module& module, const PrintOptions& options) {
  return ModulePrinter(module, options).print();
}

absl::StatusOr<std::string> print(const Module& module, AttributeId id, const PrintOptions& options) {
  TextWriter out(module, options);
  out.attribute(id);
  if (!out.ok()) return out.status();
  return std::move(out.text());
}

absl::StatusOr<std::string> print(const Module& module, TypeId id, const PrintOptions& options) {
  TextWriter out(module, options);
  out.type(id);
  if (!out.ok()) return out.status();
  return std::move(out.text());
}

}  // namespace hloroof::internal::mlir
