#include "lib/mlir/operations.h"

#include <cstddef>
#include <cstdint>

#include "lib/mlir/bytes.h"

namespace hloroof::internal::mlir {
namespace {

// What follows the location of an operation.
enum OpMask : std::uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseListOrders = 32,
  kHasProperties = 64,
};

// Reads operations with an explicit stack of the operations whose regions are being read.
//
// Every region, block and value takes at least one byte of the section, and a malformed module could declare each many
// times over in nested regions. The total of each is therefore limited to the size of the section.
class OperationReader {
 public:
  OperationReader(const Section& ir, const std::vector<std::string_view>& properties, Module& module)
      : properties_(properties), module_(module), limit_(ir.end - ir.begin) {
    cursors_.emplace_back(module.bytes, ir.begin, ir.end);
  }

  absl::Status read();

 private:
  // The region of an operation that is being read, and where the reader is in it.
  struct Frame {
    OpId op;  // invalid for the top level
    std::uint32_t region = 0;
    std::uint32_t end_region = 0;
    std::uint32_t block = 0;
    std::uint32_t end_block = 0;
    std::uint32_t remaining_ops = 0;
    std::size_t scope_begin = 0;   // in scope_, of the values that operands may refer to
    std::size_t values_begin = 0;  // in scope_, of the values of the region
    std::uint32_t next_value = 0;  // the next value of the region to be defined
    std::uint32_t end_value = 0;
    bool in_region = false;
    bool owns_cursor = false;  // the regions are a section of their own
  };

  ByteCursor& cursor() { return cursors_.back(); }

  void begin_region(Frame& frame);
  void end_region(Frame& frame);
  void begin_block(Frame& frame);
  void read_arguments(Frame& frame);
  void skip_use_list_orders(std::uint32_t values);
  void read_op(Frame& frame);
  void begin_regions(OpId op);
  ValueId define(Frame& frame, std::uint32_t count);

  AttributeId attribute() {
    return AttributeId{cursor().index(module_.attributes.size(), "the index of an attribute is out of range")};
  }
  TypeId type() { return TypeId{cursor().index(module_.types.size(), "the index of a type is out of range")}; }

  const std::vector<std::string_view>& properties_;
  Module& module_;
  const std::size_t limit_;
  // A cursor for each section that is being read: the IR section, and sections of isolated regions within it.
  std::vector<ByteCursor> cursors_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> scope_;  // the values that are visible, outermost region first
};

// ir := block
absl::Status OperationReader::read() {
  // An operation takes 10 bytes on average in kernels of Pallas.
  module_.ops.reserve(limit_ / 10);
  module_.operands.reserve(limit_ / 10);
  module_.values.reserve(limit_ / 10);
  module_.blocks.emplace_back();
  Frame top;
  top.end_block = 1;
  top.in_region = true;
  top.end_region = 1;
  frames_.push_back(top);
  begin_block(frames_.back());
  while (cursor().ok()) {
    Frame& frame = frames_.back();
    if (!frame.in_region) {
      if (frame.region == frame.end_region) {
        module_.ops[frame.op.index].end = OpId{static_cast<std::uint32_t>(module_.ops.size())};
        const bool owned = frame.owns_cursor;
        frames_.pop_back();
        if (owned) {
          if (cursor().remaining() > 0) cursor().fail("bytes follow the regions of an isolated operation");
          if (!cursor().ok()) return cursor().status();
          cursors_.pop_back();
        }
        continue;
      }
      begin_region(frame);
    } else if (frame.remaining_ops > 0) {
      --frame.remaining_ops;
      // This may push a frame and invalidate `frame`.
      read_op(frame);
    } else if (++frame.block < frame.end_block) {
      begin_block(frame);
    } else if (frames_.size() > 1) {
      end_region(frame);
    } else {
      if (cursor().remaining() > 0) cursor().fail("bytes follow the operations");
      break;
    }
  }
  return cursor().status();
}

// region := number of blocks, [number of values, block*]     the bracket is missing if there are no blocks
void OperationReader::begin_region(Frame& frame) {
  Region& region = module_.regions[frame.region];
  const std::uint32_t blocks = cursor().count();
  if (blocks == 0) {
    ++frame.region;
    return;
  }
  const std::uint32_t values = cursor().count();
  if (module_.blocks.size() + blocks > limit_ || module_.values.size() + values > limit_) {
    cursor().fail("the regions declare more blocks or values than there are bytes");
    return;
  }
  region.first_block = BlockId{static_cast<std::uint32_t>(module_.blocks.size())};
  region.block_count = blocks;
  region.first_value = ValueId{static_cast<std::uint32_t>(module_.values.size())};
  region.value_count = values;
  Block block;
  block.region = RegionId{frame.region};
  module_.blocks.resize(module_.blocks.size() + blocks, block);
  module_.values.resize(module_.values.size() + values);
  frame.values_begin = scope_.size();
  for (std::uint32_t i = 0; i < values; ++i) scope_.push_back(region.first_value.index + i);
  frame.next_value = region.first_value.index;
  frame.end_value = region.first_value.index + values;
  frame.block = region.first_block.index;
  frame.end_block = frame.block + blocks;
  frame.in_region = true;
  begin_block(frame);
}

void OperationReader::end_region(Frame& frame) {
  if (frame.next_value != frame.end_value) cursor().fail("a region declares more values than it defines");
  scope_.resize(frame.values_begin);
  frame.in_region = false;
  ++frame.region;
}

// block := (number of operations << 1 | has arguments), [arguments, [use-list byte, orders]], operation*
void OperationReader::begin_block(Frame& frame) {
  bool has_arguments = false;
  const std::uint32_t ops = cursor().flagged_count(has_arguments);
  module_.blocks[frame.block].first_op = OpId{static_cast<std::uint32_t>(module_.ops.size())};
  module_.blocks[frame.block].op_count = ops;
  frame.remaining_ops = ops;
  if (!has_arguments || !cursor().ok()) return;
  read_arguments(frame);
  if (module_.version >= kUseListOrders && cursor().byte() != 0) {
    skip_use_list_orders(module_.blocks[frame.block].argument_count);
  }
}

// arguments := count, (type, location)*                     before version 4
// arguments := count, (type << 1 | has location, [location])*
void OperationReader::read_arguments(Frame& frame) {
  const std::uint32_t count = cursor().count();
  const ValueId first = define(frame, count);
  if (!cursor().ok()) return;
  module_.blocks[frame.block].first_argument = first;
  module_.blocks[frame.block].argument_count = count;
  for (std::uint32_t i = 0; i < count && cursor().ok(); ++i) {
    Value& value = module_.values[first.index + i];
    bool has_location = true;
    if (module_.version >= kElidedLocations) {
      const std::uint64_t index = cursor().flagged_varint(has_location);
      if (index >= module_.types.size()) cursor().fail("the index of a type is out of range");
      value.type = TypeId{static_cast<std::uint32_t>(index)};
    } else {
      value.type = type();
    }
    if (has_location) value.location = attribute();
    value.block = BlockId{frame.block};
    value.index = i;
  }
}

// orders := [number of values if there is more than one candidate], ([value], (count << 1 | are pairs), index*)*
void OperationReader::skip_use_list_orders(std::uint32_t values) {
  const std::uint32_t count = values > 1 ? cursor().count() : 1;
  for (std::uint32_t i = 0; i < count && cursor().ok(); ++i) {
    if (values > 1) cursor().varint();
    bool are_pairs = false;
    const std::uint32_t indices = cursor().flagged_count(are_pairs);
    for (std::uint32_t j = 0; j < indices && cursor().ok(); ++j) cursor().varint();
  }
}

ValueId OperationReader::define(Frame& frame, std::uint32_t count) {
  if (count > frame.end_value - frame.next_value) {
    cursor().fail("a region defines more values than it declares");
    return {};
  }
  const ValueId first{frame.next_value};
  frame.next_value += count;
  return first;
}

// operation := name, mask byte, location, [attributes], [properties], [results], [operands], [successors],
//              [use-list orders], [regions]
void OperationReader::read_op(Frame& frame) {
  ByteCursor& in = cursor();
  Op op;
  op.offset = static_cast<std::uint32_t>(in.offset());
  const OpId id{static_cast<std::uint32_t>(module_.ops.size())};
  op.name = OpNameId{in.index(module_.op_names.size(), "the index of an operation's name is out of range")};
  const std::uint8_t mask = in.byte();
  if ((mask & 0x80U) != 0) in.fail("the mask of an operation has an unknown bit");
  op.location = attribute();
  op.block = BlockId{frame.block};
  op.end = OpId{id.index + 1};
  if ((mask & kHasAttributes) != 0) op.attributes = attribute();
  if ((mask & kHasProperties) != 0) {
    if (module_.version < kProperties) in.fail("an operation has properties, which this version does not have");
    if (in.ok() && module_.op_names[op.name.index].is_registered) {
      const std::uint32_t index = in.index(properties_.size(), "the index of properties is out of range");
      if (in.ok()) op.raw_properties = properties_[index];
    } else {
      op.properties = attribute();
    }
  }
  if ((mask & kHasResults) != 0) {
    const std::uint32_t count = in.count();
    op.first_result = define(frame, count);
    op.result_count = count;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
      Value& value = module_.values[op.first_result.index + i];
      value.type = type();
      value.op = id;
      value.index = i;
    }
  }
  if ((mask & kHasOperands) != 0) {
    const std::uint32_t count = in.count();
    const std::size_t visible = scope_.size() - frame.scope_begin;
    op.operand_begin = static_cast<std::uint32_t>(module_.operands.size());
    op.operand_count = count;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
      const std::uint32_t index = in.index(visible, "the index of a value is out of range");
      if (in.ok()) module_.operands.push_back(ValueId{scope_[frame.scope_begin + index]});
    }
  }
  if ((mask & kHasSuccessors) != 0) {
    const std::uint32_t count = in.count();
    const RegionId region = module_.blocks[frame.block].region;
    const Region none;
    const Region& around = region.valid() ? module_.regions[region.index] : none;
    op.successor_begin = static_cast<std::uint32_t>(module_.successors.size());
    op.successor_count = count;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
      const std::uint32_t index = in.index(around.block_count, "the index of a block is out of range");
      module_.successors.push_back(BlockId{around.first_block.index + index});
    }
  }
  if ((mask & kHasUseListOrders) != 0) {
    if (module_.version < kUseListOrders) in.fail("an operation has use-list orders, which this version does not have");
    skip_use_list_orders(op.result_count);
  }
  if (!in.ok()) return;
  if ((mask & kHasRegions) != 0) {
    op.region_count = in.flagged_count(op.is_isolated);
    op.first_region = RegionId{static_cast<std::uint32_t>(module_.regions.size())};
    if (module_.regions.size() + op.region_count > limit_) in.fail("there are more regions than bytes");
    if (!in.ok()) return;
  }
  module_.ops.push_back(op);
  if (op.region_count > 0) begin_regions(id);
}

// regions := region*     before version 2, or if the operation is not isolated
// regions := section 4 with region*
void OperationReader::begin_regions(OpId op) {
  const Op& row = module_.ops[op.index];
  Region region;
  region.op = op;
  module_.regions.resize(module_.regions.size() + row.region_count, region);
  Frame frame;
  frame.op = op;
  frame.region = row.first_region.index;
  frame.end_region = frame.region + row.region_count;
  frame.scope_begin = row.is_isolated ? scope_.size() : frames_.back().scope_begin;
  if (row.is_isolated && module_.version >= kLazyRegions) {
    const Section section = read_section(cursor());
    if (cursor().ok() && section.id != static_cast<std::uint8_t>(SectionId::kIr)) {
      cursor().fail("the regions of an isolated operation are not a section 4");
    }
    if (!cursor().ok()) return;
    cursors_.emplace_back(module_.bytes, section.begin, section.end);
    frame.owns_cursor = true;
  }
  frames_.push_back(frame);
}

}  // namespace

absl::Status read_operations(const Section& ir, const std::vector<std::string_view>& properties, Module& module) {
  return OperationReader(ir, properties, module).read();
}

}  // namespace hloroof::internal::mlir
