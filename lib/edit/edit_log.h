// The edits that a ModuleEditor made. Only one reader can use the log, because reading clears it.
#ifndef HLOROOF_LIB_EDIT_EDIT_LOG_H_
#define HLOROOF_LIB_EDIT_EDIT_LOG_H_

#include <utility>
#include <vector>

#include "hloroof/edit.h"

namespace hloroof::internal {

// A friend of ModuleEditor, without state.
struct EditLog {
  // Returns the edits since the last call, in order, and clears the log.
  static std::vector<Edit> take(ModuleEditor& editor) { return std::exchange(editor.edits_, {}); }
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_EDIT_EDIT_LOG_H_
