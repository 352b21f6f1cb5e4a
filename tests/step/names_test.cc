// No price depends on a name: not on that of an instruction or a computation, and not on an op_name.
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// Gives another name to whatever `text` calls %name, and drops what it calls op_name. Quoted text stays.
std::string renamed(std::string_view text) {
  constexpr std::string_view kOpName = "op_name=\"";
  std::map<std::string_view, std::string> names;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, kOpName.size()) == kOpName) {
      out += "op_name=\"x\"";
      i = text.find('"', i + kOpName.size()) + 1;
    } else if (text[i] == '"') {
      const std::size_t begin = i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      out += text.substr(begin, ++i - begin);
    } else if (text[i] == '%') {
      const std::size_t begin = ++i;
      while (i < text.size() && is_name_character(text[i])) ++i;
      const auto [name, is_new] = names.try_emplace(text.substr(begin, i - begin));
      if (is_new) name->second = "n." + std::to_string(names.size());
      out += "%" + name->second;
    } else {
      out += text[i++];
    }
  }
  return out;
}

TEST_CASE("renaming changes no price") {
  struct Case {
    std::string path;
    const char* device;
  };
  const Case cases[] = {
      {source_path("tests/report/dumps/flash_attention.v5e.hlo"), "tpu_v5e"},
      {source_path("tests/kernel/samples/grouped.hlo"), "tpu_v6e"},
      {source_path("tests/accuracy/steps/maxtext-16b.v5e-256.hlo.gz"), "tpu_v5e"},
      {source_path("tests/accuracy/steps/maxtext-64b.v5p-128.hlo.gz"), "tpu_v5p"},
      {shared_path("corpus/forms/pallas_flash_attention.v5e_2x4.no_metadata.xla-reads.hlo"), "tpu_v5e"},
      {shared_path("corpus/pallas/ragged_dot.00.tpu_v6e.hlo"), "tpu_v6e"},
      {shared_path("corpus/pallas/splash_attention_vjp.00.tpu_v7x.hlo"), "tpu_v7x"},
      {shared_path("corpus/step/mixtral-8x7b.v6e-256.hlo"), "tpu_v6e"},
      {shared_path("corpus/tpu/ragged_dot.v6e_2x4.hlo"), "tpu_v6e"},
  };
  for (const Case& c : cases) {
    if (!std::filesystem::exists(c.path)) continue;
    CAPTURE(c.path);
    const absl::StatusOr<Module> module = load_module(c.path);
    const absl::StatusOr<Device> device = find_device(c.device);
    REQUIRE(module.ok());
    REQUIRE(device.ok());
    const Module other = parsed(renamed(print_module(*module)));
    const absl::StatusOr<StepPrediction> before = predict_step_time(*module, *device);
    const absl::StatusOr<StepPrediction> after = predict_step_time(other, *device);
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    REQUIRE(after->ops.size() == before->ops.size());
    CHECK(after->step_seconds == before->step_seconds);
    CHECK(after->unknown_share == before->unknown_share);
    for (std::size_t i = 0; i < before->ops.size(); ++i) {
      if (after->ops[i].seconds == before->ops[i].seconds) continue;
      CAPTURE(before->ops[i].name);
      CHECK(after->ops[i].seconds == before->ops[i].seconds);
      break;
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
