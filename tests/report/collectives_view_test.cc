// The table of collectives, from predictions put together by hand.
#include <string>
#include <utility>
#include <vector>

#include "hloroof/predict.h"
#include "lib/analysis/mesh.h"
#include "lib/report/views.h"
#include "tests/any_backend.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

StepPrediction prediction_with(const std::vector<double>& exposed) {
  StepPrediction p;
  for (const double seconds : exposed) {
    CollectivePrediction c;
    c.name = "all-gather." + std::to_string(p.collectives.size());
    c.kind = "all-gather";
    c.seconds = 1;
    c.exposed_seconds = seconds;
    p.collectives.push_back(c);
  }
  return p;
}

TEST_CASE("collectives that are left out of the table are added up, not taken for the rest of the total") {
  // 0.1 + 0.2 is a little more than 0.3.
  StepPrediction p = prediction_with({0.2, 0.1, 0, 0});
  p.exposed_communication_seconds = 0.3;
  ViewOptions options;
  options.rows.limit = 2;
  const std::string view = collectives_view(p, options);
  INFO(view);
  CHECK(view.find("[2 others]") != std::string::npos);
  CHECK(view.find("-0") == std::string::npos);
}

TEST_CASE("long kinds, axes and names share 80 columns") {
  StepPrediction p = prediction_with({17.7e-3});
  p.topology = "4x4";
  p.exposed_communication_seconds = 17.7e-3;
  CollectivePrediction& c = p.collectives[0];
  c.name = "collective-permute-start.21";
  c.kind = "collective-permute";
  c.axis_names = {"4-way stride-16", "2-way stride-2"};
  c.group_count = 16;
  c.group_size = 128;
  c.bytes = 123.4 * (1 << 20);
  const std::string view = collectives_view(p, {});
  INFO(view);
  std::size_t begin = 0;
  while (begin < view.size()) {
    const std::size_t end = view.find('\n', begin);
    CHECK(end - begin <= 80);
    begin = end + 1;
  }
  CHECK(view.find("collectiv..art.21") == std::string::npos);  // not cut more than needed
}

StepPrediction predicted(const std::vector<std::string>& groups, const std::string& device,
                         const PredictOptions& options = {}) {
  std::string text =
      "HloModule m, is_scheduled=true, num_partitions=16\n\nsum {\n  a = bf16[] parameter(0)\n  b = bf16[] "
      "parameter(1)\n  ROOT s = bf16[] add(a, b)\n}\n\nENTRY e {\n  p = bf16[1024,1024]{1,0:T(8,128)(2,1)} "
      "parameter(0)\n";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    text += "  r" + std::to_string(i) + " = bf16[1024,1024]{1,0:T(8,128)(2,1)} all-reduce(p), channel_id=1, " +
            "replica_groups=" + groups[i] + ", use_global_device_ids=true, to_apply=sum\n";
  }
  text += "  ROOT r = bf16[1024,1024]{1,0:T(8,128)(2,1)} copy(r0)\n}\n";
  absl::StatusOr<StepPrediction> p = predict_step_time(text, device, any_backend(options));
  INFO(p.status());
  REQUIRE(p.ok());
  return *std::move(p);
}

TEST_CASE("the value of --mesh that is proposed gives the axes names and changes nothing else") {
  struct Row {
    std::vector<std::string> groups;
    std::string device;
    std::string proposed;  // empty: nothing
  };
  const Row rows[] = {
      {{"[1,16]<=[16]"}, "tpu_v5e:4x4", "A=16"},
      {{"[4,4]<=[16]"}, "tpu_v5e:4x4", "A=4,B=4"},
      {{"[8,2]<=[16]", "[8,2]<=[2,8]T(1,0)"}, "tpu_v5e:4x4", "A=2,B=4,C=2"},
      {{"mesh['axis_0'=1,'axis_1'=2,'axis_2'=8], device_ids=([8,2]T(1,0)) {'axis_1'}"}, "tpu_v5e:4x4", "A=8,B=2"},
      {{"mesh['axis_0'=1,'axis_1'=8,'axis_2'=2], device_ids=([2,8]T(1,0)) {'axis_1'}"}, "tpu_v5e:4x4", "A=2,B=8"},
      {{"mesh['data'=4,'model'=4] {'model'}"}, "tpu_v5e:4x4", ""},
      {{"mesh['data'=4,'model'=4] {'model'}", "[8,2]<=[16]"}, "tpu_v5e:4x4", ""},  // one has a name
  };
  const std::string before = " --mesh ";
  for (const Row& row : rows) {
    INFO(row.groups[0] << " on " << row.device);
    const StepPrediction without = predicted(row.groups, row.device);
    const std::string view = collectives_view(without, {});
    INFO(view);
    const std::size_t at = view.find(before);
    CHECK((at == std::string::npos) == row.proposed.empty());
    if (at == std::string::npos) continue;
    const std::string value = view.substr(at + before.size(), view.find('\n', at) - at - before.size());
    CHECK(value == row.proposed);
    auto axes = parse_mesh(value);
    REQUIRE(axes.ok());
    PredictOptions options;
    options.mesh.axes = *axes;
    const StepPrediction with = predicted(row.groups, row.device, options);
    REQUIRE(with.mesh.size() == without.mesh.size());
    for (std::size_t i = 0; i < with.mesh.size(); ++i) {
      CHECK(with.mesh[i].size == without.mesh[i].size);
      CHECK(with.mesh[i].stride == without.mesh[i].stride);
      CHECK(with.mesh[i].placement == without.mesh[i].placement);
    }
    CHECK(with.step_seconds == without.step_seconds);
    CHECK(collectives_view(with, {}).find(before) == std::string::npos);
  }
}

TEST_CASE("the option that names axes leaves out the axis between slices") {
  StepPrediction p = prediction_with({1});
  p.mesh = {{"slices", 2, 8, {}, "", "slice"}, {"8-way", 8, 1, {}, "", "x and y"}};
  CHECK(collectives_view(p, {}).find("--mesh A=8\n") != std::string::npos);
}

TEST_CASE("what an axis without a name is called is also its name in options") {
  PredictOptions options;
  options.mesh.order = {"8-way"};
  const std::vector<std::string> groups = {"[8,2]<=[16]"};
  CHECK(predicted(groups, "tpu_v5e:4x4").mesh[0].placement !=
        predicted(groups, "tpu_v5e:4x4", options).mesh[0].placement);
}

}  // namespace
}  // namespace hloroof::internal
