#include "lts/relation.h"

#include <assert.h>
#include <glib.h>
#include <string.h>

enum {
    STRUCTURAL = RELATION_STRUCTURAL,
    CHECKED = RELATION_CHECKED,
    DEFAULT_UNFOLD = RELATION_DEFAULT_UNFOLD,
    DEFAULT_EXPLORE = RELATION_DEFAULT_EXPLORE,
    DEFAULT_CHECK = RELATION_DEFAULT_CHECK,
    DEFAULT_COMPARE = RELATION_DEFAULT_COMPARE,
    DEFAULT_ALGORITHMS = RELATION_DEFAULT_ALGORITHMS,
};

static const struct {
    const char *name;
    unsigned traits;
} relations[] = {
#define RELATION(constant, name, traits, help) {name, traits},
#include "lts/relations.def"
#undef RELATION
};

bool relation_parse(const char *text, Relation *relation)
{
    for (*relation = 0; *relation < RELATION_FILE; (*relation)++)
        if (strcmp(relations[*relation].name, text) == 0) return true;
    return g_str_has_prefix(text, "file:") && text[5];
}

const char *relation_name(Relation relation)
{
    assert(relation < N_RELATIONS);
    return relations[relation].name;
}

bool relation_has(Relation relation, RelationTrait trait)
{
    assert(relation < N_RELATIONS);
    return relations[relation].traits & trait;
}

Relation relation_default(RelationTrait trait)
{
    Relation relation = 0;
    while (!relation_has(relation, trait)) relation++;
    return relation;
}

const char *relation_given(const char *text, RelationTrait trait)
{
    return text ? text : relation_name(relation_default(trait));
}

char *relation_names(RelationTrait trait)
{
    GString *names = g_string_new(NULL);
    for (Relation r = 0; r < N_RELATIONS; r++)
        if (!trait || relation_has(r, trait))
            g_string_append_printf(names, "%s%s%s", names->len ? ", " : "", relations[r].name,
                                   r == RELATION_FILE ? ":PATH" : "");
    return g_string_free(names, FALSE);
}

const char *relation_refusal(const char *text)
{
    if (strcmp(text, RELATION_CONDITIONAL) != 0) return NULL;
    return "conditional independence depends on the marking and keeps final markings only: no unfolding, "
           "configuration, wakeup tree or reachable marking is defined by it, so only explore --algorithm cdpor takes "
           "it";
}
