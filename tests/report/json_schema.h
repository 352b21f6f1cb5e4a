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
  // `name` as in tests/describe/schema: "prediction".
  explicit JsonSchema(const std::string& name) {
    const std::string path = "tests/describe/schema/" + name + ".schema.json";
    std::ifstream file(path);
    REQUIRE(file.good());
    auto json = parse_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
    REQUIRE(json.ok());
    root_ = *std::move(json);
  }

  // What does not fit, one line each: "ops[3].seconds: ...".
  std::vector<std::string> violations(const OrderedJson& value) const {
    std::vector<std::string> found;
    check(value, root_, "", found);
    return found;
  }

  const OrderedJson& root() const { return root_; }

 private:
  static std::string type_of(const OrderedJson& value) { return value.is_number() ? "number" : value.type_name(); }

  static std::string text_of(const OrderedJson& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }

  static bool is_type(const OrderedJson& value, const std::string& type) {
    if (type == "integer") return value.is_number() && value.get<double>() == std::floor(value.get<double>());
    return type_of(value) == type;
  }

  void check(const OrderedJson& value, const OrderedJson& schema, const std::string& where,
             std::vector<std::string>& found) const {
    const auto wrong = [&](const std::string& what) { found.push_back(where + ": " + what); };
    if (const OrderedJson* ref = find(schema, {"$ref"})) {
      const std::string name = ref->get<std::string>().substr(std::string("#/$defs/").size());
      const OrderedJson* target = find(root_, {"$defs", name});
      REQUIRE(target != nullptr);
      return check(value, *target, where, found);
    }
    if (const OrderedJson* choices = find(schema, {"anyOf"})) {
      bool fits = false;
      for (const OrderedJson& choice : *choices) {
        std::vector<std::string> violations;
        check(value, choice, where, violations);
        fits = fits || violations.empty();
      }
      if (!fits) return wrong("is none of the alternatives");
    }
    if (const OrderedJson* type = find(schema, {"type"})) {
      bool fits = false;  // with one of several types, or with the only one
      for (const OrderedJson& one : *type) fits = fits || is_type(value, one.get<std::string>());
      if (!fits) return wrong("has the type " + type_of(value));
    }
    if (const OrderedJson* constant = find(schema, {"const"}); constant != nullptr && *constant != value) {
      wrong("is not " + text_of(*constant));
    }
    if (const OrderedJson* choices = find(schema, {"enum"})) {
      bool fits = false;
      for (const OrderedJson& choice : *choices) fits = fits || choice == value;
      if (!fits) wrong("'" + text_of(value) + "' is none of the choices");
    }
    if (value.is_number()) {
      const OrderedJson* least = find(schema, {"minimum"});
      const OrderedJson* most = find(schema, {"maximum"});
      if (least != nullptr && value.get<double>() < least->get<double>())
        wrong("is below " + std::to_string(least->get<double>()));
      if (most != nullptr && value.get<double>() > most->get<double>())
        wrong("is above " + std::to_string(most->get<double>()));
    }
    if (const OrderedJson* items = find(schema, {"items"}); items != nullptr && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        check(value[i], *items, where + "[" + std::to_string(i) + "]", found);
      }
    }
    if (!value.is_object()) return;
    if (const OrderedJson* required = find(schema, {"required"})) {
      for (const OrderedJson& name : *required) {
        if (!value.contains(name.get<std::string>())) wrong("has no " + name.get<std::string>());
      }
    }
    const OrderedJson* properties = find(schema, {"properties"});
    const OrderedJson* additional = find(schema, {"additionalProperties"});
    for (const auto& member : value.items()) {
      const std::string inside = where + (where.empty() ? "" : ".") + member.key();
      const OrderedJson* property = properties != nullptr ? find(*properties, {member.key()}) : nullptr;
      if (property != nullptr) {
        check(member.value(), *property, inside, found);
      } else if (additional != nullptr && additional->is_object()) {
        check(member.value(), *additional, inside, found);
      } else if (additional != nullptr) {
        found.push_back(inside + ": is not in the schema");
      }
    }
  }

  OrderedJson root_;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_REPORT_JSON_SCHEMA_H_
