// Computes seconds on the vector units.
#ifndef HLOROOF_LIB_TIME_VECTOR_TIME_H_
#define HLOROOF_LIB_TIME_VECTOR_TIME_H_

#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/time/missing_numbers.h"

namespace hloroof::internal {

// The parts of the seconds of the vector units.
struct VectorTerms {
  double operations = 0;  // on the f32 ALUs: elements times the cost of one operation of that kind and type
  double operation_seconds = 0;
  double results = 0;  // from the transcendental unit
  double result_seconds = 0;
  double registers = 0;  // through the cross-lane unit
  double register_seconds = 0;
  double relaid_registers = 0;  // through the cross-lane unit, for arrays that change layout
  double relayout_seconds = 0;
  double partial_registers = 0;  // partially updated; the ALUs do this
  double partial_seconds = 0;

  // The slowest of the ALUs, the transcendental unit and the cross-lane unit, which run in parallel.
  double seconds() const;
  double seconds_without_relayout() const;
};
VectorTerms vector_terms(const Work& work, const Device& device, MissingNumbers* missing = nullptr);
VectorTerms vector_terms(const std::vector<VectorWork>& work, const Device& device, MissingNumbers* missing = nullptr);

// Whether the cross-lane unit of a TPU does `work`, and not the ALUs.
bool is_on_cross_lane_unit(const VectorWork& work, const TpuCore& core);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TIME_VECTOR_TIME_H_
