#include "lib/base/csv.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Fields = std::vector<std::string>;

TEST_CASE("csv: fields, quotes and line ends") {
  const struct {
    const char* name;
    std::string text;
    Fields columns;
    std::vector<std::pair<std::size_t, Fields>> rows;  // line, fields
  } cases[] = {
      {"plain", "a,b\n1,2\n3,4\n", {"a", "b"}, {{2, {"1", "2"}}, {3, {"3", "4"}}}},
      {"no end of line at the end", "a,b\n1,2", {"a", "b"}, {{2, {"1", "2"}}}},
      {"a header alone", "a", {"a"}, {}},
      {"empty fields", "a,b,\n,,\n", {"a", "b", ""}, {{2, {"", "", ""}}}},
      {"CR LF", "a,b\r\n1,2\r\n3,4\r\n", {"a", "b"}, {{2, {"1", "2"}}, {3, {"3", "4"}}}},
      {"CR alone", "a\r1\r2", {"a"}, {{2, {"1"}}, {3, {"2"}}}},
      {"blank lines", "\na\n\n1\r\n\r\n2\n\n", {"a"}, {{4, {"1"}}, {6, {"2"}}}},
      {"a byte order mark",
       "\xEF\xBB\xBF"
       "a\n1\n",
       {"a"},
       {{2, {"1"}}}},
      {"a quoted comma", "\"a,b\",c\n\"1,2\",3\n", {"a,b", "c"}, {{2, {"1,2", "3"}}}},
      {"doubled quotes", "a\n\"say \"\"hi\"\"\"\n\"\"\"\"\n", {"a"}, {{2, {"say \"hi\""}}, {3, {"\""}}}},
      {"a line end in quotes",
       "a,b\n\"1\n2\",x\n\"3\r\n4\",y\n",
       {"a", "b"},
       {{2, {"1\n2", "x"}}, {4, {"3\r\n4", "y"}}}},
      {"an empty quoted field is a row", "a\n\"\"\n", {"a"}, {{2, {""}}}},
      {"a quote inside an unquoted field", "a,b\n5\" pipe,x\"y\"\n", {"a", "b"}, {{2, {"5\" pipe", "x\"y\""}}}},
      {"blanks are kept", "a , b\n 1 ,\t2\n", {"a ", " b"}, {{2, {" 1 ", "\t2"}}}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const absl::StatusOr<CsvTable> table = parse_csv(c.text, "t.csv");
    REQUIRE(table.ok());
    CHECK(table->columns == c.columns);
    REQUIRE(table->rows.size() == c.rows.size());
    for (std::size_t i = 0; i < c.rows.size(); ++i) {
      CHECK(table->rows[i].line == c.rows[i].first);
      CHECK(table->rows[i].fields == c.rows[i].second);
    }
  }
}

TEST_CASE("csv: errors say where and what") {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"", "t.csv:1: the table is empty; expected a line with the names of its columns"},
      {"\r\n\n", "t.csv:1: the table is empty; expected a line with the names of its columns"},
      {"a,b\n1,2\n3\n", "t.csv:3: the row has 1 fields, the header 2"},
      {"a,b\n\"x\ny\",1\n1,2,3\n", "t.csv:4: the row has 3 fields, the header 2"},
      {"a\n1\n\"2\n3\n", "t.csv:3: the quoted field is not closed"},
      {"a,b\n\"1\"x,2\n", "t.csv:2: expected a comma or the end of the line after a quoted field"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const absl::Status status = parse_csv(c.text, "t.csv").status();
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(std::string(status.message()) == c.message);
  }
}

TEST_CASE("csv: columns by name, and files that are not there") {
  const absl::StatusOr<CsvTable> table = parse_csv("x,y,x\n1,2,3\n", "t.csv");
  REQUIRE(table.ok());
  CHECK(table->find_column("x") == 0);
  CHECK(table->find_column("y") == 1);
  CHECK_FALSE(table->find_column("z").has_value());
  CHECK(load_csv("tests/base/no_such.csv").status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hloroof::internal
