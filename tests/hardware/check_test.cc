// check_device_file(): what a device file of the user's own is told.
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "hloroof/device.h"
#include "lib/hardware/registry.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// A whole device in a few lines: all else is that of the device it extends.
std::string small(const std::string& members) {
  return R"({"schema": "hloroof.device/1", "name": "mine", "extends": "tpu_v5e")" +
         (members.empty() ? std::string() : ", " + members) + "}";
}

std::string bandwidth(const std::string& members) { return small(R"("hbm": {"bandwidth": {)" + members + "}}"); }

TEST_CASE("check: a file of one's own may extend a built-in device") {
  const std::string text = small(
      R"("display_name": "My v5e", "sources": {"BENCH": "our stream benchmark"},
         "hbm": {"bandwidth": {"value": 7.5e11, "unit": "B/s", "per": "chip", "kind": "fitted", "source": "BENCH"}},
         "on_chip": {"vmem_capacity": null},
         "vector": {"weights": {"exponential": {"vector_ops": 3, "kind": "fitted", "source": "BENCH"}}})");
  const absl::Status status = check_device_file(text, "mine.json");
  CAPTURE(std::string(status.message()));
  CHECK(status.ok());
}

TEST_CASE("check: the example of data/hardware/README.md is valid") {
  std::ifstream in(source_path("data/hardware/README.md"), std::ios::binary);
  const std::string readme(std::istreambuf_iterator<char>(in), {});
  const size_t begin = readme.find("```json\n{");
  REQUIRE(begin != std::string::npos);
  const size_t text = begin + std::string("```json\n").size();
  const std::string example = readme.substr(text, readme.find("```", text) - text);
  const absl::Status status = check_device_file(example, "README.md");
  CAPTURE(std::string(status.message()));
  CHECK(status.ok());
}

// A file, and a part of the message about it.
struct Wrong {
  std::string text;
  std::string message;
};

void check_messages(std::span<const Wrong> files) {
  for (const Wrong& wrong : files) {
    CAPTURE(wrong.text);
    const absl::Status status = check_device_file(wrong.text, "mine.json");
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    const std::string message(status.message());
    CHECK_THAT(message, ContainsSubstring("mine.json"));
    CHECK_THAT(message, ContainsSubstring(wrong.message));
  }
}

const Wrong kWrongMembers[] = {
    {"", "mine.json:1:1: "},
    {"[]", "mine.json: found an array; expected an object"},
    {R"({"name": "mine", "extends": "tpu_v5e"})", R"("schema" is missing; expected "hloroof.device/1")"},
    {R"({"schema": "hloroof.device/9", "name": "mine"})", R"(at schema: found "hloroof.device/9")"},
    {R"({"schema": 1, "name": "mine"})", "at schema: found 1"},
    {R"({"schema": "hloroof.device/1"})", "missing, and needed for every device: name, display_name, vendor, family"},
    {R"({"schema": "hloroof.device/1", "name": "mine", "display_name": "M", "vendor": "V", "family": "gpu"})",
     "hbm.bandwidth, hbm.efficiency, on_chip.l2_capacity"},
    {R"({"schema": "hloroof.device/1", "name": "mine", "display_name": "M", "vendor": "V", "family": "tpu"})",
     "ici.torus"},
    {R"({"schema": "hloroof.device/1", "name": "My Device", "extends": "tpu_v5e"})", "at name: found \"My Device\""},
    {R"({"schema": "hloroof.device/1", "name": "mine", "extends": "tpu_v5"})", "at extends: found \"tpu_v5\""},
    {R"({"schema": "hloroof.device/1", "name": "mine", "extends": "mine"})", "at extends: found \"mine\""},
    {small(R"("family": "npu")"), R"(at family: found "npu"; expected "tpu", "gpu", "cpu" or "other")"},
    {small(R"("abstract": true)"), "at abstract: found true"},
    {small(R"("abstract": 1)"), "at abstract: found 1; expected true or false"},
    {small(R"("aliases": "x")"), "at aliases: found \"x\"; expected an array of strings"},
    {small(R"("aliases": [""])"), "expected a string that is not empty"},
    {small(R"("colour": "red")"), "at colour: no such member"},
    {small(R"("hbm": 5)"), "at hbm: found 5; expected an object"},
    {small(R"("hbm": {"bandwith": {}})"), R"(at hbm.bandwith: no such member; the nearest is "hbm.bandwidth")"},
    {small(R"("hbm": {"bandwidth": 8e11})"), "at hbm.bandwidth: found 8e+11; expected an object with value"},
};

TEST_CASE("check: a member that is wrong is named with its place, what is there and what was expected") {
  check_messages(kWrongMembers);
}

const Wrong kWrongNumbers[] = {
    {bandwidth(R"("unit": "B/s", "per": "chip", "kind": "fitted", "source": "x")"),
     R"(at hbm.bandwidth: "value" is missing)"},
    {bandwidth(R"("value": 1, "per": "chip", "kind": "fitted", "source": "x")"),
     R"("unit" is missing; expected "B/s")"},
    {bandwidth(R"("value": 1, "unit": "GB/s", "per": "chip", "kind": "fitted", "source": "x")"),
     R"(at hbm.bandwidth.unit: found "GB/s"; expected "B/s")"},
    {bandwidth(R"("value": 1, "unit": "B/s", "kind": "fitted", "source": "x")"),
     R"("per" is missing; expected "device", "chip" or "core")"},
    {bandwidth(R"("value": 1, "unit": "B/s", "per": "pod", "kind": "fitted", "source": "x")"),
     R"(at hbm.bandwidth.per: found "pod"; expected "device", "chip" or "core")"},
    {bandwidth(R"("value": 1, "unit": "B/s", "per": "chip", "source": "x")"),
     R"("kind" is missing; expected "published")"},
    {bandwidth(R"("value": 1, "unit": "B/s", "per": "chip", "kind": "guess", "source": "x")"),
     R"(found "guess"; expected "published")"},
    {bandwidth(R"("value": 1, "unit": "B/s", "per": "chip", "kind": "fitted")"), R"("source" is missing)"},
    {bandwidth(R"("value": 1, "unit": "B/s", "per": "chip", "kind": "fitted", "source": "")"),
     "expected a string that is not empty"},
    {bandwidth(
         R"("value": 1, "unit": "B/s", "per": "chip", "kind": "fitted", "source": "x", "measured_on": "tpu_v5p")"),
     "at hbm.bandwidth.measured_on: only for files that are abstract"},
    {bandwidth(R"("value": 1, "unit": "B/s", "per": "chip", "kind": "fitted", "source": "x", "why": "y")"),
     "at hbm.bandwidth.why: no such member of a number"},
    {bandwidth(R"("value": -1, "unit": "B/s", "per": "chip", "kind": "fitted", "source": "x")"),
     "at hbm.bandwidth.value: found -1; expected a number above 0"},
    {bandwidth(R"("value": "1", "unit": "B/s", "per": "chip", "kind": "fitted", "source": "x")"),
     "found \"1\"; expected a number"},
};

TEST_CASE("check: a number states value, unit, share, kind and source") { check_messages(kWrongNumbers); }

const Wrong kWrongValues[] = {
    {small(R"("hbm": {"efficiency": {"value": 1.2, "unit": "1", "kind": "fitted", "source": "x"}})"),
     "found 1.2; expected a number above 0, at most 1"},
    {small(R"("clock": {"value": 1e9, "unit": "Hz", "per": "chip", "kind": "fitted", "source": "x"})"),
     "at clock.per: no such member of a number"},
    {small(R"("ici": {"max_chips": {"value": 3.5, "unit": "1", "kind": "fitted", "source": "x"}})"),
     "found 3.5; expected a whole number"},
    {small(R"("ici": {"torus": []})"), "at ici.torus: found an array"},
    {small(R"("ici": {"torus": {"wrap": "full_axis", "slices": ["2x2"], "kind": "assumed", "source": "x"}})"),
     R"("pod_shape" is missing)"},
    {small(R"("ici": {"torus": {"wrap": "whole_cubes", "slices": ["2x2"], "kind": "assumed", "source": "x"}})"),
     R"("cube_edge" is missing)"},
    {small(R"("ici": {"torus": {"wrap": "whole_cubes", "cube_edge": 0, "slices": ["2"], "kind": "assumed", )"
           R"("source": "x"}})"),
     "at ici.torus.cube_edge: found 0; expected a whole number"},
    {small(R"("ici": {"torus": {"wrap": "always", "slices": ["4x4", "2x2"], "kind": "assumed", "source": "x"}})"),
     "the smallest slice first"},
    {small(R"("ici": {"torus": {"wrap": "always", "slices": ["4x4", "4x4x2"], "kind": "assumed", "source": "x"}})"),
     "expected 2 axes each"},
    {small(R"("ici": {"torus": {"wrap": "always", "slices": [], "kind": "assumed", "source": "x"}})"),
     R"("slices" is missing)"},
    {small(R"("ici": {"torus": {"wrap": "sometimes", "slices": ["2"], "kind": "assumed", "source": "x"}})"),
     "found \"sometimes\""},
    {small(R"("vector": {"weights": {"exponential": {"kind": "assumed", "source": "x"}}})"),
     R"(at vector.weights.exponential: "vector_ops" is missing)"},
    {small(R"("devices_per_chip": {"value": 3, "unit": "1", "kind": "assumed", "source": "x"})"),
     "for one device; expected a whole number"},
    {small(R"("hbm": {"bandwidth": null})"), "missing, and needed for the family \"tpu\": hbm.bandwidth"},
    {small(R"("hbm": {"bandwidth": {"value": "none", "kind": "assumed", "source": "x"}})"),
     "missing, and needed for the family \"tpu\": hbm.bandwidth"},
    {small(R"("hbm": {"read_efficiency": {"value": "none", "kind": "assumed"}})"), R"("source" is missing)"},
    {small(R"("overhead": {"launch": {"value": 1e-6, "unit": "s", "kind": "assumed", "source": "x"}})"),
     "at overhead.launch: no number of the family \"tpu\""},
};

TEST_CASE("check: a value fits its number, its family and one device") { check_messages(kWrongValues); }

std::string accuracy(const std::string& entries) { return small("\"accuracy\": " + entries); }

const Wrong kWrongAccuracies[] = {
    {accuracy("{}"), "at accuracy: found an object; expected an array of objects with what, rows, median and p90"},
    {accuracy("[]"), "at accuracy: found an array; expected an array of objects"},
    {accuracy("[0.02]"), "at accuracy[0]: found 0.02; expected an object with what, rows, median and p90"},
    {accuracy(R"([{"what": "ops", "rows": 1, "median": 0, "p90": 0}])"),
     R"(at accuracy[0].what: found "ops"; expected "steps", "kernels", "matmuls" or "collectives")"},
    {accuracy(R"([{"what": "steps", "rows": 0, "median": 0, "p90": 0}])"),
     "at accuracy[0].rows: found 0; expected a whole number from 1"},
    {accuracy(R"([{"what": "steps", "rows": 1, "median": "2 %", "p90": 0}])"),
     R"(at accuracy[0].median: found "2 %"; expected a number from 0)"},
    {accuracy(R"([{"what": "steps", "rows": 1, "median": 0.2, "p90": 0.1}])"),
     "at accuracy[0].p90: found 0.1; expected at least the median, 0.2"},
    {accuracy(R"([{"what": "steps", "rows": 1, "median": 0.2}])"), R"(at accuracy[0]: "p90" is missing)"},
    {accuracy(R"([{"rows": 1, "median": 0.2, "p90": 0.2}])"), R"(at accuracy[0]: "what" is missing)"},
    {accuracy(R"([{"what": "steps", "rows": 1, "median": 0, "p90": 0, "bias": 0}])"),
     "at accuracy[0].bias: no such member of an accuracy"},
    {accuracy(R"([{"what": "steps", "rows": 1, "median": 0, "p90": 0}, )"
              R"({"what": "steps", "rows": 2, "median": 0, "p90": 0}])"),
     R"(at accuracy[1].what: found "steps" a second time; expected each kind once)"},
    {accuracy("[{\"what\": \"steps\",}]"), "^"},
};

TEST_CASE("check: an accuracy states what was measured, the rows and two errors") { check_messages(kWrongAccuracies); }

TEST_CASE("check: all problems are told at once, within reason") {
  std::string members;
  for (int i = 0; i < 50; ++i) members += (i == 0 ? "" : ", ") + ("\"bad" + std::to_string(i) + "\": 1");
  const absl::Status status = check_device_file(small(members), "mine.json");
  const std::string message(status.message());
  CHECK_THAT(message, ContainsSubstring("at bad0"));
  CHECK_THAT(message, ContainsSubstring("at bad19"));
  CHECK_THAT(message, ContainsSubstring("and 30 more problems"));
}

TEST_CASE("check: hostile texts are errors, quickly") {
  for (const std::string& text :
       {std::string(2'000'000, '['), std::string(2'000'000, '{'), std::string(1'000'000, '\0'),
        small("\"" + std::string(1'000'000, 'k') + "\": 1"), small(R"("hbm": )" + std::string(60, '{')),
        "{\"a\":" + std::string(200'000, '[') + "}"}) {
    const absl::Status status = check_device_file(text, "mine.json");
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(status.message().size() < 2000);
  }
}

}  // namespace
}  // namespace hloroof::internal
