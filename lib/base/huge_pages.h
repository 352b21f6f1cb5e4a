// Requests huge pages for large tables.
#ifndef HLOROOF_LIB_BASE_HUGE_PAGES_H_
#define HLOROOF_LIB_BASE_HUGE_PAGES_H_

#include <cstddef>

namespace hloroof::internal::inline base {

// Call this on memory that was just allocated and is about to be written once from front to back. The first write to a
// page faults, which costs as much as parsing or printing the contents of the page. With pages of 2 MB a text of 100 MB
// prints and parses as fast as one of 10 MB. Does nothing below 8 MB and on systems without madvise.
void prefer_huge_pages(const void* begin, std::size_t bytes);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_HUGE_PAGES_H_
