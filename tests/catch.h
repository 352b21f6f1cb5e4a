// Catch2 2.13 (one header) and 3.x (many) alike. Tests include this and use the names of version 3.
#ifndef HLOROOF_TESTS_CATCH_H_
#define HLOROOF_TESTS_CATCH_H_

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

#define HLOROOF_SKIP(reason) SKIP(reason)

using Catch::Approx;

#else

#include <string>

#include <catch2/catch.hpp>  // puts Approx into the global namespace itself

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers

// Version 2 has no notion of a skipped test: say so and leave the test case.
#define HLOROOF_SKIP(reason)       \
  do {                             \
    WARN("skipped: " << (reason)); \
    return;                        \
  } while (false)

#endif

using Catch::Matchers::ContainsSubstring;

#endif  // HLOROOF_TESTS_CATCH_H_
