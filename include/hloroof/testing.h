// Checks for unit tests that hold a program to a budget.
//
//   auto step = hloroof::predict_step_time(hlo_text, "tpu_v5e");
//   EXPECT_TRUE(hloroof::step_faster_than(step, 5e-3));  // GoogleTest
//   CHECK(hloroof::step_faster_than(step, 5e-3));        // Catch2, doctest, ...
//
// The message of a failing check has the prediction and the ops, buffers or collectives responsible. A check of a
// StatusOr without a prediction fails with the message of its status.
//
// Lifetime: a CheckResult owns its message. A Predicted refers to its argument and must not outlive it.
//
// Threads: the functions keep no state and may run on any number of threads.
#ifndef HLOROOF_TESTING_H_
#define HLOROOF_TESTING_H_

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof {
inline namespace v0 {

// The result of a check: true or false, and a message. Without a prediction, a check is false and so is its negation.
class CheckResult {
 public:
  CheckResult(bool ok, std::string message) : ok_(ok), message_(std::move(message)) {}
  // Of a check without a prediction.
  static CheckResult undecided(std::string message) {
    CheckResult result(false, std::move(message));
    result.decided_ = false;
    return result;
  }

  explicit operator bool() const { return ok_; }
  // The opposite, with the same message. Write CHECK(!step_faster_than(step, 5e-3)): CHECK_FALSE and EXPECT_FALSE
  // cannot tell a missing prediction from a check that does not hold.
  CheckResult operator!() const {
    CheckResult result = *this;
    result.ok_ = decided_ && !ok_;
    return result;
  }
  // The first line has the expectation and the finding. If the check failed, an explanation follows.
  const std::string& message() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return message_; }

  // Converts to GoogleTest's AssertionResult, so that EXPECT_TRUE prints the message. Any type works that is
  // constructible from a bool, accepts text with << and has failure_message().
  template <typename Result, typename = decltype(std::declval<const Result&>().failure_message())>
  operator Result() const {  // NOLINT(google-explicit-constructor): EXPECT_TRUE needs the implicit conversion
    Result result(ok_);
    result << message_;
    return result;
  }

 private:
  bool ok_;
  bool decided_ = true;
  std::string message_;
};
inline std::ostream& operator<<(std::ostream& out, const CheckResult& result) { return out << result.message(); }

// The argument of every check: a prediction or an error. Converts implicitly from both and refers to its argument.
struct Predicted {
  // NOLINTBEGIN(google-explicit-constructor)
  Predicted(const StepPrediction& prediction ABSL_ATTRIBUTE_LIFETIME_BOUND) : step(&prediction) {}
  Predicted(const absl::StatusOr<StepPrediction>& prediction ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : step(prediction.ok() ? &*prediction : nullptr), error(prediction.ok() ? nullptr : &prediction.status()) {}
  // NOLINTEND(google-explicit-constructor)
  // Only an argument: a copy could outlive what it refers to.
  Predicted(const Predicted&) = delete;
  Predicted& operator=(const Predicted&) = delete;

  const StepPrediction* step = nullptr;  // null if there is none
  const absl::Status* error = nullptr;   // null if there is a prediction
};

// The step takes less than `seconds`. A failure shows the ops that take the most time.
CheckResult step_faster_than(const Predicted& step, double seconds);

// The step takes at most (1 + tolerance) times as long as `before`. A failure shows what changed.
CheckResult no_slower_than(const Predicted& step, const Predicted& before, double tolerance = 0);

// The model FLOP utilization is above `share`, 0 .. 1. False if it is unknown. A failure shows the ops.
CheckResult mfu_above(const Predicted& step, double share);

// `resource` bounds the step: "mxu", "hbm", "ici", ... as in StepPrediction::bound. A failure shows how busy each
// resource is.
CheckResult bound_by(const Predicted& step, std::string_view resource);

// Exposed communication takes less than `seconds`. A failure shows the collectives.
CheckResult exposed_communication_below(const Predicted& step, double seconds);

// The program fits into HBM; the peak in HBM is below `bytes`. A failure shows the largest buffers at the peak.
CheckResult fits_in_memory(const Predicted& step);
CheckResult peak_memory_below(const Predicted& step, double bytes);

// There is no diagnostic with this code ("unknown-trip-count"); there is no warning or error. A failure shows the
// diagnostics.
CheckResult has_no_diagnostic(const Predicted& step, std::string_view code);
CheckResult has_no_warning(const Predicted& step);

// At most `share` (0 .. 1) of the step is unknown. Combine this with every budget, because an unknown op counts only
// the bytes of its operands and results. A failure shows the diagnostics.
CheckResult unknown_at_most(const Predicted& step, double share = 0);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_TESTING_H_
