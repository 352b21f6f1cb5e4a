// Checks that every fragment of value_cases.tsv is accepted or rejected as the table says, by checking and by decoding,
// and that a rejection has a message.
#include <fstream>
#include <string>
#include <vector>

#include "hloroof/shape.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/attribute_values.h"
#include "lib/values/literal.h"
#include "lib/values/shape_parser.h"
#include "lib/values/values.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

struct Case {
  int line = 0;
  std::string opcode;
  std::string text;
  std::string xla;
  std::string ours;
  std::string why;
};

std::vector<Case> read_cases() {
  std::ifstream in(source_path("tests/text/value_cases.tsv"));
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    Case c;
    c.line = number;
    std::string* columns[] = {&c.opcode, &c.text, &c.xla, &c.ours, &c.why};
    std::size_t at = 0;
    for (std::string* column : columns) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      *column = line.substr(std::min(at, end), end - at);
      at = end + 1;
    }
    for (std::size_t i = 0; (i = c.text.find("\\n", i)) != std::string::npos;) c.text.replace(i, 2, "\n");
    cases.push_back(c);
  }
  return cases;
}

bool read_constant(Cursor& cursor, std::vector<Literal>* out) {
  ShapeTable table;
  ShapeParser shapes;
  shapes.start(&table);
  ShapeId id;
  // The shape ends at the blank; otherwise the brace of a literal would be parsed as a layout.
  const std::string_view all = cursor.since(cursor.at());
  const std::string text(all.data());
  const std::size_t blank = text.find(' ');
  const std::string shape_text = text.substr(0, blank);
  Cursor shape_cursor(shape_text);
  if (!shapes.read(shape_cursor, &id)) return cursor.fail("shape");
  cursor.move_to(cursor.at() + blank);
  return read_literal(cursor, table, id, out);
}

template <typename T, typename Read>
bool decoded(Cursor& cursor, Read read) {
  T value;
  return read(cursor, &value);
}

// Like read_value, but decodes into the struct of the form if there is one.
bool decode_value(Cursor& cursor, Opcode opcode, AttributeKey key) {
  switch (form(key)) {
    case AttributeForm::kWordList: return decoded<std::vector<Precision>>(cursor, read_precision_list);
    case AttributeForm::kIntegerList: return decoded<std::vector<std::int64_t>>(cursor, read_integer_list);
    case AttributeForm::kBoolList: return decoded<std::vector<bool>>(cursor, read_bool_list);
    case AttributeForm::kBoolOrBoolList: return decoded<std::vector<bool>>(cursor, read_bool_or_list);
    case AttributeForm::kWindow: return decoded<Window>(cursor, read_window);
    case AttributeForm::kDimLabels: return decoded<ConvolutionDimensionNumbers>(cursor, read_dim_label_numbers);
    case AttributeForm::kPadding: return decoded<std::vector<PaddingDimension>>(cursor, read_padding_dimensions);
    case AttributeForm::kSliceRanges: return decoded<std::vector<SliceRange>>(cursor, read_slice_ranges);
    case AttributeForm::kAlias: return decoded<std::vector<OperandAlias>>(cursor, read_operand_aliases);
    case AttributeForm::kReplicaGroups: return decoded<ReplicaGroups>(cursor, read_replica_groups);
    case AttributeForm::kSharding: return decoded<ShardingAttribute>(cursor, read_sharding);
    case AttributeForm::kFrontendAttributes: return decoded<FrontendAttributes>(cursor, read_frontend_attributes);
    case AttributeForm::kStatistics: return decoded<Statistics>(cursor, read_statistics);
    case AttributeForm::kMetadata: return decoded<Metadata>(cursor, read_metadata);
    case AttributeForm::kResultAccuracy: return decoded<ResultAccuracy>(cursor, read_result_accuracy);
    case AttributeForm::kHeaderAlias: return decoded<std::vector<ParameterAlias>>(cursor, read_header_aliases);
    case AttributeForm::kHeaderDonor: return decoded<std::vector<BufferDonor>>(cursor, read_header_donors);
    case AttributeForm::kEntryLayout: {
      ShapeTable table;
      ShapeParser shapes;
      shapes.start(&table);
      EntryLayout layout;
      return read_entry_layout(cursor, shapes, &layout);
    }
    default: return read_value(cursor, opcode, key);
  }
}

bool accepts(const Case& c, bool decode, std::string* message) {
  Cursor cursor(c.text);
  bool ok = false;
  if (c.opcode == "constant") {
    std::vector<Literal> leaves;
    ok = read_constant(cursor, decode ? &leaves : nullptr);
  } else {
    const std::string_view name = cursor.accept_attribute_name();
    const AttributeKey key = attribute_from_string(name).value();
    const Opcode opcode = opcode_from_string(c.opcode).value_or(Opcode::kUnknown);
    ok = decode ? decode_value(cursor, opcode, key) : read_value(cursor, opcode, key);
  }
  if (!ok) {
    *message = cursor.errors().empty() ? "" : cursor.errors().front().message;
    return false;
  }
  *message = "something follows the value";
  return cursor.at_end();
}

TEST_CASE("the verdicts of the table") {
  const std::vector<Case> cases = read_cases();
  REQUIRE(cases.size() > 500);
  for (const Case& c : cases) {
    CAPTURE(c.line, c.opcode, c.text, c.xla, c.ours);
    const bool differs = c.ours != "same";
    const bool expected = (differs ? c.ours : c.xla) == "accept";
    // A difference must have a reason, and must really differ.
    CHECK((c.ours == "same" || c.ours == "accept" || c.ours == "reject"));
    CHECK(differs == !c.why.empty());
    CHECK(c.ours != c.xla);
    std::string message;
    CHECK(accepts(c, false, &message) == expected);
    if (!expected) CHECK_FALSE(message.empty());
    CHECK(accepts(c, true, &message) == expected);
  }
}

}  // namespace
}  // namespace hloroof::internal
