// Channels, and collectives that become a start and a done.
#include <string>
#include <string_view>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

const std::string kBefore =
    "HloModule m, num_partitions=8\n\n%add {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
    "  ROOT %sum = f32[] add(%a, %b)\n}\n\nENTRY %main {\n  %p = f32[8,128]{1,0} parameter(0)\n"
    "  %q = f32[8,128]{0,1} parameter(1)\n";

TEST_CASE("a new channel is one that nothing has") {
  struct Case {
    const char* channels[2];
    std::int64_t next;
  };
  const Case cases[] = {{{"", ""}, 1}, {{", channel_id=3", ""}, 4}, {{", channel_id=7", ", channel_id=2"}, 8}};
  for (const Case& c : cases) {
    CAPTURE(c.next);
    const Module module =
        parsed(kBefore + "  %x = f32[8,128]{1,0} all-reduce(%p), to_apply=%add" + c.channels[0] +
               "\n  ROOT %y = f32[8,128]{1,0} all-reduce(%x), to_apply=%add" + c.channels[1] + "\n}\n");
    const absl::StatusOr<std::int64_t> next = next_channel_id(module);
    REQUIRE(next.ok());
    CHECK(*next == c.next);
  }
  const Module full = parsed(
      kBefore + "  ROOT %x = f32[8,128]{1,0} all-reduce(%p), to_apply=%add, channel_id=9223372036854775807\n}\n");
  CHECK(next_channel_id(full).status().code() == absl::StatusCode::kOutOfRange);
}

TEST_CASE("a collective becomes a start and a done") {
  struct Case {
    const char* whole;  // %c, the root but for a negation
    const char* start;
    const char* done;
  };
  const Case cases[] = {
      {"f32[64,128]{1,0} all-gather(%p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
       "use_global_device_ids=true, metadata={op_name=\"g\"}",
       "(f32[8,128]{1,0}, f32[64,128]{1,0}) all-gather-start(%p), channel_id=1, replica_groups=[1,8]<=[8], "
       "dimensions={0}, use_global_device_ids=true, metadata={op_name=\"g\"}",
       "f32[64,128]{1,0} all-gather-done(%all-gather-start), metadata={op_name=\"g\"}"},
      {"f32[8,128]{1,0} all-reduce(%p), channel_id=1, replica_groups={{0,1},{2,3}}, to_apply=%add",
       "f32[8,128]{1,0} all-reduce-start(%p), channel_id=1, replica_groups={{0,1},{2,3}}, to_apply=%add",
       "f32[8,128]{1,0} all-reduce-done(%all-reduce-start)"},
      {"f32[8,128]{1,0} collective-permute(%p), channel_id=1, source_target_pairs={{0,1},{1,0}}",
       "(f32[8,128]{1,0}, f32[8,128]{1,0}) collective-permute-start(%p), channel_id=1, "
       "source_target_pairs={{0,1},{1,0}}",
       "f32[8,128]{1,0} collective-permute-done(%collective-permute-start)"},
      {"(f32[64,128]{1,0}, f32[64,128]{0,1}) all-gather(%p, %q), channel_id=1, replica_groups=[1,8]<=[8], "
       "dimensions={0}, use_global_device_ids=true",
       "((f32[8,128]{1,0}, f32[8,128]{0,1}), (f32[64,128]{1,0}, f32[64,128]{0,1})) all-gather-start(%p, %q), "
       "channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true",
       "(f32[64,128]{1,0}, f32[64,128]{0,1}) all-gather-done(%all-gather-start)"},
  };
  for (const Case& c : cases) {
    INFO(c.whole);
    Module module = parsed(kBefore + "  ROOT %c = " + c.whole + "\n}\n");
    ModuleEditor edit(module);
    const Checkpoint before = edit.checkpoint();
    const std::string text = print_module(module);
    const absl::StatusOr<StartAndDone> split = split_collective(edit, named(module, "c"));
    INFO(split.status().message());
    REQUIRE(split.ok());
    CHECK(verify(module) == absl::OkStatus());
    const std::string now = print_module(module);
    INFO(now);
    CHECK(now.find(c.start) != std::string::npos);
    CHECK(now.find(std::string("ROOT ") + "%" + std::string(module.instruction(split->done).name()) + " = " + c.done) !=
          std::string::npos);
    CHECK(module.instruction(split->start).opcode() != Opcode::kUnknown);
    CHECK(next_channel_id(module).value() == 2);
    REQUIRE(edit.rollback(before).ok());
    CHECK(print_module(module) == text);
  }
}

TEST_CASE("what can not be split stays as it is") {
  struct Case {
    const char* instructions;
    absl::StatusCode code;
    const char* said;
  };
  const Case cases[] = {
      {"  %x = f32[8,128]{1,0} negate(%p)\n  ROOT %c = f32[8,128]{1,0} negate(%x)\n",
       absl::StatusCode::kInvalidArgument, "c is negate"},
      {"  ROOT %c = f32[1,128]{1,0} reduce-scatter(%p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
       "to_apply=%add\n",
       absl::StatusCode::kInvalidArgument, "c is reduce-scatter"},
      {"  %x = f32[8,128]{1,0} negate(%p)\n  ROOT %c = f32[8,128]{1,0} all-reduce(%p), to_apply=%add, "
       "control-predecessors={%x}\n",
       absl::StatusCode::kUnimplemented, "c has control edges"},
      {"  %c = f32[8,128]{1,0} all-reduce(%p), to_apply=%add\n  %x = f32[8,128]{1,0} negate(%p), "
       "control-predecessors={%c}\n  ROOT %r = f32[8,128]{1,0} add(%c, %x)\n",
       absl::StatusCode::kUnimplemented, "c has control edges"},
  };
  for (const Case& c : cases) {
    INFO(c.instructions);
    Module module = parsed(kBefore + c.instructions + "}\n");
    const std::string before = print_module(module);
    ModuleEditor edit(module);
    const absl::Status status = split_collective(edit, named(module, "c")).status();
    CHECK(status.code() == c.code);
    CHECK(status.message().find(c.said) != std::string::npos);
    CHECK(print_module(module) == before);
  }
}

}  // namespace
}  // namespace hloroof::internal
