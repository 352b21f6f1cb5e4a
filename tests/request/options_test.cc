// The options of a prediction: each way to write them gives the same options again.
#include "lib/request/options.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "hloroof/device.h"
#include "lib/base/decimal.h"
#include "lib/base/json.h"
#include "lib/base/strings.h"
#include "lib/request/read_json.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// Random options. Every member differs from its default in some of them.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(end));
  }
  bool maybe() { return below(2) == 0; }
  double number() { return static_cast<double>(below(1 << 30)) * std::pow(10.0, static_cast<double>(below(30)) - 15); }
  std::string name() { return absl::StrCat("while.", below(1000), "=x.remat", below(3)); }
  std::string axis() { return absl::StrCat("axis", below(1000)); }

 private:
  std::mt19937 engine_;
};

PredictOptions random_options(Random& random) {
  PredictOptions options;
  if (random.maybe()) options.topology = absl::StrCat(1 + random.below(8), "x", 1 + random.below(8));
  if (random.maybe()) options.slices = 1 + random.below(9);
  if (random.maybe()) options.partitions = 1 + random.below(99);
  if (random.maybe()) options.estimates = EstimateSource::kCompiler;
  for (std::int64_t i = random.below(3); i > 0; --i) options.trip_counts[random.name()] = random.below(1 << 20) * 1000;
  if (random.maybe()) options.default_trip_count = random.below(1000000);
  for (std::int64_t i = random.below(3); i > 0; --i) {
    CustomCallCost cost;
    cost.target = random.maybe() ? "/flash.*fwd=/" : "my_kernel";
    for (auto member :
         {&CustomCallCost::flops, &CustomCallCost::bytes, &CustomCallCost::transcendentals, &CustomCallCost::seconds}) {
      if (random.maybe()) cost.*member = random.number();
    }
    if (std::none_of(options.custom_calls.begin(), options.custom_calls.end(),
                     [&](const CustomCallCost& other) { return other.target == cost.target; })) {
      options.custom_calls.push_back(cost);
    }
  }
  if (random.maybe()) options.scoped_vmem_limit_kib = 1 + random.below(100000);
  if (random.maybe()) options.kernel_lists.push_back({"gmm.2", "group_sizes", {random.below(1 << 20), -3, 100000}});
  if (random.maybe()) options.kernel_lists.push_back({"paged", "3", {}});
  if (random.maybe()) options.set.emplace_back("hbm.bandwidth", 1 + random.number());
  if (random.maybe()) options.set.emplace_back("vector.efficiency", 0.1 * static_cast<double>(1 + random.below(9)));
  for (std::int64_t i = random.below(3); i > 0; --i) {
    options.branch_probabilities[random.name()] = {random.number(), 0.1, 1.0 / 3};
  }
  if (random.maybe()) options.mesh.axes = {{random.axis(), 1 + random.below(9)}, {"model", 100000}};
  if (random.maybe()) options.mesh.order = {"model", random.axis()};
  if (random.maybe()) options.mesh.device_order = {3, 0, random.below(3)};
  if (random.maybe()) options.mesh.wrap = random.maybe();
  if (random.maybe()) options.collectives.reduce_element_bytes = 0.5 * static_cast<double>(1 + random.below(20));
  if (random.maybe()) options.collectives.imbalance = 1 + random.number();
  if (random.maybe()) options.model_flops = 1e12 * (1 + random.number());
  if (random.maybe()) options.tokens = 1024 * static_cast<double>(1 + random.below(40));
  if (random.maybe()) options.price = 0.25 * static_cast<double>(1 + random.below(40));
  if (random.maybe()) options.code = "dump of code/" + random.name();
  options.strict = random.maybe();
  return options;
}

// What the options are, member by member, independently of the rows.
std::string described(const PredictOptions& o) {
  const auto named = [](std::string* out, const auto& pair) { absl::StrAppend(out, pair.first, "=", pair.second); };
  const auto precise = [](std::string* out, double number) { *out += shortest(number); };
  const auto optional = [](const std::optional<double>& number) { return number ? shortest(*number) : "-"; };
  std::string out =
      absl::StrCat("topology ", o.topology.value_or("-"), " slices ", o.slices.value_or(-1), " partitions ",
                   o.partitions.value_or(-1), " estimates ", static_cast<int>(o.estimates), " trips ",
                   absl::StrJoin(o.trip_counts, ";", named), " default ", o.default_trip_count, " strict ", o.strict);
  for (const CustomCallCost& cost : o.custom_calls) {
    absl::StrAppend(&out, " call ", cost.target, " ", optional(cost.flops), " ", optional(cost.bytes), " ",
                    optional(cost.transcendentals), " ", optional(cost.seconds));
  }
  for (const KernelList& list : o.kernel_lists) {
    absl::StrAppend(&out, " list ", list.kernel, "|", list.operand, "|", absl::StrJoin(list.values, ","));
  }
  for (const auto& [path, value] : o.set) absl::StrAppend(&out, " set ", path, " ", shortest(value));
  for (const auto& [name, shares] : o.branch_probabilities) {
    absl::StrAppend(&out, " branches ", name, " ", absl::StrJoin(shares, ",", precise));
  }
  absl::StrAppend(&out, " mesh ", absl::StrJoin(o.mesh.axes, ";", named), " order ", absl::StrJoin(o.mesh.order, ";"),
                  " devices ", absl::StrJoin(o.mesh.device_order, ";"), " wrap ",
                  o.mesh.wrap ? static_cast<int>(*o.mesh.wrap) : -1, " reduce ",
                  optional(o.collectives.reduce_element_bytes), " imbalance ", shortest(o.collectives.imbalance),
                  " model ", optional(o.model_flops), " tokens ", optional(o.tokens), " price ", optional(o.price),
                  " code ", o.code, " vmem ", o.scoped_vmem_limit_kib.value_or(-1));
  return out;
}

// Stores words as the parser of a command line does.
void store(const OptionRow& row, const std::string& word, OptionValue& value) {
  if (auto* flag = std::get_if<bool>(&value)) *flag = true;
  if (auto* whole = std::get_if<std::int64_t>(&value)) *whole = std::stoll(word);
  if (auto* number = std::get_if<double>(&value)) *number = std::stod(word);
  if (auto* text = std::get_if<std::string>(&value)) *text = word;
  if (auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    const bool is_split = row.argument.ends_with(",...");
    for (const absl::string_view part : absl::StrSplit(word, is_split ? "," : "\n")) texts->emplace_back(part);
  }
}

OptionValues parsed(const Options& words) {
  OptionValues values;
  for (const auto& [name, word] : words) {
    bool is_known = false;
    for (const OptionRow& row : option_rows()) {
      if (name != option_name(row, OptionNames::kFlags)) continue;
      is_known = true;
      store(row, word, values[row.id]);
    }
    CAPTURE(name);
    REQUIRE(is_known);
  }
  return values;
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// The options as a person would write them in JSON.
std::string json_of(const PredictOptions& o) {
  std::vector<std::string> members;
  const auto add = [&](const std::string& key, const std::string& value) {
    members.push_back(quoted(key) + ": " + value);
  };
  const auto object = [](const auto& pairs, const auto& text) {
    std::vector<std::string> inner;
    inner.reserve(pairs.size());
    for (const auto& [name, value] : pairs) inner.push_back(quoted(name) + ": " + text(value));
    return "{" + absl::StrJoin(inner, ", ") + "}";
  };
  const auto whole = [](std::int64_t value) { return std::to_string(value); };
  const auto number = [](double value) { return shortest(value); };
  const auto list = [](const auto& values, const auto& text) {
    std::vector<std::string> inner;
    inner.reserve(values.size());
    for (const auto& value : values) inner.push_back(text(value));
    return "[" + absl::StrJoin(inner, ", ") + "]";
  };
  const auto numbers = [&](const std::vector<double>& values) { return list(values, number); };
  if (o.topology) add("topology", quoted(*o.topology));
  if (o.slices) add("slices", whole(*o.slices));
  add("partitions", o.partitions ? whole(*o.partitions) : "null");
  if (o.estimates == EstimateSource::kCompiler) add("estimates", quoted("compiler"));
  add("trip_counts", object(o.trip_counts, whole));
  add("default_trip_count", whole(o.default_trip_count));
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> calls;
  for (const CustomCallCost& cost : o.custom_calls) {
    calls.push_back({cost.target, {}});
    if (cost.flops) calls.back().second.emplace_back("flops", *cost.flops);
    if (cost.bytes) calls.back().second.emplace_back("bytes", *cost.bytes);
    if (cost.transcendentals) calls.back().second.emplace_back("transcendentals", *cost.transcendentals);
    if (cost.seconds) calls.back().second.emplace_back("seconds", *cost.seconds);
  }
  add("custom_calls", object(calls, [&](const auto& call) { return object(call, number); }));
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists;
  for (const KernelList& l : o.kernel_lists) lists.emplace_back(l.kernel + "." + l.operand, l.values);
  add("kernel_lists", object(lists, [&](const auto& values) { return list(values, whole); }));
  if (o.scoped_vmem_limit_kib) add("scoped_vmem_limit_kib", whole(*o.scoped_vmem_limit_kib));
  add("set", object(o.set, number));
  add("branch_probabilities", object(o.branch_probabilities, numbers));
  add("mesh", object(o.mesh.axes, whole));
  add("mesh_order", list(o.mesh.order, quoted));
  if (!o.mesh.device_order.empty()) add("device_order", list(o.mesh.device_order, whole));
  if (o.mesh.wrap) add("wrap", *o.mesh.wrap ? "true" : "false");
  if (o.collectives.reduce_element_bytes) add("reduce_dtype", quoted(shortest(*o.collectives.reduce_element_bytes)));
  add("imbalance", number(o.collectives.imbalance));
  if (o.model_flops) add("model_flops", number(*o.model_flops));
  if (o.tokens) add("tokens", number(*o.tokens));
  if (o.price) add("price", number(*o.price));
  if (!o.code.empty()) add("code", quoted(o.code));
  add("strict", o.strict ? "true" : "false");
  return "{" + absl::StrJoin(members, ", ") + "}";
}

absl::StatusOr<PredictOptions> from_json(const std::string& text, const Device* device) {
  const absl::StatusOr<OrderedJson> json = parse_json(text, "options");
  if (!json.ok()) return json.status();
  OptionValues values;
  if (absl::Status status = read_option_values(*json, values); !status.ok()) return status;
  PredictOptions options;
  absl::Status status = read_options(values, OptionNames::kKeys, device, options);
  if (!status.ok()) return status;
  return options;
}

TEST_CASE("options, their command line and their JSON are the same options") {
  const Device device = find_target("tpu_v5e")->device;
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const PredictOptions options = random_options(random);
    const Options words = command_options(options);
    CAPTURE(round, described(options), words);
    PredictOptions again;
    const absl::Status read = read_options(parsed(words), OptionNames::kFlags, &device, again);
    CAPTURE(read.message());
    CHECK(read.ok());
    CHECK(described(again) == described(options));
    const std::string json = json_of(options);
    const absl::StatusOr<PredictOptions> from = from_json(json, &device);
    CAPTURE(json, from.status().message());
    REQUIRE(from.ok());
    CHECK(described(*from) == described(options));
  }
  CHECK(command_options(PredictOptions()).empty());
}

TEST_CASE("the command line has each option that is set") {
  PredictOptions options;
  options.partitions = 8;
  options.collectives.reduce_element_bytes = 1;
  options.custom_calls = {{"mine", 1e9, std::nullopt, std::nullopt, 0.5}, {"other", {}, {}, {}, {}}};
  options.mesh.order = {"a", "b"};
  options.strict = true;
  options.allow_other_backend = true;  // the command has no such option
  CHECK(command_options(options) == Options{{"--partitions", "8"},
                                            {"--custom-call", "mine=flops:1e+09,seconds:0.5"},
                                            {"--custom-call", "other=none"},
                                            {"--strict", ""},
                                            {"--mesh-order", "a,b"},
                                            {"--reduce-dtype", "s8"}});
}

TEST_CASE("a percent sign in front of a name is part of its printed form") {
  OptionValues values;
  values.texts(OptionId::kTripCounts) = {"%while.1=3", "while.2=4"};
  values.texts(OptionId::kKernelLists) = {"%gmm.0=[1]"};
  PredictOptions options;
  REQUIRE(read_options(values, OptionNames::kMembers, nullptr, options).ok());
  CHECK(options.trip_counts == std::map<std::string, std::int64_t>{{"while.1", 3}, {"while.2", 4}});
  CHECK(options.kernel_lists.front().kernel == "gmm");
}

TEST_CASE("JSON that cannot be read says which option and what it takes") {
  const Device device = find_target("tpu_v5e")->device;
  const struct {
    const char* json;
    const char* message;
  } rows[] = {
      {"[]", "not a JSON object"},
      {R"({"tpology": "2x2"})", "there is no option tpology; the nearest are topology"},
      {R"({"trip-count": {}})", "trip_counts"},
      {R"({"slices": 0})", "slices: expected a whole number from 1"},
      {R"({"slices": 1.5})", "slices: expected a whole number from 1"},
      {R"({"strict": 1})", "strict: expected true or false"},
      {R"({"allow_other_backend": 1})", "allow_other_backend: expected true or false"},
      {R"({"wrap": "yes"})", "wrap yes: expected on or off"},
      {R"({"estimates": "guess"})", "estimates guess: expected model or compiler"},
      {R"({"imbalance": 0.5})", "imbalance: expected a number from 1"},
      {R"({"model_flops": -1})", "model_flops: expected a number above 0"},
      {R"({"trip_counts": {"w": 1.5}})", "trip_counts w=1.5: expected NAME=N"},
      {R"({"trip_counts": {"w": [[1]]}})", "trip_counts w=: expected NAME=N"},
      {R"({"trip_counts": ["w"]})", "trip_counts: expected an object"},
      {R"({"custom_calls": {"mine": {"flips": 1}}})", "custom_calls mine=flips:1: expected TARGET=flops:N"},
      {R"({"kernel_lists": {"gmm": [1]}})", "kernel_lists gmm=[1]: expected NAME.OPERAND=VALUES"},
      {R"({"mesh": {"data": 1.5}})", "positive integer"},
      {R"({"set": {"hbm.bandwidth": [1, 2]}})", "set hbm.bandwidth: a prediction takes one value"},
      {R"({"set": {"hbm.bandwith": "2x"}})", "hbm.bandwidth"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.json);
    const absl::StatusOr<PredictOptions> options = from_json(row.json, &device);
    REQUIRE_FALSE(options.ok());
    CHECK_THAT(std::string(options.status().message()), ContainsSubstring(row.message));
  }
}

TEST_CASE("an option without a flag is one of JSON") {
  CHECK(from_json(R"({"allow_other_backend": true})", nullptr)->allow_other_backend);
  CHECK_FALSE(from_json("{}", nullptr)->allow_other_backend);
  CHECK(from_json(R"({"sensitivity": true})", nullptr)->sensitivity);
  CHECK_FALSE(from_json("{}", nullptr)->sensitivity);
}

TEST_CASE("words with other characters are quoted for a shell") {
  CHECK(shell_word("while.1=16") == "while.1=16");
  CHECK(shell_word("gmm.0=[1,2]") == "'gmm.0=[1,2]'");
  CHECK(shell_word("/it's/=flops:1") == "'/it'\\''s/=flops:1'");
  CHECK(shell_word("") == "''");
}

}  // namespace
}  // namespace hloroof::internal
