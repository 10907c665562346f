/* Members of JSON objects, the same for all commands. Names of files and arguments may be any bytes; what is written is
 * UTF-8. */
#pragma once
#include "base/exact.h"
#include "net/net.h"

#include <json-glib/json-glib.h>

void json_string(JsonBuilder *json, const char *key, const char *value); /* NULL: null */
void json_int(JsonBuilder *json, const char *key, int64_t value);
/* The same for counts of tokens, exact at any size. */
void json_tokens(JsonBuilder *json, const char *key, Total value);
/* The same for a number in decimal digits. */
void json_digits(JsonBuilder *json, const char *key, const char *digits);
void json_real(JsonBuilder *json, const char *key, double value);
void json_bool(JsonBuilder *json, const char *key, bool value);
void json_null(JsonBuilder *json, const char *key);
/* An array of strings, NULL-terminated; NULL: an empty one. */
void json_strings(JsonBuilder *json, const char *key, char *const *values);
/* Transition ids. */
void json_run(JsonBuilder *json, const char *key, const Net *net, const uint32_t *run, size_t n);

/* The whole on one line. Owned by the caller. */
char *json_text(JsonBuilder *json);
