// The counts subcommand from outside.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/fronts/cli/cli.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

constexpr char kLoop[] = R"(HloModule loop, is_scheduled=true

body {
  t = (s32[], f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[1024,1024]{1,0:T(8,128)} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[1024,1024]{1,0:T(8,128)}) tuple(next, y)
}

until {
  t = (s32[], f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  bound = s32[] constant(7)
  ROOT c = pred[] compare(i, bound), direction=LT
}

ENTRY main {
  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  thin = f32[1024,1]{1,0:T(8,128)} parameter(1)
  zero = s32[] constant(0)
  t = (s32[], f32[1024,1024]{1,0:T(8,128)}) tuple(zero, p)
  w = (s32[], f32[1024,1024]{1,0:T(8,128)}) while(t), condition=until, body=body
  e = f32[1024,1]{1,0:T(8,128)} exponential(thin)
  k = f32[8,128]{1,0:T(8,128)} custom-call(e), custom_call_target="somebody's"
  ROOT x = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(w), index=1
}
)";

struct Result {
  int code = 0;
  std::string out;
  std::string err;
};

Result run(std::vector<std::string> arguments) {
  std::ostringstream out, err;
  arguments.insert(arguments.begin(), "counts");
  const int code = run_cli(arguments, out, err);
  return {code, out.str(), err.str()};
}

// A file that goes when the test does.
class File {
 public:
  explicit File(std::string_view text) {
    std::string pattern = (fs::temp_directory_path() / "hloroof_counts_XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "m.hlo", std::ios::binary) << text;
  }
  ~File() { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "m.hlo").string(); }
  std::string missing() const { return (folder_ / "none.hlo").string(); }

 private:
  fs::path folder_;
};

constexpr double kDotFlops = 2.0 * 1024 * 1024 * 1024;

TEST_CASE("the JSON of both conventions") {
  const File file(kLoop);
  const nlohmann::json xla = nlohmann::json::parse(run({file.path(), "--format", "json"}).out);
  CHECK(xla["schema"] == "hloroof.counts/1");
  CHECK(xla["convention"] == "xla");
  CHECK(xla["flops"] == kDotFlops);  // one trip; the add, the compare and the custom call's -1 are lost in float32
  CHECK(xla["transcendentals"] == 1024);
  CHECK(xla["per_op"].size() == 8 + 7 + 4);
  CHECK_FALSE(xla.contains("logical_bytes"));

  const Result result = run({file.path(), "--format", "json", "--convention", "physical"});
  CHECK(result.code == kExitOk);
  const nlohmann::json physical = nlohmann::json::parse(result.out);
  CHECK(physical["convention"] == "physical");
  CHECK(physical["flops"] == 7 * (kDotFlops + 1) + 8);
  // Read and written 128 times over: each row of one column fills the 128 lanes of its tile.
  const auto e = std::find_if(physical["per_op"].begin(), physical["per_op"].end(),
                              [](const nlohmann::json& row) { return row["name"] == "e"; });
  REQUIRE(e != physical["per_op"].end());
  CHECK((*e)["bytes_accessed"] == 2 * 1024 * 128 * 4);
  CHECK((*e)["logical_bytes"] == 2 * 1024 * 4);
  CHECK(physical["loops"][0]["name"] == "w");
  CHECK(physical["loops"][0]["trip_count"] == 7);
  CHECK(physical["loops"][0]["source"] == "inferred");
  CHECK(physical["unknown"] == nlohmann::json::array({"k"}));
  const nlohmann::json& spaces = physical["bytes_by_space"];
  CHECK(spaces["hbm"].get<double>() + spaces["vmem"].get<double>() + spaces["host"].get<double>() +
            spaces["scalar"].get<double>() ==
        physical["bytes_accessed"].get<double>());
}

TEST_CASE("what the user states about the work counts") {
  const File file(kLoop);
  const auto flops = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {file.path(), "--format", "json", "--convention", "physical"});
    return nlohmann::json::parse(run(more).out)["flops"].get<double>();
  };
  CHECK(flops({"--trip-count", "w=3"}) == 3 * (kDotFlops + 1) + 4);
  CHECK(flops({"--custom-call", "somebody's=flops:1000,bytes:8"}) == 7 * (kDotFlops + 1) + 8 + 1000);
}

TEST_CASE("rows of the text are sorted, cut and within 80 columns") {
  const File file(kLoop);
  struct Case {
    const char* sort;
    const char* first;
  };
  for (const Case& c : {Case{"bytes", "y"}, Case{"flops", "y"}, Case{"transcendentals", "e"}, Case{"program", "p"}}) {
    CAPTURE(c.sort);
    const Result result = run({file.path(), "-n", "1", "--sort", c.sort});
    CHECK(result.code == kExitOk);
    std::istringstream lines(result.out);
    std::string line, first, previous;
    while (std::getline(lines, line)) {
      CHECK(line.size() <= 80);
      if (previous.find("transc.") != std::string::npos) first = line;
      previous = line;
    }
    std::istringstream cells(first);
    std::vector<std::string> words;
    for (std::string word; cells >> word;) words.push_back(word);
    CHECK(std::find(words.begin(), words.end(), c.first) != words.end());
    CHECK_THAT(result.out, ContainsSubstring("[18 others]"));
  }
}

TEST_CASE("rows of a group add up") {
  const File file(kLoop);
  const auto rows = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {file.path(), "--convention", "physical", "--format", "json"});
    return nlohmann::json::parse(run(more).out);
  };
  const nlohmann::json plain = rows({});
  for (const char* by : {"category", "computation", "op_name", "source", "layer"}) {
    CAPTURE(by);
    const nlohmann::json grouped = rows({"--group-by", by});
    CHECK(grouped["per_op"].size() < plain["per_op"].size() + 1);
    std::set<std::string> keys;
    double flops = 0;
    double bytes = 0;
    for (const nlohmann::json& row : grouped["per_op"]) {
      keys.insert(row["name"].get<std::string>());
      flops += row["executions"].get<double>() * row["flops"].get<double>();
      bytes += row["executions"].get<double>() * row["bytes_accessed"].get<double>();
    }
    CHECK(keys.size() == grouped["per_op"].size());
    CHECK(flops == Approx(plain["flops"].get<double>()));
    CHECK(bytes == Approx(plain["bytes_accessed"].get<double>()));
  }
  CHECK(run({file.path(), "--group-by", "colour"}).code == kExitBadInput);
}

TEST_CASE("several files are one line each") {
  const File file(kLoop);
  const Result result = run({file.path(), file.path(), "--convention", "physical"});
  CHECK(result.code == kExitOk);
  CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 3);
  CHECK(nlohmann::json::parse(run({file.path(), file.path(), "--format", "json"}).out).size() == 2);
  const std::string csv = run({file.path(), "--format", "csv"}).out;
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 19);
}

TEST_CASE("bad use of counts") {
  const File file(kLoop);
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char* message;
  };
  const std::vector<Case> cases = {
      {{file.path(), "--convention", "gpu"}, kExitBadInput, "xla or physical"},
      {{file.path(), "--format", "yaml"}, kExitBadInput, "text, json, csv or markdown"},
      {{file.path(), "--sort", "size"}, kExitBadInput, "transcendentals"},
      {{file.missing()}, kExitBadInput, "none.hlo"},
      {{file.path(), "--trip-count", "whale=3"}, kExitBadInput, "--trip-count changes only --convention physical"},
      {{file.path(), "--convention", "physical", "--trip-count", "whale=3"},
       kExitBadInput,
       "'whale', which is not a while loop; there are: "},
      {{file.path(), "--convention", "physical", "--branch-probability", "c=1"}, kExitBadInput, "is not a conditional"},
      {{file.path(), "--convention", "physical", "--custom-call", "/(/=flops:1"}, kExitBadInput, "pattern /(/"},
      {{file.path(), "--convention", "physical", "--strict"}, kExitIncomplete, "k"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.message);
    const Result result = run(c.arguments);
    CHECK(result.code == c.code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring(c.message));
  }
}

}  // namespace
}  // namespace hloroof::internal
