// The JSON of a prediction, field by field: scripts rely on every key and its type.
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/base/json.h"
#include "lib/report/prediction_json.h"
#include "tests/catch.h"

namespace hloroof {
namespace {

// Types by a letter: n number, s string, b bool, o object, a array; a capital may also be null.
using Fields = std::map<std::string, char>;

const Fields kTop = {{"schema", 's'},
                     {"generator", 'o'},
                     {"module", 'o'},
                     {"device", 'o'},
                     {"step_seconds", 'n'},
                     {"lower_bound_seconds", 'n'},
                     {"serial_seconds", 'n'},
                     {"compiler_estimate_seconds", 'N'},
                     {"bound", 's'},
                     {"mfu", 'N'},
                     {"resources", 'a'},
                     {"exposed_communication_seconds", 'n'},
                     {"totals", 'o'},
                     {"coverage", 'o'},
                     {"ops", 'a'},
                     {"critical_path", 'a'},
                     {"mesh", 'a'},
                     {"collectives", 'a'},
                     {"memory", 'o'},
                     {"diagnostics", 'a'}};
const Fields kGenerator = {{"version", 's'}, {"device_file_sha256", 'S'}};
const Fields kModule = {
    {"name", 's'}, {"instructions", 'n'}, {"num_partitions", 'n'}, {"replica_count", 'n'}, {"is_scheduled", 'b'}};
const Fields kDevice = {{"name", 's'}, {"topology", 's'}, {"slices", 'n'}};
const Fields kResource = {
    {"name", 's'}, {"busy_seconds", 'n'}, {"utilization", 'n'}, {"idle_seconds", 'n'}, {"step_if_free_seconds", 'N'}};
const Fields kCategory = {{"category", 's'}, {"seconds", 'n'}};
const Fields kTotals = {{"flops", 'n'},         {"transcendentals", 'n'}, {"hbm_bytes", 'n'},
                        {"logical_bytes", 'n'}, {"padded_bytes", 'n'},    {"wire_bytes", 'n'}};
const Fields kCoverage = {{"modelled", 'n'}, {"assumed", 'n'}, {"unknown", 'n'}};
const Fields kOp = {{"name", 's'},
                    {"computation", 's'},
                    {"opcode", 's'},
                    {"category", 's'},
                    {"executions", 'n'},
                    {"seconds", 'n'},
                    {"total_seconds", 'n'},
                    {"critical_seconds", 'n'},
                    {"exposed_seconds", 'n'},
                    {"bound", 'S'},
                    {"flops", 'n'},
                    {"transcendentals", 'n'},
                    {"hbm_bytes", 'n'},
                    {"vmem_bytes", 'n'},
                    {"wire_bytes", 'n'},
                    {"logical_bytes", 'n'},
                    {"padded_bytes", 'n'},
                    {"efficiency", 'N'},
                    {"source", 's'},
                    {"op_name", 'S'},
                    {"source_file", 'S'},
                    {"source_line", 'N'}};
const Fields kCollective = {{"name", 's'},
                            {"kind", 's'},
                            {"bytes", 'n'},
                            {"group_size", 'n'},
                            {"group_count", 'n'},
                            {"axes", 'a'},
                            {"algorithm", 'S'},
                            {"seconds", 'n'},
                            {"exposed_seconds", 'n'},
                            {"axis_names", 'a'},
                            {"wire_bytes", 'n'},
                            {"busiest_link_bytes", 'n'},
                            {"link_bandwidth", 'N'},
                            {"link_utilization", 'N'},
                            {"crossover_bytes", 'N'},
                            {"crossover_tokens", 'N'}};
const Fields kMeshAxis = {{"name", 's'},  {"size", 'n'}, {"stride", 'n'},
                          {"roles", 'a'}, {"why", 'S'},  {"placement", 's'}};
const Fields kMemory = {{"peak_bytes", 'n'},    {"arguments_bytes", 'n'},   {"outputs_bytes", 'n'},
                        {"aliased_bytes", 'n'}, {"temporaries_bytes", 'n'}, {"capacity_bytes", 'n'},
                        {"fits", 'b'},          {"vmem_peak_bytes", 'n'},   {"padding_bytes", 'n'},
                        {"live_at_peak", 'a'},  {"hbm_peak_bytes", 'n'},    {"host_peak_bytes", 'n'}};
const Fields kLive = {{"name", 's'}, {"shape", 's'}, {"bytes", 'n'}, {"padding_bytes", 'n'}};
const Fields kDiagnostic = {{"code", 's'}, {"severity", 's'}, {"message", 's'}, {"op", 'S'}, {"seconds_at_stake", 'N'}};

bool has_type(const JsonValue& value, char type) {
  if (value.is(JsonValue::Kind::kNull)) return std::isupper(static_cast<unsigned char>(type)) != 0;
  switch (std::tolower(static_cast<unsigned char>(type))) {
    case 'n': return value.is(JsonValue::Kind::kNumber);
    case 's': return value.is(JsonValue::Kind::kString);
    case 'b': return value.is(JsonValue::Kind::kBool);
    case 'o': return value.is(JsonValue::Kind::kObject);
    default: return value.is(JsonValue::Kind::kArray);
  }
}

// Every field is there, of its type, and no other is.
void check_fields(const JsonValue& object, const Fields& fields, const std::string& where) {
  REQUIRE(object.is(JsonValue::Kind::kObject));
  for (const auto& [name, type] : fields) {
    CAPTURE(where, name);
    const JsonValue* value = object.find(name);
    REQUIRE(value != nullptr);
    CHECK(has_type(*value, type));
  }
  for (const auto& [name, value] : object.members) {
    CAPTURE(where, name);
    CHECK(fields.count(name) == 1);
  }
}

void check_each(const JsonValue& array, const Fields& fields, const std::string& where) {
  for (const JsonValue& element : array.elements) check_fields(element, fields, where);
}

double number(const JsonValue& object, std::string_view name) { return object.find(name)->number; }

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-15; }

void check_prediction(const std::string& path, const char* device) {
  CAPTURE(path, device);
  const auto module = load_module(path);
  REQUIRE(module.ok());
  const auto prediction = predict_step_time(*module, find_device(device).value());
  CAPTURE(prediction.status().message());
  REQUIRE(prediction.ok());
  const auto parsed = parse_json(predictions_json({*prediction}), "out");
  REQUIRE(parsed.ok());
  const JsonValue& json = *parsed;
  check_fields(json, kTop, "top");
  CHECK(json.find("schema")->string == "hloroof.prediction/1");
  check_fields(*json.find("generator"), kGenerator, "generator");
  check_fields(*json.find("module"), kModule, "module");
  check_fields(*json.find("device"), kDevice, "device");
  check_fields(*json.find("totals"), kTotals, "totals");
  check_fields(*json.find("coverage"), kCoverage, "coverage");
  check_fields(*json.find("memory"), kMemory, "memory");
  check_each(*json.find("resources"), kResource, "resources");
  check_each(*json.find("ops"), kOp, "ops");
  check_each(*json.find("collectives"), kCollective, "collectives");
  check_each(*json.find("critical_path"), kCategory, "critical_path");
  check_each(*json.find("mesh"), kMeshAxis, "mesh");
  check_each(*json.find("diagnostics"), kDiagnostic, "diagnostics");
  check_each(*json.find("memory")->find("live_at_peak"), kLive, "live_at_peak");

  const JsonValue& coverage = *json.find("coverage");
  CHECK(near(number(coverage, "modelled") + number(coverage, "assumed") + number(coverage, "unknown"), 1));

  const double step = number(json, "step_seconds");
  CHECK(number(json, "lower_bound_seconds") <= step * (1 + 1e-9));
  CHECK(step <= number(json, "serial_seconds") * (1 + 1e-9));

  static const std::set<std::string> kTpuBounds = {"mxu", "vpu", "hbm", "vmem", "ici", "dcn", "host", "latency"};
  static const std::set<std::string> kGpuBounds = {"tensor", "cuda",    "hbm",  "l2",
                                                   "nvlink", "network", "host", "latency"};
  const std::set<std::string>& bounds = std::string_view(device).substr(0, 3) == "tpu" ? kTpuBounds : kGpuBounds;
  CHECK(bounds.count(json.find("bound")->string) == 1);

  // Ops are all instructions of all computations that run on their own, and what they take adds up to the step.
  std::multiset<std::string> expected;
  const CallGraph calls = analyze_calls(*module);
  for (ComputationId id : calls.scheduled()) {
    for (InstructionView instruction : module->computation(id).instructions()) expected.emplace(instruction.name());
  }
  std::multiset<std::string> listed;
  double flops = 0;
  double exposed = 0;
  for (const JsonValue& op : json.find("ops")->elements) {
    listed.insert(op.find("name")->string);
    CHECK(op.find("name")->string.find('%') == std::string::npos);
    CHECK(near(number(op, "total_seconds"), number(op, "seconds") * number(op, "executions")));
    if (!op.find("bound")->string.empty()) CHECK(bounds.count(op.find("bound")->string) == 1);
    flops += number(op, "flops") * number(op, "executions");
    exposed += number(op, "exposed_seconds");
  }
  CHECK(listed == expected);
  CHECK(near(flops, number(*json.find("totals"), "flops")));
  CHECK(std::abs(exposed - step) <= 1e-6 * step + 1e-12);

  const JsonValue& memory = *json.find("memory");
  double live = 0;
  for (const JsonValue& buffer : memory.find("live_at_peak")->elements) live += number(buffer, "bytes");
  CHECK(near(live, number(memory, "hbm_peak_bytes")));
  CHECK(memory.find("fits")->boolean == (number(memory, "hbm_peak_bytes") <= number(memory, "capacity_bytes")));
}

TEST_CASE("every field of the JSON contract is there, of its type, and the sums hold") {
  check_prediction("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e");
  check_prediction("examples/decode_step.v5e.hlo", "tpu_v5e");
  check_prediction("examples/narrow_heads.v5e.hlo", "h100_sxm");
  check_prediction("tests/corpus/y_default_while.hlo", "tpu_v5p");
  check_prediction("tests/corpus/y_single_instruction.hlo", "tpu_v6e");
  check_prediction("tests/corpus/y_default_threads_and_unknown.hlo", "tpu_v6e");
}

TEST_CASE("the JSON contract holds for real dumps") {
  const std::string corpus = HLOROOF_SHARED_DIR "/corpus/";
  if (!std::ifstream(corpus + "index.csv").good()) HLOROOF_SKIP("the large corpus is not there");
  check_prediction(corpus + "step/llama3.1-8b.v6e-32.hlo", "tpu_v6e");
  check_prediction(corpus + "gpu/seed_ffn_block.h100_sxm_1x1x8.hlo", "h100_sxm");
  check_prediction(corpus + "cpu/lstm_scan.cpu_8.hlo", "tpu_v5e");
  check_prediction(corpus + "unoptimized/moe_ep_train.v5e_2x4.hlo", "tpu_v5e");
  check_prediction(corpus + "tpu/llm_decode.v6e_2x4.hlo", "tpu_v5e");
}

}  // namespace
}  // namespace hloroof
