// The anatomy of one instruction in words and numbers.
#ifndef HLOROOF_LIB_REPORT_EXPLAIN_H_
#define HLOROOF_LIB_REPORT_EXPLAIN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof::inline v0 {

// Explains the instruction called `name` (with or without %): its line, what each part of its shapes says, logical
// against padded bytes, the work, what each resource would take for it and which of them is the roof, how often it runs
// and what that is of the step, the axes of a collective, and where in the program it comes from. Errors: NotFound,
// with names that are alike; those of predict_step_time.
absl::StatusOr<std::string> explain(const Module& module, const Device& device, std::string_view name,
                                    const PredictOptions& options = {}, std::size_t width = 80);

// One array's shape in words, a line each: element type, dimensions, order in memory, tiles, memory space, bytes.
std::string explain_shape(const Shape& shape, DeviceFamily family, std::size_t indent);

// Which two dimensions in the tiles would leave least padding, and how many bytes that would be; empty where no other
// order would be smaller by a fifth.
std::string padding_advice(const Shape& shape);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_EXPLAIN_H_
