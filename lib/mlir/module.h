// A module read from MLIR bytecode. It knows the builtin dialect and no other: operations of any dialect are read in
// their generic form, and attributes and types of other dialects are kept as text.
//
//   absl::StatusOr<mlir::Module> module = mlir::read_module(bytes);
//   for (mlir::OpId op{0}; op.index < module->ops.size(); ++op.index) {
//     if (module->is(op, "stable_mosaic.arith.addi")) ...
//   }
//
// The module is flat: 32-bit ids into a few arrays. Operations are in the order of a depth-first walk, and the
// operations nested in one follow it, so ids [op, ops[op].end) are the operation and everything within it. Attributes
// and types remain bytes until attributes.h decodes one. A Module refers to the bytes, which must outlive it. It is
// immutable after reading and safe to share between threads.
#ifndef HLOROOF_LIB_MLIR_MODULE_H_
#define HLOROOF_LIB_MLIR_MODULE_H_

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::mlir {

template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t index = kNone;

  bool valid() const { return index != kNone; }
  friend bool operator==(Id, Id) = default;
};

using DialectId = Id<struct DialectTag>;
using OpNameId = Id<struct OpNameTag>;
using AttributeId = Id<struct AttributeTag>;
using TypeId = Id<struct TypeTag>;
using ResourceId = Id<struct ResourceTag>;
using OpId = Id<struct OpTag>;
using RegionId = Id<struct RegionTag>;
using BlockId = Id<struct BlockTag>;
using ValueId = Id<struct ValueTag>;

struct Dialect {
  std::string_view name;
  std::string_view version;  // opaque bytes; empty if the producer wrote none
};

// The full name is dialect.name, as in "arith.addi". A name without a dot is the name of the dialect, and `name` is
// empty.
struct OpName {
  DialectId dialect;
  std::string_view name;
  bool is_registered = false;  // known only from version 5 on
};

// An attribute or type before it is decoded.
struct Encoded {
  std::uint32_t begin = 0;  // offset in the bytes of the module
  std::uint32_t size = 0;
  DialectId dialect;
  bool is_binary = false;  // in the dialect's own encoding; otherwise NUL-terminated text
};

struct Resource {
  enum class Kind : std::uint8_t { kBlob = 0, kBool = 1, kString = 2 };

  std::string_view key;
  std::string_view owner;  // the dialect, or the name of an external group
  bool is_external = false;
  Kind kind = Kind::kBlob;
  std::string_view data;  // the blob or the text; one byte for a bool
};

struct Op {
  OpNameId name;
  AttributeId location;
  AttributeId attributes;           // a dictionary; invalid if there is none
  AttributeId properties;           // of an operation that was not registered, as an attribute; may be invalid
  std::string_view raw_properties;  // of a registered operation: bytes that only its dialect can decode
  BlockId block;
  OpId end;                         // one past the last operation within this one
  std::uint32_t operand_begin = 0;  // in Module::operands
  std::uint32_t operand_count = 0;
  std::uint32_t successor_begin = 0;  // in Module::successors
  std::uint32_t successor_count = 0;
  ValueId first_result;  // results have consecutive ids
  std::uint32_t result_count = 0;
  RegionId first_region;  // regions have consecutive ids
  std::uint32_t region_count = 0;
  bool is_isolated = false;  // the regions use no values from outside; known only if there are regions
  std::uint32_t offset = 0;  // where the operation begins in the bytes
};

struct Region {
  OpId op;
  BlockId first_block;  // blocks have consecutive ids
  std::uint32_t block_count = 0;
  ValueId first_value;  // the arguments and results of its blocks, without nested regions, have consecutive ids
  std::uint32_t value_count = 0;
};

struct Block {
  RegionId region;  // invalid for the top-level block
  OpId first_op;    // the next one is ops[first_op].end
  std::uint32_t op_count = 0;
  ValueId first_argument;  // arguments have consecutive ids
  std::uint32_t argument_count = 0;
};

struct Value {
  TypeId type;
  OpId op;                  // the operation whose result it is, or
  BlockId block;            // the block whose argument it is
  std::uint32_t index = 0;  // among the results or arguments
  AttributeId location;     // of a block argument; may be invalid
};

// A list of consecutive ids.
template <typename IdType>
class IdRange {
 public:
  class Iterator {
   public:
    explicit Iterator(std::uint32_t index) : index_(index) {}
    IdType operator*() const { return IdType{index_}; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    friend bool operator!=(Iterator a, Iterator b) { return a.index_ != b.index_; }

   private:
    std::uint32_t index_;
  };

  IdRange(IdType first, std::uint32_t count) : first_(count == 0 ? 0 : first.index), count_(count) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + count_); }
  std::uint32_t size() const { return count_; }
  IdType operator[](std::uint32_t i) const { return IdType{first_ + i}; }

 private:
  std::uint32_t first_;
  std::uint32_t count_;
};

// The operations of one block, without those nested in them.
class BlockOps {
 public:
  class Iterator {
   public:
    Iterator(const std::vector<Op>* ops, OpId at, std::uint32_t remaining)
        : ops_(ops), at_(at), remaining_(remaining) {}
    OpId operator*() const { return at_; }
    Iterator& operator++() {
      at_ = (*ops_)[at_.index].end;
      --remaining_;
      return *this;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.remaining_ != b.remaining_; }

   private:
    const std::vector<Op>* ops_;
    OpId at_;
    std::uint32_t remaining_;
  };

  BlockOps(const std::vector<Op>& ops, const Block& block) : ops_(&ops), block_(&block) {}
  Iterator begin() const { return Iterator(ops_, block_->first_op, block_->op_count); }
  Iterator end() const { return Iterator(ops_, {}, 0); }

 private:
  const std::vector<Op>* ops_;
  const Block* block_;
};

struct Module {
  std::string_view bytes;
  std::uint32_t version = 0;
  std::string_view producer;

  std::vector<std::string_view> strings;
  std::vector<Dialect> dialects;
  std::vector<OpName> op_names;
  std::vector<Encoded> attributes;
  std::vector<Encoded> types;
  std::vector<Resource> resources;  // external ones, then those of dialects
  std::uint32_t external_resource_count = 0;

  std::vector<Op> ops;
  std::vector<Region> regions;
  std::vector<Block> blocks;  // block 0 is the top-level block
  std::vector<Value> values;
  std::vector<ValueId> operands;
  std::vector<BlockId> successors;

  const Op& operator[](OpId id) const { return ops[id.index]; }
  const Region& operator[](RegionId id) const { return regions[id.index]; }
  const Block& operator[](BlockId id) const { return blocks[id.index]; }
  const Value& operator[](ValueId id) const { return values[id.index]; }

  // The operations of the top-level block: in practice one builtin.module.
  BlockOps top_level() const { return BlockOps(ops, blocks[0]); }
  BlockOps ops_of(BlockId block) const { return BlockOps(ops, blocks[block.index]); }
  IdRange<ValueId> arguments_of(BlockId block) const {
    return {blocks[block.index].first_argument, blocks[block.index].argument_count};
  }
  IdRange<BlockId> blocks_of(RegionId region) const {
    return {regions[region.index].first_block, regions[region.index].block_count};
  }
  IdRange<RegionId> regions_of(OpId op) const { return {ops[op.index].first_region, ops[op.index].region_count}; }
  IdRange<ValueId> results_of(OpId op) const { return {ops[op.index].first_result, ops[op.index].result_count}; }
  ValueId operand(OpId op, std::uint32_t number) const { return operands[ops[op.index].operand_begin + number]; }

  // The operation around `op`; invalid for a top-level operation.
  OpId parent(OpId op) const {
    const RegionId region = blocks[ops[op.index].block.index].region;
    return region.valid() ? regions[region.index].op : OpId{};
  }

  // Whether the full name of an operation, "dialect.name", equals `full_name`.
  bool is(OpId op, std::string_view full_name) const { return is(ops[op.index].name, full_name); }
  bool is(OpNameId name, std::string_view full_name) const;
};

// Whether the bytes begin with the magic number of MLIR bytecode.
bool is_bytecode(std::string_view bytes);

// Reads versions 0 to 6. Time and memory are linear in the size of the bytes. Errors: InvalidArgument with the offset
// of the fault if the bytes are malformed or of a later version. Attributes and types are not decoded and not checked.
absl::StatusOr<Module> read_module(std::string_view bytes);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_MODULE_H_
