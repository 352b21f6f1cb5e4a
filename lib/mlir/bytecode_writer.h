// Writes MLIR bytecode, version 0, of a module that was read from text, so that one reader serves both forms.
//
//   BytecodeWriter out;
//   const RegionRef body = out.begin_region(out.add_op("builtin.module", {}, {}, {}, 1));
//   ...
//   std::string bytes = out.bytes();
//
// Operations are added in the order of a depth-first walk: an operation, then each of its regions with what is in it.
#ifndef HLOROOF_LIB_MLIR_BYTECODE_WRITER_H_
#define HLOROOF_LIB_MLIR_BYTECODE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/mlir/affine.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::mlir {

// A value, by the region that defines it.
struct ValueRef {
  std::uint32_t region = 0;
  std::uint32_t index = 0;
};

class BytecodeWriter {
 public:
  BytecodeWriter();

  // Types. Equal ones have equal ids.
  TypeId integer_type(std::uint32_t width);
  TypeId plain_type(std::uint64_t code);  // one without parameters, by its code in type_kinds.def
  TypeId vector_type(const std::vector<std::int64_t>& shape, TypeId element);
  TypeId memref_type(const std::vector<std::int64_t>& shape, TypeId element, AttributeId layout, AttributeId space);
  TypeId text_type(std::string_view text);  // of another dialect: "!tpu.semaphore"

  // Attributes. Equal ones have equal ids.
  AttributeId string(std::string_view value);
  AttributeId symbol(std::string_view name);
  AttributeId integer(std::int64_t value, TypeId type, std::uint32_t width);
  AttributeId unit();
  AttributeId array(const std::vector<AttributeId>& elements);
  AttributeId dictionary(const std::vector<std::pair<AttributeId, AttributeId>>& members);
  AttributeId dense_array(const std::vector<std::int64_t>& values, TypeId element, std::uint32_t width);
  AttributeId affine(const AffineMap& map);
  AttributeId type(TypeId value);
  AttributeId text(std::string_view text);  // of another dialect, or a number that is not an integer

  // Adds an operation to the innermost open region. Returns the reference to its first result.
  ValueRef add_op(std::string_view full_name, AttributeId attributes, absl::Span<const TypeId> results,
                  absl::Span<const ValueRef> operands, std::uint32_t regions);
  // Begins the next region of the operation that was added last, or whose previous region ended last. A region has one
  // block. Returns the reference to the first of its arguments.
  ValueRef begin_region(absl::Span<const TypeId> arguments);
  void end_region();
  void skip_region();  // a region without blocks

  std::string bytes() const;

 private:
  struct Row {  // of the table of attributes or types
    std::string bytes;
    std::uint32_t dialect = 0;
    bool is_binary = true;
  };
  struct OpRow {
    std::uint32_t name = 0;
    AttributeId attributes;
    std::vector<TypeId> results;
    std::vector<ValueRef> operands;
    std::uint32_t regions = 0;
  };
  struct RegionRow {
    std::uint32_t parent = 0;  // the region around it
    std::uint32_t values = 0;
    std::uint32_t ops = 0;
    std::vector<TypeId> arguments;
    bool is_empty = false;
  };
  struct Item {
    bool is_op = false;
    std::uint32_t index = 0;  // of ops_ or regions_
  };
  using Index = absl::flat_hash_map<std::string, std::uint32_t>;

  std::uint32_t string_number(std::string_view text);
  std::uint32_t dialect_number(std::string_view name);
  std::uint32_t op_number(std::string_view full_name);
  std::uint32_t add_row(Row row, Index& index, std::vector<Row>& rows);
  AttributeId add_attribute(std::string bytes);
  TypeId add_type(std::string bytes);

  std::vector<std::string> strings_;
  Index string_index_;
  std::vector<std::uint32_t> dialects_;  // the names, as strings
  Index dialect_index_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> op_names_;  // dialect and string
  Index op_index_;
  std::vector<Row> attributes_;
  Index attribute_index_;
  std::vector<Row> types_;
  Index type_index_;
  std::vector<OpRow> ops_;
  std::vector<RegionRow> regions_;  // 0 is the top level
  std::vector<Item> items_;
  std::vector<std::uint32_t> open_;  // regions, the innermost last
};

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_BYTECODE_WRITER_H_
