// Converts absl::Status to the exceptions of the Python package.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_ERRORS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_ERRORS_H_

#include <nanobind/nanobind.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hloroof::internal::inline python {

// Adds Error and its subclasses, one for each kind of status, to the module.
void add_errors(nanobind::module_& module);

// Throws the exception for `status` with its unchanged message, which includes place, source line and caret.
[[noreturn]] void raise(const absl::Status& status);

template <typename T>
T value_or_raise(absl::StatusOr<T> value) {
  if (!value.ok()) raise(value.status());
  return *std::move(value);
}

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_ERRORS_H_
