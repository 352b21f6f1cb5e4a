/* Predicts how long a TPU v5e takes for one matrix product, and says what limits it, in C99. */
#include <stdio.h>
#include <string.h>

#include "hloroof/c.h"

static const char kHlo[] =
    "HloModule product, is_scheduled=true\n"
    "\n"
    "ENTRY main {\n"
    "  lhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)\n"
    "  rhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)\n"
    "  ROOT product = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(lhs, rhs), lhs_contracting_dims={1},"
    " rhs_contracting_dims={0}\n"
    "}\n";

int main(void) {
  hloroof_module* module = NULL;
  hloroof_prediction* prediction = NULL;
  hloroof_options options = HLOROOF_OPTIONS;
  const char* faster_memory[] = {"hbm.bandwidth=2x", NULL};
  char* text = NULL;
  char* error = NULL;
  int32_t code = hloroof_parse(kHlo, strlen(kHlo), &module, &error);
  options.set = faster_memory;
  if (code == HLOROOF_OK) code = hloroof_predict(module, "tpu_v5e", &options, &prediction, &error);
  if (code == HLOROOF_OK) code = hloroof_explain(prediction, "product", &text, &error);
  if (code == HLOROOF_OK) {
    printf("%.3f ms with twice the memory bandwidth\n%s", 1e3 * hloroof_step_seconds(prediction), text);
  } else {
    fprintf(stderr, "%s: %s\n", hloroof_code_name(code), error == NULL ? "out of memory" : error);
  }
  hloroof_free(text);
  hloroof_free(error);
  hloroof_free_prediction(prediction);
  hloroof_free_module(module);
  return code == HLOROOF_OK ? 0 : 1;
}
