#include "lib/fronts/python/errors.h"

#include <string>

namespace nb = nanobind;

namespace hloroof::internal::inline python {
namespace {

// The module whose dictionary has the exceptions by name.
constexpr char kModule[] = "hloroof._core";

void add_error(nb::module_& module, const char* name, const nb::handle& bases, const char* doc) {
  const std::string qualified = std::string("hloroof.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(qualified.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::steal(type);
}

const char* error_name(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument: return "InvalidInputError";
    case absl::StatusCode::kNotFound: return "NotFoundError";
    case absl::StatusCode::kFailedPrecondition: return "IncompleteError";
    case absl::StatusCode::kResourceExhausted: return "LimitError";
    default: return "Error";
  }
}

}  // namespace

void add_errors(nb::module_& module) {
  add_error(module, "Error", PyExc_Exception, "The base class of all hloroof exceptions.");
  const nb::object base = module.attr("Error");
  const auto derived = [&](PyObject* builtin) { return nb::make_tuple(base, nb::handle(builtin)); };
  add_error(
      module, "InvalidInputError", derived(PyExc_ValueError),
      "The text is not valid HLO, or an option does not match it. For text the message has line, column and a caret.");
  add_error(module, "NotFoundError", derived(PyExc_LookupError),
            "A device, instruction or file does not exist. The message lists the nearest names.");
  add_error(module, "IncompleteError", base, "Something is unknown and strict=True was set.");
  add_error(module, "LimitError", base, "The text exceeds a limit that protects against hostile input.");
}

void raise(const absl::Status& status) {
  const std::string message(status.message());
  const nb::object type = nb::module_::import_(kModule).attr(error_name(status.code()));
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

}  // namespace hloroof::internal::inline python
