// How each kind of member of PredictOptions is written as an OptionValue and read from it. The rows of option.def name
// these structs. write() gives what read() accepts.
#ifndef HLOROOF_LIB_REQUEST_FORMS_H_
#define HLOROOF_LIB_REQUEST_FORMS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/cost.h"
#include "hloroof/predict.h"
#include "lib/request/options.h"

namespace hloroof::internal::inline request::forms {

template <OptionForm form, typename Member, std::int64_t least = 0>
struct FormOf {
  static constexpr OptionForm kForm = form;
  static constexpr std::int64_t kLeast = least;
  static OptionValue write(const Member& member);
  static absl::Status read(const OptionValue& value, const Reading& reading, Member& member);
};

using Flag = FormOf<OptionForm::kFlag, bool>;
using Count = FormOf<OptionForm::kCount, std::optional<std::int64_t>, 1>;
using Whole = FormOf<OptionForm::kWhole, std::int64_t>;
using Ratio = FormOf<OptionForm::kRatio, double>;
using Amount = FormOf<OptionForm::kAmount, std::optional<double>>;
using Estimates = FormOf<OptionForm::kEstimates, EstimateSource>;
using Switch = FormOf<OptionForm::kSwitch, std::optional<bool>>;
using ElementBytes = FormOf<OptionForm::kElementBytes, std::optional<double>>;
using Topology = FormOf<OptionForm::kTopology, std::optional<std::string>>;
using Words = FormOf<OptionForm::kWords, std::vector<std::string>>;
using TripCounts = FormOf<OptionForm::kTripCounts, std::map<std::string, std::int64_t>>;
using BranchProbabilities = FormOf<OptionForm::kBranchProbabilities, std::map<std::string, std::vector<double>>>;
using CustomCalls = FormOf<OptionForm::kCustomCalls, std::vector<CustomCallCost>>;
using KernelLists = FormOf<OptionForm::kKernelLists, std::vector<KernelList>>;
using Settings = FormOf<OptionForm::kSettings, std::vector<std::pair<std::string, double>>>;
using Text = FormOf<OptionForm::kText, std::string>;
using MeshAxes = FormOf<OptionForm::kMeshAxes, std::vector<std::pair<std::string, std::int64_t>>>;
using DeviceIds = FormOf<OptionForm::kDeviceIds, std::vector<std::int64_t>>;

}  // namespace hloroof::internal::inline request::forms

#endif  // HLOROOF_LIB_REQUEST_FORMS_H_
