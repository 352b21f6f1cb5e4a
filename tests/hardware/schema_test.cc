#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/base/json.h"
#include "lib/hardware/device_fields.h"
#include "tests/catch.h"
#include "tests/hardware/device_schema.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("schema: the file in data/hardware is what the field table says (HLOROOF_UPDATE_GOLDEN=1 rewrites it)") {
  const std::string path = source_path("data/hardware/device.schema.json");
  const std::string schema = device_schema_json();
  if (std::getenv("HLOROOF_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << schema;
  std::ifstream in(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == schema);
}

TEST_CASE("schema: has every field where the table puts it") {
  const auto schema = parse_json(device_schema_json(), "device.schema.json");
  REQUIRE(schema.ok());
  for (const DeviceField& field : device_fields()) {
    CAPTURE(field.path);
    const OrderedJson* at = find(*schema, {"properties"});
    std::string rest(field.path);
    for (size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      REQUIRE(at != nullptr);
      at = find(*at, {rest.substr(0, dot)});
      REQUIRE(at != nullptr);
      at = find(*at, {"properties"});
      rest.erase(0, dot + 1);
    }
    REQUIRE(at != nullptr);
    at = find(*at, {rest});
    REQUIRE(at != nullptr);
    const std::string ref = at->at("$ref").get<std::string>();
    const OrderedJson* definition = find(*schema, {"$defs", ref.substr(ref.rfind('/') + 1)});
    REQUIRE(definition != nullptr);
    CHECK(definition->at("properties").at("unit").at("const").get<std::string>() == field.unit);
    CHECK((definition->at("properties").contains("per")) == (field.scope == FieldScope::kShared));
  }
}

}  // namespace
}  // namespace hloroof::internal
