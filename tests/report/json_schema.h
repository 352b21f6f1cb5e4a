// Checks a value against a JSON schema (draft 2020-12). Knows the keywords that our schemas use: type, const, enum,
// anyOf, minimum, maximum, properties, required, additionalProperties, items and $ref into $defs.
#ifndef HLOROOF_TESTS_REPORT_JSON_SCHEMA_H_
#define HLOROOF_TESTS_REPORT_JSON_SCHEMA_H_

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "tests/catch.h"

namespace hloroof::internal {

class JsonSchema {
 public:
  // `name` as in lib/describe/schema: "prediction".
  explicit JsonSchema(const std::string& name) {
    const std::string path = "lib/describe/schema/" + name + ".schema.json";
    std::ifstream file(path);
    REQUIRE(file.good());
    auto json = parse_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
    REQUIRE(json.ok());
    root_ = *std::move(json);
  }

  // What does not fit, one line each: "ops[3].seconds: ...".
  std::vector<std::string> violations(const JsonValue& value) const {
    std::vector<std::string> found;
    check(value, root_, "", found);
    return found;
  }

  const JsonValue& root() const { return root_; }

 private:
  static std::string type_of(const JsonValue& value) {
    switch (value.kind) {
      case JsonValue::Kind::kNull: return "null";
      case JsonValue::Kind::kBool: return "boolean";
      case JsonValue::Kind::kNumber: return "number";
      case JsonValue::Kind::kString: return "string";
      case JsonValue::Kind::kArray: return "array";
      case JsonValue::Kind::kObject: return "object";
    }
    return "";
  }

  static bool equal(const JsonValue& a, const JsonValue& b) {
    return a.kind == b.kind && a.string == b.string && a.number == b.number && a.boolean == b.boolean;
  }

  static bool is_type(const JsonValue& value, const std::string& type) {
    if (type == "integer") return value.is(JsonValue::Kind::kNumber) && value.number == std::floor(value.number);
    return type_of(value) == type;
  }

  void check(const JsonValue& value, const JsonValue& schema, const std::string& where,
             std::vector<std::string>& found) const {
    const auto wrong = [&](const std::string& what) { found.push_back(where + ": " + what); };
    if (const JsonValue* ref = schema.find("$ref")) {
      const std::string name = ref->string.substr(std::string("#/$defs/").size());
      const JsonValue* target = root_.find("$defs") != nullptr ? root_.find("$defs")->find(name) : nullptr;
      REQUIRE(target != nullptr);
      return check(value, *target, where, found);
    }
    if (const JsonValue* choices = schema.find("anyOf")) {
      bool fits = false;
      for (const JsonValue& choice : choices->elements) {
        std::vector<std::string> violations;
        check(value, choice, where, violations);
        fits = fits || violations.empty();
      }
      if (!fits) return wrong("is none of the alternatives");
    }
    if (const JsonValue* type = schema.find("type")) {
      bool fits = is_type(value, type->string);
      for (const JsonValue& one : type->elements) fits = fits || is_type(value, one.string);
      if (!fits) return wrong("has the type " + type_of(value));
    }
    if (const JsonValue* constant = schema.find("const"); constant != nullptr && !equal(*constant, value)) {
      wrong("is not " + constant->string);
    }
    if (const JsonValue* choices = schema.find("enum")) {
      bool fits = false;
      for (const JsonValue& choice : choices->elements) fits = fits || equal(choice, value);
      if (!fits) wrong("'" + value.string + "' is none of the choices");
    }
    if (value.is(JsonValue::Kind::kNumber)) {
      const JsonValue* least = schema.find("minimum");
      const JsonValue* most = schema.find("maximum");
      if (least != nullptr && value.number < least->number) wrong("is below " + std::to_string(least->number));
      if (most != nullptr && value.number > most->number) wrong("is above " + std::to_string(most->number));
    }
    if (const JsonValue* items = schema.find("items")) {
      for (std::size_t i = 0; i < value.elements.size(); ++i) {
        check(value.elements[i], *items, where + "[" + std::to_string(i) + "]", found);
      }
    }
    if (!value.is(JsonValue::Kind::kObject)) return;
    if (const JsonValue* required = schema.find("required")) {
      for (const JsonValue& name : required->elements) {
        if (value.find(name.string) == nullptr) wrong("has no " + name.string);
      }
    }
    const JsonValue* properties = schema.find("properties");
    const JsonValue* additional = schema.find("additionalProperties");
    for (const JsonMember& member : value.members) {
      const std::string inside = where + (where.empty() ? "" : ".") + member.name;
      const JsonValue* property = properties != nullptr ? properties->find(member.name) : nullptr;
      if (property != nullptr) {
        check(member.value, *property, inside, found);
      } else if (additional != nullptr && additional->is(JsonValue::Kind::kObject)) {
        check(member.value, *additional, inside, found);
      } else if (additional != nullptr) {
        found.push_back(inside + ": is not in the schema");
      }
    }
  }

  JsonValue root_;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_REPORT_JSON_SCHEMA_H_
