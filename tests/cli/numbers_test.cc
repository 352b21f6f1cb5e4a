// Numbers that cannot be right, in the text or on the command line, are errors or diagnoses and never a quiet number.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

constexpr char kAdd[] = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";

// A module with an all-reduce. `header` follows is_scheduled=true.
std::string reduction(const std::string& header, const std::string& groups, const std::string& more = "") {
  return "HloModule m, is_scheduled=true" + header + "\n\n" + kAdd +
         "ENTRY e {\n  p = f32[4096,4096]{1,0} parameter(0)\n" + more +
         "  ROOT r = f32[4096,4096]{1,0} all-reduce(p), replica_groups=" + groups +
         ", channel_id=1, use_global_device_ids=true, to_apply=add\n}\n";
}

std::string loop(const std::string& trips) {
  return "HloModule m, is_scheduled=true\n\ncond {\n  p = (s64[], f32[64,128]) parameter(0)\n"
         "  i = s64[] get-tuple-element(p), index=0\n  n = s64[] constant(" +
         trips +
         ")\n  ROOT r = pred[] compare(i, n), direction=LT\n}\nbody {\n  p = (s64[], f32[64,128]) parameter(0)\n"
         "  i = s64[] get-tuple-element(p), index=0\n  one = s64[] constant(1)\n  j = s64[] add(i, one)\n"
         "  x = f32[64,128] get-tuple-element(p), index=1\n  y = f32[64,128] negate(x)\n"
         "  ROOT t = (s64[], f32[64,128]) tuple(j, y)\n}\nENTRY e {\n  x = f32[64,128] parameter(0)\n"
         "  z = s64[] constant(0)\n  t = (s64[], f32[64,128]) tuple(z, x)\n"
         "  w = (s64[], f32[64,128]) while(t), condition=cond, body=body\n"
         "  ROOT y = f32[64,128] get-tuple-element(w), index=1\n}\n";
}

const std::string kOneOp =
    "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] "
    "negate(p)\n}\n";

TEST_CASE("numbers of a text that cannot be right are diagnosed") {
  const std::string cycles =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[64,128]{1,0:T(8,128)} parameter(0)\n"
      "  ROOT r = f32[64,128]{1,0:T(8,128)} negate(p), "
      "backend_config={\"window_config\":{\"estimated_cycles\":\"-15\"}}\n}\n";
  const std::string tile =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[64,128]{1,0:T(9223372036854775807,9223372036854775807)} "
      "parameter(0)\n  ROOT r = f32[64,128]{1,0} negate(p)\n}\n";
  const struct {
    const char* name;
    std::string text;
    const char* says;
  } cases[] = {
      {"negative partitions", reduction(", num_partitions=-8", "{{0,1}}"), "num_partitions=-8: expected at least 1"},
      {"negative replicas", reduction(", replica_count=-1", "{{0,1}}"), "replica_count=-1: expected at least 1"},
      {"too many devices", reduction(", num_partitions=9223372036854775807, replica_count=64", "{}"),
       "64 replicas of 9223372036854775807 partitions"},
      {"negative id", reduction(", num_partitions=2", "{{-1,0}}"), "the device id -1 of r is negative"},
      {"least id", reduction(", num_partitions=2", "{{-9223372036854775808,0}}"), "is negative: expected ids from 0"},
      {"trips over 2^53", loop("1000000000000000000"), "the loop w runs 1000000000000000000 times"},
      {"negative cycles", cycles, "estimated_cycles of r is -15: expected at least 0"},
      {"saturated size", tile, "more than 2^63 bytes"},
  };
  const TemporaryFolder folder;
  for (const auto& c : cases) {
    const std::string file = folder.write("step.hlo", c.text);
    const CliResult lint = run_hloroof(
        {"lint", file, "--device", "tpu_v5e", "--estimates", "compiler", "--fail-on", "error", "--format", "markdown"});
    CAPTURE(c.name, lint.out, lint.err);
    CHECK(lint.code == kExitGateFailed);
    CHECK_THAT(lint.out, ContainsSubstring("impossible-number") && ContainsSubstring(c.says));
    CHECK(run_hloroof({"predict", file, "--device", "tpu_v5e", "--estimates", "compiler", "--strict"}).code ==
          kExitIncomplete);
  }
}

TEST_CASE("explaining sizes near 2^63 neither overflows nor fails") {
  const std::string most = "9223372036854775807";
  const std::string tile = "{1,0:T(" + most + "," + most + ")}";
  const std::string texts[] = {
      reduction(", num_partitions=" + most + ", replica_count=" + most, "{}"),
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[64,128]" + tile +
          " parameter(0)\n  ROOT r = f32[64,128]" + tile + " negate(p)\n}\n",
  };
  const TemporaryFolder folder;
  for (const std::string& text : texts) {
    const CliResult explained = run_hloroof({"explain", folder.write("step.hlo", text), "r", "--device", "tpu_v5e"});
    CHECK(explained.code == kExitOk);
    CHECK_THAT(explained.out, !ContainsSubstring("-9223372036854775"));
  }
}

TEST_CASE("trip counts up to 2^53 are not remarked on") {
  const TemporaryFolder folder;
  const CliResult lint = run_hloroof({"lint", folder.write("a.hlo", loop("9007199254740992")), "--device", "tpu_v5e"});
  CHECK_THAT(lint.out, !ContainsSubstring("impossible-number"));
}

TEST_CASE("the number of devices comes from what there is, or its absence is diagnosed") {
  const std::string more =
      "  q = f32[4096,4096]{1,0} all-reduce(p), replica_groups={{0,1,2,3},{4,5,6,7}}, channel_id=2, "
      "use_global_device_ids=true, to_apply=add\n";
  std::string sharded = reduction("", "{}");
  const std::string parameter = "f32[4096,4096]{1,0} parameter(0)";
  sharded.replace(sharded.find(parameter), parameter.size(), parameter + ", sharding={devices=[8,1]<=[8]}");
  const struct {
    const char* name;
    std::string text;
    std::vector<std::string> options;
    bool is_one_device;  // otherwise eight
    const char* severity;
  } cases[] = {
      {"stated", reduction(", num_partitions=8", "{}"), {}, false, ""},
      {"given", reduction("", "{}"), {"--partitions", "8"}, false, ""},
      {"other groups", reduction("", "{}", more), {}, false, "info"},
      {"shardings", sharded, {}, false, "info"},
      {"nothing", reduction("", "{}"), {}, true, "warning"},
      {"stated to be one", reduction(", num_partitions=1", "{}"), {}, true, ""},
  };
  const TemporaryFolder folder;
  for (const auto& c : cases) {
    std::vector<std::string> arguments = {
        "predict", folder.write("step.hlo", c.text), "--device", "tpu_v5e", "--format", "json"};
    arguments.insert(arguments.end(), c.options.begin(), c.options.end());
    const OrderedJson json = json_of(arguments);
    CAPTURE(c.name);
    std::int64_t group_size = 0;
    for (const OrderedJson& collective : json.at("collectives")) {
      if (collective.at("name").get<std::string>() == "r")
        group_size = static_cast<std::int64_t>(collective.at("group_size").get<double>());
    }
    CHECK(group_size == (c.is_one_device ? 1 : 8));
    std::string severity;
    for (const OrderedJson& diagnostic : json.at("diagnostics")) {
      if (diagnostic.at("code").get<std::string>() == "unknown-device-count")
        severity = diagnostic.at("severity").get<std::string>();
    }
    CHECK(severity == c.severity);
  }
  const std::string unknown = folder.write("step.hlo", reduction("", "{}"));
  CHECK_THAT(run_hloroof({"predict", unknown, "--device", "tpu_v5e"}).out, ContainsSubstring("unknown"));
  const CliResult strict = run_hloroof({"predict", unknown, "--device", "tpu_v5e", "--strict"});
  CHECK(strict.code == kExitIncomplete);
  CHECK_THAT(strict.err, ContainsSubstring("--partitions states their number"));
}

TEST_CASE("no resource is used for longer than the compiler's estimate of the op") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("step.hlo",
                   "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n"
                   "  ROOT r = f32[4096,4096]{1,0:T(8,128)} negate(p), "
                   "backend_config={\"window_config\":{\"estimated_cycles\":\"10\"}}\n}\n");
  const OrderedJson json =
      json_of({"predict", file, "--device", "tpu_v5e", "--estimates", "compiler", "--format", "json"});
  for (const OrderedJson& resource : json.at("resources")) CHECK(resource.at("utilization").get<double>() <= 1);
}

TEST_CASE("counts that overflow are an error") {
  // Each computation calls the one before it twice.
  std::string text = "HloModule m\n\nc_0 {\n  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] negate(p)\n}\n";
  for (int i = 1; i <= 1100; ++i) {
    const std::string before = "c_" + std::to_string(i - 1);
    text += "c_" + std::to_string(i) +
            " {\n  p = f32[64,128] parameter(0)\n  q = f32[64,128] call(p), to_apply=" + before +
            "\n  ROOT r = f32[64,128] call(q), to_apply=" + before + "\n}\n";
  }
  text += "ENTRY e {\n  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] call(p), to_apply=c_1100\n}\n";
  const TemporaryFolder folder;
  const std::string file = folder.write("step.hlo", text);
  for (const char* format : {"text", "json"}) {
    const CliResult counts = run_hloroof({"counts", file, "--format", format});
    CHECK(counts.code == kExitBadInput);
    CHECK_THAT(counts.err, ContainsSubstring("the counts overflow"));
    CHECK(counts.out.empty());
  }
}

TEST_CASE("values of options that cannot be right are errors") {
  const TemporaryFolder folder;
  const std::string call =
      folder.write("call.hlo",
                   "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY e {\n  p = f32[64,128] parameter(0)\n"
                   "  ROOT c = f32[64,128] custom-call(p), custom_call_target=\"my_kernel\"\n}\n");
  const std::string plain = folder.write("plain.hlo", kOneOp);
  const struct {
    std::vector<std::string> options;
    const char* says;
  } cases[] = {
      {{call, "--device", "tpu_v5e", "--mesh", "data=2,data=4"}, "the axis data is given twice"},
      {{call, "--device", "tpu_v5e", "--mesh", "data=2,model=4", "--mesh-order", "data,data"}, "has \"data\" twice"},
      {{call, "--device", "tpu_v5e", "--slices", "1000000000"}, "expected 1 to 1000000"},
      {{call, "--device", "tpu_v5e", "--slices", "1e9"}, "--slices takes a whole number from 1, not '1e9'"},
      {{call, "--device", "tpu_v5e", "--partitions", "4"}, "states num_partitions=8, which 4 partitions contradict"},
      {{call, "--device", "tpu_v5e", "--partitions", "0"}, "a whole number from 1"},
      {{call, "--device", ","}, "--device ',' has an empty entry"},
      {{call, "--device", "tpu_v5e,"}, "--device 'tpu_v5e,' has an empty entry"},
      {{call, "--device=tpu_v5e,,tpu_v6e"}, "has an empty entry"},
      {{call, "--device", "tpu_v5e", "--custom-call", "my_kernle=flops:1"}, "my_kernle; the nearest are my_kernel"},
      {{call, "--device", "tpu_v5e", "--custom-call", "/other.*/=flops:1"},
       "no custom call with the target or name /other"},
      {{plain, "--device", "tpu_v5e", "--custom-call", "x=flops:1"}, "no custom calls at all"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> arguments = {"predict"};
    arguments.insert(arguments.end(), c.options.begin(), c.options.end());
    const CliResult result = run_hloroof(arguments);
    CAPTURE(arguments, result.out);
    CHECK(result.code == kExitBadInput);
    CHECK_THAT(result.err, ContainsSubstring(c.says));
  }
  for (const char* name : {"my_kernel", "c", "/my_.*/"}) {
    CHECK(run_hloroof({"predict", call, "--device", "tpu_v5e", "--custom-call", std::string(name) + "=flops:1"}).code ==
          kExitOk);
  }
}

}  // namespace
}  // namespace hloroof::internal
