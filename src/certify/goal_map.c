#include "certify/goal_map.h"

bool goal_map(const FormulaStore *from, FormulaId goal, FormulaStore *to, GoalMapLeaf leaf, void *data,
              FormulaId *mapped)
{
    VecU32 below = {0}, parts = {0};
    g_autofree FormulaId *map = g_new0(FormulaId, (size_t)goal + 1);
    bool ok = true;
    formula_below(from, goal, &below);
    for (size_t i = 0; i < below.len && ok; i++) {
        FormulaId id = below.data[i];
        FormulaNode node = *formula_node(from, id);
        bool all = node.kind == FORMULA_AND;
        if (all || node.kind == FORMULA_OR) {
            vec_clear(&parts);
            for (uint32_t k = 0; k < node.len; k++) vec_push(&parts, map[from->items.data[node.from + k]]);
            map[id] = (all ? formula_and : formula_or)(to, parts.data, parts.len);
        } else if (node.kind == FORMULA_TRUE || node.kind == FORMULA_FALSE) {
            map[id] = id;
        } else {
            ok = leaf(data, node, &map[id]);
        }
    }
    *mapped = map[goal];
    vec_free(&below);
    vec_free(&parts);
    return ok;
}
