/* Predicts step times from HLO text through a C interface, for languages that call C.
 *
 *   hloroof_module* module = NULL;
 *   hloroof_prediction* prediction = NULL;
 *   char* error = NULL;
 *   if (hloroof_parse(text, size, &module, &error) != HLOROOF_OK ||
 *       hloroof_predict(module, "tpu_v5e", NULL, &prediction, &error) != HLOROOF_OK) {
 *     fprintf(stderr, "%s\n", error);
 *   }
 *   hloroof_free(error);
 *   hloroof_free_prediction(prediction);
 *   hloroof_free_module(module);
 *
 * Link with -lhloroof_c; `pkg-config --cflags --libs hloroof_c` has the flags. The library needs no C++ compiler.
 *
 * Results: a function returns HLOROOF_OK and sets its result, or returns a code and sets its result to NULL. A result
 * pointer must not be NULL. `error` may be NULL. Otherwise a failure sets *error to a message, which says what is
 * wrong, where, and what to do about it. It stays NULL on success, and if there is no memory for the message.
 *
 * Ownership: the caller owns every string and object that a function returns. hloroof_free() frees strings, and the
 * functions with a name of their own free objects; all of them accept NULL. Arguments are only read during the call.
 * A prediction may outlive its module.
 *
 * Text: names and messages are UTF-8 and end in NUL. An argument that is not UTF-8 is an error.
 *
 * Memory: an allocation of 8 KiB or more that fails is HLOROOF_RESOURCE_EXHAUSTED. A smaller one may end the process.
 *
 * Threads: the functions keep no state. Several threads may call them at once, also on the same module or prediction.
 *
 * Stability: a release with the same number in HLOROOF_C_VERSION keeps the functions, their arguments, the numbers of
 * the codes and the members of hloroof_options. It may add functions and codes, and members at the end of
 * hloroof_options. The objects are opaque. A program that was compiled with an older header runs with a newer library:
 * hloroof_options.size tells the library which members exist. With an older library, a newer program gets
 * HLOROOF_INVALID_ARGUMENT if it sets a member that this library does not know.
 */
#ifndef HLOROOF_C_H_
#define HLOROOF_C_H_

#include <stddef.h>
#include <stdint.h>

#define HLOROOF_C_VERSION 1

#if defined(__GNUC__)
#define HLOROOF_C_API __attribute__((visibility("default")))
#else
#define HLOROOF_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names as C has them */

/* The type of codes is int32_t, because the size of an enum is not fixed. The numbers are those of absl::StatusCode. */
enum {
  HLOROOF_OK = 0,
  HLOROOF_INVALID_ARGUMENT = 3,    /* an argument or the text is not valid; for text with line, column and a caret */
  HLOROOF_NOT_FOUND = 5,           /* no such device or instruction; the message has the nearest names */
  HLOROOF_RESOURCE_EXHAUSTED = 8,  /* too little memory for the text or the results, or the text exceeds a limit */
  HLOROOF_FAILED_PRECONDITION = 9, /* `strict` is set and something is unknown */
  HLOROOF_OUT_OF_RANGE = 11,       /* a number overflows */
  HLOROOF_INTERNAL = 13            /* an error of the library */
};

typedef struct hloroof_module hloroof_module;
typedef struct hloroof_prediction hloroof_prediction;

/* Begin with HLOROOF_OPTIONS, which sets `size` and the defaults: 0 and NULL. */
typedef struct hloroof_options {
  size_t size;                    /* sizeof(hloroof_options) */
  const char* topology;           /* chips along each axis, "4x4"; default: the smallest that fits */
  int64_t slices;                 /* default: as the text or the device says */
  int64_t partitions;             /* of a text that does not state num_partitions */
  int64_t default_trip_count;     /* of loops whose trip count cannot be inferred; default 1 */
  const char* const* trip_counts; /* "NAME=N", the last element NULL */
  const char* const* set;         /* numbers of the device, "hbm.bandwidth=1.2e12" or "=2x", the last element NULL */
  int32_t use_compiler_estimates; /* not 0: times of ops are the compiler's estimates where the text has them */
  int32_t strict;                 /* not 0: fail if anything is unknown */
  int32_t allow_other_backend;    /* not 0: predict a program that was compiled for another kind of machine, which is
                                     otherwise an error, because the device would run another program */
} hloroof_options;

#define HLOROOF_OPTIONS \
  { sizeof(hloroof_options), NULL, 0, 0, 0, NULL, NULL, 0, 0, 0 }

/* The HLOROOF_C_VERSION of the library. */
HLOROOF_C_API int32_t hloroof_c_version(void);

/* The name of a code, "INVALID_ARGUMENT"; "UNKNOWN" for other numbers. Static: not to be freed. */
HLOROOF_C_API const char* hloroof_code_name(int32_t code);

/* Parses `size` bytes, which are HLO text as UTF-8 or the bytes of an HloModuleProto or HloProto. */
HLOROOF_C_API int32_t hloroof_parse(const char* text, size_t size, hloroof_module** module, char** error);

/* Predicts one step on a device: a name such as "tpu_v5e" or "tpu_v5p:4x4x8*2", or the path of a device file, which
 * contains a slash or ends in .json. `options` may be NULL. */
HLOROOF_C_API int32_t hloroof_predict(const hloroof_module* module, const char* device, const hloroof_options* options,
                                      hloroof_prediction** prediction, char** error);

/* The predicted time of the step in seconds; NaN if `prediction` is NULL. */
HLOROOF_C_API double hloroof_step_seconds(const hloroof_prediction* prediction);

/* The whole prediction as JSON, schema "hloroof.prediction/2": what `hloroof predict --format json` prints. */
HLOROOF_C_API int32_t hloroof_prediction_json(const hloroof_prediction* prediction, char** json, char** error);

/* What limits one instruction, as text for people in lines of 80 characters: what `hloroof explain` prints. */
HLOROOF_C_API int32_t hloroof_explain(const hloroof_prediction* prediction, const char* instruction, char** text,
                                      char** error);

/* The same as JSON, schema "hloroof.explanation/1". */
HLOROOF_C_API int32_t hloroof_explanation_json(const hloroof_prediction* prediction, const char* instruction,
                                               char** json, char** error);

HLOROOF_C_API void hloroof_free(char* string);
HLOROOF_C_API void hloroof_free_module(hloroof_module* module);
HLOROOF_C_API void hloroof_free_prediction(hloroof_prediction* prediction);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLOROOF_C_H_ */
