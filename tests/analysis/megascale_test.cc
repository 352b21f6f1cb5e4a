// Transfers between slices: the attributes of the megascale runtime, and what follows from them for the mesh.
#include "lib/analysis/megascale.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::ContainsSubstring;

// The target in one line: "slices 1 2; devices 0-255" or "1.0>2.0" or "1.0,2.0".
std::string text_of(const MegascaleTarget& target) {
  std::string text;
  for (const std::int64_t slice : target.slices) absl::StrAppend(&text, text.empty() ? "slices " : " ", slice);
  for (const auto& [first, last] : target.devices) absl::StrAppend(&text, "; devices ", first, "-", last);
  for (const std::vector<SliceDevice>& group : target.groups) {
    absl::StrAppend(&text, text.empty() ? "" : " ");
    for (std::size_t i = 0; i < group.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ",", group[i].slice, ".", group[i].device);
    }
  }
  for (const auto& [source, end] : target.pairs) {
    absl::StrAppend(&text, text.empty() ? "" : " ", source.slice, ".", source.device, ">", end.slice, ".", end.device);
  }
  return text;
}

TEST_CASE("The target of a transfer between slices") {
  const std::pair<std::string, std::string> rows[] = {
      {"{1,2}x{0:255}", "slices 1 2; devices 0-255"},
      {"{1,2,3,4}x{0:3}", "slices 1 2 3 4; devices 0-3"},
      {"{2,4}x{0:1,6}", "slices 2 4; devices 0-1; devices 6-6"},
      {"{{100000,200000},{100001,200001}}", "1.0,2.0 1.1,2.1"},
      {"{{100000,200000,300000}}", "1.0,2.0,3.0"},
      {"{{100000->200000},{200003->100003}}", "1.0>2.0 2.3>1.3"},
      {"{{1699999->100000}}", "16.99999>1.0"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    const absl::StatusOr<MegascaleTarget> target = parse_megascale_target(text);
    REQUIRE(target.ok());
    CHECK(text_of(*target) == expected);
  }
}

TEST_CASE("A malformed target names the column and what is expected") {
  const std::pair<std::string, std::string> rows[] = {
      {"", "column 1: expected {"},
      {"1,2", "column 1: expected {"},
      {"{}x{0:3}", "column 2: expected the number of a slice"},
      {"{0,1}x{0:3}", "column 2: expected the number of a slice, from 1"},
      {"{1,2}", "column 6: expected x"},
      {"{1,2}x{3:0}", "column 10: expected the last device of the range"},
      {"{1,2}x{0:3", "column 11: expected }"},
      {"{1,2}x{0:3}}", "column 12: expected the end"},
      {"{1,99999999999999999999}x{0:3}", "column 4: expected the number of a slice"},
      {"{{5,200000}}", "column 3: expected 100000 times a slice"},
      {"{{100000,200000},{100001->200001}}", "expected a group of devices"},
      {"{{100000->200000},{100001,200001}}", "expected -> and a device"},
      {"{{100000,200000}", "expected }"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    const absl::StatusOr<MegascaleTarget> target = parse_megascale_target(text);
    REQUIRE(!target.ok());
    CHECK_THAT(std::string(target.status().message()), ContainsSubstring(expected));
  }
}

std::string program(const std::string& type, const std::string& target, const std::string& array = "f32[64,128]") {
  const std::string attributes = absl::StrCat(
      "channel_id=1, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="
      "\"xla_megascale_runtime\",_xla_host_transfer_rendezvous=\"k\"",
      target.empty() ? "" : ",_xla_megascale_target=" + target,
      type.empty() ? "" : ",_xla_megascale_transfer_type=\"" + type + "\"", "}\n");
  return absl::StrCat(
      "HloModule m, is_scheduled=true, num_partitions=4\nENTRY main {\n  x = f32[64,128] parameter(0)\n"
      "  tok = token[] after-all()\n  s = (f32[64,128], u32[], token[]) send(x, tok), ",
      attributes, "  r = (", array, ", u32[], token[]) recv(tok), ", attributes,
      "  sd = token[] send-done(s), channel_id=1, is_host_transfer=true\n  rd = (", array,
      ", token[]) recv-done(r), channel_id=1, is_host_transfer=true\n  ROOT y = ", array,
      " get-tuple-element(rd), index=0\n}\n");
}

struct Read {
  std::string type;
  std::string target;
  std::string array;  // the result of the recv
  CollectiveKind kind;
  std::int64_t slices;
  std::int64_t size;
  std::int64_t count;
  std::size_t pairs;
  double bytes;  // of the full array
  std::string mesh;
};

TEST_CASE("A recv of the megascale runtime is a collective between slices") {
  constexpr double kBytes = 64 * 128 * 4;
  const std::string pairs = "{{100000->200000},{200000->100000},{100003->200003},{200003->100003}}";
  const Read rows[] = {
      {"ALL_REDUCE", "\"{1,2}x{0:3}\"", "f32[64,128]", CollectiveKind::kAllReduce, 2, 2, 4, 0, kBytes,
       "slices 2 (stride 4) x 4-way stride-1 axis"},
      {"ALL_GATHER", "\"{1,2,3}x{0:3}\"", "f32[192,128]", CollectiveKind::kAllGather, 3, 3, 4, 0, 3 * kBytes,
       "slices 3 (stride 4) x 4-way stride-1 axis"},
      {"REDUCE_SCATTER", "\"{1,2,3,4}x{0:3}\"", "f32[16,128]", CollectiveKind::kReduceScatter, 4, 4, 4, 0, kBytes,
       "slices 4 (stride 4) x 4-way stride-1 axis"},
      {"ALL_TO_ALL", "{{100000,200000},{100001,200001},{100002,200002},{100003,200003}}", "f32[64,128]",
       CollectiveKind::kAllToAll, 2, 2, 4, 0, kBytes, "slices 2 (stride 4) x 4-way stride-1 axis"},
      {"ALL_REDUCE",
       "{{100000,200000},{300000,400000},{100001,200001},{300001,400001},{100002,200002},{300002,400002},"
       "{100003,200003},{300003,400003}}",
       "f32[64,128]", CollectiveKind::kAllReduce, 4, 2, 8, 0, kBytes,
       "2-way stride-8 axis x 2-way stride-4 axis x 4-way stride-1 axis"},
      {"ONE_TO_ONE", pairs, "f32[64,128]", CollectiveKind::kCollectivePermute, 2, 2, 2, 4, kBytes,
       "slices 2 (stride 4) x 4-way stride-1 axis"},
  };
  for (const Read& row : rows) {
    CAPTURE(row.type, row.target);
    const absl::StatusOr<Module> module = parse_module(program(row.type, row.target, row.array));
    REQUIRE(module.ok());
    const std::vector<Collective> collectives = find_collectives(*module);
    REQUIRE(collectives.size() == 1);
    const Collective& found = collectives[0];
    CHECK(found.kind == row.kind);
    CHECK(found.slices == row.slices);
    CHECK(found.groups.group_size == row.size);
    CHECK(found.groups.group_count == row.count);
    CHECK(found.pairs.size() == row.pairs);
    CHECK(found.bytes == row.bytes);
    CHECK(module->instruction(found.carrier).name() == "r");
    CHECK(module->instruction(found.done).name() == "rd");
    const LogicalMesh mesh = infer_mesh(*module, collectives);
    CHECK(mesh.slices == row.slices);
    CHECK(mesh.device_count == 4 * row.slices);
    CHECK(mesh.to_string() == row.mesh);
  }
}

TEST_CASE("The slices and the devices of a target may be a part of all, and irregular") {
  struct Row {
    std::string target;
    std::int64_t slices;
    bool regular;
    std::int64_t size;
    std::int64_t count;
  };
  const Row rows[] = {
      {"\"{2,3}x{0:3}\"", 3, true, 2, 4},
      {"\"{1,3}x{0:1}\"", 3, true, 2, 2},
      {"\"{1,2,4}x{0:3}\"", 4, false, 3, 4},
      {"\"{1,2}x{0:1,3}\"", 2, false, 2, 3},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const absl::StatusOr<Module> module = parse_module(program("ALL_REDUCE", row.target));
    REQUIRE(module.ok());
    const std::vector<Collective> collectives = find_collectives(*module);
    REQUIRE(collectives.size() == 1);
    CHECK(collectives[0].slices == row.slices);
    CHECK(collectives[0].groups.regular == row.regular);
    CHECK(collectives[0].groups.group_size == row.size);
    CHECK(collectives[0].groups.group_count == row.count);
  }
}

TEST_CASE("A transfer between slices that cannot be read is none, and says why") {
  const std::vector<std::pair<std::string, std::string>> rows[] = {
      {{"", "\"{1,2}x{0:3}\""}, {"", "without _xla_megascale_transfer_type"}},
      {{"ALL_REDUCE", ""}, {"", "without _xla_megascale_target"}},
      {{"MAGIC", "\"{1,2}x{0:3}\""}, {"", "expected ALL_REDUCE, ALL_GATHER"}},
      {{"ALL_REDUCE", "\"{1,2}y{0:3}\""}, {"", "column 6: expected x"}},
      {{"ALL_REDUCE", "\"{1,2}x{0:7}\""}, {"", "device 7, but a slice has 4 devices"}},
      {{"ONE_TO_ONE", "\"{1,2}x{0:3}\""}, {"", "ONE_TO_ONE needs pairs"}},
      {{"ALL_REDUCE", "{{100000->200000}}"}, {"", "needs groups, not pairs"}},
  };
  for (const auto& row : rows) {
    const auto& [type, target] = row[0];
    CAPTURE(type, target);
    const absl::StatusOr<Module> module = parse_module(program(type, target));
    REQUIRE(module.ok());
    CHECK(find_collectives(*module).empty());
    CHECK(infer_mesh(*module).slices == 1);
    int faults = 0;
    for (InstructionView instruction : module->entry().instructions()) {
      const std::optional<std::string> fault = megascale_fault(instruction);
      if (!fault) continue;
      ++faults;
      CHECK_THAT(*fault, ContainsSubstring(row[1].second));
    }
    CHECK(faults == 2);
  }
}

TEST_CASE("A transfer with the host is none between slices") {
  std::string text = program("ALL_REDUCE", "\"{1,2}x{0:3}\"");
  for (std::size_t at; (at = text.find("xla_megascale_runtime")) != std::string::npos;) text.replace(at, 21, "mine");
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  CHECK(find_collectives(*module).empty());
  for (InstructionView instruction : module->entry().instructions()) CHECK(!megascale_fault(instruction));
}

}  // namespace
}  // namespace hloroof::internal
