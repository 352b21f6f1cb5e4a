// What the TPU compiler's own estimates take for granted, so that the model can be compared with them like for like.
#ifndef HLOROOF_TESTS_ACCURACY_PREMISES_H_
#define HLOROOF_TESTS_ACCURACY_PREMISES_H_

#include <string>
#include <string_view>

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::internal {

// The text of a dump as the estimates take it: made before arrays are placed in fast memory, and, with `is_widened`,
// 16-bit elements as if 32 bits wide.
std::string on_the_premises_of_the_estimate(std::string_view text, bool is_widened);

// The work of an operation with the bytes that it moves on those premises, `unplaced` and `widened` being its work in
// the changed texts. Elements are not widened where an operation has several results. Of contractions it is the result
// alone that differs: their operands are estimated at their own width and place, and their arithmetic depends on the
// types. Relayouts are estimated as they are.
Work like_for_like(InstructionView op, const Work& own, const Work& unplaced, const Work& widened);

// Whether an operation's estimate is none: 100 cycles for every window, whatever is in it.
bool is_placeholder(InstructionView op);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_PREMISES_H_
