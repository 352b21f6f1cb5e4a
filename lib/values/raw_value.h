// Skips values of unknown or obsolete form.
#ifndef HLOROOF_LIB_VALUES_RAW_VALUE_H_
#define HLOROOF_LIB_VALUES_RAW_VALUE_H_

#include "lib/values/cursor.h"

namespace hloroof::internal::inline values {

// value := group | STRING | token, and everything that follows without a blank, such as [4,8]<=[32]T(1,0); blanks may
//          follow a joining sign such as <=
// group := '{' balanced '}' | '(' balanced ')' | '[' balanced ']'
bool skip_raw_value(Cursor& cursor);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_RAW_VALUE_H_
