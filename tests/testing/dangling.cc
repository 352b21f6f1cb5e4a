// Clang must find the references to temporaries in all cases but 0: -DCASE=N -Werror=dangling (CMakeLists.txt).
#include "hloroof/parse.h"
#include "hloroof/testing.h"

hloroof::StepPrediction prediction();
absl::StatusOr<hloroof::StepPrediction> status_or_prediction();
hloroof::Module module();

void use() {
#if CASE == 0  // temporaries that live as long as the check, and names for what lives longer
  static_cast<void>(hloroof::step_faster_than(prediction(), 1));
  static_cast<void>(hloroof::no_slower_than(status_or_prediction(), prediction()));
  const hloroof::StepPrediction kept = prediction();
  const hloroof::Predicted argument = kept;
  static_cast<void>(argument);
  const hloroof::Module owned = module();
  const hloroof::ComputationView entry = owned.entry();
  static_cast<void>(entry);
  static_cast<void>(module().entry().name().empty());
#elif CASE == 1
  const hloroof::Predicted argument = prediction();
  static_cast<void>(argument);
#elif CASE == 2
  const hloroof::Predicted argument(status_or_prediction());
  static_cast<void>(argument);
#elif CASE == 3
  const hloroof::ComputationView entry = module().entry();
  static_cast<void>(entry);
#elif CASE == 4
  const std::string_view name = module().name();
  static_cast<void>(name);
#elif CASE == 5
  for (hloroof::ComputationView computation : module().computations()) static_cast<void>(computation);
#elif CASE == 6
  const hloroof::InstructionView first = module().instruction({});
  static_cast<void>(first);
#elif CASE == 7
  const std::string& message = hloroof::fits_in_memory(prediction()).message();
  static_cast<void>(message);
#elif CASE == 8
  const hloroof::Shape& shape = module().shape({});
  static_cast<void>(shape);
#endif
}
