#include "symbolic/reached.h"

Reached *reached_new(const Net *net, LevelsGrouping grouping, LevelsOrder order, Budget *budget, const char **reason)
{
    g_autoptr(Reached) reached = g_new0(Reached, 1);
    *reason = NULL;
    reached->levels = levels_new(net, grouping, order, budget);
    if (reached->levels && reached->levels->n > DIAGRAM_MAX_LEVELS) {
        *reason = "the net has too many places for diagrams";
        return NULL;
    }
    if (reached->levels) {
        reached->model = model_new(net, reached->levels);
        reached->diagram = diagram_new(reached->levels->n, budget);
        reached->markings = saturate(reached->diagram, reached->model);
        *reason = reached->model->fault;
    }
    if (reached->markings != NODE_EMPTY) return g_steal_pointer(&reached);
    if (!*reason) *reason = budget_text(budget);
    return NULL;
}

void reached_free(Reached *reached)
{
    if (!reached) return;
    diagram_free(reached->diagram);
    model_free(reached->model);
    levels_free(reached->levels);
    g_free(reached);
}
