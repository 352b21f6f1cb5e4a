// Sends and receives: one transfer for both halves of a message, and none between devices for one with the host.
#include <map>
#include <string>

#include "hloroof/predict.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kOnChannel[] = "channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}";

// One instruction a letter: s and S a send and its done, r and R a receive and its done.
std::string program(const std::string& order, const std::string& attributes = kOnChannel,
                    const std::string& of_receive = "") {
  const std::string received = of_receive.empty() ? attributes : of_receive;
  std::string text =
      "HloModule m, is_scheduled=true, num_partitions=4\nENTRY main {\n  x = f32[4194304] parameter(0)\n"
      "  tok = token[] after-all()\n";
  for (const char step : order) {
    switch (step) {
      case 's': text += "  s = (f32[4194304], u32[], token[]) send(x, tok), " + attributes + "\n"; break;
      case 'S': text += "  sd = token[] send-done(s), " + attributes + "\n"; break;
      case 'r': text += "  r = (f32[4194304], u32[], token[]) recv(tok), " + received + "\n"; break;
      default: text += "  rd = (f32[4194304], token[]) recv-done(r), " + received + "\n"; break;
    }
  }
  return text + "  ROOT y = f32[4194304] get-tuple-element(rd), index=0\n}\n";
}

StepPrediction predicted(const std::string& text, const std::string& device) {
  INFO(text);
  auto prediction = predict_step_time(text, device);
  INFO((prediction.ok() ? "" : std::string(prediction.status().message())));
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

TEST_CASE("The two halves of a message are paid once, whichever is first") {
  for (const char* device : {"tpu_v5e", "h100_sxm"}) {
    const double alone = predicted(program("rR"), device).step_seconds;
    REQUIRE(alone > 0);
    for (const char* order : {"sSrR", "rRsS", "rsRS", "rsSR", "srSR", "srRS"}) {
      CAPTURE(device, order);
      const StepPrediction both = predicted(program(order), device);
      CHECK(both.step_seconds == Approx(alone));
      CHECK(both.serial_seconds == Approx(alone));
      CHECK(both.exposed_communication_seconds == Approx(alone));
    }
  }
}

TEST_CASE("Halves of different messages are two transfers") {
  const std::string other = "channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}";
  const std::string back = "channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{1,0},{2,1}}}";
  const double alone = predicted(program("rR"), "tpu_v5e").step_seconds;
  for (const std::string& received : {other, back}) {
    CHECK(predicted(program("sSrR", kOnChannel, received), "tpu_v5e").step_seconds == Approx(2 * alone));
  }
}

TEST_CASE("What is exchanged with the host goes over no link between devices") {
  const StepPrediction prediction =
      predicted(program("srSR", std::string("is_host_transfer=true, ") + kOnChannel), "tpu_v5e");
  CHECK(prediction.collectives.empty());
  CHECK(prediction.wire_bytes == 0);
  std::map<Resource, double> busy;
  for (const ResourceUse& use : prediction.resources) busy[use.resource] = use.busy_seconds;
  CHECK(busy[Resource::kHost] > 0);
  CHECK(busy[Resource::kIci] == 0);
}

TEST_CASE("What every device sends to itself goes over no link") {
  for (const char* device : {"tpu_v5e", "h100_sxm"}) {
    CAPTURE(device);
    const std::string head =
        "HloModule m, is_scheduled=true, replica_count=2\nENTRY e {\n  x = f32[4194304] parameter(0)\n";
    const auto seconds = [&](const std::string& pairs) {
      const std::string line = "  ROOT y = f32[4194304] collective-permute(x), source_target_pairs=" + pairs + "\n}\n";
      return predicted(head + line, device).step_seconds;
    };
    CHECK(seconds("{{0,0},{1,1}}") == seconds("{}"));
    CHECK(seconds("{{0,1},{1,0}}") > seconds("{}"));
  }
}

}  // namespace
}  // namespace hloroof::internal
