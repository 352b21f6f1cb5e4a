// Parses arbitrary shapes and layouts. The text of a valid shape must parse as the same shape.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hloroof/shape.h"
#include "lib/ir/shapes.h"
#include "lib/values/cursor.h"
#include "lib/values/shape_parser.h"

namespace hloroof::internal {
namespace {

bool read(const std::string& text, ShapeTable& table, ShapeId& id) {
  Cursor cursor(text);
  ShapeParser shapes;
  shapes.start(&table);
  const bool ok = shapes.read(cursor, &id);
  if (ok == cursor.failed()) std::abort();  // a failure must record an error, and a success must not
  return ok && cursor.at_end();
}

}  // namespace
}  // namespace hloroof::internal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  hloroof::ShapeTable table;
  hloroof::ShapeId id;
  if (!hloroof::internal::read(text, table, id)) return 0;
  hloroof::ShapeId again;
  if (!hloroof::internal::read(hloroof::to_string(table, id), table, again) || again != id) std::abort();
  for (hloroof::ShapeId leaf : table.leaves(id)) {
    if (table[leaf].is_tuple() || hloroof::internal::element_count(table[leaf]) < 0) std::abort();
  }
  return 0;
}
