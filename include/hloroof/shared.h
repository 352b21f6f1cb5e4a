// A value that many rows have in common.
#ifndef HLOROOF_SHARED_H_
#define HLOROOF_SHARED_H_

#include <memory>
#include <utility>

namespace hloroof {
inline namespace v0 {

// A value that never changes and that copies share. Reads like a pointer that is never null, and converts to
// `const T&`. Without a value it reads as T(). Assigning another value leaves the copies as they are.
template <typename T>
class Shared {
 public:
  Shared() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): stands for the value
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return value_ != nullptr ? *value_ : nothing(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor): likewise

 private:
  static const T& nothing() {
    static const T kNothing;
    return kNothing;
  }

  std::shared_ptr<const T> value_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_SHARED_H_
