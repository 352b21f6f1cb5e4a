// Values whose form is not known, or no longer.
#ifndef HLOROOF_LIB_TEXT_RAW_VALUE_H_
#define HLOROOF_LIB_TEXT_RAW_VALUE_H_

#include "lib/text/cursor.h"

namespace hloroof::inline v0 {

// value := group | STRING | token, and whatever is joined to it without a blank, such as [4,8]<=[32]T(1,0); behind a
//          sign that joins, such as <=, blanks may stand too
// group := '{' balanced '}' | '(' balanced ')' | '[' balanced ']'
bool skip_raw_value(Cursor& cursor);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_RAW_VALUE_H_
