#include "fuzz.h"

#include "net/gen.h"
#include "prop/property.h"

int fuzz_property(const uint8_t *data, size_t size)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GError) error = NULL;
    g_autoptr(PropertySet) set = property_read_bytes(store, (const char *)data, size, "fuzz", &error);
    if (!set && !error) abort();
    return 0;
}
