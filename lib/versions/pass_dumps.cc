#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/versions/passes.h"
#include "re2/re2.h"

namespace hloroof::internal::inline versions {
namespace {

// module_0001.jit_f.0042.PIPELINE.after_PASS.before_PASS.txt; some passes dump states of their own, without one of the
// two.
const RE2& numbered_name() {
  static const RE2* const kName =
      new RE2(R"((module_\d+\..+?)\.(\d{4,})\.(.+?)(?:\.after_(.+?))?(?:\.before_(.+))?\.txt)");
  return *kName;
}

// module_0001.jit_f.before_optimizations.txt, module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt
const RE2& outer_name() {
  static const RE2* const kName =
      new RE2(R"((module_\d+\..+?)\.(?:(before_optimizations)|(?:[\w.]*?_)?(after_optimizations))\.txt)");
  return *kName;
}

// The dumps of one module.
struct Compile {
  std::vector<PassDump> dumps;
  std::uintmax_t bytes = 0;
};
using Compiles = std::map<std::string, Compile>;

Compiles::iterator largest_of(Compiles& compiles) {
  return std::max_element(compiles.begin(), compiles.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.dumps.size() > 2, a.second.bytes) < std::pair(b.second.dumps.size() > 2, b.second.bytes);
  });
}

// The compiles in `folder` whose names contain `module`, of which one has passes.
absl::StatusOr<Compiles> compiles_in(const std::string& folder, std::string_view module) {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  Compiles compiles;
  for (const std::filesystem::directory_entry& file : files) {
    std::optional<PassDump> dump = pass_dump(file.path().string());
    if (!dump || !file.is_regular_file(error) || dump->module.find(module) == std::string::npos) continue;
    Compile& compile = compiles[dump->module];
    compile.bytes += file.file_size(error);
    compile.dumps.push_back(*std::move(dump));
  }
  const auto largest = largest_of(compiles);
  if (largest != compiles.end() && largest->second.dumps.size() > 1) return compiles;
  return invalid_argument(absl::StrCat(
      folder, ": has no dumps of passes", module.empty() ? "" : absl::StrCat(" of a module ", to_absl(module)),
      "; compile with XLA_FLAGS=\"--xla_dump_to=", folder, " --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*\""));
}

// In the order of the compile.
std::vector<PassDump> dumps_of(Compiles::value_type& compile) {
  std::vector<PassDump> dumps = std::move(compile.second.dumps);
  std::sort(dumps.begin(), dumps.end(), [](const PassDump& a, const PassDump& b) {
    return std::tie(a.number, a.path) < std::tie(b.number, b.path);
  });
  return dumps;
}

// "jit_f" of "module_0001.jit_f.cl_1004": the numbers are of the process and of the compiler.
std::string_view program_name(std::string_view module) {
  static const RE2* const kName = new RE2(R"(module_\d+\.(.+?)(?:\.cl_\d+)?)");
  re2::StringPiece name;
  if (!RE2::FullMatch(re2::StringPiece(module.data(), module.size()), *kName, &name)) return module;
  return {name.data(), name.size()};
}

}  // namespace

std::string PassDump::name() const {
  if (number == kBefore) return "input";
  if (number == kAfter) return "result";
  return pass.empty() ? "start" : pass;
}

std::optional<PassDump> pass_dump(std::string_view path) {
  const std::string name = std::filesystem::path(path).filename().string();
  PassDump dump;
  dump.path = std::string(path);
  std::string after;
  std::string before;
  if (RE2::FullMatch(name, numbered_name(), &dump.module, &dump.number, &dump.pipeline, &after, &before)) {
    constexpr std::string_view kStart = "pipeline-start";
    dump.pass = after == kStart ? "" : after;
    if (after.empty()) dump.pass = "before " + before;
    return dump;
  }
  if (!RE2::FullMatch(name, outer_name(), &dump.module, &before, &after)) return std::nullopt;
  dump.number = after.empty() ? PassDump::kBefore : PassDump::kAfter;
  return dump;
}

absl::StatusOr<std::vector<PassDump>> find_pass_dumps(const std::string& folder, std::string_view module) {
  absl::StatusOr<Compiles> compiles = compiles_in(folder, module);
  if (!compiles.ok()) return compiles.status();
  return dumps_of(*largest_of(*compiles));
}

absl::StatusOr<std::vector<PassDump>> find_same_dumps(const std::string& folder, const PassDump& like,
                                                      std::string_view module) {
  absl::StatusOr<Compiles> compiles = compiles_in(folder, module);
  if (!compiles.ok()) return compiles.status();
  Compiles same;
  std::vector<std::string> names;
  names.reserve(compiles->size());
  for (auto& [name, compile] : *compiles) {
    names.push_back(name);
    if (program_name(name) == program_name(like.module)) same.emplace(name, std::move(compile));
  }
  const auto largest = largest_of(same);
  if (largest != same.end() && largest->second.dumps.size() > 1) return dumps_of(*largest);
  return invalid_argument(absl::StrCat(folder, ": has no dumps of passes of ", to_absl(program_name(like.module)),
                                       ", only of ", absl::StrJoin(names, ", "),
                                       "; compare two compiles of one module, which --module NAME chooses"));
}

absl::StatusOr<std::size_t> find_pass(const std::vector<PassDump>& dumps, std::string_view pass) {
  std::int64_t number = PassDump::kBefore;
  std::from_chars(pass.data(), pass.data() + pass.size(), number);
  std::set<std::string> names;
  for (std::size_t i = 1; i < dumps.size(); ++i) {
    const PassDump& dump = dumps[i];
    const std::string name = dump.name();
    if (name == pass || dump.pipeline == pass || dump.pipeline + ": " + name == pass || dump.number == number) return i;
    names.insert(name);
  }
  const std::vector<std::string> nearest = nearest_names(pass, {names.begin(), names.end()}, 1);
  return absl::NotFoundError(absl::StrCat("no pass \"", to_absl(pass), "\" changed this module",
                                          nearest.empty() ? "" : "; the closest name is " + nearest[0]));
}

}  // namespace hloroof::internal::inline versions
