// Catch2's main, for a Catch2 2 that comes without the library holding one.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
