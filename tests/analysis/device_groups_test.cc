// Converts replica groups to groups of devices: the examples of XLA's tests for each form, and hostile sizes.
#include "lib/analysis/device_groups.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/analysis/grid.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Ids = std::vector<std::int64_t>;

WrittenGroups iota(const Ids& reshape, const Ids& permutation, std::int64_t size) {
  WrittenGroups written;
  written.enumerated = true;
  written.order = *iota_grid(reshape, permutation);
  written.group_size = size;
  return written;
}

WrittenGroups lists(std::vector<Ids> groups) {
  WrittenGroups written;
  written.lists = std::move(groups);
  return written;
}

TEST_CASE("Groups that divide an enumeration evenly are a grid") {
  struct Row {
    Ids reshape;
    Ids permutation;
    std::int64_t size;
    std::vector<Ids> groups;
  };
  const Row rows[] = {
      {{8}, {0}, 4, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
      {{2, 4}, {1, 0}, 2, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {{4, 2}, {1, 0}, 4, {{0, 2, 4, 6}, {1, 3, 5, 7}}},
      {{2, 2, 2}, {1, 0, 2}, 4, {{0, 1, 4, 5}, {2, 3, 6, 7}}},
  };
  for (const Row& row : rows) {
    const DeviceGroups groups =
        resolve_groups(iota(row.reshape, row.permutation, row.size), GroupMode::kFlattenedId, 1, 8);
    REQUIRE(groups.regular);
    CHECK(groups.group_size == row.size);
    CHECK(groups.group_count == static_cast<std::int64_t>(row.groups.size()));
    CHECK(groups.within == resolve_groups(lists(row.groups), GroupMode::kFlattenedId, 1, 8).within);
    CHECK(groups.across == resolve_groups(lists(row.groups), GroupMode::kFlattenedId, 1, 8).across);
    CHECK(expand(groups.within, 0) == row.groups[0]);
  }
}

TEST_CASE("Groups that divide an enumeration unevenly are listed") {
  // [3,10]<=[6,5]T(1,0)
  const DeviceGroups groups = resolve_groups(iota({6, 5}, {1, 0}, 10), GroupMode::kFlattenedId, 1, 30);
  CHECK(groups.group_size == 10);
  CHECK(groups.group_count == 3);
  CHECK_FALSE(groups.regular);
  REQUIRE(groups.members.size() == 3);
  CHECK(groups.members[0] == Ids{0, 5, 10, 15, 20, 25, 1, 6, 11, 16});
  CHECK(groups.members[2] == Ids{13, 18, 23, 28, 4, 9, 14, 19, 24, 29});
}

TEST_CASE("Ids without a regular spacing are irregular and listed") {
  const DeviceGroups groups = resolve_groups(lists({{0, 1, 5}, {2, 3, 4}}), GroupMode::kFlattenedId, 1, 6);
  CHECK_FALSE(groups.regular);
  CHECK(groups.group_size == 3);
  REQUIRE(groups.members.size() == 2);
  CHECK(groups.members[0] == Ids{0, 1, 5});

  const DeviceGroups uneven = resolve_groups(lists({{0, 1, 2}, {3}}), GroupMode::kFlattenedId, 1, 4);
  CHECK_FALSE(uneven.regular);
  CHECK(uneven.group_size == 3);
}

TEST_CASE("The group mode defines the meaning of ids") {
  // Two replicas of four partitions: device = replica * 4 + partition.
  const auto resolved = [](const WrittenGroups& written, GroupMode mode) {
    return resolve_groups(written, mode, 2, 4);
  };
  const DeviceGroups replicas = resolved(lists({{0, 1}}), GroupMode::kCrossReplica);
  CHECK(replicas.within == Grid{{2, 4}});
  CHECK(replicas.across == Grid{{4, 1}});

  const DeviceGroups partitions = resolved(lists({{0, 2}, {1, 3}}), GroupMode::kCrossPartition);
  CHECK(partitions.within == Grid{{2, 2}});
  CHECK(partitions.across == Grid{{2, 4}, {2, 1}});

  const DeviceGroups both = resolved(lists({{0}, {1}}), GroupMode::kCrossReplicaAndPartition);
  CHECK(both.within == Grid{{4, 1}});
  CHECK(both.across == Grid{{2, 4}});

  const DeviceGroups all_devices = resolved(WrittenGroups(), GroupMode::kCrossReplicaAndPartition);
  CHECK(all_devices.all_devices);
  CHECK(all_devices.group_size == 8);
  CHECK(resolved(WrittenGroups(), GroupMode::kCrossReplica).group_size == 2);
  CHECK(resolved(WrittenGroups(), GroupMode::kCrossPartition).group_size == 4);
}

TEST_CASE("A short text for many devices takes little memory") {
  const DeviceGroups groups =
      resolve_groups(iota({1000000, 1000000, 1000000}, {2, 1, 0}, 1000), GroupMode::kFlattenedId, 1, 8);
  CHECK(groups.regular);
  CHECK(groups.group_size == 1000);
  CHECK(groups.group_count == 1000000000000000);
  CHECK(groups.members.empty());
  CHECK_FALSE(iota_grid(Ids{1000000000, 1000000000, 1000000000}, Ids{}));
  CHECK_FALSE(iota_grid(Ids{2, 0}, Ids{}));
  CHECK_FALSE(iota_grid(Ids{2, 2}, Ids{0, 0}));
  CHECK_FALSE(iota_grid(Ids{2, 2}, Ids{0, 5}));
}

TEST_CASE("The groups of a permutation are its chains and cycles") {
  const DeviceGroups ring = permutation_groups({{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 4);
  CHECK(ring.within == Grid{{4, 1}});
  const DeviceGroups columns = permutation_groups({{0, 2}, {2, 4}, {1, 3}, {3, 5}}, 6);
  CHECK(columns.within == Grid{{3, 2}});
  CHECK(columns.across == Grid{{2, 1}});
  CHECK(permutation_groups({}, 8).group_size == 1);
  CHECK(permutation_groups({{3, 3}}, 8).group_size == 1);
}

}  // namespace
}  // namespace hloroof::internal
