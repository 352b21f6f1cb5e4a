#include "lib/mlir/bytecode_writer.h"

#include <cstddef>

#include "lib/mlir/attributes.h"
#include "lib/mlir/container.h"

namespace hloroof::internal::mlir {
namespace {

constexpr std::string_view kBuiltinDialect = "builtin";

std::string code(AttributeKind kind) { return encode_varint(static_cast<std::uint64_t>(kind)); }
std::string code(TypeKind kind) { return encode_varint(static_cast<std::uint64_t>(kind)); }

std::string section(SectionId id, const std::string& bytes) {
  return std::string(1, static_cast<char>(id)) + encode_varint(bytes.size()) + bytes;
}

std::string shape_bytes(const std::vector<std::int64_t>& shape) {
  std::string out = encode_varint(shape.size());
  for (const std::int64_t extent : shape) out += encode_signed_varint(extent);
  return out;
}

// "#tpu.memory_space<vmem>", "!tpu.semaphore" -> "tpu"
std::string_view dialect_of(std::string_view text) {
  if (text.empty() || (text[0] != '#' && text[0] != '!')) return kBuiltinDialect;
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(".<"));
}

}  // namespace

BytecodeWriter::BytecodeWriter() : regions_(1), open_(1, 0) { dialect_number(kBuiltinDialect); }

std::uint32_t BytecodeWriter::string_number(std::string_view text) {
  const auto [found, is_new] =
      string_index_.try_emplace(std::string(text), static_cast<std::uint32_t>(strings_.size()));
  if (is_new) strings_.emplace_back(text);
  return found->second;
}

std::uint32_t BytecodeWriter::dialect_number(std::string_view name) {
  const auto [found, is_new] =
      dialect_index_.try_emplace(std::string(name), static_cast<std::uint32_t>(dialects_.size()));
  if (is_new) dialects_.push_back(string_number(name));
  return found->second;
}

std::uint32_t BytecodeWriter::op_number(std::string_view full_name) {
  const auto [found, is_new] =
      op_index_.try_emplace(std::string(full_name), static_cast<std::uint32_t>(op_names_.size()));
  if (is_new) {
    const std::size_t dot = full_name.find('.');
    op_names_.emplace_back(dialect_number(full_name.substr(0, dot)), string_number(full_name.substr(dot + 1)));
  }
  return found->second;
}

std::uint32_t BytecodeWriter::add_row(Row row, Index& index, std::vector<Row>& rows) {
  const std::string key = std::string(1, row.is_binary ? 'b' : 't') + row.bytes;
  const auto [found, is_new] = index.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
  if (is_new) rows.push_back(std::move(row));
  return found->second;
}

AttributeId BytecodeWriter::add_attribute(std::string bytes) {
  return AttributeId{add_row(Row{std::move(bytes), 0, true}, attribute_index_, attributes_)};
}
TypeId BytecodeWriter::add_type(std::string bytes) {
  return TypeId{add_row(Row{std::move(bytes), 0, true}, type_index_, types_)};
}

TypeId BytecodeWriter::integer_type(std::uint32_t width) {
  return add_type(code(TypeKind::kInteger) + encode_varint(std::uint64_t{width} << 2U));
}
TypeId BytecodeWriter::plain_type(std::uint64_t kind) { return add_type(encode_varint(kind)); }
TypeId BytecodeWriter::vector_type(const std::vector<std::int64_t>& shape, TypeId element) {
  return add_type(code(TypeKind::kVector) + shape_bytes(shape) + encode_varint(element.index));
}
TypeId BytecodeWriter::memref_type(const std::vector<std::int64_t>& shape, TypeId element, AttributeId layout,
                                   AttributeId space) {
  std::string bytes = code(space.valid() ? TypeKind::kMemRefInSpace : TypeKind::kMemRef);
  if (space.valid()) bytes += encode_varint(space.index);
  return add_type(bytes + shape_bytes(shape) + encode_varint(element.index) + encode_varint(layout.index));
}
TypeId BytecodeWriter::text_type(std::string_view text) {
  return TypeId{add_row({std::string(text) + '\0', dialect_number(dialect_of(text)), false}, type_index_, types_)};
}

AttributeId BytecodeWriter::string(std::string_view value) {
  return add_attribute(code(AttributeKind::kString) + encode_varint(string_number(value)));
}
AttributeId BytecodeWriter::symbol(std::string_view name) {
  const AttributeId value = string(name);
  return add_attribute(code(AttributeKind::kFlatSymbol) + encode_varint(value.index));
}
AttributeId BytecodeWriter::integer(std::int64_t value, TypeId type, std::uint32_t width) {
  std::string bytes = code(AttributeKind::kInteger) + encode_varint(type.index);
  bytes += width <= 8 ? std::string(1, static_cast<char>(value)) : encode_signed_varint(value);
  return add_attribute(std::move(bytes));
}
AttributeId BytecodeWriter::unit() { return add_attribute(code(AttributeKind::kUnit)); }
AttributeId BytecodeWriter::array(const std::vector<AttributeId>& elements) {
  std::string bytes = code(AttributeKind::kArray) + encode_varint(elements.size());
  for (const AttributeId element : elements) bytes += encode_varint(element.index);
  return add_attribute(std::move(bytes));
}
AttributeId BytecodeWriter::dictionary(const std::vector<std::pair<AttributeId, AttributeId>>& members) {
  std::string bytes = code(AttributeKind::kDictionary) + encode_varint(members.size());
  for (const auto& [name, value] : members) bytes += encode_varint(name.index) + encode_varint(value.index);
  return add_attribute(std::move(bytes));
}
AttributeId BytecodeWriter::dense_array(const std::vector<std::int64_t>& values, TypeId element, std::uint32_t width) {
  const unsigned stride = (width + 7) / 8;
  std::string elements;
  for (const std::int64_t value : values) {
    for (unsigned i = 0; i < stride; ++i) {
      elements += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xffU);
    }
  }
  return add_attribute(code(AttributeKind::kDenseArray) + encode_varint(element.index) + encode_varint(values.size()) +
                       encode_varint(elements.size()) + elements);
}
AttributeId BytecodeWriter::affine(const AffineMap& map) {
  constexpr std::uint64_t kWithExpressions = 3;  // see read_affine_map
  std::string bytes = code(AttributeKind::kAffineMap) +
                      encode_varint(std::uint64_t{map.dimensions} << 2U | kWithExpressions) +
                      encode_varint(map.symbols) + encode_varint(map.results);
  for (const AffineTerm& term : map.terms) {
    bytes += encode_varint(static_cast<std::uint64_t>(term.kind));
    if (term.kind == AffineTerm::Kind::kConstant) bytes += encode_signed_varint(term.value);
    if (term.kind == AffineTerm::Kind::kDimension || term.kind == AffineTerm::Kind::kSymbol) {
      bytes += encode_varint(static_cast<std::uint64_t>(term.value));
    }
  }
  return add_attribute(std::move(bytes));
}
AttributeId BytecodeWriter::type(TypeId value) {
  return add_attribute(code(AttributeKind::kType) + encode_varint(value.index));
}
AttributeId BytecodeWriter::text(std::string_view text) {
  return AttributeId{
      add_row({std::string(text) + '\0', dialect_number(dialect_of(text)), false}, attribute_index_, attributes_)};
}

ValueRef BytecodeWriter::add_op(std::string_view full_name, AttributeId attributes, absl::Span<const TypeId> results,
                                absl::Span<const ValueRef> operands, std::uint32_t regions) {
  RegionRow& around = regions_[open_.back()];
  const ValueRef first{open_.back(), around.values};
  around.values += static_cast<std::uint32_t>(results.size());
  ++around.ops;
  items_.push_back({true, static_cast<std::uint32_t>(ops_.size())});
  ops_.push_back({op_number(full_name), attributes, std::vector<TypeId>(results.begin(), results.end()),
                  std::vector<ValueRef>(operands.begin(), operands.end()), regions});
  return first;
}

ValueRef BytecodeWriter::begin_region(absl::Span<const TypeId> arguments) {
  const auto region = static_cast<std::uint32_t>(regions_.size());
  items_.push_back({false, region});
  regions_.push_back({open_.back(), static_cast<std::uint32_t>(arguments.size()), 0,
                      std::vector<TypeId>(arguments.begin(), arguments.end())});
  open_.push_back(region);
  return {region, 0};
}

void BytecodeWriter::end_region() { open_.pop_back(); }

void BytecodeWriter::skip_region() {
  items_.push_back({false, static_cast<std::uint32_t>(regions_.size())});
  regions_.push_back({open_.back(), 0, 0, {}, true});
}

std::string BytecodeWriter::bytes() const {
  std::string table = encode_varint(strings_.size());
  for (auto at = strings_.rbegin(); at != strings_.rend(); ++at) table += encode_varint(at->size() + 1);
  for (const std::string& text : strings_) table += text + '\0';

  std::string dialects = encode_varint(dialects_.size());
  for (const std::uint32_t name : dialects_) dialects += encode_varint(name);
  for (const auto& [dialect, name] : op_names_)
    dialects += encode_varint(dialect) + encode_varint(1) + encode_varint(name);

  // The location of all operations comes after the attributes of the module.
  const std::string location = encode_varint(attributes_.size());
  std::vector<Row> attributes = attributes_;
  attributes.push_back(Row{code(AttributeKind::kUnknownLocation), 0, true});
  std::string data;
  std::string offsets = encode_varint(attributes.size()) + encode_varint(types_.size());
  for (const std::vector<Row>* rows : {static_cast<const std::vector<Row>*>(&attributes), &types_}) {
    for (const Row& row : *rows) {
      data += row.bytes;
      offsets += encode_varint(row.dialect) + encode_varint(1) +
                 encode_varint(row.bytes.size() << 1U | (row.is_binary ? 1U : 0U));
    }
  }

  // An operand counts the values of the regions around it, from the outermost on.
  std::vector<std::uint32_t> first_value(regions_.size(), 0);
  for (std::size_t i = 1; i < regions_.size(); ++i) {
    const std::uint32_t parent = regions_[i].parent;
    first_value[i] = first_value[parent] + regions_[parent].values;
  }
  std::string ir = encode_varint(std::uint64_t{regions_[0].ops} << 1U);
  for (const Item& item : items_) {
    if (item.is_op) {
      const OpRow& op = ops_[item.index];
      const unsigned mask = (op.attributes.valid() ? 1U : 0U) | (op.results.empty() ? 0U : 2U) |
                            (op.operands.empty() ? 0U : 4U) | (op.regions == 0 ? 0U : 16U);
      ir += encode_varint(op.name) + static_cast<char>(mask) + location;
      if (op.attributes.valid()) ir += encode_varint(op.attributes.index);
      if (!op.results.empty()) ir += encode_varint(op.results.size());
      for (const TypeId result : op.results) ir += encode_varint(result.index);
      if (!op.operands.empty()) ir += encode_varint(op.operands.size());
      for (const ValueRef operand : op.operands) ir += encode_varint(first_value[operand.region] + operand.index);
      if (op.regions > 0) ir += encode_varint(std::uint64_t{op.regions} << 1U);
      continue;
    }
    const RegionRow& region = regions_[item.index];
    ir += encode_varint(region.is_empty ? 0 : 1);
    if (region.is_empty) continue;
    ir += encode_varint(region.values) +
          encode_varint(std::uint64_t{region.ops} << 1U | (region.arguments.empty() ? 0U : 1U));
    if (!region.arguments.empty()) ir += encode_varint(region.arguments.size());
    for (const TypeId argument : region.arguments) ir += encode_varint(argument.index) + location;
  }
  std::string out = "ML\xEFR" + encode_varint(0) + "hloroof";
  out += '\0';
  return out + section(SectionId::kStrings, table) + section(SectionId::kDialects, dialects) +
         section(SectionId::kAttributesAndTypes, data) + section(SectionId::kOffsets, offsets) +
         section(SectionId::kIr, ir);
}

}  // namespace hloroof::internal::mlir
