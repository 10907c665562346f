#include "fuzz.h"

#include "net/gen.h"
#include "prop/property.h"

#include <stdlib.h>
#include <string.h>

/* Ids are safe to print and differ; a fault has a place. */
int fuzz_property(const uint8_t *data, size_t size)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GError) error = NULL;
    g_autoptr(PropertySet) set = property_read_bytes(store, (const char *)data, size, "fuzz", &error);
    if (!set == !error) abort();
    if (error && !g_utf8_validate(error->message, -1, NULL)) abort();
    if (!set) return 0;
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < set->properties.len; i++) {
        const Property *p = &set->properties.data[i];
        if (!*p->id || strpbrk(p->id, " \t\r\n") || !g_hash_table_add(ids, p->id)) abort();
        if ((p->kind == PROPERTY_FAULTY) != (p->fault != NULL)) abort();
        if (p->fault && !g_str_has_prefix(p->fault, "fuzz:")) abort();
    }
    return 0;
}
