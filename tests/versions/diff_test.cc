// The ops that two versions of a program have in common, and the changes between them.
#include "lib/versions/diff.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

StepPrediction predicted(std::string_view text, const std::string& device = "tpu_v5e") {
  absl::StatusOr<StepPrediction> prediction = predict_step_time(text, device);
  INFO(prediction.status().message());
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

// Returns the module with other names for all instructions and computations, which the text writes with %. Keeps the
// part before the number if `keep_words` is true, as a compiler does.
std::string renumbered(std::string_view text, bool keep_words = false) {
  std::string out;
  std::map<std::string, std::string, std::less<>> names;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    if (quoted && text[i] == '\\') out += text[i++];
    if (text[i] == '"') quoted = !quoted;
    out += text[i];
    if (text[i++] != '%' || quoted) continue;
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    const auto [found, is_new] = names.try_emplace(std::string(text.substr(i, end - i)));
    // Later names get smaller numbers, so that sorting by name reverses the order.
    if (is_new) {
      std::string word = keep_words ? found->first : "op";
      word.erase(std::min(word.size(), word.find_last_not_of(".0123456789") + 1));
      found->second = word + "." + std::to_string(1000000 - names.size());
    }
    out += found->second;
    i = end;
  }
  REQUIRE(names.size() > 3);
  return out;
}

// The pairs of ops as "before>after", with what changed; "" for no partner.
std::map<std::string, std::string> pairs(const Difference& difference) {
  std::map<std::string, std::string> result;
  for (const OpChange& change : difference.ops) {
    std::string value = change.after == nullptr ? "" : change.after->name;
    for (const std::string& what : change.what) value += " " + what;
    result[change.before == nullptr ? "" : change.before->name] = value;
  }
  return result;
}

void check_all_matched(const Difference& difference) {
  CHECK(difference.before_share.of_ops() == 1);
  CHECK(difference.before_share.of_seconds() == 1);
  CHECK(difference.after_share.of_ops() == 1);
  CHECK(difference.after_share.of_seconds() == 1);
  std::size_t changed = 0;
  for (const OpChange& change : difference.ops) {
    if (!change.what.empty() || change.change() != 0) ++changed;
  }
  CHECK(changed == 0);
}

TEST_CASE("diff: other names change nothing") {
  for (const char* file : {"examples/ffn_block.v5e_2x4.hlo", "examples/decode_step.v5e.hlo"}) {
    CAPTURE(file);
    const std::string text = source_text(file);
    const StepPrediction before = predicted(text);
    const StepPrediction after = predicted(renumbered(text));
    std::set<std::string> names;
    for (const OpPrediction& op : before.ops) names.insert(op.name);
    for (const OpPrediction& op : after.ops) REQUIRE(names.count(op.name) == 0);
    check_all_matched(find_difference(before, after, {}));
  }
}

TEST_CASE("diff: other names change nothing in large programs") {
  for (const char* name : {"corpus/tpu/llm_unrolled_fsdp.v5e_2x4.hlo", "corpus/step/llama3.1-8b.v6e-32.hlo"}) {
    std::ifstream file(shared_path(name), std::ios::binary);
    if (!file.good()) continue;
    CAPTURE(name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string device = text.find("v6e") != std::string::npos ? "tpu_v6e" : "tpu_v5e";
    const StepPrediction before = predicted(text, device);
    // The prediction recognizes some kernels by the words in the name of their instruction.
    const StepPrediction after = predicted(renumbered(text, true), device);
    check_all_matched(find_difference(before, after, {}));
  }
}

constexpr char kBefore[] = R"(HloModule m, is_scheduled=true, num_partitions=8

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main (p: f32[1024,1024], q: f32[1024,1024]) -> f32[1024,1024] {
  %p = f32[1024,1024]{1,0} parameter(0)
  %q = f32[1024,1024]{1,0} parameter(1)
  %dot.1 = f32[1024,1024]{1,0} dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/mlp/dot" source_file="a.py" source_line=1}
  %all-reduce.26 = f32[1024,1024]{1,0} all-reduce(%dot.1), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=%sum, metadata={op_name="jit(f)/mlp/psum"}
  %negate.2 = f32[1024,1024]{1,0} negate(%all-reduce.26), metadata={op_name="jit(f)/neg"}
  ROOT %kernel.3 = f32[1024,1024]{1,0} custom-call(%negate.2), custom_call_target="tpu_custom_call", metadata={op_name="jit(f)/kernel"}, backend_config="{\"body\": \"AAAA\"}"
}
)";

// The same program after another compilation: other groups, another source line, another kernel body, no negate and a
// new exponential. The names are the worst case: each is that of another op before.
constexpr char kAfter[] = R"(HloModule m, is_scheduled=true, num_partitions=8

%sum.9 (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %z = f32[] add(%x, %y)
}

ENTRY %main (p: f32[1024,1024], q: f32[1024,1024]) -> f32[1024,1024] {
  %p.7 = f32[1024,1024]{1,0} parameter(0)
  %q.7 = f32[1024,1024]{1,0} parameter(1)
  %negate.2 = f32[1024,1024]{1,0} dot(%p.7, %q.7), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/mlp/dot" source_file="b.py" source_line=20}
  %all-reduce.41 = f32[1024,1024]{1,0} all-reduce(%negate.2), channel_id=5, replica_groups={{0,1},{2,3},{4,5},{6,7}}, to_apply=%sum.9, metadata={op_name="jit(f)/mlp/psum"}
  %dot.1 = f32[1024,1024]{1,0} exponential(%all-reduce.41), metadata={op_name="jit(f)/exp"}
  ROOT %all-reduce.26 = f32[1024,1024]{1,0} custom-call(%dot.1), custom_call_target="tpu_custom_call", metadata={op_name="jit(f)/kernel"}, backend_config="{\"body\": \"BBBB\"}"
}
)";

TEST_CASE("diff: ops match by op_name, opcode and shape, and not by name") {
  const StepPrediction before = predicted(kBefore);
  const StepPrediction after = predicted(kAfter);
  const Difference difference = find_difference(before, after, {});
  CHECK(pairs(difference) == std::map<std::string, std::string>{{"dot.1", "negate.2"},
                                                                {"all-reduce.26", "all-reduce.41 replica_groups"},
                                                                {"negate.2", ""},
                                                                {"kernel.3", "all-reduce.26"},
                                                                {"", "dot.1"}});
  CHECK(difference.before_share.of_ops() == Approx(0.75));
  CHECK(difference.after_share.of_ops() == Approx(0.75));
  const std::string text = diff_view(difference, {});
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("all-reduce.26 -> .41"));
  CHECK_THAT(text, ContainsSubstring("3 ops matched, 1 of them changed (1 replica_groups); 1 gone, 1 new"));
  CHECK_THAT(text, ContainsSubstring("75.0 %"));
}

TEST_CASE("diff: the name of the traced function is not part of the names of its ops") {
  const auto traced = [](const std::string& function, const std::string& type) {
    std::string text = std::string(kBefore);
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
      }
    };
    replace("HloModule m,", "HloModule jit_" + function + ",");
    replace("jit(f)/", "jit(" + function + ")/");
    replace("f32", type);
    return text;
  };
  const StepPrediction before = predicted(traced("in_f32", "f32"));
  const StepPrediction after = predicted(traced("in_bf16", "bf16"));
  CHECK(find_difference(before, after, {}).before_share.of_ops() == 1);
}

TEST_CASE("diff: a collective that becomes asynchronous is still the same") {
  std::string text(kBefore);
  const std::size_t begin = text.find("  %all-reduce.26");
  std::string line = text.substr(begin, text.find('\n', begin) + 1 - begin);
  std::string start = line;
  start.replace(start.find("all-reduce.26"), 13, "ars.1");
  start.replace(start.find(" all-reduce("), 12, " all-reduce-start(");
  const std::string done =
      "  %ard.1 = f32[1024,1024]{1,0} all-reduce-done(%ars.1), metadata={op_name=\"jit(f)/mlp/psum\"}\n";
  text.replace(begin, line.size(), start + done);
  text.replace(text.find("negate(%all-reduce.26)"), 22, "negate(%ard.1)");
  const StepPrediction before = predicted(kBefore);
  const StepPrediction after = predicted(text);
  CHECK(pairs(find_difference(before, after, {})).at("all-reduce.26") == "ard.1 opcode");
}

TEST_CASE("diff: without the modules, ops match by their fields") {
  StepPrediction before = predicted(kBefore);
  StepPrediction after = predicted(kAfter);
  before.facts.reset();
  const auto found = pairs(find_difference(before, after, {}));
  CHECK(found.at("dot.1") == "negate.2");
  CHECK(found.at("all-reduce.26") == "all-reduce.41");
  CHECK(found.at("kernel.3") == "all-reduce.26");
  CHECK(found.at("negate.2").empty());
}

// `count` equal layers. The numbers of the instructions begin at `first` and have no meaning.
std::string layers(int count, int first, int size = 1024) {
  const std::string shape = "f32[" + std::to_string(size) + ",1024]{1,0}";
  std::string text = "HloModule m, is_scheduled=true\n\nENTRY %main (p: " + shape + ") -> " + shape + " {\n";
  std::string last = "%p";
  text += "  %p = " + shape + " parameter(0)\n  %w = f32[1024,1024]{1,0} parameter(1)\n";
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(first + i);
    text += "  %dot." + number + " = " + shape + " dot(" + last +
            ", %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name=\"dot\"}\n";
    text += "  %tanh." + number + " = " + shape + " tanh(%dot." + number + "), metadata={op_name=\"tanh\"}\n";
    last = "%tanh." + number;
  }
  return text + "  ROOT %neg = " + shape + " negate(" + last + "), metadata={op_name=\"neg\"}\n}\n";
}

TEST_CASE("diff: equal ops match in order") {
  const StepPrediction before = predicted(layers(20, 0));
  SECTION("with the same number of them") {
    const StepPrediction after = predicted(layers(20, 50));
    const Difference difference = find_difference(before, after, {});
    check_all_matched(difference);
    const auto found = pairs(difference);
    for (int i = 0; i < 20; ++i) CHECK(found.at("dot." + std::to_string(i)) == "dot." + std::to_string(50 + i));
  }
  SECTION("with fewer") {
    const StepPrediction after = predicted(layers(17, 50));
    const Difference difference = find_difference(before, after, {});
    std::size_t gone = 0;
    int last = -1;
    const auto found = pairs(difference);
    for (int i = 0; i < 20; ++i) {
      const std::string partner = found.at("tanh." + std::to_string(i));
      if (partner.empty()) {
        ++gone;
        continue;
      }
      CHECK(std::stoi(partner.substr(5)) > last);
      last = std::stoi(partner.substr(5));
      CHECK(found.at("dot." + std::to_string(i)) == "dot." + std::to_string(last));
    }
    CHECK(gone == 3);
    CHECK(difference.after_share.of_ops() == 1);
  }
  SECTION("with another sharding") {
    const StepPrediction after = predicted(layers(20, 50, 256));
    const Difference difference = find_difference(before, after, {});
    CHECK(difference.before_share.of_ops() == 1);
    CHECK(difference.after_share.of_ops() == 1);
    for (const OpChange& change : difference.ops) CHECK(change.what == std::vector<std::string>{"shape"});
  }
}

TEST_CASE("diff: rows and groups add up to the step") {
  const std::string text = source_text("examples/ffn_block.v5e_2x4.hlo");
  const StepPrediction before = predicted(text, "tpu_v5e");
  const StepPrediction after = predicted(text, "tpu_v6e");
  for (const GroupBy group : {GroupBy::kNone, GroupBy::kLayer, GroupBy::kComputation, GroupBy::kSource}) {
    DiffOptions options;
    options.group = group;
    const Difference difference = find_difference(before, after, options);
    double ops[2] = {0, 0};
    for (const OpChange& change : difference.ops) {
      CHECK(change.what.empty());
      ops[0] += change.before_seconds();
      ops[1] += change.after_seconds();
    }
    CHECK(ops[0] == Approx(before.step_seconds));
    CHECK(ops[1] == Approx(after.step_seconds));
    double groups[2] = {0, 0};
    for (const GroupChange& change : difference.groups) {
      CHECK((change.was_there && change.is_there));
      groups[0] += change.before_seconds;
      groups[1] += change.after_seconds;
    }
    CHECK(difference.groups.empty() == (group == GroupBy::kNone));
    if (group != GroupBy::kNone) CHECK(groups[0] == Approx(before.step_seconds));
    if (group != GroupBy::kNone) CHECK(groups[1] == Approx(after.step_seconds));
    CHECK_THAT(diff_view(difference, options), ContainsSubstring("on tpu_v6e"));
  }
}

TEST_CASE("diff: gates say by how much they fail") {
  StepPrediction before;
  StepPrediction after;
  before.step_seconds = 12.3e-3;
  after.step_seconds = 13.1e-3;
  before.memory.hbm_peak_bytes = 15.0 * (1 << 30);
  after.memory.hbm_peak_bytes = 16.0 * (1 << 30);
  after.wire_bytes = 5;
  struct Case {
    const char* gate;
    bool failed;
    const char* finding;
  };
  const Case cases[] = {
      {"step>+5%", true, "step 12.3 ms -> 13.1 ms: +6.5 %, allowed +5 % (185 us above)"},
      {"step>+6.5%", true, "step 12.3 ms -> 13.1 ms: +6.504 %, allowed +6.5 % (500 ns above)"},
      {"step>+10%", false, "step 12.3 ms -> 13.1 ms: +6.5 %, allowed +10 % (430 us below)"},
      {"step<-5%", false, "step 12.3 ms -> 13.1 ms: +6.5 %, allowed -5 % (1.42 ms above)"},
      {"step>+0.5ms", true, "step 12.3 ms -> 13.1 ms: +800 us, allowed +500 us (300 us above)"},
      {"memory>15.5GiB", true, "memory 16.0 GiB, allowed 15.5 GiB (512 MiB above)"},
      {"memory>=16GiB", true, "memory 16.0 GiB, allowed < 16.0 GiB (at the limit)"},
      {"memory>20GiB", false, "memory 16.0 GiB, allowed 20.0 GiB (4.00 GiB below)"},
      {"wire>+1%", true, "wire 0 B -> 5 B: +inf %, allowed +1 %"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.gate);
    const absl::StatusOr<Gate> gate = parse_gate(c.gate);
    REQUIRE(gate.ok());
    const GateResult result = check_gate(*gate, before, after);
    CHECK(result.failed == c.failed);
    CHECK(result.finding == c.finding);
  }
}

TEST_CASE("diff: Markdown has the headline, the gates and a table") {
  const StepPrediction before = predicted(kBefore);
  const StepPrediction after = predicted(kAfter);
  Difference difference = find_difference(before, after, {});
  difference.gates.push_back(check_gate(*parse_gate("flops>+1%"), before, after));
  const std::string text = diff_markdown(difference, {});
  INFO(text);
  CHECK(text.rfind("### Step ", 0) == 0);
  CHECK_THAT(text, ContainsSubstring("- passed `flops>+1%`"));
  CHECK_THAT(text, ContainsSubstring("| matched ops | 75.0 % | 75.0 % |"));
  CHECK_THAT(text, ContainsSubstring("| replica_groups | `all-reduce.26 -> .41` |"));
  CHECK_THAT(text, ContainsSubstring("| **TOTAL** |"));
}

}  // namespace
}  // namespace hloroof::internal
