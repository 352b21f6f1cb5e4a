// The trace against a reader of the Trace Event Format: every event complete, rows that nest, flows that have two ends.
#include "lib/page/trace.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "lib/base/json.h"
#include "lib/schedule/async_pairs.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

struct Slice {
  std::string name;
  double begin = 0;
  double end = 0;
};

struct Flow {
  int begins = 0;
  int ends = 0;
  double from_time = 0;
  double to_time = 0;
  double from_row = 0;
  double to_row = 0;
};

using Samples = std::vector<std::pair<double, double>>;  // microseconds and value

struct Trace {
  std::map<std::string, Samples> counters;
  double last = 0;                            // the end of the last slice
  std::map<double, std::vector<Slice>> rows;  // by tid
  std::map<double, std::string> row_names;
  std::map<double, Flow> flows;
  std::size_t slices = 0;
};

double number(const OrderedJson& event, std::string_view name) {
  const OrderedJson* value = find(event, {name});
  CAPTURE(std::string(name));
  REQUIRE(value != nullptr);
  REQUIRE(value->is_number());
  return value->get<double>();
}

std::string text(const OrderedJson& event, std::string_view name) {
  const OrderedJson* value = find(event, {name});
  CAPTURE(std::string(name));
  REQUIRE(value != nullptr);
  REQUIRE(value->is_string());
  return value->get<std::string>();
}

Trace read_trace(const std::string& json_text) {
  const auto json = parse_json(json_text, "trace");
  REQUIRE(json.ok());
  const OrderedJson* events = find(*json, {"traceEvents"});
  REQUIRE(events != nullptr);
  Trace trace;
  for (const OrderedJson& event : *events) {
    const std::string phase = text(event, "ph");
    CHECK(number(event, "pid") == 1);
    const double row = number(event, "tid");
    if (phase == "M") {
      if (text(event, "name") == "thread_name") trace.row_names[row] = text(event.at("args"), "name");
      continue;
    }
    const double at = number(event, "ts");
    CHECK(at >= 0);
    if (phase == "X") {
      const double duration = number(event, "dur");
      CHECK(duration >= 0);
      const OrderedJson* arguments = find(event, {"args"});
      REQUIRE(arguments != nullptr);
      trace.last = std::max(trace.last, at + duration);
      const bool is_later = arguments->contains("iteration") || arguments->contains("iterations");
      for (const char* name : {"computation", "opcode", "executions", "seconds", "flops", "hbm_bytes", "shape"}) {
        CAPTURE(name);
        CHECK((is_later || arguments->contains(name)));
      }
      trace.rows[row].push_back({text(event, "name"), at, at + duration});
      ++trace.slices;
      continue;
    }
    if (phase == "C") {  // one series, so that the viewer shows one line
      const OrderedJson* arguments = find(event, {"args"});
      REQUIRE(arguments != nullptr);
      REQUIRE(arguments->size() == 1);
      const std::string& unit = arguments->items().begin().key();
      CHECK(text(event, "name").find(unit) != std::string::npos);
      const double value = number(*arguments, unit);
      CHECK(value >= 0);
      Samples& samples = trace.counters[text(event, "name")];
      if (!samples.empty()) CHECK(at > samples.back().first);
      samples.emplace_back(at, value);
      continue;
    }
    Flow& flow = trace.flows[number(event, "id")];
    if (phase == "s") {
      ++flow.begins;
      flow.from_time = at;
      flow.from_row = row;
    } else {
      CHECK(phase == "f");
      CHECK(text(event, "bp") == "e");
      ++flow.ends;
      flow.to_time = at;
      flow.to_row = row;
    }
  }
  return trace;
}

// The slice of a row that holds a time; a viewer binds a flow's end to it. Null if there is none.
const Slice* slice_at(const Trace& trace, double row, double time) {
  const auto found = trace.rows.find(row);
  if (found == trace.rows.end()) return nullptr;
  for (const Slice& slice : found->second) {
    if (time >= slice.begin - 1e-6 && time <= slice.end + 1e-6) return &slice;
  }
  return nullptr;
}

double largest(const Samples& samples) {
  double value = 0;
  for (const auto& [at, v] : samples) value = std::max(value, v);
  return value;
}

// The area under a counter in GB/s, in bytes. The last sample is zero.
double area(const Samples& samples) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    sum += samples[i].second * 1e9 * (samples[i + 1].first - samples[i].first) * 1e-6;
  }
  return sum;
}

struct Checked {
  Module module;
  StepPrediction prediction;
  Trace trace;
};

Checked check_trace(const std::string& path, const char* device) {
  CAPTURE(path);
  auto module = load_module(path);
  REQUIRE(module.ok());
  auto prediction = predict_step_time(*module, find_device(device).value());
  REQUIRE(prediction.ok());
  const Trace trace = read_trace(chrome_trace(*prediction));
  for (auto [row, slices] : trace.rows) {
    REQUIRE(trace.row_names.count(row) == 1);
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<const Slice*> open;
    for (const Slice& slice : slices) {
      const double rounding = 1e-6 * std::max(1.0, slice.begin);
      while (!open.empty() && open.back()->end <= slice.begin + rounding) open.pop_back();
      CAPTURE(row, slice.name, slice.begin, slice.end);
      if (!open.empty()) CHECK(slice.end <= open.back()->end + rounding);
      open.push_back(&slice);
    }
  }
  for (const auto& [id, flow] : trace.flows) {
    CAPTURE(id);
    CHECK(flow.begins == 1);
    CHECK(flow.ends == 1);
    CHECK(flow.from_time <= flow.to_time);
    CHECK(slice_at(trace, flow.from_row, flow.from_time) != nullptr);
    CHECK(slice_at(trace, flow.to_row, flow.to_time) != nullptr);
  }
  CHECK(trace.last == Approx(prediction->step_seconds * 1e6));
  if (prediction->memory.hbm_peak_bytes > 0) {
    REQUIRE(trace.counters.count("HBM in use, GB") == 1);
    CHECK(largest(trace.counters.at("HBM in use, GB")) == Approx(prediction->memory.hbm_peak_bytes / 1e9));
  }
  if (prediction->hbm_bytes > 0) {
    REQUIRE(trace.counters.count("HBM bandwidth, GB/s") == 1);
    CHECK(area(trace.counters.at("HBM bandwidth, GB/s")) == Approx(prediction->hbm_bytes).epsilon(1e-4));
  }
  return {*std::move(module), *std::move(prediction), trace};
}

TEST_CASE("traces of the shipped dumps are well formed") {
  for (const char* path : {"examples/ffn_block.v5e_2x4.hlo", "examples/decode_step.v5e.hlo",
                           "examples/narrow_heads.v5e.hlo", "tests/corpus/y_default_while.hlo"}) {
    const Checked checked = check_trace(path, "tpu_v5e");
    CHECK(checked.trace.slices >= checked.prediction.timeline.size());
  }
}

TEST_CASE("a loop shows its first iterations at their times, and the others as one slice") {
  const auto module_of = [](int trips) {
    return parse_module(R"(HloModule m, is_scheduled=true
body {
  s = (s32[]{:T(128)}, f32[4096,4096]{1,0:T(8,128)}) parameter(0)
  i = s32[]{:T(128)} get-tuple-element(s), index=0
  x = f32[4096,4096]{1,0:T(8,128)} get-tuple-element(s), index=1
  y = f32[4096,4096]{1,0:T(8,128)} negate(x)
  one = s32[]{:T(128)} constant(1)
  j = s32[]{:T(128)} add(i, one)
  ROOT t = (s32[]{:T(128)}, f32[4096,4096]{1,0:T(8,128)}) tuple(j, y)
}
condition {
  s = (s32[]{:T(128)}, f32[4096,4096]{1,0:T(8,128)}) parameter(0)
  i = s32[]{:T(128)} get-tuple-element(s), index=0
  n = s32[]{:T(128)} constant()" +
                        std::to_string(trips) +
                        R"()
  ROOT less = pred[]{:T(512)} compare(i, n), direction=LT
}
ENTRY main {
  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  zero = s32[]{:T(128)} constant(0)
  t0 = (s32[]{:T(128)}, f32[4096,4096]{1,0:T(8,128)}) tuple(zero, p)
  w = (s32[]{:T(128)}, f32[4096,4096]{1,0:T(8,128)}) while(t0), condition=condition, body=body
  ROOT r = f32[4096,4096]{1,0:T(8,128)} get-tuple-element(w), index=1
})");
  };
  const struct {
    int trips;
    std::size_t shown;
    const char* rest;
  } kCases[] = {{1, 1, ""},        {2, 2, ""},          {3, 3, ""},
                {4, 3, "×1 more"}, {31, 3, "×28 more"}, {100000, 3, "×99,997 more"}};
  for (const auto& c : kCases) {
    CAPTURE(c.trips);
    const auto module = module_of(c.trips);
    REQUIRE(module.ok());
    const auto prediction = predict_step_time(*module, find_device("tpu_v5e").value());
    REQUIRE(prediction.ok());
    const Trace trace = read_trace(chrome_trace(*prediction));
    std::vector<Slice> bodies;
    std::vector<Slice> rest;
    for (const auto& [row, slices] : trace.rows) {
      for (const Slice& slice : slices) {
        if (slice.name == "y") bodies.push_back(slice);
        if (slice.name.find("more") != std::string::npos) rest.push_back(slice);
      }
    }
    REQUIRE(bodies.size() == c.shown);
    CHECK(trace.last == Approx(prediction->step_seconds * 1e6));
    const double iteration = prediction->step_seconds * 1e6 / c.trips;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      CHECK(bodies[i].begin == Approx(bodies[0].begin + static_cast<double>(i) * iteration).epsilon(0.01));
    }
    CHECK(area(trace.counters.at("HBM bandwidth, GB/s")) == Approx(prediction->hbm_bytes).epsilon(1e-4));
    REQUIRE(rest.size() == (*c.rest != '\0' ? 1u : 0u));
    if (rest.empty()) continue;
    CHECK(rest[0].name == c.rest);
    CHECK(rest[0].begin >= bodies.back().end);
    CHECK(rest[0].end == Approx(trace.last));
  }
}

TEST_CASE("a counter shows the bandwidth of the links that a transfer uses") {
  const Checked checked = check_trace("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e");
  double bytes = 0;
  for (const CollectivePrediction& c : checked.prediction.collectives) bytes += c.busiest_link_bytes;
  REQUIRE(bytes > 0);
  double most = 0;
  for (const auto& [name, samples] : checked.trace.counters) {
    if (name.find("ici") == 0) most = std::max(most, area(samples));
  }
  CHECK(most > 0);
  CHECK(most <= bytes * (1 + 1e-6));
}

TEST_CASE("every start that has a transfer has a flow to its done") {
  const Checked checked = check_trace("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e");
  std::size_t transfers = 0;
  for (const TimelineEvent& event : checked.prediction.timeline) {
    if (event.lane == Lane::kCompute) continue;  // a start may also wait for its transfer
    if (async_role(checked.module.instruction(event.id)) == AsyncRole::kStart) ++transfers;
  }
  CHECK(transfers > 0);
  CHECK(checked.trace.flows.size() == transfers);
}

TEST_CASE("a done that has not to wait is an event without length, where the next op begins") {
  auto module = parse_module(R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[1024,128]{1,0:T(8,128)} parameter(0)
  q = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(1)
  s = (f32[1024,128]{1,0:T(8,128)S(1)}, f32[1024,128]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)
  m = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[1024,128]{1,0:T(8,128)S(1)} copy-done(s)
  ROOT r = f32[1024,128]{1,0:T(8,128)S(1)} negate(d)
})");
  REQUIRE(module.ok());
  const auto prediction = predict_step_time(*module, find_device("tpu_v5e").value());
  REQUIRE(prediction.ok());
  const Trace trace = read_trace(chrome_trace(*prediction));
  REQUIRE(trace.flows.size() == 1);
  std::map<std::string, Slice> slices;
  for (const auto& [row, list] : trace.rows) {
    for (const Slice& slice : list) slices[slice.name] = slice;
  }
  REQUIRE(slices.count("d") == 1);
  CHECK(slices["d"].begin == Approx(slices["r"].begin));
  CHECK(slices["d"].begin == Approx(slices["d"].end));
  const Flow& flow = trace.flows.begin()->second;
  CHECK(flow.from_time == Approx(slices["s"].begin));
  CHECK(flow.to_time == Approx(slices["d"].begin));
  for (const auto& [row, name] : trace.row_names) CHECK(name != "compute 2");  // one stream, one row
}

TEST_CASE("traces of real dumps are well formed") {
  const std::string corpus = shared_path("corpus/");
  if (!std::ifstream(corpus + "index.csv").good()) HLOROOF_SKIP("the large corpus is not there");
  check_trace(corpus + "step/llama3.1-8b.v6e-32.hlo", "tpu_v6e");
  check_trace(corpus + "tpu/host_offload.v5e_2x4.hlo", "tpu_v5e");
  const Checked gpu = check_trace(corpus + "gpu/llm_fsdp_train.h100_sxm_1x1x8.hlo", "h100_sxm");
  bool has_nvlink = false;
  for (const auto& [row, name] : gpu.trace.row_names) {
    has_nvlink = has_nvlink || name == "nvlink";
    CHECK(name != "ici");
  }
  CHECK(has_nvlink);
}

}  // namespace
}  // namespace hloroof::internal
