// A read-only view of contiguous elements, like C++20's std::span. The public headers must compile as C++17.
#ifndef HLOROOF_SPAN_H_
#define HLOROOF_SPAN_H_

#include <cstddef>
#include <vector>

namespace hloroof {
inline namespace v0 {

// Does not own its elements. It is invalid after its container is changed or destroyed.
template <typename T>
class Span {
 public:
  using value_type = T;
  using const_iterator = const T*;

  constexpr Span() = default;
  constexpr Span(const T* data, std::size_t size) : data_(data), size_(size) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a vector converts to a span
  Span(const std::vector<T>& elements) : data_(elements.data()), size_(elements.size()) {}

  constexpr const T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  constexpr const T& front() const { return data_[0]; }
  constexpr const T& back() const { return data_[size_ - 1]; }
  constexpr Span subspan(std::size_t offset, std::size_t count) const { return Span(data_ + offset, count); }

  friend bool operator==(Span a, Span b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }
  friend bool operator!=(Span a, Span b) { return !(a == b); }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_SPAN_H_
