// The .def tables and the functions that look them up.
#include <set>
#include <string>

#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("every opcode is found by its own spelling") {
  std::set<std::string> seen;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const std::string text(to_string(opcode));
    INFO(text);
    CHECK(opcode_from_string(text) == opcode);
    CHECK(seen.insert(text).second);
  }
  CHECK_FALSE(opcode_from_string("unknown").has_value());
  CHECK_FALSE(opcode_from_string("").has_value());
  CHECK_FALSE(opcode_from_string("Add").has_value());
}

TEST_CASE("every element type is found by its own spelling") {
  for (int i = 0; i < static_cast<int>(ElementType::kTuple); ++i) {
    const ElementType type = static_cast<ElementType>(i);
    INFO(to_string(type));
    CHECK(element_type_from_string(to_string(type)) == type);
  }
  // Aggregates are written with parentheses, not as words.
  CHECK_FALSE(element_type_from_string("tuple").has_value());
  CHECK_FALSE(element_type_from_string("buffer").has_value());
  CHECK_FALSE(element_type_from_string("BF16").has_value());
}

TEST_CASE("element types have the sizes of XLA's table") {
  struct Row {
    ElementType type;
    int bits;
    int bytes;
  };
  const Row rows[] = {{ElementType::kPred, 8, 1},  {ElementType::kS4, 4, 1},       {ElementType::kU1, 1, 1},
                      {ElementType::kBf16, 16, 2}, {ElementType::kF64, 64, 8},     {ElementType::kC128, 128, 16},
                      {ElementType::kToken, 0, 0}, {ElementType::kF4e2m1fn, 4, 1}, {ElementType::kF8e8m0fnu, 8, 1},
                      {ElementType::kTuple, 0, 0}};
  for (const Row& row : rows) {
    INFO(to_string(row.type));
    CHECK(bits(row.type) == row.bits);
    CHECK(bytes(row.type) == row.bytes);
  }
}

TEST_CASE("array types are the ones before token") {
  const auto is_array_type = [](ElementType type) {
    Shape shape;
    shape.element_type = type;
    return shape.is_array();
  };
  CHECK(is_array_type(ElementType::kPred));
  CHECK(is_array_type(ElementType::kC128));
  CHECK_FALSE(is_array_type(ElementType::kToken));
  CHECK_FALSE(is_array_type(ElementType::kOpaque));
  CHECK_FALSE(is_array_type(ElementType::kTuple));
  CHECK(is_integral(ElementType::kU4));
  CHECK_FALSE(is_integral(ElementType::kPred));
  CHECK(is_floating(ElementType::kF8e4m3fn));
  CHECK(is_complex(ElementType::kC64));
}

TEST_CASE("every attribute is found by its own spelling") {
  for (int i = 0; i < static_cast<int>(AttributeKey::kConstantLiteral); ++i) {
    const AttributeKey key = static_cast<AttributeKey>(i);
    INFO(to_string(key));
    REQUIRE_FALSE(to_string(key).empty());
    CHECK(attribute_from_string(to_string(key)) == key);
  }
  CHECK_FALSE(attribute_from_string("").has_value());
  CHECK(form(AttributeKey::kReplicaGroups) == AttributeForm::kReplicaGroups);
  CHECK(form(AttributeKey::kUnknown) == AttributeForm::kRaw);
}

TEST_CASE("elementwise is XLA's notion of it") {
  CHECK(is_elementwise(Opcode::kAdd));
  CHECK(is_elementwise(Opcode::kTanh));
  CHECK(is_elementwise(Opcode::kConvert));
  CHECK_FALSE(is_elementwise(Opcode::kCopy));
  CHECK_FALSE(is_elementwise(Opcode::kBroadcast));
  CHECK_FALSE(is_elementwise(Opcode::kIota));
}

}  // namespace
}  // namespace hloroof::internal
