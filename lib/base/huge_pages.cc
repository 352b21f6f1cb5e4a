#include "lib/base/huge_pages.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hloroof::internal::inline base {

void prefer_huge_pages(const void* begin, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  if (bytes < 4 * kPage) return;
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
  // Advisory: if the kernel declines, ordinary pages are used.
  if (first < last) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  (void)begin;
  (void)bytes;
#endif
}

}  // namespace hloroof::internal::inline base
