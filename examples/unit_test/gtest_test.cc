// With GoogleTest, EXPECT_TRUE of a check prints why it failed.
#include <gtest/gtest.h>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/testing.h"

TEST(DecodeStep, StaysWithinItsBudget) {
  const auto module = hloroof::load_module(EXAMPLES_DIR "/decode_step.v5e.hlo");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto device = hloroof::find_device("tpu_v5e");
  ASSERT_TRUE(device.ok()) << device.status();

  const auto step = hloroof::predict_step_time(*module, *device);
  ASSERT_TRUE(hloroof::unknown_at_most(step, 0));
  EXPECT_TRUE(hloroof::step_faster_than(step, 40e-3));
  EXPECT_TRUE(hloroof::fits_in_memory(step));
  EXPECT_TRUE(hloroof::peak_memory_below(step, 8e9));
  EXPECT_TRUE(hloroof::has_no_diagnostic(step, "unknown-trip-count"));

  // A newer TPU must not be slower.
  const auto v6e = hloroof::find_device("tpu_v6e");
  ASSERT_TRUE(v6e.ok()) << v6e.status();
  const auto newer = hloroof::predict_step_time(*module, *v6e);
  EXPECT_TRUE(hloroof::no_slower_than(newer, step));
}
