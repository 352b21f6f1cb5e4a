// Tests the expansion of the three forms of replica_groups. The expected groups are the examples of the HLO text
// grammar and of XLA's tests.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/values/attribute_values.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string expanded(const ReplicaGroups& groups) {
  std::string out;
  groups.for_each_group([&out](absl::Span<const std::int64_t> ids) {
    out += '{';
    for (std::size_t i = 0; i < ids.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(ids[i]);
    out += '}';
    return true;
  });
  return out;
}

TEST_CASE("replica groups expand") {
  struct Case {
    const char* text;
    const char* groups;
  };
  const Case cases[] = {
      {"{}", ""},
      {"{{}}", "{}"},
      {"{{0,1},{2,3}}", "{0,1}{2,3}"},
      {"{{0,1,2},{3}}", "{0,1,2}{3}"},
      {"[2,4]<=[8]", "{0,1,2,3}{4,5,6,7}"},
      {"[4,2]<=[2,4]T(1,0)", "{0,4}{1,5}{2,6}{3,7}"},
      {"[2,4]<=[4,2]T(1,0)", "{0,2,4,6}{1,3,5,7}"},
      {"[2,4]<=[2,2,2]T(1,0,2)", "{0,1,4,5}{2,3,6,7}"},
      {"[3,10]<=[6,5]T(1,0)", "{0,5,10,15,20,25,1,6,11,16}{21,26,2,7,12,17,22,27,3,8}{13,18,23,28,4,9,14,19,24,29}"},
      {"mesh['x'=2,'y'=4] {'y'}", "{0,1,2,3}{4,5,6,7}"},
      {"mesh['x'=2,'y'=4] {'x'}", "{0,4}{1,5}{2,6}{3,7}"},
      {"mesh['x'=2,'y'=4] {'y','x'}", "{0,4,1,5,2,6,3,7}"},
      {"mesh['x'=2,'y'=4] {'1'}", "{0,1,2,3}{4,5,6,7}"},
      {"mesh['a'=8] {'a':(1)2}", "{0,4}{1,5}{2,6}{3,7}"},
      {"mesh['a'=8] {'a':(2)2}", "{0,2}{1,3}{4,6}{5,7}"},
      {"mesh['a'=8] {'a':(1)2,'a':(4)2}", "{0,1,4,5}{2,3,6,7}"},
      {"mesh['a'=8] {'a':(4)2,'a':(1)2}", "{0,4,1,5}{2,6,3,7}"},
      {"mesh['a'=8], device_ids=(7,6,5,4,3,2,1,0) {'a':(1)2}", "{7,3}{6,2}{5,1}{4,0}"},
      {"mesh['a'=8], device_ids=([2,4]T(1,0)) {'a':(1)4}", "{0,1,2,3}{4,5,6,7}"},
      {"maximal_mesh[device_id=1] {}", "{1}"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const absl::StatusOr<ReplicaGroups> groups = parse_replica_groups(c.text);
    REQUIRE(groups.ok());
    CHECK(expanded(*groups) == c.groups);
    std::int64_t ids = 0;
    std::int64_t largest = 0;
    std::int64_t count = 0;
    REQUIRE(groups->for_each_group([&](absl::Span<const std::int64_t> group) {
      ids += static_cast<std::int64_t>(group.size());
      largest = std::max(largest, static_cast<std::int64_t>(group.size()));
      ++count;
      return true;
    }));
    CHECK(ids == std::count_if(c.groups, c.groups + std::strlen(c.groups), [](char x) {
                   return x == ',' || x == '}';
                 }) - static_cast<std::int64_t>(std::string_view(c.groups) == "{}"));
    CHECK(groups->group_size() == largest);
    CHECK(groups->group_count() == count);
  }
}

TEST_CASE("large groups are described, not expanded") {
  const absl::StatusOr<ReplicaGroups> groups = parse_replica_groups("[1000000,1000000]<=[1000000000000]");
  REQUIRE(groups.ok());
  CHECK(groups->group_count() == 1000000);
  CHECK(groups->group_size() == 1000000);
  int calls = 0;
  CHECK_FALSE(groups->for_each_group([&calls](absl::Span<const std::int64_t>) { return ++calls > 0; }));
  CHECK(calls == 0);
  // With a larger limit, groups are expanded one at a time.
  std::int64_t last = 0;
  CHECK_FALSE(groups->for_each_group([&last](absl::Span<const std::int64_t> ids) { return (last = ids.back()) == 0; },
                                     std::int64_t{1} << 62));
  CHECK(last == 999999);
  CHECK_FALSE(parse_replica_groups("[4294967296,4294967296]<=[0]").ok());
  CHECK_FALSE(parse_replica_groups("mesh['a'=4294967296,'b'=4294967296] {'a'}").ok());
}

}  // namespace
}  // namespace hloroof::internal
