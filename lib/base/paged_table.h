// A table by index of which most rows are never written: by InstructionId, for what only the instructions of schedules
// have. The bodies of fusions are most of a module, and they stand together.
#ifndef HLOROOF_LIB_BASE_PAGED_TABLE_H_
#define HLOROOF_LIB_BASE_PAGED_TABLE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace hloroof::internal::inline base {

// Rows come in pages. A page of which no row was written takes no memory, and its rows read as T().
template <typename T>
class PagedTable {
 public:
  PagedTable() = default;
  explicit PagedTable(std::size_t size) { resize(size); }
  PagedTable(const PagedTable& other) : size_(other.size_) {
    pages_.reserve(other.pages_.size());
    for (const auto& page : other.pages_) pages_.push_back(page == nullptr ? nullptr : std::make_unique<Page>(*page));
  }
  PagedTable& operator=(const PagedTable& other) {
    if (this != &other) *this = PagedTable(other);
    return *this;
  }
  PagedTable(PagedTable&&) noexcept = default;
  PagedTable& operator=(PagedTable&&) noexcept = default;
  ~PagedTable() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T& operator[](std::size_t i) const {
    const Page* page = pages_[i / kRows].get();
    return page == nullptr ? nothing() : (*page)[i % kRows];
  }
  // The row for writing.
  T& at(std::size_t i) {
    std::unique_ptr<Page>& page = pages_[i / kRows];
    if (page == nullptr) page = std::make_unique<Page>();
    return (*page)[i % kRows];
  }
  void clear(std::size_t i) {
    if (pages_[i / kRows] != nullptr) at(i) = T();
  }
  // Calls `change` with each row of the pages of which a row was written.
  template <typename Change>
  void for_each_written(Change&& change) {
    for (const auto& page : pages_) {
      if (page != nullptr) std::for_each(page->begin(), page->end(), change);
    }
  }
  // Rows that go and come again are T().
  void resize(std::size_t size) {
    for (std::size_t i = size; i < std::min(size_, (size + kRows - 1) / kRows * kRows); ++i) clear(i);
    pages_.resize((size + kRows - 1) / kRows);
    size_ = size;
  }

 private:
  // bench/README.md says what this saves of the memory of a prediction.
  static constexpr std::size_t kRows = 16;
  using Page = std::array<T, kRows>;

  static const T& nothing() {
    static const T* const kNothing = new T();
    return *kNothing;
  }

  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t size_ = 0;
};

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_PAGED_TABLE_H_
