/* JSON is written at the end of a string: what is there already says whether a comma is due, so nothing else is kept.
 * Names of files and arguments may be any bytes; what is written is UTF-8, and bytes that are not become U+FFFD. */
#pragma once
#include "base/exact.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The text as a JSON string, with nothing before it. */
void json_quote(GString *json, const char *text);

/* A comma, unless what follows is the first of its list or object, or the value of a key. */
void json_separate(GString *json);
/* '{' or '[', as a member of that key or, when it is NULL, as the next value. */
void json_open(GString *json, const char *key, char bracket);
/* '}' or ']'. */
void json_close(GString *json, char bracket);

/* Members of the open object, or with the key NULL items of the open list. */
void json_string(GString *json, const char *key, const char *value); /* NULL: null */
void json_int(GString *json, const char *key, int64_t value);
/* Counts of tokens, exact at any size. */
void json_tokens(GString *json, const char *key, Total value);
/* A number in decimal digits. */
void json_digits(GString *json, const char *key, const char *digits);
/* With all its digits; what is no number is null. */
void json_real(GString *json, const char *key, double value);
/* With four digits behind the point. */
void json_rounded(GString *json, const char *key, double value);
void json_bool(GString *json, const char *key, bool value);
void json_null(GString *json, const char *key);
/* An array of strings, NULL-terminated; NULL: an empty one. */
void json_strings(GString *json, const char *key, char *const *values);
