// Described records as CSV.
#include "lib/describe/record_csv.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A record that points at its parts, as rows of a comparison do.
struct Pair {
  const std::string* name = nullptr;
  int* reads = nullptr;
};

}  // namespace

template <>
struct Described<Pair> {
  static constexpr RecordInfo kInfo = {"pair", "Pair", "A name elsewhere."};
  static constexpr auto kFields = fields(field("name", Unit::kNone, "The name.", [](const Pair& pair) {
    if (pair.reads != nullptr) ++*pair.reads;
    return pair.name != nullptr ? *pair.name : std::string();
  }));
};

namespace {

TEST_CASE("an empty list has titles, and no member of a record is read for them") {
  int reads = 0;
  CsvLine line;
  add_csv_titles(Pair{.reads = &reads}, line);
  CHECK(line.take() == "name\n");
  CHECK(reads == 0);
  CHECK(records_csv(std::vector<Pair>()) == "name\n");
}

TEST_CASE("a record is a line below the titles") {
  const std::string name = "a,b";
  CHECK(records_csv(std::vector<Pair>{{.name = &name}}) == "name\n\"a,b\"\n");
}

}  // namespace
}  // namespace hloroof::internal
