// The notes of a tree of terms.
#ifndef HLOROOF_TESTS_TIME_NOTES_H_
#define HLOROOF_TESTS_TIME_NOTES_H_

#include <string>
#include <vector>

#include "lib/time/terms.h"

namespace hloroof::internal {

// The notes of `term` and of all below it, one on each line.
inline std::string notes_of(const Term& term) {
  std::string notes;
  std::vector<const Term*> open = {&term};
  while (!open.empty()) {
    const Term* next = open.back();
    open.pop_back();
    notes += next->note + "\n";
    for (const Term& child : next->children) open.push_back(&child);
  }
  return notes;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_TIME_NOTES_H_
