// The values of attributes as a whole: where each ends.
#ifndef HLOROOF_LIB_TEXT_ATTRIBUTE_VALUE_H_
#define HLOROOF_LIB_TEXT_ATTRIBUTE_VALUE_H_

#include "hloroof/attribute.h"
#include "hloroof/opcode.h"
#include "lib/text/cursor.h"

namespace hloroof::inline v0 {

// Moves the cursor behind the value of `key` on an `opcode` that it stands before, checking it. Not for the forms that name
// computations or instructions, which the instruction parser reads itself.
bool skip_value(Cursor& cursor, Opcode opcode, AttributeKey key);

// value := '{' balanced '}' | '(' balanced ')' | tokens up to a ',' outside brackets or the end of the instruction
//
// The rule for values whose form is not known.
bool skip_raw_value(Cursor& cursor);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_ATTRIBUTE_VALUE_H_
