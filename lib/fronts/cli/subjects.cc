#include "lib/fronts/cli/subjects.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/in_order.h"
#include "lib/base/strings.h"
#include "lib/describe/table.h"
#include "lib/fronts/cli/context.h"
#include "lib/hardware/named_target.h"
#include "lib/input/module_choice.h"
#include "lib/input/module_file.h"
#include "lib/measured/profiled_program.h"
#include "lib/predict/from_facts.h"
#include "lib/predict/many_targets.h"
#include "lib/predict/variants.h"

namespace hloroof::internal::inline cli {
namespace {

// Shows the progress of a long run: one line on context.err, overwritten at each step and erased at the end. Nothing is
// written if err is not a terminal, if there is only one step, or before Terminal::progress_after has passed.
class Progress {
 public:
  Progress(Context& context, std::size_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  // Starts the next step. `what` is truncated to the width of the line.
  void step(std::string_view what);
  // Erases the line, so that messages may follow.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  Context& context_;
  std::size_t steps_;
  std::size_t done_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_;  // when the line was last written
  bool is_shown_ = false;
};

constexpr std::size_t kLineWidth = 79;  // a line of 80 would wrap on some terminals
constexpr std::size_t kBar = 20;
constexpr std::chrono::milliseconds kBetween{50};  // the eye cannot follow more frequent updates

Progress::Progress(Context& context, std::size_t steps) : context_(context), steps_(steps) {}

void Progress::step(std::string_view what) {
  const std::size_t number = ++done_;
  if (!context_.terminal.err_is_terminal || steps_ < 2) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < context_.terminal.progress_after || (is_shown_ && now - shown_ < kBetween)) return;
  const std::size_t filled = kBar * (number - 1) / steps_;
  std::string line = "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] " + std::to_string(number) +
                     "/" + std::to_string(steps_) + " ";
  line += shorten(what, kLineWidth - line.size());
  line.resize(kLineWidth, ' ');
  context_.err << '\r' << line << std::flush;
  shown_ = now;
  is_shown_ = true;
}

void Progress::end() {
  if (!is_shown_) return;
  context_.err << '\r' << std::string(kLineWidth, ' ') << '\r' << std::flush;
  is_shown_ = false;
}

}  // namespace

absl::StatusOr<std::vector<Target>> find_targets(const Request& flags) {
  if (flags.devices.empty()) {
    std::string message = "--device is required; the devices are";
    std::size_t column = 80;
    for (const std::string& name : device_names()) {
      if (column + 1 + name.size() > 78) {
        message += "\n ";
        column = 1;
      }
      message += " " + name;
      column += 1 + name.size();
    }
    return invalid_argument(message);
  }
  return named_targets(flags.devices);
}

absl::StatusOr<Target> find_one_target(const Request& flags) {
  absl::StatusOr<std::vector<Target>> targets = find_targets(flags);
  if (!targets.ok()) return targets.status();
  if (targets->size() != 1) return invalid_argument("this command takes one device");
  return std::move(targets->front());
}

ParseOptions reading_options() {
  ParseOptions options;
  options.max_errors = 5;
  return options;
}

namespace {

// Loads a module, with a note for the user if lines of the file were skipped. Needs no Context, which only the main
// thread uses.
absl::StatusOr<LoadedModule> load_with_advice(const std::string& file, std::int64_t max_bytes,
                                              LargeConstants constants = LargeConstants::kModerate) {
  ParseOptions options = reading_options();
  options.max_bytes = max_bytes;
  absl::StatusOr<LoadedModule> loaded = load_module_file(file, options, constants);
  if (absl::IsResourceExhausted(loaded.status()) && absl::EndsWith(loaded.status().message(), " bytes")) {
    return absl::ResourceExhaustedError(absl::StrCat(loaded.status().message(), "; --max-bytes sets it"));
  }
  return loaded;
}

}  // namespace

absl::StatusOr<Module> read_module(const std::string& file, Context& context, LargeConstants constants) {
  if (absl::Status status = context.take_input(split_module_path(file).first); !status.ok()) return status;
  absl::StatusOr<LoadedModule> loaded = load_with_advice(file, context.max_bytes, constants);
  if (!loaded.ok()) return loaded.status();
  context.note(file, loaded->note);
  return std::move(loaded->module);
}

namespace {

// How a file of a dump folder is named, best first. A folder is read as its files of the best kind.
enum class DumpKind { kOptimizedText, kOptimizedProto, kSavedText, kNone };

// Removes `end` from the end of `text` if it is there.
bool strip_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

// XLA writes NAME.after_optimizations.txt, or .hlo.pb for --xla_dump_hlo_as_proto; users save .hlo under any name.
// Sets `stem` to the name without its extensions.
DumpKind dump_kind(std::string_view name, std::string& stem) {
  strip_end(name, ".gz");
  const bool is_proto = strip_end(name, ".hlo.pb");
  const bool is_text = !is_proto && strip_end(name, ".txt");
  const bool is_saved = !is_proto && !is_text && strip_end(name, ".hlo");
  stem = name;
  if (!is_proto && !is_text && !is_saved) return DumpKind::kNone;
  if (name.ends_with("after_optimizations")) return is_proto ? DumpKind::kOptimizedProto : DumpKind::kOptimizedText;
  return is_saved ? DumpKind::kSavedText : DumpKind::kNone;
}

// The modules of a folder, sorted. A module that is there both as text and as a proto is read from the text.
absl::StatusOr<std::vector<std::string>> modules_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::pair<DumpKind, std::string>> optimized;  // by stem
  std::vector<std::string> saved;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string stem;
    const DumpKind kind = dump_kind(it->path().filename().string(), stem);
    if (kind == DumpKind::kNone) continue;
    // A link without a target is reported when it is read. Pipes, sockets and folders are not dumps, and opening a pipe
    // waits for a writer.
    std::error_code unknown;
    const fs::file_type type = it->status(unknown).type();
    if (type != fs::file_type::regular && type != fs::file_type::not_found) continue;
    if (kind == DumpKind::kSavedText) {
      saved.push_back(it->path().string());
      continue;
    }
    const std::pair<DumpKind, std::string> file = {kind, it->path().string()};
    const auto [known, is_new] = optimized.try_emplace(stem, file);
    if (!is_new) known->second = std::min(known->second, file);
  }
  if (error) return not_found("cannot read the folder " + folder + ": " + error.message());
  std::vector<std::string> found;
  found.reserve(optimized.size());
  for (const auto& [stem, file] : optimized) found.push_back(file.second);
  if (found.empty()) found = std::move(saved);
  if (found.empty()) {
    return not_found(
        "no module named *after_optimizations.txt, *after_optimizations.hlo.pb\n  or *.hlo in the folder " + folder +
        "\n  XLA writes them with XLA_FLAGS='--xla_dump_to=" + folder + " --xla_dump_hlo_as_text'");
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    absl::StatusOr<std::vector<std::string>> found = modules_in(path);
    if (!found.ok()) return found.status();
    files.insert(files.end(), found->begin(), found->end());
  }
  return files;
}

absl::StatusOr<std::string> expand_to_one(const std::string& path) {
  absl::StatusOr<std::vector<std::string>> files = expand_inputs({path});
  if (!files.ok()) return files.status();
  if (files->size() == 1) return std::move(files->front());
  constexpr std::size_t kShown = 8;
  const std::size_t others = files->size() > kShown ? files->size() - kShown : 0;
  files->resize(files->size() - others);
  return invalid_argument("this command takes one module and the folder " + path + " has several:\n  " +
                          absl::StrJoin(*files, "\n  ") +
                          (others > 0 ? "\n  and " + std::to_string(others) + " more" : ""));
}

std::size_t Subjects::count() const {
  std::size_t count = files.size() * targets.size() * std::max<std::size_t>(1, topologies.size());
  for (const Setting& setting : settings) count *= setting.values.size();
  return count;
}

namespace {

// The topology that follows the name of a device is a request, as --topology is.
absl::Status refuse_two_topologies(const Subjects& subjects) {
  for (const Target& target : subjects.targets) {
    if (!target.topology) continue;
    for (const std::string& text : subjects.topologies) {
      const absl::StatusOr<Topology> topology = parse_topology(target.device, text);
      if (!topology.ok()) return topology.status();
      if (topology->to_string() == target.topology->to_string()) continue;
      return invalid_argument("the device " + target.device.name + ":" + target.topology->to_string() +
                              " and --topology " + text + " name two machines: give one of the topologies");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Subjects> find_subjects(const Request& flags, const std::vector<std::string>& paths, Breadth breadth) {
  Subjects subjects;
  absl::StatusOr<PredictOptions> options = predict_options(flags);
  if (!options.ok()) return options.status();
  subjects.options = *std::move(options);
  absl::StatusOr<std::vector<Setting>> settings = parse_settings(flags.settings(), kSetOption);
  if (!settings.ok()) return settings.status();
  subjects.settings = *std::move(settings);
  absl::StatusOr<std::vector<Target>> targets = find_targets(flags);
  if (!targets.ok()) return targets.status();
  subjects.targets = *std::move(targets);
  subjects.topologies = flags.topologies();
  if (absl::Status status = refuse_two_topologies(subjects); !status.ok()) return status;
  subjects.jobs = flags.jobs;
  absl::StatusOr<std::vector<std::string>> files = expand_inputs(paths);
  if (!files.ok()) return files.status();
  subjects.files = *std::move(files);
  if (breadth == Breadth::kSeveral) return subjects;
  if (subjects.targets.size() != 1) return invalid_argument("this command takes one device");
  if (subjects.topologies.size() > 1) {
    return invalid_argument("this command takes one --topology; `predict` and `sweep` make a table of several");
  }
  for (const Setting& setting : subjects.settings) {
    if (setting.values.size() == 1) continue;
    return invalid_argument("--set " + setting.parameter +
                            ": this command takes one value; `predict` and `sweep` make a table of several");
  }
  return subjects;
}

absl::StatusOr<Subjects> find_place(const Request& flags) {
  absl::StatusOr<Subjects> subjects = find_subjects(flags, {}, Breadth::kOne);
  if (!subjects.ok()) return subjects.status();
  absl::StatusOr<std::vector<Point>> points =
      points_of(subjects->settings, subjects->targets.front().device, kSetOption);
  if (!points.ok()) return points.status();
  subjects->options.set = std::move(points->front());
  return subjects;
}

absl::StatusOr<Module> module_in_profile(const MeasuredProfile& profile, const std::string& path,
                                         const Context& context) {
  ParseOptions options = reading_options();
  options.path = path;
  options.max_bytes = context.max_bytes;
  return profiled_module(profile, options);
}

absl::StatusOr<Subject> find_subject(const Request& flags, const std::string& path, Context& context,
                                     LargeConstants constants) {
  absl::StatusOr<std::string> file = expand_to_one(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<Subjects> place = find_place(flags);
  if (!place.ok()) return place.status();
  absl::StatusOr<Module> module = read_module(*file, context, constants);
  if (!module.ok()) return module.status();
  return Subject{*std::move(file), *std::move(module), std::move(place->targets.front()), std::move(place->options)};
}

absl::StatusOr<Subject> subject_of_module(const Request& flags, std::string file, Module module) {
  absl::StatusOr<Subjects> place = find_place(flags);
  if (!place.ok()) return place.status();
  return Subject{std::move(file), std::move(module), std::move(place->targets.front()), std::move(place->options)};
}

namespace {

// A file whose predictions are pending. The first thread that needs the module reads it, and the others wait for that.
class PendingFile {
 public:
  // `may_read` is an error if the file must not be read. `is_shared` means that there are several predictions.
  PendingFile(const std::string& path, absl::Status may_read, bool is_shared)
      : path_(path), may_read_(std::move(may_read)), is_shared_(is_shared) {}

  absl::StatusOr<StepPrediction> predict(const Variant& variant, Detail detail, const PredictOptions& common,
                                         std::int64_t max_bytes) {
    std::call_once(read_, [&] { loaded_ = may_read_.ok() ? load_with_advice(path_, max_bytes) : may_read_; });
    if (!loaded_.ok()) return loaded_.status();
    const PredictOptions options = variant.options(common);
    if (detail != Detail::kHeadline && !is_shared_) {
      return predict_module(borrow(loaded_->module), *variant.target, options, detail);
    }
    std::call_once(share_, [&] { step_ = ManyTargets::create(loaded_->module, common); });
    if (!step_.ok()) return step_.status();
    return detail == Detail::kHeadline ? (*step_)->headline(*variant.target, options)
                                       : (*step_)->predict(*variant.target, options, detail);
  }

  const std::string& path() const { return path_; }
  // Valid after predict() has returned once.
  const absl::StatusOr<LoadedModule>& loaded() const { return loaded_; }

 private:
  const std::string& path_;
  const absl::Status may_read_;
  const bool is_shared_;
  std::once_flag read_;
  absl::StatusOr<LoadedModule> loaded_;
  std::once_flag share_;
  absl::StatusOr<std::unique_ptr<ManyTargets>> step_;
};

}  // namespace

bool predict_all(const Subjects& subjects, Detail detail, Context& context, const UsePrediction& use) {
  const absl::StatusOr<std::vector<Variant>> variants =
      variants_of(subjects.targets, subjects.topologies, subjects.settings, kSetOption);
  if (!variants.ok()) {
    context.fail(variants.status());
    return false;
  }
  std::vector<std::unique_ptr<PendingFile>> files;
  files.reserve(subjects.files.size());
  for (const std::string& file : subjects.files) {
    files.push_back(
        std::make_unique<PendingFile>(file, context.take_input(split_module_path(file).first), variants->size() > 1));
  }
  const std::size_t per_file = variants->size();
  const std::size_t count = files.size() * per_file;
  const std::int64_t max_bytes = context.max_bytes;
  Progress progress(context, count);
  bool any = false;
  const auto report = [&](PendingFile& file, bool is_first, absl::StatusOr<StepPrediction> prediction) {
    if (!prediction.ok()) progress.end();
    if (!file.loaded().ok()) {
      if (is_first) context.fail(file.loaded().status());
      return;
    }
    if (is_first) context.note(file.path(), file.loaded()->note);
    if (!prediction.ok()) return context.fail_prediction(prediction.status());
    any = true;
    use(file.path(), *std::move(prediction));
  };
  if (count > 0) progress.step(subjects.files.front());
  make_in_order(
      count, thread_count(subjects.jobs, count),
      [&](std::size_t i) {
        return files[i / per_file]->predict((*variants)[i % per_file], detail, subjects.options, max_bytes);
      },
      [&](std::size_t i, absl::StatusOr<StepPrediction> prediction) {
        std::unique_ptr<PendingFile>& file = files[i / per_file];
        report(*file, i % per_file == 0, std::move(prediction));
        if ((i + 1) % per_file == 0) file.reset();
        if (i + 1 < count) progress.step(subjects.files[(i + 1) / per_file]);
      });
  return any;
}

}  // namespace hloroof::internal::inline cli
