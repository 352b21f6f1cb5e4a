// Sends and receives of the same message.
#ifndef HLOROOF_LIB_PREDICT_MESSAGES_H_
#define HLOROOF_LIB_PREDICT_MESSAGES_H_

#include "hloroof/module.h"
#include "lib/predict/costs.h"

namespace hloroof::inline v0 {

// All devices run the same program: while one sends, it is sent to. One transfer stands for both halves, that of the
// send; the done of the receive waits for what is left of it, and the receive costs nothing of its own. The halves of a
// message are those with the same channel and pairs in one computation, in the order of the text. A receive without a
// send keeps the cost of its transfer.
//
// To be called whenever the demands of receives are new; what it did before must not be in them.
void join_messages(const Module& module, const CollectiveCosts& collectives, Costs& costs);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_MESSAGES_H_
