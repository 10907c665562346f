/* A JSON text (RFC 8259, nothing beside it) as one array of nodes: what is inside a list or an object follows it at
 * once, a member's key is a text before its value. No function calls itself; what is deeper than JSON_DEEPEST is
 * refused. Numbers without a point that fit 64 bits are integers. Of two members with one key the last counts. */
#pragma once
#include "base/budget.h"
#include "base/vec.h"

#include <stdbool.h>

enum { JSON_DEEPEST = 6 };

typedef enum { JSON_NULL, JSON_BOOL, JSON_INTEGER, JSON_REAL, JSON_TEXT, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct JsonItem {
    JsonKind kind;
    uint32_t span; /* nodes up to the next one beside it */
    uint32_t len;  /* items of a list, members of an object */
    union {
        bool yes;
        int64_t integer;
        double real;
        size_t text; /* where it is in JsonTree.texts */
    };
} JsonItem;

typedef struct JsonTree {
    VEC(JsonItem) nodes; /* the first one is the whole; none when it is no JSON */
    GString *texts;
} JsonTree;

/* Begins anew in a tree that is zeroed or was read into. False: it is no JSON, too deep or too large, or the budget
 * (may be NULL) ended. */
bool json_read(JsonTree *tree, const char *text, size_t len, Budget *budget);
void json_read_free(JsonTree *tree);

/* The value of that key; NULL when there is none or `object` is none (it may be NULL). */
const JsonItem *json_read_member(const JsonTree *tree, const JsonItem *object, const char *key);
/* The same if it has that kind. */
const JsonItem *json_read_kind(const JsonTree *tree, const JsonItem *object, const char *key, JsonKind kind);
/* The text of that key, owned by the tree; NULL when it is none. */
const char *json_read_text(const JsonTree *tree, const JsonItem *object, const char *key);

/* for (JSON_EACH(i, list)): its items. */
#define JSON_EACH(i, list)                                                                                             \
    const JsonItem *i = (list) + 1;                                                                                    \
    i < (list) + (list)->span;                                                                                         \
    i += i->span
