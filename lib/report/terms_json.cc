#include "lib/report/terms_json.h"
#include "lib/hardware/device_facts.h"

#include <algorithm>

#include "lib/hardware/names.h"

namespace hloroof::internal {
namespace {

void write_term(const Term& term, JsonWriter& out) {
  out.begin_object();
  out.member("name", std::string_view(term.name));
  out.member("seconds", term.seconds);
  const double scale = term.scale();
  if (term.is_leaf()) {
    out.member("amount", term.amount);
    if (!term.unit.empty()) out.member("unit", term.unit);
    out.member("rate", 1 / scale);
  } else {
    out.member("combine", combine_name(term.combine));
    if (term.combine == Combine::kNorm) out.member("exponent", term.exponent);
    if (scale != 1) out.member("scale", scale);
  }
  std::vector<std::string_view> paths;
  for (const Factor& factor : term.factors) {
    paths.insert(paths.end(), factor.parameters.begin(), factor.parameters.end());
  }
  if (!term.exponent_parameter.empty()) paths.push_back(term.exponent_parameter);
  if (!paths.empty()) {
    out.key("parameters");
    out.begin_array();
    for (const std::string_view path : paths) out.value(path);
    out.end_array();
  }
  if (!term.note.empty()) out.member("note", std::string_view(term.note));
  if (!term.is_leaf()) {
    out.key("children");
    out.begin_array();
    for (const Term& child : term.children) write_term(child, out);
    out.end_array();
  }
  out.end_object();
}

}  // namespace

void write_json(const Term& term, JsonWriter& out) {
  if (term.seconds > 0) {
    write_term(term, out);
  } else {
    out.null();
  }
}

void write_parameters(const std::vector<std::string_view>& paths, const Device& device, JsonWriter& out) {
  out.begin_array();
  for (const Parameter& parameter : parameters(device)) {
    if (!std::binary_search(paths.begin(), paths.end(), parameter.path)) continue;
    out.begin_object();
    out.member("path", std::string_view(parameter.path));
    out.member("value", to_optional(parameter.value));
    out.member("unit", std::string_view(parameter.unit));
    out.member("kind", word_of(kProvenanceWords, parameter.source.kind));
    out.member("source", std::string_view(parameter.source.source));
    out.end_object();
  }
  out.end_array();
}

}  // namespace hloroof::internal
