// What a program would need at another size, as text and JSON.
#ifndef HLOROOF_LIB_SCALE_SCALE_REPORT_H_
#define HLOROOF_LIB_SCALE_SCALE_REPORT_H_

#include <string>

#include "lib/describe/schema.h"
#include "lib/describe/table.h"
#include "lib/scale/scale.h"

namespace hloroof::internal::inline scale {

// The predictions of both sizes, what was changed, and what is assumed.
std::string scale_view(const ScaleResult& result, const TextLayout& layout);

// Schema "hloroof.scale/1".
std::string scale_json(const ScaleResult& result);

ResultTable scale_table();

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_SCALE_REPORT_H_
