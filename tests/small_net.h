/* Small nets as text: "2*p q | a: p -> q | b: q -> p" is the marked places, then rules as in rules.h. */
#pragma once
#include "net/rules.h"

#include <stdlib.h>
#include <string.h>

static inline Net *small_net(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "|", -1);
    g_auto(GStrv) places = g_strsplit(g_strstrip(parts[0]), " ", -1);
    Rules *rules = rules_new("small");
    for (char **p = places; *p; p++) {
        const char *star = strchr(*p, '*');
        if (**p) rules_place(rules, star ? strtoull(*p, NULL, 10) : 1, "%s", star ? star + 1 : *p);
    }
    for (char **r = parts + 1; *r; r++) rules_add_text(rules, g_strstrip(*r));
    return rules_finish(rules);
}
