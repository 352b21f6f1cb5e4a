// EXPECT(condition): if the condition is false, prints it and exits.
#ifndef HLOROOF_EXAMPLES_REFERENCE_EXPECT_H_
#define HLOROOF_EXAMPLES_REFERENCE_EXPECT_H_

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                                 \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (false)

#endif  // HLOROOF_EXAMPLES_REFERENCE_EXPECT_H_
