// Reads modules from files that hold more than HLO text, or something else.
#include "lib/input/module_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "hloroof/print.h"
#include "lib/base/source_text.h"
#include "lib/input/compile_environment.h"
#include "lib/input/file_kind.h"
#include "lib/input/module_sections.h"
#include "lib/values/scoped_memory.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::StartsWith;

using namespace std::string_literals;

const std::string kModule =
    "HloModule jit_f, is_scheduled=true\n"
    "\n"
    "%add (x: f32[], y: f32[]) -> f32[] {\n"
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1)\n"
    "  ROOT %s = f32[] add(%x, %y)\n"
    "}\n"
    "\n"
    "ENTRY %main (p: f32[8,4]) -> f32[8] {\n"
    "  %p = f32[8,4]{1,0} parameter(0)\n"
    "  %c = f32[] constant(0)\n"
    "  ROOT %r = f32[8]{0} reduce(%p, %c), dimensions={1}, to_apply=%add, metadata={op_name=\"a } b\"}\n"
    "}\n"
    "\n";

absl::StatusOr<LoadedModule> read(const std::string& bytes, const std::string& choice = "") {
  return parse_module_file(SourceText::copy(bytes, "log.txt"), choice, ParseOptions());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// The text with `prefix` before each line. An N in the prefix becomes the number of the line.
std::string prefixed(const std::string& text, const std::string& prefix) {
  std::string out;
  char line = '0';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string before = prefix;
    for (char& c : before) c = c == 'N' ? line : c;
    std::string whole = before + text.substr(at, end - at);
    while (!whole.empty() && whole.back() == ' ') whole.pop_back();
    out += whole + '\n';
    line = line == '9' ? '0' : static_cast<char>(line + 1);
    at = end + 1;
  }
  return out;
}

TEST_CASE("a module is found among the lines of a log") {
  const struct {
    const char* name;
    std::string text;
    std::string note;
  } cases[] = {
      {"nothing else", kModule, ""},
      {"comments", "// a dump\n/* of two\n lines */\n\n" + kModule + "// end\n", ""},
      {"a line before", "compiling\n" + kModule, "skipped 1 line before the module"},
      {"lines before", ">>> print(c.as_text())\n\n12:00 { \"unbalanced\n" + kModule,
       "skipped 2 lines before the module"},
      {"lines after", kModule + ">>> exit()\nresult = (4)\n", "skipped 2 lines after the module"},
      {"a line after without a line end", kModule + "done", "skipped 1 line after the module"},
      {"JSON after", kModule + "{\n\"a\": 1\n}\n", "skipped 3 lines after the module"},
      {"both", "a\nb\n" + kModule + "c\n", "skipped 2 lines before the module and 1 after it"},
      {"a mention of HloModule", "compiled HloModule jit_f in 3 s\nHloModule jit_f\nwas printed\n" + kModule,
       "skipped 3 lines before the module"},
      {"indented", prefixed(kModule, "    "), ""},
      {"quoted", "they wrote:\n" + prefixed(kModule, "> "), "skipped 1 line before the module"},
      {"glog", "before\n" + prefixed(kModule, "I0501 12:00:00.00000N  1234 dump.cc:12] ") + "after\n",
       "skipped 1 line before the module and 1 after it"},
      {"a bracket in a string", "x\n" + replaced(kModule, "a } b", "a { b"), "skipped 1 line before the module"},
      {"tables",
       "x\n" + replaced(kModule, "\n\n%add",
                        "\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
                        "1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 "
                        "end_column=2}\n\nStackFrames\n1 {file_location_id=1}\n\n\n%add"),
       "skipped 1 line before the module"},
      {"a UTF-8 byte order mark", "\xef\xbb\xbf" + kModule, ""},
  };
  const std::string expected = print_module(*parse_module(kModule));
  for (const auto& c : cases) {
    for (const bool dos : {false, true}) {
      CAPTURE(c.name, dos);
      std::string text;
      for (char byte : c.text) text += dos && byte == '\n' ? "\r\n"s : std::string(1, byte);
      const absl::StatusOr<LoadedModule> loaded = read(text);
      INFO(std::string(loaded.status().message()));
      REQUIRE(loaded.ok());
      CHECK(loaded->note == c.note);
      CHECK(loaded->module.name() == "jit_f");
      CHECK(loaded->module.instruction_count() == 6);
    }
  }
  CHECK(print_module(read("log\n" + kModule + "log\n")->module) == expected);
}

TEST_CASE("an error in a module among other lines has the line of the file") {
  const struct {
    const char* name;
    std::string text;
    std::string message;
  } cases[] = {
      {"an operand", "a\nb\n" + replaced(kModule, "(%p, %c)", "(%p, %d)") + "c\n",
       "log.txt:14:34: error: instruction does not exist: d"},
      {"a prefix", prefixed(replaced(kModule, "(%p, %c)", "(%p, %d)"), "> "),
       "log.txt:12:36: error: instruction does not exist: d"},
      {"the module is cut", "a\n" + kModule.substr(0, kModule.find(", dimensions")), "log.txt:13:"},
      {"a bad computation is not skipped", kModule + "%other (x: f32[]) - f32[] {\n}\n", "log.txt:15:"},
      {"nor the rest of one that closes early", replaced(kModule, "  %c = ", "}\n  %c = "),
       "log.txt:9:1: error: Shape"},
      {"nor a bad computation before ENTRY", "a\n" + replaced(kModule, "%add (x", "add x"), "log.txt:4:"},
      {"no header", replaced(kModule.substr(kModule.find("%add")), "(%p, %c)", "(%p, %d)"), "log.txt:10:34: error:"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const absl::StatusOr<LoadedModule> loaded = read(c.text);
    REQUIRE_FALSE(loaded.ok());
    CHECK_THAT(std::string(loaded.status().message()), StartsWith(c.message));
  }
}

TEST_CASE("one of several modules is chosen by name or number") {
  const std::string second = replaced(kModule, "jit_f", "jit_g");
  const std::string text = "log\n" + kModule + "log\n" + second + "// -----\n" + kModule + "log\n";
  CHECK(find_sections(text).size() == 3);
  CHECK(read(text, "jit_g")->module.name() == "jit_g");
  CHECK(read(text, "jit_g")->note.empty());
  CHECK(read(text, "3")->module.name() == "jit_f");
  const struct {
    std::string choice;
    std::string message;
  } cases[] = {
      {"",
       "log.txt: holds 3 modules: jit_f (#1), jit_g, jit_f (#3)\n  Select one with FILE#NAME or FILE#NUMBER, such as "
       "log.txt#1"},
      {"jit_f", "log.txt: holds 2 modules jit_f: #1, #3\n  Select one by its number, such as log.txt#1"},
      {"jit_h", "log.txt: no module jit_h; there are jit_f (#1), jit_g, jit_f (#3)"},
      {"4", "log.txt: no module 4; there are jit_f (#1), jit_g, jit_f (#3)"},
      {"0", "log.txt: no module 0; there are jit_f (#1), jit_g, jit_f (#3)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.choice);
    CHECK(std::string(read(text, c.choice).status().message()) == c.message);
  }
  CHECK(read(kModule, "jit_f").ok());
  CHECK(read(kModule, "1").ok());
  CHECK(std::string(read("ENTRY e { ROOT p = f32[] parameter(0) }", "e").status().message()) ==
        "log.txt: no module e; no line begins with HloModule");
}

TEST_CASE("modules that lines of // ----- separate are chosen too where they lack a HloModule line") {
  const std::string first = "// RUN: hlo-opt %s --split-input-file\ne {\n  ROOT a = f32[4] parameter(0)\n}\n\n";
  const std::string second = "\ne {\n  ROOT a = f32[8] parameter(0)\n}\n";
  const std::string third =
      "\nadd {\n  ROOT b = f32[2] parameter(0)\n}\nENTRY %f (p: f32[2]) -> f32[2] {\n"
      "  ROOT p = f32[2] parameter(0)\n}\n";
  const std::string separator = "// -----\n";
  const std::string text =
      "// Only words.\n" + separator + first + separator + second + separator + third + separator + kModule;
  const auto root_of = [&](const std::string& choice) {
    const absl::StatusOr<LoadedModule> loaded = read(text, choice);
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    return to_string(loaded->module.shapes(), loaded->module.entry().root().shape_id());
  };
  CHECK(root_of("1") == "f32[4]");
  CHECK(root_of("2") == "f32[8]");
  CHECK(root_of("f") == "f32[2]");
  CHECK(root_of("jit_f") == "f32[8]{0}");
  CHECK(std::string(read(text).status().message()) ==
        "log.txt: holds 4 modules: e (#1), e (#2), f, jit_f\n  Select one with FILE#NAME or FILE#NUMBER, such as "
        "log.txt#1");
  // One of them has a header, and an error has the line of the file.
  const std::string mixed = kModule + separator + second + separator + "e {\n  ROOT a = f32[4] negate(b)\n}\n";
  CHECK_THAT(std::string(read(mixed).status().message()),
             StartsWith("log.txt: holds 3 modules: jit_f, e (#2), e (#3)"));
  CHECK_THAT(std::string(read(mixed, "3").status().message()), StartsWith("log.txt:22:"));
  // A comment in one module separates nothing.
  CHECK(read(kModule + separator).ok());
}

TEST_CASE("UTF-16 is read") {
  std::string little = "\xff\xfe";
  std::string big = "\xfe\xff";
  for (char c : kModule) {
    little += std::string({c, '\0'});
    big += std::string({'\0', c});
  }
  CHECK(read(little)->module.name() == "jit_f");
  CHECK(read(big)->module.name() == "jit_f");
  CHECK_FALSE(read(little + "x").ok());
}

TEST_CASE("what is not HLO is recognized") {
  const struct {
    std::string bytes;
    FileKind kind;
  } cases[] = {
      {"", FileKind::kEmpty},
      {" \n\r\n\t", FileKind::kEmpty},
      {"\x28\xb5\x2f\xfd..."s, FileKind::kZstd},
      {"\xfd\x37zXZ\0..."s, FileKind::kXz},
      {"BZh91AY", FileKind::kBzip2},
      {"\x04\x22\x4d\x18..."s, FileKind::kLz4},
      {"PK\x03\x04...", FileKind::kZip},
      {"ML\xefR...", FileKind::kMlirBytecode},
      {"\x7f"
       "ELF\x02\x01\x01\0"s,
       FileKind::kBinary},
      {"\x1b[31mred\x1b[0m\0"s, FileKind::kBinary},
      {"module @jit_f attributes {} {\n", FileKind::kMlir},
      {"#loc1 = loc(\"x\")\nmodule {\n", FileKind::kMlir},
      {"log\n  func.func public @main(%arg0: tensor<4xf32>) {\n", FileKind::kMlir},
      {"  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>\n", FileKind::kMlir},
      {"  %0 = \"stablehlo.add\"(%arg0, %arg0) : tensor<4xf32>\n", FileKind::kMlir},
      {"hlo_module {\n  name: \"jit_f\"\n}\n", FileKind::kTextHloProto},
      {"hlo {\n  hlo_module {\n", FileKind::kTextSnapshot},
      {"# RUN: hlo-translate %s\n\n# more\nhlo_module {\n  name: \"jit_f\"\n}\n", FileKind::kTextHloProto},
      {"name: \"jit_f\"\nentry_computation_name: \"main\"\n", FileKind::kTextModuleProto},
      {"digraph G {\n", FileKind::kDot},
      {"BufferAssignment:\nallocation 0: size 4\n", FileKind::kBufferAssignment},
      {"<!DOCTYPE html>\n<html><title>hloroof</title>", FileKind::kReport},
      {"<html><body>", FileKind::kHtml},
      {"{\"schema\": \"hloroof.prediction/1\"}", FileKind::kResult},
      {"{\"schema\": \"hloroof.device/1\"}", FileKind::kDevice},
      {"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}", FileKind::kTrace},
      {"{\"cols\": [], \"rows\": []}", FileKind::kProfileTable},
      {"Rank,Program id,HLO op category,HLO op name\n", FileKind::kProfileTable},
      {"{\"a\": 1}", FileKind::kJson},
      {"# Some words\n\nfor a person (to read) -- and = more.\n", FileKind::kOtherText},
      {"def f(x) -> int:\n  return x\n", FileKind::kOtherText},
      {"HloModule m\n", FileKind::kHlo},
      {"ENTRY e {", FileKind::kHlo},
      {"%x = f32[2] add(", FileKind::kHlo},
      {"x = (f32[2], s32[]) foo(", FileKind::kHlo},
      {"add (x: f32[]) -> f32[] {", FileKind::kHlo},
  };
  for (const auto& c : cases) {
    CAPTURE(c.bytes);
    const FileKind first = recognize_bytes(c.bytes);
    CHECK((first == FileKind::kHlo ? recognize_text(c.bytes) : first) == c.kind);
    if (c.kind == FileKind::kHlo) continue;
    const std::string message(read(c.bytes).status().message());
    CHECK(message == std::string(refuse_file(c.kind, "log.txt").message()));
    CHECK_THAT(message, StartsWith("log.txt: is "));
    if (c.kind != FileKind::kBinary) CHECK(message.find("\n  ") != std::string::npos);
  }
}

TEST_CASE("a command in a message can be pasted") {
  CHECK_THAT(std::string(refuse_file(FileKind::kZstd, "a b'c.zst").message()),
             ContainsSubstring("zstd -dc 'a b'\\''c.zst' |\n    hloroof predict - --device DEVICE"));
  CHECK_THAT(std::string(refuse_file(FileKind::kZstd, "<stdin>").message()), ContainsSubstring("zstd -dc FILE |"));
}

TEST_CASE("parse_module says what a text is that is not HLO") {
  const absl::Status mlir = parse_module("module @jit_f {\n}\n").status();
  CHECK_THAT(std::string(mlir.message()), StartsWith("<text>: is MLIR, such as StableHLO, not HLO"));
  CHECK_THAT(std::string(parse_module("hello").status().message()), StartsWith("<text>:1:6: error:"));
}

TEST_CASE("the scoped VMEM that a compile environment states") {
  struct Case {
    const char* text;
    std::optional<std::int64_t> kib;
  };
  const Case cases[] = {
      {"a: AUTO\n# xla_tpu_scoped_vmem_limit_kib: 7\nxla_tpu_scoped_vmem_limit_kib: 40000\nb: 1\n", 40000},
      {"  xla_tpu_scoped_vmem_limit_kib:  16384\r\n", 16384},
      {"xla_tpu_scoped_vmem_limit_kib: -1\n", std::nullopt},
      {"xla_tpu_scoped_vmem_limit_kib: 0", std::nullopt},
      {"xla_tpu_scoped_vmem_limit_kib: 99999999999999999999", std::nullopt},
      {"xla_tpu_scoped_vmem_limit_kib: much", std::nullopt},
      {"xla_tpu_scoped_vmem_limit_kib_2: 5", std::nullopt},
      {"", std::nullopt},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(scoped_vmem_limit_kib(c.text) == c.kib);
  }
}

TEST_CASE("the compile environment of a program lies beside its dumps") {
  const TemporaryFolder folder;
  const std::string program = "module_0001.jit_f.cl_9";
  const std::string dump = folder.write(program + ".after_optimizations.txt", kModule);
  const std::string other = folder.write("module_0002.jit_f.cl_9.after_optimizations.txt", kModule);
  const auto limit = [](const std::string& path, std::optional<std::int64_t> given = std::nullopt) {
    const absl::StatusOr<LoadedModule> loaded = load_module_file(path, ParseOptions());
    REQUIRE(loaded.ok());
    return ScopedVmemLimits(loaded->module, given).of(loaded->module.entry().root());
  };
  CHECK(limit(dump) == std::nullopt);
  folder.write(program + ".tpu_comp_env.txt", "xla_tpu_scoped_vmem_limit_kib: 40000\n");
  CHECK(limit(dump) == 40000 * 1024);
  CHECK(limit(dump + "#jit_f") == 40000 * 1024);
  CHECK(limit(dump, 16) == 16384);  // what is given comes first
  CHECK(limit(other) == std::nullopt);
  // A link may lead to another folder, and is not followed.
  std::filesystem::create_symlink(folder.path() + "/" + program + ".tpu_comp_env.txt",
                                  folder.path() + "/module_0002.jit_f.cl_9.tpu_comp_env.txt");
  CHECK(limit(other) == std::nullopt);
  std::filesystem::remove(folder.path() + "/module_0002.jit_f.cl_9.tpu_comp_env.txt");
  // A folder of that name is not read.
  std::filesystem::create_directory(folder.path() + "/module_0002.jit_f.cl_9.tpu_comp_env.txt");
  CHECK(limit(other) == std::nullopt);
}

}  // namespace
}  // namespace hloroof::internal
