// Parses arbitrary literals: `shape literal`. Checking and decoding must agree, and the decoded literal must not be
// larger than the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "lib/values/cursor.h"
#include "lib/values/literal.h"
#include "lib/values/shape_parser.h"
#include "lib/values/values.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hloroof;            // NOLINT: one function
  using namespace hloroof::internal;  // NOLINT: one function
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return 0;
  const std::string shape_text = text.substr(0, blank);
  const std::string literal_text = text.substr(blank + 1);
  ShapeTable table;
  ShapeParser shapes;
  shapes.start(&table);
  Cursor shape_cursor(shape_text);
  ShapeId id;
  if (!shapes.read(shape_cursor, &id) || !shape_cursor.at_end()) return 0;

  Cursor check(literal_text);
  Cursor decode(literal_text);
  std::vector<Literal> leaves;
  const bool checked = read_literal(check, table, id, nullptr);
  if (read_literal(decode, table, id, &leaves) != checked) std::abort();
  if (checked == check.failed()) std::abort();
  if (!checked) return 0;
  if (check.offset() != decode.offset()) std::abort();
  if (leaves.size() != table.leaves(id).size() && table.leaves(id).size() < 1000) std::abort();
  std::size_t bytes = 0;
  double sum = 0;
  for (const Literal& l : leaves) {
    bytes += l.bytes.size();
    for (std::size_t i = 0; i < l.size(); ++i) sum += l.real(i) + l.imaginary(i) + static_cast<double>(l.integer(i));
  }
  volatile double kept = sum;
  (void)kept;
  if (bytes > 16 * (size + 1)) std::abort();
  return 0;
}
