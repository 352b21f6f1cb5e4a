// The outermost layer of MLIR bytecode: magic number, version, producer and sections.
#ifndef HLOROOF_LIB_MLIR_CONTAINER_H_
#define HLOROOF_LIB_MLIR_CONTAINER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/mlir/bytes.h"

namespace hloroof::internal::mlir {

// The versions of the format that change what is written.
enum Version : std::uint32_t {
  kDialectVersions = 1,
  kLazyRegions = 2,  // isolated regions are sections
  kUseListOrders = 3,
  kElidedLocations = 4,  // of block arguments
  kProperties = 5,
  kSegmentSizes = 6,  // in properties
  kLatestVersion = 6,
};

enum class SectionId : std::uint8_t {
  kStrings = 0,
  kDialects = 1,
  kAttributesAndTypes = 2,
  kOffsets = 3,
  kIr = 4,
  kResources = 5,
  kResourceOffsets = 6,
  kDialectVersions = 7,
  kProperties = 8,
};

struct Section {
  bool is_present = false;
  std::uint8_t id = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Container {
  std::uint32_t version = 0;
  std::string_view producer;
  std::array<Section, 9> sections;

  const Section& operator[](SectionId id) const { return sections[static_cast<std::size_t>(id)]; }
};

// Reads a section. Its contents are skipped.
Section read_section(ByteCursor& cursor);

absl::StatusOr<Container> read_container(std::string_view bytes);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_CONTAINER_H_
