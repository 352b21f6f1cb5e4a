// What the page calls. The page writes a dropped file into the file system in memory, and the library reads it there
// like any other, so that it recognizes texts, logs, protos and gzip.
#include <emscripten.h>

#include <string>
#include <utility>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/describe/json_writer.h"
#include "lib/hardware/named_target.h"
#include "lib/page/html_report.h"

namespace hloroof::internal::inline browser {
namespace {

// The result of the last call, which lives until the next one.
std::string& result() {
  static auto* const kResult = new std::string;
  return *kResult;
}

absl::StatusOr<std::string> page_of(const std::string& path, const std::string& device, const std::string& topology) {
  absl::StatusOr<Target> target = named_target(device);
  if (!target.ok()) return target.status();
  const absl::StatusOr<Module> module = load_module(path);
  if (!module.ok()) return module.status();
  PredictOptions options;
  options.resource_what_ifs = true;
  options.allow_other_backend = true;  // the page says so
  if (!topology.empty()) options.topology = topology;
  const absl::StatusOr<StepPrediction> prediction = predict_step_time(*module, *std::move(target), options);
  if (!prediction.ok()) return prediction.status();
  PageWriter page;
  page.add(path, *prediction);
  return page.take();
}

}  // namespace
}  // namespace hloroof::internal::inline browser

using namespace hloroof::internal;

// Predicts the module of the file at `path`. `topology` may be empty. Returns "+" and the page, or "-" and a message.
extern "C" EMSCRIPTEN_KEEPALIVE const char* hloroof_page(const char* path, const char* device, const char* topology) {
  absl::StatusOr<std::string> page = page_of(path, device, topology);
  result() = page.ok() ? "+" + *std::move(page) : "-" + std::string(page.status().message());
  return result().c_str();
}

// Returns the devices as JSON: [{"name": "tpu_v5e", "title": "TPU v5e"}, ...].
extern "C" EMSCRIPTEN_KEEPALIVE const char* hloroof_devices() {
  JsonWriter out(JsonLayout::kCompact);
  out.begin_array();
  for (const std::string& name : hloroof::device_names()) {
    const absl::StatusOr<hloroof::Device> device = hloroof::find_device(name);
    if (!device.ok()) continue;
    out.begin_object();
    out.member("name", name);
    out.member("title", device->display_name);
    out.end_object();
  }
  out.end_array();
  result() = out.take();
  return result().c_str();
}
