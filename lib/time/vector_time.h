// Computes seconds on the vector units.
#ifndef HLOROOF_LIB_TIME_VECTOR_TIME_H_
#define HLOROOF_LIB_TIME_VECTOR_TIME_H_

#include <string_view>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/time/numbers.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {

// The seconds of each part of the vector units. The ALUs, the transcendental unit and the cross-lane unit run in
// parallel.
template <class Num>
struct VectorTime {
  Num operation_seconds = 0.0;  // on the ALUs
  Num partial_seconds = 0.0;    // on the ALUs, for registers that are partially updated
  Num row_seconds = 0.0;        // of rows that are found by number, one after another
  Num chain_seconds = 0.0;      // of operations on the ALUs that wait for one another
  Num in_turn_seconds = 0.0;    // of cross-lane operations that wait for one another, while nothing else is done
  Num result_seconds = 0.0;     // on the transcendental unit
  Num register_seconds = 0.0;   // on the cross-lane unit
  Num relayout_seconds = 0.0;   // on the cross-lane unit, for arrays that change layout

  Num seconds(std::string_view name = "vector units") const {
    return slowest(name, seconds_without_relayout(name), sum("across lanes", register_seconds, relayout_seconds));
  }
  Num seconds_without_relayout(std::string_view name = "vector units") const {
    return sum("vector units and their waits",
               slowest(name, sum("vector ALUs", operation_seconds, partial_seconds, row_seconds), chain_seconds,
                       result_seconds, sum("cross-lane unit", register_seconds)),
               in_turn_seconds);
  }
};
template <class Num>
VectorTime<Num> vector_time(const Work& work, const Numbers<Num>& numbers);
template <class Num>
VectorTime<Num> vector_time(const std::vector<VectorWork>& work, const Numbers<Num>& numbers);

inline VectorTime<double> vector_time(const Work& work, const Device& device) {
  return vector_time(work, Numbers<double>(device));
}
inline VectorTime<double> vector_time(const std::vector<VectorWork>& work, const Device& device) {
  return vector_time(work, Numbers<double>(device));
}

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_VECTOR_TIME_H_
