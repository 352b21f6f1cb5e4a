#include "lib/base/in_order.h"

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("results are used in order, with any number of threads") {
  for (const std::size_t count : {0, 1, 2, 7, 1000}) {
    for (const std::size_t threads : {0, 1, 2, 3, 16}) {
      CAPTURE(count, threads);
      std::vector<int> made(count, 0);
      std::vector<std::size_t> used;
      make_in_order(
          count, threads,
          [&](std::size_t i) {
            ++made[i];
            for (std::size_t spin = 0; spin < (i * 7919) % 1000; ++spin) {
              std::this_thread::yield();
            }
            return std::make_unique<std::size_t>(i * i);  // a result that cannot be copied
          },
          [&](std::size_t i, std::unique_ptr<std::size_t> result) {
            CHECK(*result == i * i);
            used.push_back(i);
          });
      CHECK(made == std::vector<int>(count, 1));
      REQUIRE(used.size() == count);
      for (std::size_t i = 0; i < count; ++i) CHECK(used[i] == i);
    }
  }
}

TEST_CASE("no more results are pending than twice the threads") {
  std::atomic<int> pending{0};
  std::atomic<int> most{0};
  make_in_order(
      200, 3,
      [&](std::size_t i) {
        const int now = ++pending;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        return i;
      },
      [&](std::size_t, std::size_t) { --pending; });
  CHECK(pending == 0);
  CHECK(most <= 7);  // one more while use() runs
}

TEST_CASE("an exception of a task arrives in its turn, and ends the others") {
  for (const std::size_t threads : {1, 4}) {
    std::vector<std::size_t> used;
    const auto run = [&] {
      make_in_order(
          100, threads,
          [](std::size_t i) {
            if (i == 5) throw std::bad_alloc();
            return i;
          },
          [&](std::size_t i, std::size_t) { used.push_back(i); });
    };
    CHECK_THROWS_AS(run(), std::bad_alloc);
    CHECK(used == std::vector<std::size_t>{0, 1, 2, 3, 4});
  }
}

TEST_CASE("an exception of the user ends the tasks") {
  std::atomic<int> made{0};
  const auto run = [&] {
    make_in_order(
        1000, 4, [&](std::size_t) { return ++made; },
        [](std::size_t i, int) {
          if (i == 3) throw std::bad_alloc();
        });
  };
  CHECK_THROWS_AS(run(), std::bad_alloc);
  CHECK(made < 1000);
}

TEST_CASE("the number of threads is at most that of the tasks") {
  CHECK(thread_count(4, 2) == 2);
  CHECK(thread_count(4, 100) == 4);
  CHECK(thread_count(0, 1) == 1);
  CHECK(thread_count(0, 100) >= 1);
  CHECK(thread_count(3, 0) == 0);
}

}  // namespace
}  // namespace hloroof::internal
