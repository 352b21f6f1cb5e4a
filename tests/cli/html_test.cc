// The page of a prediction: complete in one file, and in a browser without errors. The browser's part is skipped where
// there is no chromium.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "lib/base/json.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/shell.h"

namespace hloroof::internal {
namespace {

struct Page {
  std::string text;
  std::size_t ops = 0;     // rows of the data
  std::size_t timed = 0;   // of them with a time of their own
  std::size_t listed = 0;  // with a time of their own or a wait
};

// The page's own data must agree with what the JSON of the same prediction says.
Page make_page(const std::string& dump, const std::string& device, const std::string& path) {
  const CliResult html = run_hloroof({"predict", dump, "--device", device, "--format", "html", "-o", path});
  CAPTURE(html.err);
  REQUIRE(html.code == kExitOk);
  Page page;
  std::ifstream file(path, std::ios::binary);
  page.text.assign(std::istreambuf_iterator<char>(file), {});
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.text.find(open) + open.size();
  REQUIRE(begin > open.size());
  const auto data = parse_json(page.text.substr(begin, page.text.find("</script>", begin) - begin), "data");
  REQUIRE(data.ok());
  const auto json = parse_json(run_hloroof({"predict", dump, "--device", device, "--format", "json"}).out, "json");
  REQUIRE(json.ok());
  for (const JsonValue& op : json->find("ops")->elements) {
    ++page.ops;
    const bool works = op.find("total_seconds")->number > 0;
    page.timed += works ? 1 : 0;
    page.listed += works || op.find("exposed_seconds")->number > 0 ? 1 : 0;
  }
  CHECK(data->find("ops")->elements.size() == page.ops);
  return page;
}

// The value of an attribute of the page's html element after its script has run; empty if it has none.
std::string attribute(const std::string& dom, const std::string& name) {
  const std::size_t at = dom.find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 3;
  return dom.substr(begin, dom.find('"', begin) - begin);
}

TEST_CASE("the page needs nothing from the network") {
  const TemporaryFolder folder;
  const Page page = make_page("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", folder.path() + "/page.html");
  for (const char* part : {"src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest", "/*{{"}) {
    CAPTURE(part);
    CHECK(page.text.find(part) == std::string::npos);
  }
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

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
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
  CHECK(opened.dom.substr(foot, opened.dom.find("</tfoot>", foot) - foot).find("11.2 ms") != std::string::npos);
  CHECK(attribute(opened.dom, "data-ops") == std::to_string(page.listed));
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
