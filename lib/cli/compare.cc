#include "lib/report/compare.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/source_text.h"
#include "lib/cli/context.h"

namespace hloroof::inline v0 {
namespace {

// A trace of a few seconds; beyond this a file is no profile to compare op by op.
constexpr std::int64_t kMaxProfile = std::int64_t{1} << 30;

struct Flags {
  std::string file;
  std::string profile;
  PredictFlags predict;
  std::size_t limit = 20;
  bool wide = false;
};

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<Device> device = load_one_device(flags.predict);
  if (!device.ok()) return context.fail(device.status());
  const absl::StatusOr<Module> module = load_module(flags.file);
  if (!module.ok()) return context.fail(module.status());
  const auto text = SourceText::read(flags.profile, kMaxProfile);
  if (!text.ok()) return context.fail(text.status());
  const absl::StatusOr<MeasuredProfile> profile = read_profile((*text)->view(), (*text)->path());
  if (!profile.ok()) return context.fail(profile.status());
  const absl::StatusOr<StepPrediction> prediction = predict_step_time(*module, *device, *options);
  if (!prediction.ok()) {
    const bool incomplete = prediction.status().code() == absl::StatusCode::kFailedPrecondition;
    return context.fail(prediction.status(), incomplete ? kExitIncomplete : kExitBadInput);
  }
  const absl::StatusOr<Comparison> comparison = compare(*prediction, *profile);
  if (!comparison.ok()) return context.fail(comparison.status());
  CompareOptions view;
  view.limit = flags.limit;
  view.width = flags.wide ? 0 : 80;
  context.out << compare_view(*prediction, *comparison, *profile, view);
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("compare", "Predicted against measured, op by op");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->file, "HLO text")->required();
  add_predict_flags(*command, flags->predict);
  command
      ->add_option("--profile", flags->profile, "XProf's hlo_stats as CSV or JSON, or a Chrome trace; may end in .gz")
      ->required()
      ->type_name("P");
  command->add_option("-n", flags->limit, "Rows before [N others]; 0: all");
  command->add_flag("-w,--wide", flags->wide, "Do not cut lines to 80 characters");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
