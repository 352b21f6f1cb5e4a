// The page of a prediction: complete in one file, and in a browser without errors. The browser's part is skipped where
// there is no chromium.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/base/json.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/paths.h"
#include "tests/shell.h"

namespace hloroof::internal {
namespace {

struct Page {
  std::string text;
  OrderedJson data;        // of its only prediction
  OrderedJson prediction;  // as the JSON has it
  std::size_t ops = 0;     // rows of the data
  std::size_t timed = 0;   // of them with a time of their own
  std::size_t listed = 0;  // with a time of their own or a wait
};

bool agree(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

// The data in the text of a page.
OrderedJson data_of(const std::string& text) {
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = text.find(open) + open.size();
  REQUIRE(begin > open.size());
  auto data = parse_json(text.substr(begin, text.find("</script>", begin) - begin), "data");
  REQUIRE(data.ok());
  return *std::move(data);
}

// The value of the column `name` in the row of an op.
const OrderedJson& cell(const OrderedJson& data, const OrderedJson& row, std::string_view name) {
  const OrderedJson& columns = data.at("columns");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].at("name").get<std::string>() != name) continue;
    if (!columns[i].at("shared").get<bool>()) return row[i];
    return data.at("steps")[0].at("shared")[static_cast<std::size_t>(row[i].get<double>())];
  }
  FAIL("no column " << name);
  return row;
}

// The page's own data must agree with what the JSON of the same prediction says.
Page make_page(const std::string& dump, const std::string& device, const std::string& path) {
  const CliResult html = run_hloroof({"predict", dump, "--device", device, "--format", "html", "-o", path});
  CAPTURE(html.err);
  REQUIRE(html.code == kExitOk);
  Page page;
  std::ifstream file(path, std::ios::binary);
  page.text.assign(std::istreambuf_iterator<char>(file), {});
  page.data = data_of(page.text);
  REQUIRE(page.data.at("steps").size() == 1);
  auto json = parse_json(run_hloroof({"predict", dump, "--device", device, "--format", "json"}).out, "json");
  REQUIRE(json.ok());
  for (const OrderedJson& op : json->at("ops")) {
    ++page.ops;
    const bool works = op.at("total_seconds").get<double>() > 0;
    page.timed += works ? 1 : 0;
    page.listed += works || op.at("exposed_seconds").get<double>() > 0 ? 1 : 0;
  }
  CHECK(page.data.at("steps")[0].at("ops").size() == page.ops);
  page.prediction = *std::move(json);
  return page;
}

TEST_CASE("the page has the options that were set, as the command takes them") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  const std::vector<std::string> predict = {"predict", "examples/ffn_block.v5e_2x4.hlo", "--device", "tpu_v5e"};
  std::vector<std::string> given = predict;
  for (const char* word : {"--partitions", "8", "--reduce-dtype", "s8", "--set", "hbm.bandwidth=2x", "--imbalance",
                           "1.5", "--default-trip-count", "4", "--strict", "--format", "html", "-o", path.c_str()}) {
    given.emplace_back(word);
  }
  REQUIRE(run_hloroof(given).code == kExitOk);
  const auto options_of = [&] {
    std::ifstream file(path, std::ios::binary);
    const OrderedJson data = data_of(std::string(std::istreambuf_iterator<char>(file), {}));
    std::vector<std::string> words;
    for (const OrderedJson& option : data.at("steps").front().at("options")) {
      for (const OrderedJson& word : option) {
        if (!word.get<std::string>().empty()) words.push_back(word.get<std::string>());
      }
    }
    return words;
  };
  const std::vector<std::string> words = options_of();
  for (const char* name :
       {"--partitions", "--reduce-dtype", "--set", "--imbalance", "--default-trip-count", "--strict"}) {
    CAPTURE(name);
    CHECK(std::count(words.begin(), words.end(), name) == 1);
  }
  // The words make the same page again.
  std::vector<std::string> again = predict;
  again.insert(again.end(), words.begin(), words.end());
  again.insert(again.end(), {"--format", "html", "-o", path});
  const CliResult result = run_hloroof(again);
  CAPTURE(words, result.err);
  CHECK(result.code == kExitOk);
  CHECK(options_of() == words);
}

// The value of an attribute of the page's html element after its script has run; empty if it has none.
std::string attribute(const std::string& dom, const std::string& name) {
  const std::size_t at = dom.find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 3;
  return dom.substr(begin, dom.find('"', begin) - begin);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

TEST_CASE("the page needs nothing from the network") {
  const TemporaryFolder folder;
  const Page page = make_page("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", folder.path() + "/page.html");
  for (const char* part : {"src=", "href=\"http", "@import", "fetch(", "XMLHttpRequest", "/*{{"}) {
    CAPTURE(part);
    CHECK(page.text.find(part) == std::string::npos);
  }
  // The only references are to patterns of the page itself.
  CHECK(count(page.text, "url(") == count(page.text, "url(#"));
}

TEST_CASE("a name with a tag in it stays a name") {
  const TemporaryFolder folder;
  const std::string dump = folder.write("m.hlo", R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[4096,4096] parameter(0)
  ROOT r = f32[4096,4096] negate(p), metadata={op_name="</script><b>x" source_file="<!--"}
}
)");
  const Page page = make_page(dump, "tpu_v5e", folder.path() + "/page.html");
  CHECK(page.text.find("</script><b>") == std::string::npos);
  CHECK(page.text.find("<!--") == std::string::npos);
}

TEST_CASE("the page of a large program is small, because ops share what is equal") {
  const std::string dump = shared_path("corpus/tpu/llm_unrolled_fsdp.v5e_2x4.hlo");
  if (!std::filesystem::exists(dump)) HLOROOF_SKIP("the large corpus is not there");
  const TemporaryFolder folder;
  const Page page = make_page(dump, "tpu_v5e", folder.path() + "/page.html");
  CHECK(page.ops > 6000);
  CHECK(page.text.size() < 4'000'000);
}

TEST_CASE("the rows of the table add up to the step, and the parts of the breakdown too") {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> subjects[] = {{"examples/ffn_block.v5e_2x4.hlo", "tpu_v5e"},
                                                          {"examples/decode_step.v5e.hlo", "tpu_v5e"},
                                                          {"tests/report/dumps/scanned_layers.v5e.hlo", "tpu_v5e"}};
  for (const auto& [dump, device] : subjects) {
    CAPTURE(dump);
    const Page page = make_page(dump, device, folder.path() + "/page.html");
    const OrderedJson& step = page.data.at("steps")[0];
    const double seconds = page.prediction.at("step_seconds").get<double>();
    double rows = 0;
    for (const OrderedJson& op : step.at("ops")) {
      if (cell(page.data, op, "total_seconds").get<double>() > 0 ||
          cell(page.data, op, "exposed_seconds").get<double>() > 0) {
        rows += cell(page.data, op, "exposed_seconds").get<double>();
      }
    }
    CHECK(agree(rows, seconds));
    double parts = 0;
    for (const OrderedJson& part : step.at("prediction").at("breakdown")) {
      parts += part.at("seconds").get<double>();
    }
    CHECK(agree(parts, seconds));
  }
}

TEST_CASE("events that wait name the op that they wait for, and others none") {
  const TemporaryFolder folder;
  const Page page = make_page("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", folder.path() + "/page.html");
  const OrderedJson& step = page.data.at("steps")[0];
  const OrderedJson& ops = step.at("ops");
  int waits = 0;
  for (const OrderedJson& event : step.at("timeline")) {
    REQUIRE(event.size() == 5);
    if (event[4].is_null()) continue;
    ++waits;
    const OrderedJson& op = ops[static_cast<std::size_t>(event[0].get<double>())];
    const std::string awaited =
        cell(page.data, ops[static_cast<std::size_t>(event[4].get<double>())], "name").get<std::string>();
    const OrderedJson& of_op = cell(page.data, op, "waits");
    CHECK(std::any_of(of_op.begin(), of_op.end(),
                      [&](const OrderedJson& wait) { return wait.at("transfer").get<std::string>() == awaited; }));
  }
  CHECK(waits > 0);
  for (const OrderedJson& use : step.at("prediction").at("resources")) {
    if (use.at("busy_seconds").get<double>() > 0) CHECK_FALSE(use.at("step_if_free_seconds").is_null());
  }
}

void check_memory_and_layers(const Page& page) {
  const OrderedJson& step = page.data.at("steps")[0];
  const OrderedJson& memory = step.at("memory");
  double most = 0;
  for (const OrderedJson& level : memory.at("levels")) most = std::max(most, level.get<double>());
  const double peak = page.prediction.at("memory").at("hbm_peak_bytes").get<double>();
  CHECK(most == peak);
  CHECK(memory.at("peak_bytes").get<double>() == peak);
  CHECK(memory.at("peak_seconds").get<double>() <= memory.at("seconds").get<double>());
  const OrderedJson& layers = step.at("layers");
  std::vector<double> sums(layers.size(), 0);
  for (const OrderedJson& op : step.at("ops")) {
    const double seconds = cell(page.data, op, "exposed_seconds").get<double>();
    const OrderedJson& layer = cell(page.data, op, "layer");
    CHECK((layer.is_null()) == (seconds == 0));
    if (seconds != 0) sums[static_cast<std::size_t>(layer.get<double>())] += seconds;
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool is_leaf = layers[i].at("is_op").get<bool>();
    CHECK(agree(sums[i], is_leaf ? layers[i].at("seconds").get<double>() : 0));
  }
}

TEST_CASE("memory over time reaches the peak, and every op in the step has a layer") {
  const TemporaryFolder folder;
  for (const char* dump : {"examples/ffn_block.v5e_2x4.hlo", "tests/report/dumps/scanned_layers.v5e.hlo"}) {
    CAPTURE(dump);
    check_memory_and_layers(make_page(dump, "tpu_v5e", folder.path() + "/page.html"));
  }
}

// Empty where there is no browser.
std::string find_browser() {
  const std::string found = output_of("command -v chromium || command -v chromium-browser || command -v google-chrome");
  return found.substr(0, found.find('\n'));
}

// The page's elements after its scripts have run, and what the browser had to say.
struct Opened {
  std::string dom;
  std::string log;
};

Opened open_page(const std::string& browser, const TemporaryFolder& folder, const std::string& path,
                 const std::string& fragment) {
  const std::string errors = folder.path() + "/errors";
  Opened opened;
  opened.dom =
      output_of("timeout 100 " + browser +
                " --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=" + folder.path() +
                "/profile --virtual-time-budget=20000 --dump-dom 'file://" + path + fragment + "' 2>" + errors);
  opened.dom.resize(std::min(opened.dom.size(), opened.dom.find("<script")));  // the scripts are no elements
  std::ifstream file(errors);
  opened.log.assign(std::istreambuf_iterator<char>(file), {});
  return opened;
}

TEST_CASE("in a browser: no errors, a dot an op, and the filter filters") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  const Page page = make_page("examples/decode_step.v5e.hlo", "tpu_v5e", path);
  const Opened plain = open_page(browser, folder, path, "");
  if (plain.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
  CAPTURE(plain.log);
  CHECK(plain.log.find("CONSOLE") == std::string::npos);
  CHECK(attribute(plain.dom, "data-error").empty());
  CHECK(attribute(plain.dom, "data-ops") == std::to_string(page.listed));
  CHECK(attribute(plain.dom, "data-dots") == std::to_string(page.timed));
  CHECK(attribute(plain.dom, "data-shown") == std::to_string(page.listed));
  CHECK(count(plain.dom, "<circle ") == page.timed);
  CHECK(count(plain.dom, "<tr data-op=") == page.listed);

  const Opened filtered = open_page(browser, folder, path, "#filter=%5Ecopy&theme=dark");
  CHECK(attribute(filtered.dom, "data-theme") == "dark");
  CHECK(attribute(filtered.dom, "data-dots") == std::to_string(page.timed));
  const int shown = std::atoi(attribute(filtered.dom, "data-shown").c_str());
  CHECK(shown > 0);
  CHECK(static_cast<std::size_t>(shown) < page.timed);
  CHECK(count(filtered.dom, "<tr data-op=") == static_cast<std::size_t>(shown));
  CHECK(attribute(open_page(browser, folder, path, "#filter=no_op_is_called_this").dom, "data-shown") == "0");

  // A chosen op shows what is around it; a column sorts.
  const Opened chosen = open_page(browser, folder, path, "#op=copy.10&sort=flops");
  CHECK(chosen.log.find("CONSOLE") == std::string::npos);
  CHECK(count(chosen.dom, "class=\"node") >= 3);
  CHECK(count(chosen.dom, "class=\"node center\"") == 1);
  CHECK(count(chosen.dom, "aria-sort=\"descending\"") == 1);
}

TEST_CASE("in a browser: links lead to the sections, and a narrow iteration of a loop is enlarged") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  for (const auto& [dump, has_loop] : std::vector<std::pair<std::string, bool>>{
           {"tests/report/dumps/scanned_layers.v5e.hlo", true}, {"examples/ffn_block.v5e_2x4.hlo", false}}) {
    CAPTURE(dump);
    make_page(dump, "tpu_v5e", path);
    const Opened opened = open_page(browser, folder, path, "");
    if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
    CHECK(opened.log.find("CONSOLE") == std::string::npos);
    const std::size_t links = count(opened.dom, "<a href=\"#section-");
    CHECK(links > 8);
    CHECK(count(opened.dom, "<h2 id=\"section-") == links);
    CHECK((opened.dom.find("One iteration of") != std::string::npos) == has_loop);
  }
}

TEST_CASE("in a browser: diagnoses name options without the form of the command line") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const TemporaryFolder folder;
  const std::string dump = folder.write("loop.hlo", R"(HloModule m, is_scheduled=true
body { ROOT b = f32[4096]{0:T(1024)} parameter(0) }
condition {
  c = f32[4096]{0:T(1024)} parameter(0)
  ROOT r = pred[] custom-call(c), custom_call_target="decide"
}
ENTRY e {
  p = f32[4096]{0:T(1024)} parameter(0)
  ROOT w = f32[4096]{0:T(1024)} while(p), condition=condition, body=body
})");
  const std::string path = folder.path() + "/page.html";
  const Page page = make_page(dump, "tpu_v5e", path);
  CHECK(page.text.find("--trip-count") != std::string::npos);  // in the data
  const Opened opened = open_page(browser, folder, path, "");
  if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
  CHECK(opened.dom.find("the option trip-count w=N sets it") != std::string::npos);
  CHECK(opened.dom.find("--trip-count") == std::string::npos);
}

TEST_CASE("in a browser: waits are rows, so that the total is the step") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  const Page page = make_page("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", path);
  CHECK(page.listed > page.timed);
  const Opened opened = open_page(browser, folder, path, "");
  if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
  const std::size_t foot = opened.dom.find("<tfoot");
  REQUIRE(foot != std::string::npos);
  CHECK(opened.dom.substr(foot, opened.dom.find("</tfoot>", foot) - foot).find("11.9 ms") != std::string::npos);
  CHECK(attribute(opened.dom, "data-ops") == std::to_string(page.listed));
}

TEST_CASE("in a browser: waits are hatched, the chosen op says what it waits for, and its roof is solid") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  const Page page = make_page("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", path);
  const OrderedJson& step = page.data.at("steps")[0];
  std::string waiting;
  for (const OrderedJson& op : step.at("ops")) {
    if (!cell(page.data, op, "waits").empty()) waiting = cell(page.data, op, "name").get<std::string>();
  }
  REQUIRE(!waiting.empty());
  const Opened opened = open_page(browser, folder, path, "#op=" + waiting);
  if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
  CAPTURE(opened.log);
  CHECK(opened.log.find("CONSOLE") == std::string::npos);
  CHECK(attribute(opened.dom, "data-error").empty());
  CHECK(std::abs(std::stod(attribute(opened.dom, "data-total")) - page.prediction.at("step_seconds").get<double>()) <
        1e-12);
  CHECK(count(opened.dom, "class=\"wait") > 0);
  CHECK(opened.dom.find("<dt>waits for</dt>") != std::string::npos);
  for (const char* section : {"Where the step goes", "Critical path", "step if free", "Communication", "Padding",
                              "Origin of the numbers", "Glossary"}) {
    CAPTURE(section);
    CHECK(opened.dom.find(section) != std::string::npos);
  }
  // All roofs are dashed but that of the chosen op.
  for (const OrderedJson& op : step.at("ops")) {
    if (cell(page.data, op, "resource") != "mxu") continue;
    const Opened chosen = open_page(browser, folder, path, "#op=" + cell(page.data, op, "name").get<std::string>());
    CHECK(count(chosen.dom, "class=\"roof\"") == 1);
    CHECK(count(chosen.dom, "class=\"roof other\"") > 1);
    break;
  }
}

// A state with `instructions` negations of 16 MiB each.
std::string negations(int instructions) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[2048,2048]{1,0:T(8,128)} parameter(0)\n";
  for (int i = 1; i <= instructions; ++i) {
    text += std::string(i == instructions ? "  ROOT x" : "  x") + std::to_string(i) +
            " = f32[2048,2048]{1,0:T(8,128)} negate(x" + std::to_string(i - 1) + ")\n";
  }
  return text + "}\n";
}

TEST_CASE("in a browser: the passes of one compile and of two") {
  const TemporaryFolder before;
  const TemporaryFolder after;
  const std::pair<const TemporaryFolder*, int> compiles[] = {{&before, 1}, {&after, 2}};
  for (const auto& [folder, last] : compiles) {
    folder->write("module_0001.m.before_optimizations.txt", negations(4));
    folder->write("module_0001.m.0001.main.after_first.before_second.txt", negations(3));
    folder->write("module_0001.m.0002.main.after_second.before_pipeline-end.txt", negations(last));
    folder->write("module_0001.m.after_optimizations.txt", negations(last));
  }
  const std::string browser = find_browser();
  for (const std::vector<std::string>& folders :
       {std::vector<std::string>{before.path()}, std::vector<std::string>{before.path(), after.path()}}) {
    const std::string path = before.path() + "/page.html";
    std::vector<std::string> arguments = {"passes", "--device", "tpu_v5e", "--format", "html", "-o", path};
    arguments.insert(arguments.end(), folders.begin(), folders.end());
    const CliResult html = run_hloroof(arguments);
    CAPTURE(html.err);
    REQUIRE(html.code == kExitOk);
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (const char* part : {"src=", "href=\"http", "@import", "fetch(", "XMLHttpRequest", "/*{{"}) {
      CAPTURE(part);
      CHECK(text.find(part) == std::string::npos);
    }
    CHECK(data_of(text).at("passes").size() == 4);
    if (browser.empty()) continue;
    const Opened opened = open_page(browser, before, path, "#theme=dark");
    if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
    CAPTURE(opened.log);
    CHECK(opened.log.find("CONSOLE") == std::string::npos);
    CHECK(attribute(opened.dom, "data-error").empty());
    CHECK(attribute(opened.dom, "data-theme") == "dark");
    CHECK(attribute(opened.dom, "data-states") == "4");
    // A dot where a number changes, in the chart of the step and in that of the memory.
    CHECK(std::stoul(attribute(opened.dom, "data-dots")) >= 4 * folders.size());
    CHECK((opened.dom.find("they part: second (main)") != std::string::npos) == (folders.size() == 2));
  }
}

TEST_CASE("several predictions are compared on one page, and each can be shown") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  const CliResult html = run_hloroof({"predict", "examples/ffn_block.v5e_2x4.hlo", "--device", "tpu_v5e,tpu_v6e",
                                      "--set", "hbm.bandwidth=0.5x,1x", "--format", "html", "-o", path});
  CAPTURE(html.err);
  REQUIRE(html.code == kExitOk);
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const OrderedJson data = data_of(text);
  CHECK(data.at("steps").size() == 4);
  CHECK(count(text, "\"--set\"") == 4);
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const Opened opened = open_page(browser, folder, path, "#step=2");
  if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
  CHECK(opened.log.find("CONSOLE") == std::string::npos);
  CHECK(count(opened.dom, "<tr data-step=") == 4);
  CHECK(opened.dom.find("on tpu_v6e") != std::string::npos);
}

TEST_CASE("in a browser: a filter that is cleared leaves nothing dimmed") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  const TemporaryFolder folder;
  const Page page = make_page("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", folder.path() + "/page.html");
  const auto dimmed = [&](const std::string& filters) {
    const std::string script =
        "<script>for (const text of [" + filters + "]) { $('filter').value = text; drawTable(); }</script>";
    return count(open_page(browser, folder, folder.write("filtered.html", page.text + script), "").dom, "dim\"");
  };
  if (open_page(browser, folder, folder.path() + "/page.html", "").dom.find("<html") == std::string::npos) {
    HLOROOF_SKIP("chromium does not start here");
  }
  CHECK(dimmed("'fusion'") > 0);
  CHECK(dimmed("'fusion', ''") == 0);
}

TEST_CASE("in a browser: a large dump has all its dots, and of its rows those in view") {
  const std::string browser = find_browser();
  if (browser.empty()) HLOROOF_SKIP("no chromium");
  constexpr std::size_t kOps = 5000;
  std::string text =
      "HloModule large, is_scheduled=true\n\nENTRY main {\n  x0 = f32[256,256]{1,0:T(8,128)} parameter(0)\n";
  for (std::size_t i = 1; i <= kOps; ++i) {
    text += std::string(i == kOps ? "  ROOT" : " ") + " x" + std::to_string(i) + " = f32[256,256]{1,0:T(8,128)} " +
            (i % 3 == 0 ? "exponential" : "negate") + "(x" + std::to_string(i - 1) +
            "), metadata={op_name=\"jit(f)/layer_" + std::to_string(i / 50) + "/op\"}\n";
  }
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  const Page page = make_page(folder.write("large.hlo", text + "}\n"), "tpu_v5e", path);
  CHECK(page.timed == kOps);
  const Opened opened = open_page(browser, folder, path, "");
  if (opened.dom.find("<html") == std::string::npos) HLOROOF_SKIP("chromium does not start here");
  CAPTURE(opened.log);
  CHECK(opened.log.find("CONSOLE") == std::string::npos);
  CHECK(attribute(opened.dom, "data-dots") == std::to_string(kOps));
  CHECK(attribute(opened.dom, "data-shown") == std::to_string(kOps));
  CHECK(count(opened.dom, "<tr data-op=") < 200);
}

}  // namespace
}  // namespace hloroof::internal
