// What most functions of the extension module do first: they find the device and predict the module on it.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_SUBJECT_H_
#define HLOROOF_LIB_FRONTS_PYTHON_SUBJECT_H_

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/answer/answer.h"
#include "lib/fronts/python/errors.h"

namespace hloroof::internal::inline python {

// Runs `work` without the GIL; it must not use Python objects. Raises an exception if it returns an error.
template <typename Work>
auto without_gil(const Work& work) {
  auto result = [&] {
    const nanobind::gil_scoped_release release;
    return work();
  }();
  return value_or_raise(std::move(result));
}

// Predicts `module`, which must outlive the facts of the result. Errors: those of named_target() and
// predict_step_time().
absl::StatusOr<StepPrediction> predict_on(const Module& module, const std::string& device,
                                          const PredictOptions& options);

// The text and the JSON that the command prints.
using Texts = std::pair<std::string, std::string>;

// Errors: those of answer_as_text_and_json().
absl::StatusOr<Texts> texts_of(const Found& found, const ViewOptions& view = {});

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_SUBJECT_H_
