// Parses arbitrary waiver files. The result must be rules that print and parse as the same rules, or a short message
// with a place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hloroof/predict.h"
#include "lib/lint/waivers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto waivers = hloroof::internal::parse_waivers(text, "fuzzed.txt");
  if (!waivers.ok()) {
    const std::string_view message(waivers.status().message().data(), waivers.status().message().size());
    if (message.rfind("fuzzed.txt:", 0) != 0 || message.size() > 2000) std::abort();
    return 0;
  }
  std::size_t line = 0;
  hloroof::StepPrediction prediction;
  hloroof::OpPrediction& op = prediction.ops.emplace_back();
  op.name = "copy.1";
  op.op_name = "jit(f)/layers_0/mlp/transpose";
  op.source_file = "model.py";
  op.source_line = 12;
  for (const hloroof::internal::Waiver& rule : waivers->rules) {
    if (rule.line <= line) std::abort();
    line = rule.line;
    const std::string until = rule.until.empty() ? "" : " # until " + rule.until;
    const auto again = hloroof::internal::parse_waivers(rule.text + until, "again.txt");
    if (!again.ok() || again->rules.size() != 1) std::abort();
    if (again->rules[0].code != rule.code || again->rules[0].text != rule.text) std::abort();
    if (again->rules[0].until != rule.until) std::abort();
    if ((again->rules[0].regex == nullptr) != (rule.regex == nullptr)) std::abort();
    hloroof::Diagnostic diagnostic;
    diagnostic.code = rule.code;
    diagnostic.ops = {"copy.1"};
    const std::size_t found = waivers->find(diagnostic, prediction, "2026-01-01");
    if (found > waivers->rules.size()) std::abort();
    // A rule without a regex and without a last day applies, unless one before it does.
    const auto number = static_cast<std::size_t>(&rule - waivers->rules.data());
    if (rule.regex == nullptr && rule.until.empty() && found > number) std::abort();
  }
  return 0;
}
