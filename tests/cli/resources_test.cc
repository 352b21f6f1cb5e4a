// Inputs that are too large, that cannot be read, or that once took quadratic time. The sizes of the latter are such
// that the test would not end if the time were quadratic again.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

std::string module_of(const std::string& entry, const std::string& before = "") {
  return "HloModule m, is_scheduled=true\n\n" + before + "\nENTRY e {\n" + entry + "}\n";
}

std::string small_module() { return module_of("  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] negate(p)\n"); }

TEST_CASE("a module larger than --max-bytes is refused, with the limit") {
  const TemporaryFolder folder;
  const std::string text = small_module() + std::string(5000, '\n');
  const std::string file = folder.write("module_0001.jit_f.before_optimizations.txt", text);
  folder.write("module_0001.jit_f.after_optimizations.txt", text);
  for (const char* command :
       {"predict", "counts", "print", "explain", "memory", "lint", "sweep", "kernel", "passes", "reschedule"}) {
    const std::string subject = std::string(command) == "passes" ? folder.path() : file;
    std::vector<std::string> arguments = {command, subject, "--max-bytes", "4096"};
    if (std::string(command) == "explain") arguments.insert(arguments.begin() + 2, "r");
    if (std::string(command) != "counts" && std::string(command) != "print") {
      arguments.insert(arguments.end(), {"--device", "tpu_v5e"});
    }
    CAPTURE(arguments);
    const CliResult refused = run_hloroof(arguments);
    CHECK(refused.code == kExitBadInput);
    CHECK_THAT(refused.err, ContainsSubstring("exceeds the limit of 4096 bytes"));
    arguments[arguments.size() - (arguments.back() == "tpu_v5e" ? 3 : 1)] = "6000";
    CHECK(run_hloroof(arguments).code == kExitOk);
  }
  CHECK_THAT(run_hloroof({"predict", file, "--max-bytes", "0"}).err, ContainsSubstring("a whole number from 1"));
}

TEST_CASE("a stream without end is refused at the limit") {
  const CliResult refused = run_hloroof({"counts", "/dev/zero", "--max-bytes", "3000000"});
  CHECK(refused.code == kExitBadInput);
  CHECK(refused.err == "hloroof: /dev/zero: exceeds the limit of 3000000 bytes; --max-bytes sets it\n");
}

TEST_CASE("files of a folder that cannot be read do not silence the others") {
  const TemporaryFolder folder;
  const std::string end = ".after_optimizations.txt";
  folder.write("module_1.good" + end, small_module());
  folder.write("module_2.bad" + end, "no HLO here\n");
  std::filesystem::create_symlink("nowhere", folder.path() + "/module_3.link" + end);
  folder.write("module_4.good" + end, small_module());
  REQUIRE(mkfifo((folder.path() + "/module_5.pipe" + end).c_str(), 0600) == 0);  // reading it would wait for a writer
  std::filesystem::create_directory(folder.path() + "/module_6.folder" + end);
  const std::vector<std::vector<std::string>> commands = {
      {"predict", folder.path(), "--device", "tpu_v5e"},
      {"sweep", folder.path(), "--device", "tpu_v5e"},
      {"memory", folder.path(), "--device", "tpu_v5e"},
      {"counts", folder.path()},
      {"predict", folder.path(), "--device", "tpu_v5e", "--format", "csv"},
  };
  for (const std::vector<std::string>& arguments : commands) {
    const CliResult result = run_hloroof(arguments);
    CAPTURE(arguments, result.out, result.err);
    CHECK(result.code == kExitBadInput);
    CHECK_THAT(result.err, ContainsSubstring("module_2.bad" + end + ": is text, but no line of it is HLO"));
    CHECK_THAT(result.err, ContainsSubstring("module_3.link" + end + ": is a link to a file that does not exist"));
    CHECK_THAT(result.err, !ContainsSubstring("module_5"));
    CHECK(result.out.size() > 100);
  }
  const OrderedJson json = [&] {
    const CliResult result = run_hloroof({"predict", folder.path(), "--device", "tpu_v5e", "--format", "json"});
    CHECK(result.code == kExitBadInput);
    auto parsed = parse_json(result.out, "out");
    REQUIRE(parsed.ok());
    return *std::move(parsed);
  }();
  CHECK(json.size() == 2);
}

TEST_CASE("what was quadratic: an array of very many dimensions") {
  std::string dimensions = "2";
  for (int i = 1; i < 100'000; ++i) dimensions += ",2";
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "step.hlo",
      module_of("  p = f32[" + dimensions + "] parameter(0)\n  ROOT r = f32[" + dimensions + "] negate(p)\n"));
  CHECK(run_hloroof({"counts", file}).code == kExitOk);
  run_hloroof({"predict", file, "--device", "tpu_v5e"});
}

TEST_CASE("what was quadratic: very many copies in flight") {
  constexpr int kCopies = 100'000;
  std::string entry = "  p = f32[64,128] parameter(0)\n";
  for (int i = 0; i < kCopies; ++i) {
    entry += "  s_" + std::to_string(i) + " = (f32[64,128], f32[64,128], u32[]) copy-start(p)\n";
  }
  for (int i = 0; i < kCopies; ++i) {
    entry += "  d_" + std::to_string(i) + " = f32[64,128] copy-done(s_" + std::to_string(i) + ")\n";
  }
  entry += "  ROOT r = f32[64,128] add(d_0, d_1)\n";
  const TemporaryFolder folder;
  const OrderedJson json =
      json_of({"predict", folder.write("step.hlo", module_of(entry)), "--device", "tpu_v5e", "--format", "json"});
  CHECK(json.contains("step_seconds"));
}

TEST_CASE("what was quadratic: the causes of waits for very many copies of different sizes") {
  constexpr int kCopies = 10'000;
  std::string parameters;
  std::string starts;
  std::string dones;
  for (int i = 0; i < kCopies; ++i) {
    const std::string number = std::to_string(i);
    const std::string shape = "f32[64," + std::to_string(128 + i) + "]";
    parameters += "  p_" + number + " = " + shape + " parameter(" + number + ")\n";
    starts += "  s_" + number + " = (" + shape + ", " + shape + ", u32[]) copy-start(p_" + number + ")\n";
    dones += "  d_" + number + " = " + shape + " copy-done(s_" + number + ")\n";
  }
  const TemporaryFolder folder;
  const std::string file =
      folder.write("step.hlo", module_of(parameters + starts + dones + "  ROOT r = f32[64,128] negate(d_0)\n"));
  CHECK(run_hloroof({"predict", file, "--device", "tpu_v5e"}).code == kExitOk);
}

TEST_CASE("what was quadratic: the trace of very deep calls") {
  constexpr int kCalls = 50'000;
  std::string before = "c_0 {\n  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] negate(p)\n}\n";
  for (int i = 1; i < kCalls; ++i) {
    before += "c_" + std::to_string(i) +
              " {\n  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] call(p), to_apply=c_" +
              std::to_string(i - 1) + "\n}\n";
  }
  const std::string entry =
      "  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] call(p), to_apply=c_" + std::to_string(kCalls - 1) + "\n";
  const TemporaryFolder folder;
  const CliResult trace = run_hloroof(
      {"predict", folder.write("step.hlo", module_of(entry, before)), "--device", "tpu_v5e", "--format", "trace"});
  CHECK(trace.code == kExitOk);
  // Calls overlap their callers, so that each has its own row.
  const bool has_rows = trace.out.find("\"tid\":" + std::to_string(kCalls)) != std::string::npos;
  CHECK(has_rows);
}

TEST_CASE("what was quadratic: very many unknown members of a device file") {
  std::string text = "{\"schema\":\"hloroof.device/1\"";
  for (int i = 0; i < 200'000; ++i) text += ",\"k" + std::to_string(i) + "\":1";
  const TemporaryFolder folder;
  const CliResult checked = run_hloroof({"devices", "check", folder.write("device.json", text + "}")});
  CHECK(checked.code == kExitBadInput);
  CHECK_THAT(checked.err, ContainsSubstring("at k19: no such member; the nearest is"));
  CHECK_THAT(checked.err, ContainsSubstring("more problems"));
}

}  // namespace
}  // namespace hloroof::internal
