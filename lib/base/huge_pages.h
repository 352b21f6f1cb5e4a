// Asks the kernel for large pages behind large tables.
#ifndef HLOROOF_LIB_BASE_HUGE_PAGES_H_
#define HLOROOF_LIB_BASE_HUGE_PAGES_H_

#include <cstddef>

namespace hloroof::inline v0 {

// To be called of memory that was just allocated and is about to be written once from front to back. Fresh memory of
// many megabytes comes page by page, and each first write to one costs as much as parsing or printing what goes into
// it: with pages of 2 MB a text of 100 MB prints and parses as fast as one of 10 MB. Below 8 MB, and where the system
// has no such call, it does nothing.
void prefer_huge_pages(const void* begin, std::size_t bytes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_BASE_HUGE_PAGES_H_
