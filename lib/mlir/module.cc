#include "lib/mlir/module.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/mlir/bytes.h"
#include "lib/mlir/container.h"
#include "lib/mlir/operations.h"

namespace hloroof::internal::mlir {
namespace {

// The sections of MLIR bytecode that the operations refer to: strings, dialects, operation names, the extents of
// attributes and types, resources and properties.

ByteCursor cursor_over(const Module& module, const Section& section) {
  return ByteCursor(module.bytes, section.begin, section.end);
}

std::string_view read_string(ByteCursor& cursor, const Module& module) {
  const std::uint32_t index = cursor.index(module.strings.size(), "the index of a string is out of range");
  return cursor.ok() ? module.strings[index] : std::string_view();
}

DialectId read_dialect(ByteCursor& cursor, const Module& module) {
  return DialectId{cursor.index(module.dialects.size(), "the index of a dialect is out of range")};
}

// extents := group* until there are `count`     group := dialect, count varint, (size << 1 | is binary)*
void read_group_extents(ByteCursor& cursor, const Module& module, std::size_t count, std::uint64_t& begin,
                        std::uint64_t end, std::vector<Encoded>& out) {
  out.reserve(count);
  while (cursor.ok() && out.size() < count) {
    const DialectId dialect = read_dialect(cursor, module);
    const std::uint32_t in_group = cursor.count();
    if (in_group > count - out.size()) cursor.fail("a group has more attributes or types than there are");
    for (std::uint32_t i = 0; i < in_group && cursor.ok(); ++i) {
      Encoded entry;
      const std::uint64_t size = cursor.flagged_varint(entry.is_binary);
      if (size > end - begin) {
        cursor.fail("an attribute or type reaches beyond the end of its section");
        return;
      }
      entry.begin = static_cast<std::uint32_t>(begin);
      entry.size = static_cast<std::uint32_t>(size);
      entry.dialect = dialect;
      begin += size;
      out.push_back(entry);
    }
  }
}

// blob := alignment varint, size varint, padding, bytes
void read_resource_data(ByteCursor& cursor, const Module& module, Resource& resource) {
  switch (resource.kind) {
    case Resource::Kind::kBlob: {
      const std::uint64_t alignment = cursor.varint();
      const std::uint64_t size = cursor.varint();
      if (cursor.ok()) cursor.align(alignment);
      resource.data = cursor.bytes(size);
      return;
    }
    case Resource::Kind::kBool: resource.data = cursor.bytes(1); return;
    case Resource::Kind::kString: resource.data = read_string(cursor, module); return;
  }
}

// In this order. Each reads into `module`, whose bytes and version are set.
// strings := count, length varint * count in reverse order, bytes     lengths include the NUL
absl::Status read_strings(const Container& container, Module& module) {
  ByteCursor cursor = cursor_over(module, container[SectionId::kStrings]);
  const std::uint32_t count = cursor.count();
  std::vector<std::uint64_t> sizes(count);
  std::uint64_t total = 0;
  for (std::uint32_t i = count; i > 0 && cursor.ok(); --i) {
    sizes[i - 1] = cursor.varint();
    if (sizes[i - 1] == 0 || sizes[i - 1] > cursor.remaining()) cursor.fail("the length of a string is out of range");
    total += sizes[i - 1];
  }
  if (cursor.ok() && total != cursor.remaining())
    cursor.fail("the lengths of the strings do not add up to their bytes");
  module.strings.reserve(count);
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
    const std::string_view text = cursor.bytes(sizes[i]);
    if (text.back() != '\0') {
      cursor.fail("a string has no NUL at its end");
      break;
    }
    module.strings.push_back(text.substr(0, text.size() - 1));
  }
  return cursor.status();
}

// dialects := count, dialect * count, [number of names,] group*     the number from version 4 on
// dialect  := name varint [<< 1 | has version, version section]     from version 1 on
// group    := dialect, count, name varint [<< 1 | is registered]    from version 5 on
absl::Status read_dialects(const Container& container, Module& module) {
  ByteCursor cursor = cursor_over(module, container[SectionId::kDialects]);
  const std::uint32_t count = cursor.count();
  module.dialects.resize(count);
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
    Dialect& dialect = module.dialects[i];
    if (module.version < kDialectVersions) {
      dialect.name = read_string(cursor, module);
      continue;
    }
    bool has_version = false;
    const std::uint64_t name = cursor.flagged_varint(has_version);
    if (name >= module.strings.size()) cursor.fail("the index of a string is out of range");
    if (!cursor.ok()) break;
    dialect.name = module.strings[name];
    if (!has_version) continue;
    const Section section = read_section(cursor);
    if (cursor.ok() && section.id != static_cast<std::uint8_t>(SectionId::kDialectVersions)) {
      cursor.fail("the version of a dialect is not a section 7");
    }
    if (cursor.ok()) dialect.version = module.bytes.substr(section.begin, section.end - section.begin);
  }
  if (module.version >= kElidedLocations) module.op_names.reserve(cursor.count());
  while (cursor.ok() && cursor.remaining() > 0) {
    const DialectId dialect = read_dialect(cursor, module);
    const std::uint32_t names = cursor.count();
    for (std::uint32_t i = 0; i < names && cursor.ok(); ++i) {
      OpName name;
      name.dialect = dialect;
      const std::uint64_t index =
          module.version < kProperties ? cursor.varint() : cursor.flagged_varint(name.is_registered);
      if (index >= module.strings.size()) cursor.fail("the index of a string is out of range");
      if (!cursor.ok()) break;
      name.name = module.strings[index];
      module.op_names.push_back(name);
    }
  }
  return cursor.status();
}

// offsets := number of attributes, number of types, extents of attributes, extents of types
absl::Status read_extents(const Container& container, Module& module) {
  ByteCursor cursor = cursor_over(module, container[SectionId::kOffsets]);
  const Section& data = container[SectionId::kAttributesAndTypes];
  const std::uint32_t attributes = cursor.count();
  const std::uint32_t types = cursor.count();
  std::uint64_t begin = data.begin;
  read_group_extents(cursor, module, attributes, begin, data.end, module.attributes);
  read_group_extents(cursor, module, types, begin, data.end, module.types);
  if (cursor.ok() && cursor.remaining() > 0) cursor.fail("bytes follow the extents of attributes and types");
  return cursor.status();
}

// resource offsets := count, (owner name, group) * count, (dialect, group)*
// group            := count, (key string, size varint, kind byte) * count     the data are in section 5, in this order
absl::Status read_resources(const Container& container, Module& module) {
  const Section& offsets = container[SectionId::kResourceOffsets];
  const Section& section = container[SectionId::kResources];
  if (!offsets.is_present) return absl::OkStatus();
  if (!section.is_present) return error_at(offsets.begin, "section 5 is missing");
  ByteCursor cursor = cursor_over(module, offsets);
  ByteCursor data = cursor_over(module, section);
  const std::uint32_t external = cursor.count();
  for (std::uint32_t group = 0; cursor.ok() && (group < external || cursor.remaining() > 0); ++group) {
    Resource resource;
    resource.is_external = group < external;
    if (resource.is_external) {
      resource.owner = read_string(cursor, module);
    } else {
      const DialectId dialect = read_dialect(cursor, module);
      if (cursor.ok()) resource.owner = module.dialects[dialect.index].name;
    }
    const std::uint32_t count = cursor.count();
    for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
      resource.key = read_string(cursor, module);
      const std::uint64_t size = cursor.varint();
      const std::uint8_t kind = cursor.byte();
      if (kind > static_cast<std::uint8_t>(Resource::Kind::kString)) cursor.fail("a resource is of an unknown kind");
      if (!cursor.ok()) break;
      resource.kind = static_cast<Resource::Kind>(kind);
      const std::size_t begin = data.offset();
      data.bytes(size);
      ByteCursor entry(module.bytes, begin, data.offset());
      resource.data = {};
      // A producer may declare a resource and leave out its data.
      if (size > 0 && data.ok()) read_resource_data(entry, module, resource);
      if (!data.ok()) return data.status();
      if (!entry.ok()) return entry.status();
      module.resources.push_back(resource);
      if (resource.is_external) ++module.external_resource_count;
    }
  }
  return cursor.status();
}

// The bytes of each entry of the properties section.
// properties := count, (size varint, bytes) * count
absl::Status read_properties(const Container& container, const Module& module,
                             std::vector<std::string_view>& properties) {
  if (!container[SectionId::kProperties].is_present) return absl::OkStatus();
  ByteCursor cursor = cursor_over(module, container[SectionId::kProperties]);
  const std::uint32_t count = cursor.count();
  properties.reserve(count);
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) properties.push_back(cursor.bytes(cursor.varint()));
  if (cursor.ok() && cursor.remaining() > 0) cursor.fail("bytes follow the properties");
  return cursor.status();
}

}  // namespace

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
