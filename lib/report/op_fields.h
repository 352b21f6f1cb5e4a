// The fields of an op record, which JSON, CSV and the schema share.
#ifndef HLOROOF_LIB_REPORT_OP_FIELDS_H_
#define HLOROOF_LIB_REPORT_OP_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hloroof/predict.h"
#include "lib/report/prediction_json.h"

namespace hloroof::internal {

// Returns nullopt for an empty text, which JSON writes as null.
inline std::optional<std::string_view> text_or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::string_view(text);
}

// Calls field(name, value) for each field, in the order of the schema. A value is a std::string_view, a double, or a
// std::optional of one of these or of std::int64_t.
template <typename Field>
void for_each_op_field(const OpPrediction& op, Field&& field) {
  field("name", std::string_view(op.name));
  field("computation", std::string_view(op.computation));
  field("opcode", std::string_view(op.opcode));
  field("category", std::string_view(op.category));
  field("executions", op.executions);
  field("seconds", op.seconds);
  field("total_seconds", op.total_seconds);
  field("exposed_seconds", op.exposed_seconds);
  field("critical_seconds", op.critical_seconds);
  field("bound", text_or_null(op.bound));
  field("flops", op.work.flops);
  field("transcendentals", op.work.transcendentals);
  field("hbm_bytes", op.work.read.hbm + op.work.written.hbm);
  field("vmem_bytes", op.work.read.vmem + op.work.written.vmem);
  field("wire_bytes", op.time.wire_bytes);
  field("logical_bytes", op.work.logical_bytes);
  field("padded_bytes", op.work.padded_bytes);
  field("efficiency", op.seconds > 0 ? std::optional<double>(op.efficiency) : std::nullopt);
  field("source", cost_source_name(op.source));
  field("op_name", text_or_null(op.op_name));
  field("source_file", text_or_null(op.source_file));
  field("source_line", op.source_line > 0 ? std::optional<std::int64_t>(op.source_line) : std::nullopt);
}

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_OP_FIELDS_H_
