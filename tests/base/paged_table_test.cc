#include "lib/base/paged_table.h"

#include <random>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace hloroof::internal;

TEST_CASE("A paged table reads as a flat one") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  PagedTable<std::string> table;
  std::vector<std::string> flat;
  PagedTable<std::string> copy;
  std::vector<std::string> copied;
  for (int i = 0; i < 20000; ++i) {
    switch (below(flat.empty() ? 1 : 8)) {
      case 0: {
        const std::size_t size = below(4) == 0 ? below(400) : flat.size() + below(3);
        table.resize(size);
        flat.resize(size);
        break;
      }
      case 1: {
        const std::size_t at = below(flat.size());
        table.clear(at);
        flat[at].clear();
        break;
      }
      case 2:
        copy = table;
        copied = flat;
        break;
      default: {
        const std::size_t at = below(flat.size());
        table.at(at) = flat[at] = std::to_string(i);
      }
    }
    REQUIRE(table.size() == flat.size());
    REQUIRE(copy.size() == copied.size());
    if (flat.empty()) continue;
    const std::size_t at = below(flat.size());
    REQUIRE(table[at] == flat[at]);
    if (at < copied.size()) REQUIRE(copy[at] == copied[at]);
  }
  std::size_t written = 0;
  table.for_each_written([&](const std::string& row) { written += row.empty() ? 0 : 1; });
  std::size_t expected = 0;
  for (const std::string& row : flat) expected += row.empty() ? 0 : 1;
  CHECK(written == expected);
}

TEST_CASE("Copies of a paged table share rows until one of them writes") {
  PagedTable<std::string> table(100);
  table.at(3) = "x";
  PagedTable<std::string> copy = table;
  CHECK(&std::as_const(copy)[3] == &std::as_const(table)[3]);
  table.at(4) = "y";
  CHECK(&std::as_const(copy)[3] != &std::as_const(table)[3]);
  CHECK(copy[3] == "x");
  CHECK(copy[4].empty());
  CHECK(table[3] == "x");
  const std::string* const own = &std::as_const(table)[3];
  copy = PagedTable<std::string>();
  table.at(3) = "z";
  CHECK(&std::as_const(table)[3] == own);
}

TEST_CASE("Rows that were never written are shared and empty") {
  PagedTable<std::string> table(1000);
  CHECK(&std::as_const(table)[3] == &std::as_const(table)[900]);
  table.at(3) = "x";
  CHECK(table[3] == "x");
  CHECK(table[4].empty());
  table.resize(3);
  table.resize(1000);
  CHECK(table[3].empty());
}
