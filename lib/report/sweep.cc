#include "lib/report/sweep.h"

#include "lib/report/csv.h"
#include "lib/report/json_writer.h"
#include "lib/report/op_fields.h"

namespace hloroof::inline v0 {
namespace {

// The fields of a point behind the parameters that were set; SI units.
template <typename Field>
void for_each_result(const StepPrediction& p, Field&& field) {
  field("step_seconds", p.step_seconds);
  field("lower_bound_seconds", p.lower_bound_seconds);
  field("serial_seconds", p.serial_seconds);
  field("bound", text_or_null(p.bound));
  field("mfu", p.mfu);
  field("exposed_communication_seconds", p.exposed_communication_seconds);
  field("hbm_peak_bytes", p.memory.hbm_peak_bytes);
  field("capacity_bytes", p.memory.capacity_bytes);
  field("modelled", p.modelled_share);
}

}  // namespace

std::string sweep_csv(const std::vector<NamedPrediction>& points) {
  CsvLine line;
  for (const char* title : {"file", "device", "topology", "slices"}) line.add(title);
  if (!points.empty()) {
    for (const auto& [parameter, value] : points.front().second.set) line.add(parameter);
  }
  for_each_result(StepPrediction(), [&line](std::string_view name, const auto&) { line.add(name); });
  std::string out = line.take();
  for (const auto& [file, p] : points) {
    line.add(file);
    line.add(p.device);
    line.add(p.topology);
    line.add(p.slices);
    for (const auto& [parameter, value] : p.set) line.add(value);
    for_each_result(p, [&line](std::string_view, const auto& value) { line.add(value); });
    out += line.take();
  }
  return out;
}

std::string sweep_json(const std::vector<NamedPrediction>& points) {
  JsonWriter out;
  out.begin_object();
  out.member("schema", "hloroof.sweep/1");
  out.key("points");
  out.begin_array();
  for (const auto& [file, p] : points) {
    out.begin_object();
    out.member("file", std::string_view(file));
    out.member("device", std::string_view(p.device));
    out.member("topology", std::string_view(p.topology));
    out.member("slices", p.slices);
    out.key("set");
    out.begin_object();
    for (const auto& [parameter, value] : p.set) out.member(parameter, value);
    out.end_object();
    for_each_result(p, [&out](std::string_view name, const auto& value) { out.member(name, value); });
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take_document();
}

}  // namespace hloroof::inline v0
