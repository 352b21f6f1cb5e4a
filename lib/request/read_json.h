// The options of a prediction in JSON, which the keywords of Python become:
//
//   {"topology": "4x4", "trip_counts": {"while": 16}, "set": {"hbm.bandwidth": "2x"}, "mesh": {"data": 4, "model": 2}}
#ifndef HLOROOF_LIB_REQUEST_READ_JSON_H_
#define HLOROOF_LIB_REQUEST_READ_JSON_H_

#include "absl/status/status.h"
#include "lib/base/json.h"
#include "lib/request/options.h"

namespace hloroof::internal::inline request {

// Stores the members of `object`, which have the keys of option.def, as values. A null leaves the default. Errors:
// InvalidArgument for an unknown key, with the nearest ones, and for a value of another kind.
absl::Status read_option_values(const OrderedJson& object, OptionValues& values);

}  // namespace hloroof::internal::inline request

#endif  // HLOROOF_LIB_REQUEST_READ_JSON_H_
