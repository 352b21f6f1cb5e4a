// The C interface. Each function that can fail runs its work in guarded(), so that no exception crosses the border.
#include "hloroof/c.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/answer/answer.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/base/utf.h"
#include "lib/hardware/named_target.h"
#include "lib/input/file_kind.h"
#include "lib/input/module_file.h"
#include "lib/request/options.h"

struct hloroof_module {
  std::shared_ptr<const hloroof::Module> module;
};

struct hloroof_prediction {
  std::shared_ptr<const hloroof::Module> module;  // which the prediction refers to
  hloroof::StepPrediction prediction;
};

namespace hloroof::internal::inline c {
namespace {

// hloroof_options as it was in the first release; a program may have been compiled with this one.
constexpr std::size_t kFirstOptionsSize = offsetof(hloroof_options, allow_other_backend);

// Returns a copy that hloroof_free() frees; null if there is no memory. Replaces invalid UTF-8 and NUL bytes, which
// names in protos may have, by '?'.
char* copy_string(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text, i);
    if (length == 0) {
      copy[i++] = '?';
    } else {
      std::memcpy(copy + i, text.data() + i, length);
      i += length;
    }
  }
  copy[text.size()] = '\0';
  return copy;
}

int32_t fail_with(absl::StatusCode code, std::string_view message, char** error) {
  if (error != nullptr) *error = copy_string(message);
  return static_cast<int32_t>(code);
}

// Calls `work`, which returns a Status. Returns its code and stores its message.
template <typename Work>
int32_t guarded(char** error, const Work& work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    const absl::Status status = work();
    if (status.ok()) return HLOROOF_OK;
    return fail_with(status.code(), from_absl(status.message()), error);
  } catch (const std::bad_alloc&) {
    return fail_with(absl::StatusCode::kResourceExhausted, "out of memory", error);
  } catch (...) {
    return fail_with(absl::StatusCode::kInternal, "the library threw an exception", error);
  }
}

absl::Status null_argument(std::string_view name) { return invalid_argument(std::string(name) + " is NULL"); }

// Offset of the first byte that is not valid UTF-8; nullopt if the text is valid.
std::optional<std::size_t> first_not_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

absl::Status check_text(std::string_view text, std::string_view name) {
  const std::optional<std::size_t> wrong = first_not_utf8(text);
  if (!wrong) return absl::OkStatus();
  return invalid_argument(std::string(name) + " is not UTF-8: see byte " + std::to_string(*wrong));
}

absl::Status check_string(const char* text, std::string_view name) {
  return text == nullptr ? null_argument(name) : check_text(text, name);
}

// The elements of a list that ends in NULL. Errors: InvalidArgument for an element that is not UTF-8.
absl::StatusOr<std::vector<std::string>> read_list(const char* const* list, std::string_view name) {
  std::vector<std::string> texts;
  if (list == nullptr) return texts;
  std::size_t count = 0;
  while (list[count] != nullptr) ++count;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (absl::Status status = check_text(list[i], name); !status.ok()) return status;
    texts.emplace_back(list[i]);
  }
  return texts;
}

// The options as a caller of any version has set them. Members that the caller does not know have their defaults.
absl::StatusOr<hloroof_options> known_options(const hloroof_options* given) {
  hloroof_options known = HLOROOF_OPTIONS;
  if (given == nullptr) return known;
  if (given->size < kFirstOptionsSize) {
    return invalid_argument("options.size is " + std::to_string(given->size) + "; begin with HLOROOF_OPTIONS");
  }
  constexpr std::size_t kLargest = 1 << 16;  // a larger value is garbage, not a size
  const char* bytes = reinterpret_cast<const char*>(given);
  const auto is_set = [](char byte) { return byte != 0; };
  if (given->size > kLargest ||
      std::any_of(bytes + std::min(given->size, sizeof(known)), bytes + given->size, is_set)) {
    return invalid_argument("options has a member that this version of the library does not know");
  }
  std::memcpy(&known, given, std::min(given->size, sizeof(known)));
  return known;
}

absl::StatusOr<PredictOptions> read_given(const hloroof_options& given, const Device& device) {
  OptionValues values;
  if (given.topology != nullptr) {
    if (absl::Status status = check_text(given.topology, "options.topology"); !status.ok()) return status;
    values.texts(OptionId::kTopology) = {given.topology};
  }
  values[OptionId::kSlices] = given.slices;
  values[OptionId::kPartitions] = given.partitions;
  if (given.default_trip_count != 0) values[OptionId::kDefaultTripCount] = given.default_trip_count;
  if (given.use_compiler_estimates != 0) values[OptionId::kEstimates] = std::string("compiler");
  values[OptionId::kStrict] = given.strict != 0;
  values[OptionId::kAllowOtherBackend] = given.allow_other_backend != 0;
  for (const auto& [id, list] : {std::pair(OptionId::kTripCounts, given.trip_counts), {OptionId::kSet, given.set}}) {
    absl::StatusOr<std::vector<std::string>> texts =
        read_list(list, option_name(option_row(id), OptionNames::kMembers));
    if (!texts.ok()) return texts.status();
    values[id] = *std::move(texts);
  }
  PredictOptions options;
  absl::Status status = read_options(values, OptionNames::kMembers, &device, options);
  if (!status.ok()) return status;
  return options;
}

absl::StatusOr<Target> read_device(const char* device) {
  if (absl::Status status = check_string(device, "device"); !status.ok()) return status;
  return named_target(device);
}

absl::StatusOr<Module> parse_bytes(std::string_view bytes) {
  if (recognize_bytes(bytes) == FileKind::kHlo) {
    if (absl::Status status = check_text(bytes, "text"); !status.ok()) return status;
  }
  absl::StatusOr<LoadedModule> loaded = parse_module_file(SourceText::copy(bytes, ParseOptions().path), "", {});
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->module);
}

absl::Status make_prediction(const hloroof_module& module, const char* device, const hloroof_options* given,
                             hloroof_prediction** result) {
  absl::StatusOr<Target> target = read_device(device);
  if (!target.ok()) return target.status();
  const absl::StatusOr<hloroof_options> known = known_options(given);
  if (!known.ok()) return known.status();
  const absl::StatusOr<PredictOptions> options = read_given(*known, target->device);
  if (!options.ok()) return options.status();
  absl::StatusOr<StepPrediction> prediction = predict_step_time(*module.module, *std::move(target), *options);
  if (!prediction.ok()) return prediction.status();
  *result = new hloroof_prediction{module.module, *std::move(prediction)};
  return absl::OkStatus();
}

// Stores a copy of a text for the caller.
absl::Status give_text(const absl::StatusOr<std::string>& text, char** result) {
  if (!text.ok()) return text.status();
  *result = copy_string(*text);
  return *result == nullptr ? resource_exhausted("out of memory") : absl::OkStatus();
}

// Explains one instruction.
int32_t explain_in(AnswerFormat format, const hloroof_prediction* prediction, const char* instruction, char** result,
                   char** error) {
  return guarded(error, [&]() -> absl::Status {
    if (result == nullptr) return null_argument("the pointer for the result");
    *result = nullptr;
    if (prediction == nullptr) return null_argument("prediction");
    if (absl::Status status = check_string(instruction, "instruction"); !status.ok()) return status;
    return give_text(answer_text(ExplainedOp{&prediction->prediction, instruction}, format), result);
  });
}

}  // namespace
}  // namespace hloroof::internal::inline c

using namespace hloroof::internal;

extern "C" {

int32_t hloroof_c_version(void) { return HLOROOF_C_VERSION; }

const char* hloroof_code_name(int32_t code) {
  switch (code) {
    case HLOROOF_OK: return "OK";
    case HLOROOF_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case HLOROOF_NOT_FOUND: return "NOT_FOUND";
    case HLOROOF_RESOURCE_EXHAUSTED: return "RESOURCE_EXHAUSTED";
    case HLOROOF_FAILED_PRECONDITION: return "FAILED_PRECONDITION";
    case HLOROOF_OUT_OF_RANGE: return "OUT_OF_RANGE";
    case HLOROOF_INTERNAL: return "INTERNAL";
    default: return "UNKNOWN";
  }
}

int32_t hloroof_parse(const char* text, size_t size, hloroof_module** module, char** error) {
  return guarded(error, [&]() -> absl::Status {
    if (module == nullptr) return null_argument("the pointer for the module");
    *module = nullptr;
    if (text == nullptr) return null_argument("text");
    absl::StatusOr<hloroof::Module> parsed = parse_bytes({text, size});
    if (!parsed.ok()) return parsed.status();
    *module = new hloroof_module{std::make_shared<const hloroof::Module>(*std::move(parsed))};
    return absl::OkStatus();
  });
}

int32_t hloroof_predict(const hloroof_module* module, const char* device, const hloroof_options* options,
                        hloroof_prediction** prediction, char** error) {
  return guarded(error, [&]() -> absl::Status {
    if (prediction == nullptr) return null_argument("the pointer for the prediction");
    *prediction = nullptr;
    if (module == nullptr) return null_argument("module");
    return make_prediction(*module, device, options, prediction);
  });
}

double hloroof_step_seconds(const hloroof_prediction* prediction) {
  return prediction == nullptr ? std::numeric_limits<double>::quiet_NaN() : prediction->prediction.step_seconds;
}

int32_t hloroof_prediction_json(const hloroof_prediction* prediction, char** json, char** error) {
  return guarded(error, [&]() -> absl::Status {
    if (json == nullptr) return null_argument("the pointer for the result");
    *json = nullptr;
    if (prediction == nullptr) return null_argument("prediction");
    return give_text(answer_text(PredictedStep{&prediction->prediction}, AnswerFormat::kJson), json);
  });
}

int32_t hloroof_explain(const hloroof_prediction* prediction, const char* instruction, char** text, char** error) {
  return explain_in(AnswerFormat::kText, prediction, instruction, text, error);
}

int32_t hloroof_explanation_json(const hloroof_prediction* prediction, const char* instruction, char** json,
                                 char** error) {
  return explain_in(AnswerFormat::kJson, prediction, instruction, json, error);
}

void hloroof_free(char* string) { std::free(string); }
void hloroof_free_module(hloroof_module* module) { delete module; }
void hloroof_free_prediction(hloroof_prediction* prediction) { delete prediction; }

}  // extern "C"
