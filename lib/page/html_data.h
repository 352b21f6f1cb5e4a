// The data of the page as JSON. The scripts in html/ draw everything from it.
#ifndef HLOROOF_LIB_PAGE_HTML_DATA_H_
#define HLOROOF_LIB_PAGE_HTML_DATA_H_

#include <span>
#include <string_view>

#include "hloroof/predict.h"
#include "lib/describe/json_writer.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline page {

// Writes the members "columns", "glossary" and "version", which all predictions share. "columns" describes the values
// in the row of an op: the fields of prediction_fields.h, then further ones without a unit. In a column that is
// "shared", the row has an index into "shared" of its prediction instead of the value, because most ops of a large
// program have the same values there.
void write_page_members(JsonWriter& out);

// Writes the object of one prediction. `file` is the path of the module; it may be empty. Reads prediction.facts.
//   {"file": "step.hlo", "prediction": {...}, "verdict": "...", "layers": [...], "options": [["--topology", "4x4"]],
//   "roofs": [...],
//    "shared": [...],
//    "shapes": [["f32[8]{0}", "words about its layout"]], "ops": [[...]],
//    "timeline": [[op, lane, begin, end, awaited op or null]], "memory": {...}}
// Ops are referred to by their index in "ops". The events of a `measured` run precede those of the prediction, on lanes
// of their own.
void write_page_step(std::string_view file, const StepPrediction& prediction, JsonWriter& out,
                     std::span<const MeasuredEvent> measured = {});

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_HTML_DATA_H_
