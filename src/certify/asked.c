#include "certify/asked.h"

#include "base/error.h"
#include "prop/expression.h"
#include "prop/property.h"

static bool deadlock_goal(FormulaStore *store, FormulaId *goal, GError **error)
{
    FormulaId accepted = FORMULA_ID_FALSE;
    if (store->net->final && !expression_parse(store, store->net->final, "final markings of the net", &accepted, error))
        return false;
    *goal = formula_and(store, (FormulaId[]){formula_deadlock(store), formula_not(store, accepted)}, 2);
    return true;
}

/* An EF is refuted by its formula's being unreachable, an AG proved by its negation's. */
static bool property_goal(const Asked *asked, FormulaStore *store, FormulaId *goal, GError **error)
{
    g_autoptr(PropertySet) set =
        property_read_bytes(store, asked->property, asked->property_len, asked->property_name, error);
    if (!set) return false;
    const Property *found = NULL;
    for (size_t i = 0; i < set->properties.len && !found; i++)
        if (strcmp(set->properties.data[i].id, asked->id) == 0) found = &set->properties.data[i];
    if (found && found->kind == PROPERTY_FAULTY) {
        g_set_error_literal(error, MAZURKA_ERROR, ERROR_INPUT, found->reason);
        return false;
    }
    if (!found || (found->kind != PROPERTY_EXISTS && found->kind != PROPERTY_ALWAYS)) {
        error_at(error, ERROR_INPUT, asked->property_name, 0, 0,
                 found ? "property %s is not one about reachability" : "no property has the id %s", asked->id);
        return false;
    }
    *goal = found->kind == PROPERTY_EXISTS ? found->formula : formula_not(store, found->formula);
    return true;
}

bool asked_goal(const Asked *asked, FormulaStore *store, FormulaId *goal, GError **error)
{
    if (asked->goal) return expression_parse(store, asked->goal, "--goal", goal, error);
    return asked->deadlock ? deadlock_goal(store, goal, error) : property_goal(asked, store, goal, error);
}
