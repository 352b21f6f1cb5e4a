// Seconds on the vector units.
#ifndef HLOROOF_LIB_COST_VECTOR_TIME_H_
#define HLOROOF_LIB_COST_VECTOR_TIME_H_

#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

// What the seconds of the vector units are made of.
struct VectorTerms {
  double operations = 0;  // of f32 ALUs: elements times what an operation of that kind and type costs
  double operation_seconds = 0;
  double results = 0;  // of the transcendental unit
  double result_seconds = 0;
  double registers = 0;  // through the cross-lane unit
  double register_seconds = 0;
  double relaid_registers = 0;  // the same, where an array takes another layout
  double relayout_seconds = 0;
  double partial_registers = 0;  // updated in part, which the ALUs do
  double partial_seconds = 0;

  // The slowest of the ALUs, the transcendental unit and the cross-lane unit, which run side by side.
  double seconds() const;
  double seconds_without_relayout() const;
};
VectorTerms vector_terms(const Work& work, const Device& device);
VectorTerms vector_terms(const std::vector<VectorWork>& work, const Device& device);

// Whether the cross-lane unit does it, where there is one, and not the ALUs.
bool is_on_cross_lane_unit(const VectorWork& work, const VectorUnit& unit);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_VECTOR_TIME_H_
