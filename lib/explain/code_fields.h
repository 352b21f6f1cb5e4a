// The fields of the records about final code; see record.h.
#ifndef HLOROOF_LIB_EXPLAIN_CODE_FIELDS_H_
#define HLOROOF_LIB_EXPLAIN_CODE_FIELDS_H_

#include <optional>

#include "lib/code/code_rows.h"
#include "lib/describe/record.h"
#include "lib/results/prediction_fields.h"

namespace hloroof::internal {

template <>
struct Described<CodeUnitRow> {
  static constexpr RecordInfo kInfo = {"code_unit", "CodeUnit",
                                       "What a run of final code issues to a unit of the core."};
  static constexpr auto kFields = fields(
      field("unit", "MXU, XLU, VALU, EUP, VPOP, VLD, VST, SALU or other.", &CodeUnitRow::unit),
      field("cycles", Unit::kCount, "Bundles that ran and have an instruction for the unit.", &CodeUnitRow::cycles),
      field("instructions", Unit::kCount, "Instructions for the unit that ran.", &CodeUnitRow::instructions));
};

template <>
struct Described<CodeRow> {
  static constexpr RecordInfo kInfo = {
      "code", "Code",
      "The final code of an instruction, followed bundle by bundle. Numbers of a run are null if they are not known."};
  static constexpr auto kFields = fields(
      field("op", "Instruction whose code it is, without %.", &CodeRow::op),
      field("file", "Path of the code.", &CodeRow::file),
      field("opcode", "Opcode of the instruction; null if the dump has no module that says it.",
            or_null(&CodeRow::opcode)),
      field("op_name", "op_name of the metadata.", or_null(&CodeRow::op_name)),
      field("source_file", "Source file of the metadata.", or_null(&CodeRow::source_file)),
      field("source_line", Unit::kCount, "Line in source_file.",
            [](const CodeRow& row) {
              return row.source_line > 0 ? std::optional<std::int64_t>(row.source_line) : std::nullopt;
            }),
      field("core", Unit::kCount, "Core that the numbers are of: the one that takes longest.", &CodeRow::core),
      field("bundles", Unit::kCount, "Bundles of the code.", &CodeRow::bundles),
      field("seconds", Unit::kSeconds, "Time of one run: cycles at the clock of the device.", &CodeRow::seconds),
      field("model_seconds", Unit::kSeconds,
            "Time of one run in a prediction that does not read the code; null if the dump has no program.",
            &CodeRow::model_seconds),
      field("cycles", Unit::kCount, "Cycles of one run, until its last transfer is done.", &CodeRow::cycles),
      field("busy_cycles", Unit::kCount, "Bundles that run.", &CodeRow::busy_cycles),
      field("empty_cycles", Unit::kCount, "Bundles that run and have no instruction: a result is awaited.",
            &CodeRow::empty_cycles),
      field("waiting_cycles", Unit::kCount, "Cycles in which the core waits for transfers.", &CodeRow::waiting_cycles),
      field("draining_cycles", Unit::kCount, "Cycles after the last bundle, until the last transfer is done.",
            &CodeRow::draining_cycles),
      field("vector_spills", Unit::kCount, "Instructions of the code that store a vector register to free it.",
            &CodeRow::vector_spills),
      field("vector_fills", Unit::kCount, "Instructions of the code that load such a register again.",
            &CodeRow::vector_fills),
      field("scalar_spills", Unit::kCount, "Instructions of the code that store a scalar register to free it.",
            &CodeRow::scalar_spills),
      field("scalar_fills", Unit::kCount, "Instructions of the code that load such a register again.",
            &CodeRow::scalar_fills),
      field("vector_spills_run", Unit::kCount, "How many of vector_spills run.", &CodeRow::vector_spills_run),
      field("vector_fills_run", Unit::kCount, "How many of vector_fills run.", &CodeRow::vector_fills_run),
      field("hbm_bytes_read", Unit::kBytes, "Bytes that transfers read from HBM.", &CodeRow::bytes_read),
      field("hbm_bytes_written", Unit::kBytes, "Bytes that transfers write to HBM.", &CodeRow::bytes_written),
      field("hbm_bytes_either", Unit::kBytes, "Bytes of transfers of which the code does not say whether they read.",
            &CodeRow::bytes_either),
      field("transfers", Unit::kCount, "Transfers that start.", &CodeRow::transfers),
      field("waits", Unit::kCount, "Waits for transfers that stop the core.", &CodeRow::waits),
      field("failure", "Why it is not known which bundles run; null if it is.", or_null(&CodeRow::failure)),
      field("transfer_failure", "Why the transfers are not known; null if they are.",
            or_null(&CodeRow::transfer_failure)),
      field("unread", "Scalar instructions of the code whose meaning is not known.", &CodeRow::unread),
      field("units", "What runs on each unit.", &CodeRow::units));
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_EXPLAIN_CODE_FIELDS_H_
