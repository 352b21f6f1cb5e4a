// Computes seconds on the vector units.
#ifndef HLOROOF_LIB_TIME_VECTOR_TIME_H_
#define HLOROOF_LIB_TIME_VECTOR_TIME_H_

#include <string>
#include <string_view>
#include <utility>
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
  Num row_norm = 0.0;  // the norm of the units' times, if the elements of a row wait for its total; 0 if they overlap
  Num relayout_seconds = 0.0;  // on the cross-lane unit, for arrays that change layout

  Num seconds(std::string_view name = "vector units") const {
    return slowest(name, seconds_without_relayout(name), sum("across lanes", register_seconds, relayout_seconds));
  }
  Num seconds_without_relayout(std::string_view name = "vector units") const {
    Num operations = sum("vector ALUs", operation_seconds, partial_seconds, row_seconds);
    Num across = sum("cross-lane unit", register_seconds);
    Num units = value(row_norm) > 0 ? norm(name, row_norm, operations, result_seconds, across)
                                    : slowest(name, operations, result_seconds, across);
    return sum("vector units and their waits", slowest(name, std::move(units), chain_seconds), in_turn_seconds);
  }
};
template <class Num>
VectorTime<Num> vector_time(const Work& work, const Numbers<Num>& numbers);
template <class Num>
VectorTime<Num> vector_time(const std::vector<VectorWork>& work, const Numbers<Num>& numbers);

// The seconds that the starts of windows and of their transfers take, while no unit of the core does anything else.
template <class Num>
Num window_seconds(const Work& work, const TpuCore& core, const Numbers<Num>& numbers);

// The path of the number of the device that most of the operations' time is proportional to: the cost of the operation
// that takes longest ("vector.weights.gather"), or the rate of a unit.
std::string deciding_vector_number(const Work& work, const Device& device);

inline VectorTime<double> vector_time(const Work& work, const Device& device) {
  return vector_time(work, Numbers<double>(device));
}
inline VectorTime<double> vector_time(const std::vector<VectorWork>& work, const Device& device) {
  return vector_time(work, Numbers<double>(device));
}

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_VECTOR_TIME_H_
