#include "report/run_dot.h"

#include "base/bitset.h"
#include "base/visible.h"

void run_dot(const Net *net, const Indep *indep, const uint32_t *run, size_t n, GString *out)
{
    size_t words = bitset_words(n);
    g_autofree uint64_t *below = g_new0(uint64_t, n * words + 1); /* per firing: all it depends on, directly or not */
    g_string_append(out, "digraph run {\n  rankdir=TB;\n  node [shape=box];\n");
    for (size_t i = 0; i < n; i++) {
        uint64_t *own = below + i * words;
        g_string_append_printf(out, "  e%zu [label=\"%zu: ", i + 1, i + 1);
        visible_dot(out, net_transition_label(net, run[i]));
        g_string_append(out, "\"];\n");
        for (size_t k = i; k-- > 0;) {
            if (bitset_get(own, k) || !indep_dependent(indep, run[i], run[k])) continue;
            g_string_append_printf(out, "  e%zu -> e%zu;\n", k + 1, i + 1);
            bitset_or(own, below + k * words, words);
            bitset_set(own, k);
        }
    }
    g_string_append(out, "}\n");
}
