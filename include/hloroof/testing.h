// Unit tests that hold a program to a budget.
//
//   auto step = hloroof::predict_step_time(hlo_text, "tpu_v5e");
//   EXPECT_TRUE(hloroof::step_faster_than(step, 5e-3));     // GoogleTest
//   CHECK(hloroof::step_faster_than(step, 5e-3));           // Catch2, doctest, ...
//   CHECK_THAT(step, hloroof::matchers::step_faster_than(5e-3));  // Catch2, with hloroof/testing_catch2.h
//
// A check that fails explains itself: what was predicted, where the time goes or which buffers are in the way. Every
// check also fails, with the status' message, when it is given a StatusOr that holds no prediction.
#ifndef HLOROOF_TESTING_H_
#define HLOROOF_TESTING_H_

#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof {
inline namespace v0 {

// What a check found: true or false, and why in words.
class CheckResult {
 public:
  CheckResult(bool ok, std::string message) : ok_(ok), message_(std::move(message)) {}

  explicit operator bool() const { return ok_; }
  bool ok() const { return ok_; }
  // The first line says what was asked and what was found; below it stands what explains that. Of a check that holds
  // the first line alone.
  const std::string& message() const { return message_; }

  // GoogleTest's AssertionResult, or anything else that is made from a bool, takes text by << and has
  // failure_message(): so EXPECT_TRUE prints the message.
  template <typename Result, typename = decltype(std::declval<const Result&>().failure_message())>
  operator Result() const {  // NOLINT(google-explicit-constructor): what a check gives stands where theirs does
    Result result(ok_);
    result << message_;
    return result;
  }

 private:
  bool ok_;
  std::string message_;
};

inline std::ostream& operator<<(std::ostream& out, const CheckResult& result) { return out << result.message(); }

// A prediction, or why there is none: what every check takes. Made implicitly from either; refers to it.
class Predicted {
 public:
  Predicted(const StepPrediction& step) : step_(&step) {}  // NOLINT(google-explicit-constructor)
  Predicted(const absl::StatusOr<StepPrediction>& step)    // NOLINT(google-explicit-constructor)
      : step_(step.ok() ? &*step : nullptr), status_(step.ok() ? nullptr : &step.status()) {}

  const StepPrediction* step() const { return step_; }   // null if there is none
  const absl::Status* error() const { return status_; }  // null if there is a prediction

 private:
  const StepPrediction* step_ = nullptr;
  const absl::Status* status_ = nullptr;
};

// The step takes less than `seconds`. Explained by the ops that take the most of it.
CheckResult step_faster_than(const Predicted& step, double seconds);

// The step takes at most (1 + tolerance) times what `before` takes. Explained by what changed.
CheckResult no_slower_than(const Predicted& step, const Predicted& before, double tolerance = 0);

// The model FLOP utilization is above `share`, 0 .. 1; false where it is not known. Explained by the ops.
CheckResult mfu_above(const Predicted& step, double share);

// `resource` bounds the step: "mxu", "hbm", "ici", ... as in StepPrediction::bound. Explained by how busy each is.
CheckResult bound_by(const Predicted& step, std::string_view resource);

// Communication that nothing hides takes less than `seconds`, or than `share` (0 .. 1) of the step. Explained by the
// collectives.
CheckResult exposed_communication_below(const Predicted& step, double seconds);
CheckResult exposed_communication_share_below(const Predicted& step, double share);

// HBM holds the program; the peak in HBM is below `bytes`. Explained by the largest buffers at the peak.
CheckResult fits_in_memory(const Predicted& step);
CheckResult peak_memory_below(const Predicted& step, double bytes);

// No diagnostic has this code ("unknown-trip-count"); there is none of severity warning or error. Explained by those
// there are.
CheckResult has_no_diagnostic(const Predicted& step, std::string_view code);
CheckResult has_no_warning(const Predicted& step);

// At most `share` (0 .. 1) of the step is unknown: a budget is only worth what is known of the program. Explained by
// the diagnostics.
CheckResult unknown_at_most(const Predicted& step, double share = 0);

}  // namespace v0
}  // namespace hloroof

// The matchers come along where Catch2 was included before.
#if defined(CATCH_VERSION_MAJOR) || defined(CATCH_TEST_MACROS_HPP_INCLUDED)
#include "hloroof/testing_catch2.h"
#endif

#endif  // HLOROOF_TESTING_H_
