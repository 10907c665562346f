#include "fuzz.h"

#include "net/gen.h"
#include "prop/expression.h"

/* What parses prints back to itself. */
int fuzz_expression(const uint8_t *data, size_t size)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autofree char *text = g_strndup((const char *)data, size);
    FormulaId id, again;
    g_autoptr(GError) error = NULL;
    if (expression_parse(store, text, "fuzz", &id, &error)) {
        g_autofree char *printed = formula_text(store, id);
        if (!expression_parse(store, printed, "printed", &again, NULL) || again != id) abort();
    } else if (!error) {
        abort();
    }
    return 0;
}
