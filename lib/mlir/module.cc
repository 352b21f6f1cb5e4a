#include "lib/mlir/module.h"

#include "lib/mlir/container.h"
#include "lib/mlir/operations.h"
#include "lib/mlir/tables.h"

namespace hloroof::internal::mlir {

bool Module::is(OpNameId name, std::string_view full_name) const {
  const OpName& row = op_names[name.index];
  const std::string_view dialect = dialects[row.dialect.index].name;
  if (dialect.empty()) return full_name == row.name;
  if (row.name.empty()) return full_name == dialect;
  return full_name.size() == dialect.size() + 1 + row.name.size() && full_name[dialect.size()] == '.' &&
         full_name.substr(0, dialect.size()) == dialect && full_name.substr(dialect.size() + 1) == row.name;
}

absl::StatusOr<Module> read_module(std::string_view bytes) {
  absl::StatusOr<Container> container = read_container(bytes);
  if (!container.ok()) return container.status();
  Module module;
  module.bytes = bytes;
  module.version = container->version;
  module.producer = container->producer;
  for (const auto read : {read_strings, read_dialects, read_extents, read_resources}) {
    if (absl::Status status = read(*container, module); !status.ok()) return status;
  }
  std::vector<std::string_view> properties;
  if (absl::Status status = read_properties(*container, module, properties); !status.ok()) return status;
  absl::Status status = read_operations((*container)[SectionId::kIr], properties, module);
  if (!status.ok()) return status;
  return module;
}

}  // namespace hloroof::internal::mlir
