#include "lib/mlir/container.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::mlir {
namespace {

constexpr std::string_view kMagic = "ML\xEFR";

}  // namespace

bool is_bytecode(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

// section := id byte, length varint, [alignment varint, padding,] bytes     the high bit of the id says whether it is
// aligned
Section read_section(ByteCursor& cursor) {
  constexpr std::uint8_t kAligned = 0x80;
  Section section;
  const std::uint8_t id = cursor.byte();
  const std::uint64_t size = cursor.varint();
  if ((id & kAligned) != 0) cursor.align(cursor.varint());
  section.id = id & static_cast<std::uint8_t>(~kAligned);
  section.begin = cursor.offset();
  cursor.bytes(size);
  section.end = cursor.offset();
  section.is_present = cursor.ok();
  return section;
}

// bytecode := magic, version varint, producer NUL-terminated, section*
absl::StatusOr<Container> read_container(std::string_view bytes) {
  if (!is_bytecode(bytes)) {
    return absl::InvalidArgumentError(
        "MLIR bytecode: the bytes do not begin with the magic number 4D 4C EF 52 at byte 0");
  }
  // Offsets and counts are 32 bits.
  if (bytes.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("MLIR bytecode: ", bytes.size(), " bytes exceed the limit of 4 GiB"));
  }
  ByteCursor cursor(bytes, kMagic.size(), bytes.size());
  Container container;
  const std::uint64_t version = cursor.varint();
  if (version > kLatestVersion) {
    return absl::InvalidArgumentError(absl::StrCat("MLIR bytecode: version ", version, " is later than ",
                                                   static_cast<int>(kLatestVersion),
                                                   ", the latest that can be read, at byte ", kMagic.size()));
  }
  container.version = static_cast<std::uint32_t>(version);
  container.producer = cursor.c_string();
  while (cursor.ok() && cursor.remaining() > 0) {
    const std::size_t begin = cursor.offset();
    const Section section = read_section(cursor);
    if (!cursor.ok()) break;
    if (section.id >= container.sections.size()) {
      return error_at(begin, "a section has the unknown id " + std::to_string(section.id));
    }
    Section& slot = container.sections[section.id];
    if (slot.is_present) return error_at(begin, "section " + std::to_string(section.id) + " appears twice");
    slot = section;
  }
  if (!cursor.ok()) return cursor.status();
  for (const SectionId id : {SectionId::kStrings, SectionId::kDialects, SectionId::kAttributesAndTypes,
                             SectionId::kOffsets, SectionId::kIr}) {
    if (!container[id].is_present) {
      return error_at(bytes.size(), "section " + std::to_string(static_cast<int>(id)) + " is missing");
    }
  }
  if (container.version >= kProperties && !container[SectionId::kProperties].is_present) {
    return error_at(bytes.size(), "section 8 is missing");
  }
  return container;
}

}  // namespace hloroof::internal::mlir
