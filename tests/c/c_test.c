/* Calls every function of the C interface as a program in C99 does, with good and with bad arguments: c_test HLO. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hloroof/c.h"

static int failures = 0;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int is_true, const char* condition, int line) {
  if (is_true) return;
  ++failures;
  fprintf(stderr, "c_test.c:%d: not true: %s\n", line, condition);
}

/* Checks a code and a part of the message, and frees the message. */
static void check_error(int32_t code, int32_t expected, char** error, const char* part, int line) {
  const int is_right = code == expected && *error != NULL && strstr(*error, part) != NULL;
  if (!is_right) {
    ++failures;
    fprintf(stderr, "c_test.c:%d: %s: %s; expected %s\n", line, hloroof_code_name(code),
            *error == NULL ? "(no message)" : *error, part);
  }
  hloroof_free(*error);
  *error = NULL;
}

#define CHECK_ERROR(call, expected, part) check_error((call), (expected), &error, (part), __LINE__)

static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  long length = 0;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = malloc((size_t)length);
    if (text != NULL) *size = fread(text, 1, (size_t)length, file);
  }
  fclose(file);
  return text;
}

static void test_parse(const char* text, size_t size) {
  hloroof_module* module = NULL;
  char* error = NULL;
  CHECK_ERROR(hloroof_parse(NULL, 0, &module, &error), HLOROOF_INVALID_ARGUMENT, "text is NULL");
  CHECK_ERROR(hloroof_parse(text, size, NULL, &error), HLOROOF_INVALID_ARGUMENT, "is NULL");
  CHECK_ERROR(hloroof_parse("", 0, &module, &error), HLOROOF_INVALID_ARGUMENT, "is empty");
  CHECK_ERROR(hloroof_parse("HloModule m\n\xff", 13, &module, &error), HLOROOF_INVALID_ARGUMENT, "not UTF-8: see byte 12");
  CHECK_ERROR(hloroof_parse("HloModule m\nENTRY e {\n  ROOT r = f32[2] add(a, b)\n}\n", 52, &module, &error),
              HLOROOF_INVALID_ARGUMENT, "<text>:3:");
  CHECK(module == NULL);
  CHECK(hloroof_parse("HloModule", 9, &module, NULL) == HLOROOF_INVALID_ARGUMENT);
}

static void test_options(const hloroof_module* module) {
  const char* const trip_counts[] = {"no_such_loop=3", NULL};
  const char* const printed[] = {"%no_such_loop=3", NULL};
  const char* const malformed[] = {"hbm.bandwidth", NULL};
  const char* const not_text[] = {"\xc0=1", NULL};
  const char* const several[] = {"hbm.bandwidth=1x,2x", NULL};
  hloroof_prediction* prediction = NULL;
  char* error = NULL;
  hloroof_options options = HLOROOF_OPTIONS;
  CHECK(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error) == HLOROOF_OK && error == NULL);
  hloroof_free_prediction(prediction);
  options.topology = "2x";
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT, "2x");
  CHECK(prediction == NULL);
  options.topology = NULL;
  options.trip_counts = trip_counts;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "no_such_loop");
  options.trip_counts = printed;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "'no_such_loop'");
  options.trip_counts = malformed;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT, "NAME=N");
  options.trip_counts = NULL;
  options.set = malformed;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "options.set");
  options.set = not_text;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT, "UTF-8");
  options.set = several;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "one value");
  options.set = NULL;
  options.slices = -1;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT, "slices");
  options.slices = 0;
  CHECK_ERROR(hloroof_predict(module, "h100_sxm", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "was compiled for a TPU");
  options.allow_other_backend = 1;
  CHECK(hloroof_predict(module, "h100_sxm", &options, &prediction, &error) == HLOROOF_OK && error == NULL);
  hloroof_free_prediction(prediction);
  options.size = 0;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "HLOROOF_OPTIONS");
  options.size = (size_t)-1;
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", &options, &prediction, &error), HLOROOF_INVALID_ARGUMENT,
              "does not know");
}

static void test_predict(const hloroof_module* module) {
  hloroof_prediction* prediction = NULL;
  char* error = NULL;
  CHECK_ERROR(hloroof_predict(module, "no_such_file.json", NULL, &prediction, &error), HLOROOF_NOT_FOUND,
              "no_such_file.json: cannot be read");
  CHECK_ERROR(hloroof_predict(NULL, "tpu_v5e", NULL, &prediction, &error), HLOROOF_INVALID_ARGUMENT, "module is NULL");
  CHECK_ERROR(hloroof_predict(module, NULL, NULL, &prediction, &error), HLOROOF_INVALID_ARGUMENT, "device is NULL");
  CHECK_ERROR(hloroof_predict(module, "tpu_v5e", NULL, NULL, &error), HLOROOF_INVALID_ARGUMENT, "is NULL");
  CHECK_ERROR(hloroof_predict(module, "tpu_v55", NULL, &prediction, &error), HLOROOF_NOT_FOUND, "tpu_v5");
  CHECK_ERROR(hloroof_predict(module, "./no/such/file.json", NULL, &prediction, &error), HLOROOF_NOT_FOUND, "file.json");
  CHECK(prediction == NULL);
  test_options(module);
}

static void test_texts(const hloroof_prediction* prediction) {
  char* text = NULL;
  char* error = NULL;
  CHECK(hloroof_prediction_json(prediction, &text, &error) == HLOROOF_OK);
  CHECK(text != NULL && strstr(text, "\"schema\": \"hloroof.prediction/2\"") != NULL);
  hloroof_free(text);
  CHECK(hloroof_explain(prediction, "fusion.2", &text, &error) == HLOROOF_OK);
  CHECK(text != NULL && strstr(text, "Time of one execution") != NULL);
  hloroof_free(text);
  CHECK(hloroof_explanation_json(prediction, "fusion.2", &text, &error) == HLOROOF_OK);
  CHECK(text != NULL && strstr(text, "hloroof.explanation/1") != NULL);
  hloroof_free(text);
  CHECK_ERROR(hloroof_explain(prediction, "fusion.99999", &text, &error), HLOROOF_NOT_FOUND, "fusion");
  CHECK(text == NULL);
  CHECK_ERROR(hloroof_explain(prediction, "\x80", &text, &error), HLOROOF_INVALID_ARGUMENT, "UTF-8");
  CHECK_ERROR(hloroof_explain(prediction, NULL, &text, &error), HLOROOF_INVALID_ARGUMENT, "instruction is NULL");
  CHECK_ERROR(hloroof_explain(NULL, "x", &text, &error), HLOROOF_INVALID_ARGUMENT, "prediction is NULL");
  CHECK_ERROR(hloroof_explain(prediction, "x", NULL, &error), HLOROOF_INVALID_ARGUMENT, "is NULL");
  CHECK_ERROR(hloroof_explanation_json(NULL, "x", &text, &error), HLOROOF_INVALID_ARGUMENT, "prediction is NULL");
  CHECK_ERROR(hloroof_prediction_json(NULL, &text, &error), HLOROOF_INVALID_ARGUMENT, "prediction is NULL");
  CHECK_ERROR(hloroof_prediction_json(prediction, NULL, &error), HLOROOF_INVALID_ARGUMENT, "is NULL");
}

int main(int argc, char** argv) {
  size_t size = 0;
  char* text = argc == 2 ? read_file(argv[1], &size) : NULL;
  hloroof_module* module = NULL;
  hloroof_prediction* prediction = NULL;
  char* error = NULL;
  if (text == NULL) {
    fprintf(stderr, "usage: c_test HLO\n");
    return 2;
  }
  CHECK(hloroof_c_version() == HLOROOF_C_VERSION);
  CHECK(strcmp(hloroof_code_name(HLOROOF_NOT_FOUND), "NOT_FOUND") == 0);
  CHECK(strcmp(hloroof_code_name(-7), "UNKNOWN") == 0);
  CHECK(hloroof_parse(text, size, &module, &error) == HLOROOF_OK && module != NULL && error == NULL);
  test_parse(text, size);
  free(text);
  test_predict(module);
  CHECK(hloroof_predict(module, "tpu_v5e", NULL, &prediction, &error) == HLOROOF_OK && prediction != NULL);
  hloroof_free_module(module);
  CHECK(hloroof_step_seconds(prediction) > 0.001);
  CHECK(hloroof_step_seconds(NULL) != hloroof_step_seconds(NULL)); /* NaN */
  test_texts(prediction);
  printf("%.3f ms, %d failures\n", 1e3 * hloroof_step_seconds(prediction), failures);
  hloroof_free_prediction(prediction);
  hloroof_free(NULL);
  hloroof_free_module(NULL);
  hloroof_free_prediction(NULL);
  return failures == 0 ? 0 : 1;
}
