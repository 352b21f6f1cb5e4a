// A table by index of which most rows are never written: by InstructionId, for what only the instructions of schedules
// have. The bodies of fusions are most of a module, and they stand together.
#ifndef HLOROOF_LIB_BASE_PAGED_TABLE_H_
#define HLOROOF_LIB_BASE_PAGED_TABLE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hloroof::internal::inline base {

// Rows come in pages. A page of which no row was written takes no memory, and its rows read as T(). Copies share pages
// until one of them writes, also copies that other threads read.
template <typename T>
class PagedTable {
 public:
  PagedTable() = default;
  explicit PagedTable(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T& operator[](std::size_t i) const {
    const Rows* rows = pages_[i / kRows].rows();
    return rows == nullptr ? nothing() : (*rows)[i % kRows];
  }
  // The row for writing.
  T& at(std::size_t i) { return pages_[i / kRows].own()[i % kRows]; }
  void clear(std::size_t i) {
    if (pages_[i / kRows].rows() != nullptr) at(i) = T();
  }
  // Calls `change` with each row of the pages of which a row was written.
  template <typename Change>
  void for_each_written(Change&& change) {
    for (Page& page : pages_) {
      if (page.rows() != nullptr) std::for_each(page.own().begin(), page.own().end(), change);
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
  using Rows = std::array<T, kRows>;

  class Page {
   public:
    Page() = default;
    Page(const Page& other) : held_(other.held_) {
      if (held_ != nullptr) held_->holders.fetch_add(1, std::memory_order_relaxed);
    }
    Page(Page&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    Page& operator=(Page other) noexcept {
      std::swap(held_, other.held_);
      return *this;
    }
    ~Page() {
      if (held_ != nullptr && held_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held_;
    }

    const Rows* rows() const { return held_ == nullptr ? nullptr : &held_->rows; }
    // The rows for writing. Whoever held them too has read them before it let go of them: std::shared_ptr's use_count()
    // does not promise that.
    Rows& own() {
      if (held_ == nullptr) {
        held_ = new Held();
      } else if (held_->holders.load(std::memory_order_acquire) != 1) {
        *this = Page(held_->rows);
      }
      return held_->rows;
    }

   private:
    struct Held {
      std::atomic<std::uint32_t> holders = 1;
      Rows rows = {};
    };
    explicit Page(const Rows& rows) : held_(new Held{1, rows}) {}

    Held* held_ = nullptr;
  };

  static const T& nothing() {
    static const T* const kNothing = new T();
    return *kNothing;
  }

  std::vector<Page> pages_;
  std::size_t size_ = 0;
};

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_PAGED_TABLE_H_
