// The values of attributes as a whole: where each ends.
#ifndef HLOROOF_LIB_TEXT_ATTRIBUTE_VALUE_H_
#define HLOROOF_LIB_TEXT_ATTRIBUTE_VALUE_H_

#include "hloroof/attribute.h"
#include "lib/text/cursor.h"

namespace hloroof::inline v0 {

// Moves the cursor behind the value it stands before, which must follow `form`. Not for the forms that name computations
// or instructions, which the instruction parser reads itself.
bool skip_value(Cursor& cursor, AttributeForm form);

// value := '{' balanced '}' | '(' balanced ')' | tokens up to a ',' outside brackets or the end of the instruction
//
// The rule for values whose form is not known.
bool skip_raw_value(Cursor& cursor);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_ATTRIBUTE_VALUE_H_
