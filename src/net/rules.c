#include "net/rules.h"

#include <assert.h>
#include <string.h>

Rules *rules_new(const char *name_format, ...)
{
    va_list args;
    va_start(args, name_format);
    g_autofree char *name = g_strdup_vprintf(name_format, args);
    va_end(args);
    Rules *rules = g_new0(Rules, 1);
    rules->builder = net_builder_new(name);
    rules->places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    rules->text = g_string_new(NULL);
    return rules;
}

static uint32_t place_of(Rules *rules, const char *id, uint64_t tokens)
{
    uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(rules->places, id));
    if (known) return known - 1;
    uint32_t p = net_builder_place(rules->builder, id, NULL, tokens);
    g_hash_table_insert(rules->places, g_strdup(id), GUINT_TO_POINTER(p + 1));
    return p;
}

void rules_place(Rules *rules, uint64_t tokens, const char *id_format, ...)
{
    va_list args;
    va_start(args, id_format);
    g_string_vprintf(rules->text, id_format, args);
    va_end(args);
    place_of(rules, rules->text->str, tokens);
}

void rules_places(Rules *rules, const char *names, unsigned i)
{
    g_auto(GStrv) words = g_strsplit(names, " ", 0);
    for (char **word = words; *word; word++) {
        size_t length = strcspn(*word, "*");
        rules_place(rules, (*word)[length] == '*', "%.*s%u", (int)length, *word, i);
    }
}

static void add_item(Rules *rules, uint32_t t, char *item, bool output)
{
    ArcKind kind = output ? ARC_POST : ARC_PRE;
    if (*item == '?' || *item == '!') {
        assert(!output);
        kind = *item++ == '?' ? ARC_READ : ARC_INHIBIT;
    }
    uint64_t weight = 1;
    char *star = strchr(item, '*');
    if (star) {
        weight = g_ascii_strtoull(item, NULL, 10);
        item = star + 1;
    }
    assert(*item && weight);
    net_builder_arc(rules->builder, kind, place_of(rules, item, 0), t, weight);
}

void rules_add_text(Rules *rules, const char *rule)
{
    const char *colon = strchr(rule, ':');
    assert(colon && strstr(colon, "->"));
    g_autofree char *id = g_strndup(rule, (gsize)(colon - rule));
    uint32_t t = net_builder_transition(rules->builder, id, NULL);
    g_auto(GStrv) items = g_strsplit(colon + 1, " ", 0);
    bool output = false;
    for (char **item = items; *item; item++) {
        if (strcmp(*item, "->") == 0)
            output = true;
        else if (**item)
            add_item(rules, t, *item, output);
    }
}

void rules_add(Rules *rules, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *rule = g_strdup_vprintf(format, args);
    va_end(args);
    rules_add_text(rules, rule);
}

Net *rules_finish(Rules *rules)
{
    GError *error = NULL;
    Net *net = net_builder_finish(rules->builder, &error);
    assert(net && !error);
    net_builder_free(rules->builder);
    g_hash_table_destroy(rules->places);
    g_string_free(rules->text, TRUE);
    g_free(rules);
    return net;
}
