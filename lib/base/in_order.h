// Independent tasks on several threads, whose results are used in order.
//
//   make_in_order(files.size(), thread_count(0, files.size()),
//                 [&](std::size_t i) { return read(files[i]); },                          // on any thread
//                 [&](std::size_t i, std::string text) { out << files[i] << text; });     // on this thread, 0 first
//
// The output is the same with any number of threads.
#ifndef HLOROOF_LIB_BASE_IN_ORDER_H_
#define HLOROOF_LIB_BASE_IN_ORDER_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace hloroof::internal::inline base {

// Returns the number of threads for `count` tasks: `wanted`, or the number of processors if it is 0; at most `count`.
inline std::size_t thread_count(std::size_t wanted, std::size_t count) {
  constexpr std::size_t kMost = 1024;
  if (wanted == 0) wanted = std::max(1u, std::thread::hardware_concurrency());
  return std::min({wanted, count, kMost});
}

// The results that threads have made and the calling thread has not used yet. At most `window` tasks are begun and not
// used, so that results do not pile up if they are made faster than used.
template <typename Result>
class ResultWindow {
 public:
  ResultWindow(std::size_t count, std::size_t window) : count_(count), slots_(window) {}

  // Makes results on the calling thread until none remain to be begun.
  template <typename Make>
  void run(Make& make) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      may_begin_.wait(lock, [&] { return is_stopped_ || next_ == count_ || next_ < used_ + slots_.size(); });
      if (is_stopped_ || next_ == count_) return;
      const std::size_t i = next_++;
      lock.unlock();
      Slot made;
      try {
        made.result.emplace(make(i));
      } catch (...) {
        made.error = std::current_exception();
      }
      lock.lock();
      made.is_made = true;
      slots_[i % slots_.size()] = std::move(made);
      is_made_.notify_one();
    }
  }

  // Waits for the next result. Rethrows the exception of its make().
  Result take() {
    std::unique_lock<std::mutex> lock(mutex_);
    Slot& slot = slots_[used_ % slots_.size()];
    is_made_.wait(lock, [&] { return slot.is_made; });
    Slot taken = std::exchange(slot, Slot());
    ++used_;
    may_begin_.notify_one();
    lock.unlock();
    if (taken.error != nullptr) std::rethrow_exception(taken.error);
    return *std::move(taken.result);
  }

  void stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
    may_begin_.notify_all();
  }

 private:
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr error;
    bool is_made = false;
  };

  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable may_begin_;
  std::condition_variable is_made_;
  std::vector<Slot> slots_;  // the result of task i is in slot i % window
  std::size_t next_ = 0;     // the first task that no thread has begun
  std::size_t used_ = 0;     // the first result that is not used
  bool is_stopped_ = false;
};

// Calls make(i) for each i below `count`, on `threads` threads, and use(i, result) on the calling thread, in the order
// of i. With one thread, or if the system has no more threads, both run on the calling thread in turn. The order in
// which tasks begin is that of i. An exception of make(i) is rethrown in place of use(i); after an exception of either,
// no further tasks begin.
template <typename Make, typename Use>
void make_in_order(std::size_t count, std::size_t threads, Make make, Use use) {
  using Result = decltype(make(std::size_t{}));
  ResultWindow<Result> results(count, 2 * std::max<std::size_t>(1, threads));
  struct Threads {
    ResultWindow<Result>& results;
    std::vector<std::thread> running{};
    ~Threads() {
      results.stop();
      for (std::thread& thread : running) thread.join();
    }
  } workers{results};
  if (threads > 1) workers.running.reserve(threads);
  for (std::size_t t = 0; threads > 1 && t < threads; ++t) {
    try {
      workers.running.emplace_back([&] { results.run(make); });
    } catch (const std::system_error&) {
      break;  // the limit of the system: those that run do the work
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (workers.running.empty()) {
      use(i, make(i));
    } else {
      use(i, results.take());
    }
  }
}

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_IN_ORDER_H_
