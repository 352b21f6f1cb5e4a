// The options of a prediction as data. The options of the command, the keywords of Python, JSON, the C interface, and
// the command line that a report prints are all made from these rows, so they cannot disagree.
#ifndef HLOROOF_LIB_REQUEST_OPTIONS_H_
#define HLOROOF_LIB_REQUEST_OPTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline request {

enum class OptionId : std::uint8_t {
#define HLOROOF_OPTION(id, flag, key, member, Form, argument, group, extent, text) id,
#define HLOROOF_MEMBER_WITHOUT_OPTION(member)
#include "lib/request/option.def"
};

inline constexpr std::size_t kOptionCount = 0
#define HLOROOF_OPTION(id, flag, key, member, Form, argument, group, extent, text) +1
#define HLOROOF_MEMBER_WITHOUT_OPTION(member)
#include "lib/request/option.def"
    ;

// An option as it is written: the words behind it on a command line. A list has one text for each time that the option
// is given, or for each part if it is split at commas.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

// What a value looks like. JSON has an object where the texts are NAME=VALUE, and a list where a text has commas.
enum class OptionForm : std::uint8_t {
  kFlag,
  kCount,                // from 1; 0: not given
  kWhole,                // from 0
  kRatio,                // from 1
  kAmount,               // above 0; 0: not given
  kEstimates,            // "model" or "compiler"
  kSwitch,               // "on" or "off"; in JSON true or false
  kElementBytes,         // "s8"
  kTopology,             // "4x4"
  kWords,                // split at commas
  kTripCounts,           // NAME=N
  kBranchProbabilities,  // NAME=P,P
  kCustomCalls,          // TARGET=flops:N,bytes:N
  kKernelLists,          // NAME.OPERAND=[N,N]
  kSettings,             // PARAMETER=NUMBER
  kMeshAxes,             // one text, "data=4,model=2"
  kText,                 // any text
  kDeviceIds,            // one text, "0,2,1,3"
};

// How a value is read.
struct Reading {
  std::string name;                // of the option in messages: "--trip-count", "trip_counts"
  const Device* device = nullptr;  // for kSet; null: kSet is left out, because the caller reads it for each device
};

struct OptionRow {
  OptionId id;
  std::string_view flag;  // empty: not on a command line
  std::string_view key;
  OptionForm form;
  std::int64_t least;  // of a whole number
  std::string_view argument;
  std::string_view group;
  bool rare;
  std::string_view text;
  OptionValue (*write)(const PredictOptions& options);
  absl::Status (*read)(const OptionValue& value, const Reading& reading, PredictOptions& options);

  // Whether it determines how much work a module is.
  bool is_work() const { return group == "Program" && id != OptionId::kStrict; }
  // Whether a text on the command line is several, split at commas.
  bool is_split() const { return form == OptionForm::kTopology || form == OptionForm::kWords; }
};

absl::Span<const OptionRow> option_rows();
const OptionRow& option_row(OptionId id);

// The values of all options. Those that nobody sets are as in PredictOptions().
class OptionValues {
 public:
  OptionValues();

  OptionValue& operator[](OptionId id) { return values_[static_cast<std::size_t>(id)]; }
  const OptionValue& operator[](OptionId id) const { return values_[static_cast<std::size_t>(id)]; }
  bool is_set(OptionId id) const;
  // Of an option whose value is a list.
  std::vector<std::string>& texts(OptionId id) { return std::get<std::vector<std::string>>((*this)[id]); }
  const std::vector<std::string>& texts(OptionId id) const { return std::get<std::vector<std::string>>((*this)[id]); }

 private:
  std::array<OptionValue, kOptionCount> values_;
};

// How a front calls its options in messages.
enum class OptionNames : std::uint8_t {
  kFlags,    // "--trip-count"
  kKeys,     // "trip_counts"
  kMembers,  // "options.trip_counts"
};

std::string option_name(const OptionRow& row, OptionNames names);

// Reads all values. Errors: InvalidArgument naming the option and the form it takes; those of points_of() for kSet.
absl::Status read_options(const OptionValues& values, OptionNames names, const Device* device, PredictOptions& options);

// The options that differ from the defaults, as the command takes them: {"--trip-count", "while=16"}. The value of a
// flag is empty.
std::vector<std::pair<std::string, std::string>> command_options(const PredictOptions& options);

// The text as one word of a POSIX shell: quoted if it has other characters than those of names, paths and numbers.
std::string shell_word(std::string_view text);

}  // namespace hloroof::internal::inline request

#endif  // HLOROOF_LIB_REQUEST_OPTIONS_H_
