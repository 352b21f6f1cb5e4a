// Decodes one attribute or type of a module on demand. Attributes within it remain ids, so decoding does not recurse.
//
//   absl::StatusOr<Attribute> bounds = decode(module, find(module, op, "iteration_bounds"));
//   std::optional<std::vector<std::int64_t>> numbers = integers(module, find(module, op, "iteration_bounds"));
#ifndef HLOROOF_LIB_MLIR_ATTRIBUTES_H_
#define HLOROOF_LIB_MLIR_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mlir/affine.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::mlir {

enum class AttributeKind : std::uint8_t {
#define HLOROOF_MLIR_ATTRIBUTE(enumerator, code) enumerator = code,
#include "lib/mlir/attribute_kinds.def"
#undef HLOROOF_MLIR_ATTRIBUTE
  kText,     // written as MLIR text, in particular by dialects other than builtin
  kUnknown,  // a code that this reader does not know, or the private encoding of another dialect
};

struct NamedAttribute {
  std::string_view name;
  AttributeId value;
};

struct Attribute {
  AttributeKind kind = AttributeKind::kUnknown;
  // kString, kTypedString: the value. kFlatSymbol: the name. kText: the MLIR text. kNameLocation: the name.
  // kFileLocation, kFileRangeLocation: the file. kDenseResource: the key. kDenseArray, kDenseElements: the bytes.
  // kUnknown: the encoding.
  std::string_view text;
  // kType: the value. kTypedString, kInteger, kFloat, kDenseElements, kDenseStrings, kDenseResource, kSparseElements:
  // the type of the attribute. kDenseArray: the type of an element.
  TypeId type;
  // kArray: the elements. kSymbol: root, then nested references. kCallSiteLocation: callee, caller. kFusedLocation: the
  // locations. kFusedLocationWithMetadata: the locations, then the metadata. kNameLocation: the location of the child.
  // kSparseElements: indices, values. kDistinct: the referenced attribute.
  std::vector<AttributeId> elements;
  std::vector<NamedAttribute> members;  // kDictionary
  // kInteger, kFloat: the bits, least significant word first. More than one word only if the type is wider than 64
  // bits.
  std::vector<std::uint64_t> words;
  // kFileLocation: line, column. kFileRangeLocation: begin line, begin column, end line, end column.
  // kStridedLayout: the offset, then the strides; kDynamic if unknown. kDenseArray: the number of elements.
  std::vector<std::int64_t> numbers;
  std::vector<std::string_view> strings;  // kDenseStrings; one if all elements are equal
  AffineMap affine;                       // kAffineMap, kIntegerSet
};

enum class TypeKind : std::uint8_t {
#define HLOROOF_MLIR_TYPE(enumerator, code) enumerator = code,
#include "lib/mlir/type_kinds.def"
  kText,
  kUnknown,
};

enum class Signedness : std::uint8_t { kSignless = 0, kSigned = 1, kUnsigned = 2 };

constexpr std::int64_t kDynamic = std::numeric_limits<std::int64_t>::min();

struct Type {
  TypeKind kind = TypeKind::kUnknown;
  std::string_view text;    // kText: the MLIR text. kUnknown: the encoding
  std::uint32_t width = 0;  // kInteger: bits
  Signedness signedness = Signedness::kSignless;
  std::vector<std::int64_t> shape;  // of memrefs, tensors and vectors; kDynamic for an unknown dimension
  std::vector<bool> is_scalable;    // kScalableVector, per dimension
  TypeId element;
  AttributeId layout;             // of memrefs
  AttributeId space_or_encoding;  // the memory space of a memref, the encoding of a tensor; may be invalid
  std::vector<TypeId> inputs;     // kFunction; the elements of kTuple
  std::vector<TypeId> results;    // kFunction
};

// Errors: InvalidArgument with the offset of the fault. An unknown code is not an error.
absl::StatusOr<Attribute> decode(const Module& module, AttributeId id);
absl::StatusOr<Type> decode(const Module& module, TypeId id);

// The member `name` of a dictionary, or of the attributes of an operation, or else of its properties. Invalid if there
// is none. Does not allocate.
AttributeId find(const Module& module, AttributeId dictionary, std::string_view name);
AttributeId find(const Module& module, OpId op, std::string_view name);

// The value of an attribute of a simple kind; nullopt if `id` is invalid or of another kind.
std::optional<std::string_view> string(const Module& module, AttributeId id);  // a string or a flat symbol reference
std::optional<std::int64_t> integer(const Module& module, AttributeId id);     // at most 64 bits wide
// The elements of a dense array, of dense elements or of an array, which are all integers. A splat is expanded.
std::optional<std::vector<std::int64_t>> integers(const Module& module, AttributeId id);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_ATTRIBUTES_H_
