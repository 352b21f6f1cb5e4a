// Programs of several slices: which machine they run on, what their transfers cost, and when the step waits for them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string dump(const std::string& name) { return source_text("tests/predict/dumps/" + name + ".v5e_2x2.hlo"); }

StepPrediction predicted(const std::string& text, const std::string& device, const PredictOptions& options = {}) {
  auto prediction = predict_step_time(text, device, options);
  INFO((prediction.ok() ? "" : std::string(prediction.status().message())));
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

std::string failure(const std::string& text, const std::string& device, const PredictOptions& options = {}) {
  const auto prediction = predict_step_time(text, device, options);
  REQUIRE(!prediction.ok());
  return std::string(prediction.status().message());
}

double busy(const StepPrediction& p, Resource resource) {
  for (const ResourceUse& use : p.resources) {
    if (use.resource == resource) return use.busy_seconds;
  }
  return 0;
}

const OpPrediction& op(const StepPrediction& p, const std::string& name) {
  const auto found = std::find_if(p.ops.begin(), p.ops.end(), [&](const OpPrediction& o) { return o.name == name; });
  REQUIRE(found != p.ops.end());
  return *found;
}

TEST_CASE("the programs of libtpu for several slices") {
  struct Row {
    const char* name;
    std::int64_t slices;
    const char* kind;
    double bytes;
    double sent;
  };
  constexpr double kArray = 1024 * 1024 * 4;  // of one device, f32[1024,1024]
  const Row rows[] = {
      {"slices_all_gather", 2, "all-gather", 2 * kArray, kArray},
      {"slices_reduce_scatter", 4, "reduce-scatter", kArray, 0.75 * kArray},
      {"slices_all_to_all", 4, "all-to-all", kArray, 0.75 * kArray},
      {"slices_permute", 4, "collective-permute", kArray, kArray},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const StepPrediction p = predicted(dump(row.name), "tpu_v5e");
    CHECK(p.topology == "2x2");
    CHECK(p.slices == row.slices);
    CHECK(p.text_slices == row.slices);
    CHECK(p.num_partitions == 4);
    REQUIRE(!p.mesh.empty());
    CHECK(p.mesh[0].name == "slices");
    CHECK(p.mesh[0].placement == "slice");
    REQUIRE(p.collectives.size() == 1);
    CHECK(p.collectives[0].kind == row.kind);
    CHECK(p.collectives[0].name == "recv");
    CHECK(p.collectives[0].axis_names == std::vector<std::string>{"slices"});
    CHECK(p.collectives[0].bytes == row.bytes);
    CHECK(p.collectives[0].wire_bytes == row.sent);
    const absl::StatusOr<Device> device = find_device("tpu_v5e");
    REQUIRE(device.ok());
    CHECK(busy(p, Resource::kDcn) == Approx(row.sent / *device->network.bandwidth));
    CHECK(busy(p, Resource::kHost) == Approx(kArray / *device->host.bandwidth));  // to the host
    CHECK(op(p, "recv").time->wire_bytes == row.sent);
    CHECK(op(p, "send").time->wire_bytes == 0);
    CHECK(std::any_of(p.timeline.begin(), p.timeline.end(), [&](const TimelineEvent& event) {
      return event.lane == Lane::kDcn && event.id == op(p, "recv").id;
    }));
    CHECK(std::any_of(p.roofs.begin(), p.roofs.end(), [](const Roof& roof) { return roof.name == "dcn"; }));
  }
}

TEST_CASE("a topology is that of one slice, and --slices confirms the text") {
  const std::string text = dump("slices_train");
  const StepPrediction inferred = predicted(text, "tpu_v5e");
  CHECK(inferred.slices == 2);
  CHECK(inferred.topology == "2x2");
  PredictOptions options;
  options.slices = 2;
  CHECK(predicted(text, "tpu_v5e", options).step_seconds == inferred.step_seconds);
  CHECK(predicted(text, "tpu_v5e:2x2*2").step_seconds == inferred.step_seconds);
  CHECK(predicted(text, "tpu_v5e:2x2").step_seconds == inferred.step_seconds);
  CHECK(predicted(text, "tpu_v5e*2").step_seconds == inferred.step_seconds);
  options.mesh.axes = {{"fsdp", 4}};
  const StepPrediction named = predicted(text, "tpu_v5e", options);
  REQUIRE(named.mesh.size() == 2);
  CHECK(named.mesh[0].name == "slices");
  CHECK(named.mesh[1].name == "fsdp");
  options.mesh.axes = {{"data", 2}, {"fsdp", 4}};
  CHECK(predicted(text, "tpu_v5e", options).mesh[0].name == "data");
  options.mesh.axes = {{"data", 1}, {"fsdp", 8}};
  CHECK_THAT(failure(text, "tpu_v5e", options), ContainsSubstring("crosses the slices of 4 devices"));

  options = {};
  options.slices = 4;
  const std::string contradiction = failure(text, "tpu_v5e", options);
  CHECK_THAT(contradiction, ContainsSubstring("one of 2 slices"));
  CHECK_THAT(contradiction, ContainsSubstring("not change it to 4"));
  CHECK_THAT(failure(text, "tpu_v5e:2x2*3"), ContainsSubstring("not change it to 3"));
  CHECK_THAT(failure(text, "tpu_v5e:1x1"), ContainsSubstring("has 1 devices; the module needs 4"));
}

TEST_CASE("the step waits for what slices exchange, and the axis between them is data") {
  const StepPrediction p = predicted(dump("slices_train"), "tpu_v5e");
  REQUIRE(!p.mesh.empty());
  CHECK(p.mesh[0].roles == std::vector<std::string>{"data"});
  CHECK(std::any_of(p.breakdown.begin(), p.breakdown.end(),
                    [](const BreakdownPart& part) { return part.name == "wait (dcn, slices)"; }));
  CHECK(std::any_of(p.diagnostics.begin(), p.diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.code == DiagnosticCode::kExposedCommunication && diagnostic.cause == "all-reduce over slices";
  }));
  // With free hosts and network, what remains is the step of one slice.
  PredictOptions free;
  free.set = {{"network.bandwidth", 1e15}, {"network.latency", 0},   {"network.launch", 0},
              {"network.skew", 0},         {"host.bandwidth", 1e15}, {"network.reduction_bandwidth", 1e15}};
  const double alone = predicted(dump("one_slice_train"), "tpu_v5e").step_seconds;
  CHECK(predicted(dump("slices_train"), "tpu_v5e", free).step_seconds == Approx(alone).epsilon(0.05));
}

// One instruction a letter: s and S a send and its done, r and R a recv and its done, w a matmul of 2 ms or more.
std::string program(const std::string& order, const std::string& slices = "{1,2}") {
  const std::string attributes = absl::StrCat(
      "channel_id=1, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="
      "\"xla_megascale_runtime\",_xla_host_transfer_rendezvous=\"k\",_xla_megascale_reduce_operation=\"SUM\","
      "_xla_megascale_target=\"",
      slices, "x{0:3}\",_xla_megascale_transfer_type=\"ALL_REDUCE\"}\n");
  std::string text =
      "HloModule m, is_scheduled=true, num_partitions=4\nENTRY main {\n  x = f32[1048576]{0:T(1024)} parameter(0)\n"
      "  m = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)\n  tok = token[] after-all()\n";
  int products = 0;
  for (const char step : order) {
    switch (step) {
      case 's': text += "  s = (f32[1048576]{0:T(1024)}, u32[], token[]) send(x, tok), " + attributes; break;
      case 'S': text += "  sd = token[] send-done(s), channel_id=1, is_host_transfer=true\n"; break;
      case 'r': text += "  r = (f32[1048576]{0:T(1024)}, u32[], token[]) recv(tok), " + attributes; break;
      case 'R':
        text += "  rd = (f32[1048576]{0:T(1024)}, token[]) recv-done(r), channel_id=1, is_host_transfer=true\n";
        break;
      default:
        text += absl::StrCat("  w", ++products,
                             " = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(m, m), "
                             "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
    }
  }
  return text + "  ROOT y = f32[1048576]{0:T(1024)} get-tuple-element(rd), index=0\n}\n";
}

TEST_CASE("a transfer begins at its send and overlaps the work before its recv-done") {
  const double alone = predicted(program("srSR"), "tpu_v5e").step_seconds;
  const double transfer = op(predicted(program("srSR"), "tpu_v5e"), "r").seconds;
  const double product = op(predicted(program("wsrSR"), "tpu_v5e"), "w1").seconds;
  REQUIRE(transfer > product);
  const std::pair<std::string, double> rows[] = {
      {"srSR", alone},
      {"rsSR", alone},             // the recv may come first: there is nothing to receive yet
      {"wsrSR", alone + product},  // nothing to overlap
      {"srwSR", alone},            // the product hides in the transfer
      {"rwsSR", alone + product},  // the send comes after the product
      {"srSwR", alone},
  };
  for (const auto& [order, seconds] : rows) {
    CAPTURE(order);
    const StepPrediction p = predicted(program(order), "tpu_v5e");
    CHECK(p.step_seconds == Approx(seconds).epsilon(1e-6));
    double exposed = 0;
    for (const CollectivePrediction& collective : p.collectives) exposed += collective.exposed_seconds;
    CHECK(exposed > 0);
    CHECK(exposed <= transfer * (1 + 1e-9));
  }
  // The send-done waits for the copy to the host alone.
  const StepPrediction p = predicted(program("srSwwwwwwR"), "tpu_v5e");
  CHECK(op(p, "sd").wait_seconds == Approx(op(p, "s").seconds));
  CHECK(op(p, "rd").wait_seconds == 0);
}

TEST_CASE("four slices exchange more than two") {
  const auto of = [](const std::string& slices) {
    return op(predicted(program("srSR", slices), "tpu_v5e"), "r").time->wire_bytes;
  };
  CHECK(of("{1,2}") == 4194304);
  CHECK(of("{1,2,3,4}") == 1.5 * 4194304);
}

TEST_CASE("a transfer that cannot be read is diagnosed and not modelled") {
  std::string text = program("srSR");
  for (std::size_t at; (at = text.find("{1,2}x{0:3}")) != std::string::npos;) text.replace(at, 11, "{1;2}x{0:3}");
  const StepPrediction p = predicted(text, "tpu_v5e");
  CHECK(p.slices == 1);
  CHECK(p.collectives.empty());
  CHECK(p.unknown_share > 0.5);
  CHECK(std::count_if(p.diagnostics.begin(), p.diagnostics.end(), [](const Diagnostic& diagnostic) {
          return diagnostic.code == DiagnosticCode::kUnreadableSliceTransfer;
        }) == 2);
  PredictOptions strict;
  strict.strict = true;
  CHECK_THAT(failure(text, "tpu_v5e", strict), ContainsSubstring("column 3"));
}

TEST_CASE("copies of a training program exchange the gradients that its slice reduces") {
  const std::string text = dump("one_slice_train");
  const StepPrediction one = predicted(text, "tpu_v5e");
  PredictOptions options;
  options.slices = 2;
  const StepPrediction two = predicted(text, "tpu_v5e", options);
  CHECK(two.topology == "2x2");
  CHECK(two.slices == 2);
  CHECK(two.text_slices == 1);
  REQUIRE(!two.mesh.empty());
  CHECK(two.mesh[0].name == "slices");
  CHECK(two.mesh[0].roles == std::vector<std::string>{"data"});
  CHECK(busy(one, Resource::kDcn) == 0);
  double sent = 0;
  for (const CollectivePrediction& collective : two.collectives) {
    if (collective.axis_names == std::vector<std::string>{"slices"}) sent += collective.wire_bytes;
  }
  CHECK(sent > 0);
  CHECK(two.step_seconds > one.step_seconds);
  CHECK(predicted(text, "tpu_v5e:2x2*2").step_seconds == two.step_seconds);
  // The compiler exchanges as many bytes of gradients when it compiles the program for two slices, within the padding
  // of its buffers.
  const StepPrediction compiled = predicted(dump("slices_train"), "tpu_v5e");
  CHECK(busy(two, Resource::kDcn) == Approx(busy(compiled, Resource::kDcn)).epsilon(0.05));
  options.slices = 4;
  CHECK(busy(predicted(text, "tpu_v5e", options), Resource::kDcn) == Approx(1.5 * busy(two, Resource::kDcn)));
}

TEST_CASE("copies of a program that does not train exchange something unknown") {
  PredictOptions options;
  options.slices = 2;
  const std::string ffn = source_text("examples/ffn_block.v5e_2x4.hlo");
  const std::string message = failure(ffn, "tpu_v5e", options);
  CHECK_THAT(message, ContainsSubstring("the program of one slice"));
  CHECK_THAT(message, ContainsSubstring("without --slices"));
  // A topology that is smaller than the program says that the slices share it.
  options.topology = "2x2";
  const StepPrediction shared = predicted(ffn, "tpu_v5e", options);
  CHECK(shared.slices == 2);
  CHECK(shared.topology == "2x2");
  options.topology = "2x4";
  CHECK_THAT(failure(ffn, "tpu_v5e", options), ContainsSubstring("the program of one slice"));
}

}  // namespace
}  // namespace hloroof::internal
