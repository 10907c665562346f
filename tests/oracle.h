/* What another program computed for the nets in the corpus's folder oracle/nets: expected.json, by file. */
#pragma once
#include "test.h"

#include "net/read.h"

#include <json-glib/json-glib.h>

typedef struct Oracle {
    char *folder;
    JsonParser *parser;
    JsonObject *all;
    GList *files;
} Oracle;

static inline void oracle_clear(Oracle *oracle)
{
    g_free(oracle->folder);
    g_clear_object(&oracle->parser);
    g_list_free(oracle->files);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Oracle, oracle_clear)

/* `oracle` is all zero. False: there is no corpus, and the test returns. */
static inline bool oracle_open(Oracle *oracle)
{
    if (!test_corpus()) return false;
    oracle->folder = g_build_filename(test_corpus(), "oracle", "nets", NULL);
    g_autofree char *path = g_build_filename(oracle->folder, "expected.json", NULL);
    oracle->parser = json_parser_new();
    ck_assert(json_parser_load_from_file(oracle->parser, path, NULL));
    oracle->all = json_node_get_object(json_parser_get_root(oracle->parser));
    oracle->files = json_object_get_members(oracle->all);
    return true;
}

static inline Net *oracle_net(const Oracle *oracle, const char *file)
{
    g_autofree char *path = g_build_filename(oracle->folder, file, NULL);
    Net *net = net_read_file(path, NULL, NULL);
    ck_assert_msg(net != NULL, "%s", path);
    return net;
}

/* NULL where it has none, and of NULL. */
static inline JsonObject *oracle_part(JsonObject *object, const char *name)
{
    if (!object || !json_object_has_member(object, name)) return NULL;
    JsonNode *node = json_object_get_member(object, name);
    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

/* -1 where it has none. */
static inline int64_t oracle_figure(JsonObject *object, const char *name)
{
    return json_object_has_member(object, name) ? json_object_get_int_member(object, name) : -1;
}
