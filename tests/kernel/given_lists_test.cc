// Lists that the user states: samples/grouped.hlo has four groups of 1024 rows, in tiles of 128.
#include "lib/kernel/tpu/given_lists.h"

#include <cstdint>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "lib/kernel/tpu/read_kernel.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

using Values = std::vector<std::int64_t>;

Module grouped() {
  absl::StatusOr<Module> module = load_module(source_path("tests/kernel/samples/grouped.hlo"));
  REQUIRE(module.ok());
  return *std::move(module);
}

TEST_CASE("the sizes of groups give the tiles that grouped products visit") {
  const Module module = grouped();
  const struct {
    const char* what;
    Values sizes;
    double steps;
    double rows_moved;      // blocks of rows
    double matrices_moved;  // one for each group that has rows
  } rows[] = {
      // The groups begin at the rows 0, 200, 200 and 700, in the tiles 0, 1, 1 and 5.
      {"an empty one", {200, 0, 500, 324}, 10, 8, 3},
      {"all rows in one", {1024, 0, 0, 0}, 8, 8, 1},
      {"all rows in the last", {0, 0, 0, 1024}, 8, 8, 1},
      {"whole tiles", {256, 256, 256, 256}, 8, 8, 4},
      {"none on the border of a tile", {250, 250, 250, 274}, 11, 8, 4},
      {"rows without a group", {128, 128, 0, 0}, 2, 2, 2},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    ReadKernelOptions options;
    options.lists = {{"grouped_products", "group_sizes", row.sizes}};
    CHECK(check_given_lists(module, options.lists).ok());
    const absl::StatusOr<KernelRun> run = read_kernel(module.entry().root(), options);
    REQUIRE(run.ok());
    CHECK(run->steps == row.steps);
    REQUIRE(run->windows.size() == 3);
    CHECK(run->windows[0].moves == row.rows_moved);
    CHECK(run->windows[1].moves == row.matrices_moved);
    CHECK(run->windows[2].moves == row.rows_moved);
    CHECK(run->assumptions.empty());
  }
}

TEST_CASE("a list is stated by the number of its operand, for a kernel or for a call") {
  const Module module = grouped();
  ReadKernelOptions options;
  options.lists = {
      {"grouped_products", "0", {4}}, {"pallas_call.1", "2", {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, {"another", "3", {1}}};
  const absl::StatusOr<KernelRun> run = read_kernel(module.entry().root(), options);
  REQUIRE(run.ok());
  CHECK(run->steps == 4);
  CHECK(run->windows[1].moves == 2);
  CHECK_FALSE(run->assumptions.empty());  // the list of tiles
}

TEST_CASE("lists that do not fit say what was expected and what there is") {
  const Module module = grouped();
  const struct {
    GivenList list;
    absl::StatusCode code;
    const char* message;
  } rows[] = {
      {{"group_products", "group_sizes", {1024, 0, 0, 0}}, absl::StatusCode::kNotFound, "there are grouped_products"},
      {{"grouped_products", "group_sizes", {512, 512}},
       absl::StatusCode::kInvalidArgument,
       "expected 4 numbers, one for each group; there are 2"},
      {{"grouped_products", "group_sizes", {512, 512, 512, 0}}, absl::StatusCode::kInvalidArgument, "at most 1024"},
      {{"grouped_products", "group_sizes", {-1, 0, 0, 0}}, absl::StatusCode::kInvalidArgument, "negative"},
      {{"grouped_products", "2", {1, 2}},
       absl::StatusCode::kInvalidArgument,
       "s32[11]: expected 11 numbers, there are 2"},
      {{"grouped_products", "0", {1, 2}},
       absl::StatusCode::kInvalidArgument,
       "a bound of the grid: expected one number"},
      {{"grouped_products", "4", {1}},
       absl::StatusCode::kInvalidArgument,
       "no list 4: expected one of 0 (a bound of the grid), 1 (s32[5]), 2 (s32[11]), 3 (s32[11]), group_sizes"},
      {{"grouped_products", "sizes", {1}}, absl::StatusCode::kInvalidArgument, "no list sizes"},
  };
  for (const auto& row : rows) {
    const absl::Status status = check_given_lists(module, {row.list});
    CHECK(status.code() == row.code);
    CHECK_THAT(std::string(status.message()), ContainsSubstring(row.message));
  }
}

}  // namespace
}  // namespace hloroof::internal
