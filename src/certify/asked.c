#include "certify/asked.h"

#include "base/error.h"
#include "prop/expression.h"
#include "prop/property.h"

#include <string.h>

/* One of the two. */
typedef struct Wanted {
    FormulaId goal;   /* must be unreachable */
    BoundClaim bound; /* claimed: the sum */
} Wanted;

static bool deadlock_goal(FormulaStore *store, FormulaId *goal, GError **error)
{
    FormulaId accepted = FORMULA_ID_FALSE;
    if (store->net->final && !expression_parse(store, store->net->final, "final markings of the net", &accepted, error))
        return false;
    *goal = formula_and(store, (FormulaId[]){formula_deadlock(store), formula_not(store, accepted)}, 2);
    return true;
}

static const Property *find_property(const PropertySet *set, const Asked *asked, GError **error)
{
    for (size_t i = 0; i < set->properties.len; i++) {
        const Property *p = &set->properties.data[i];
        if (strcmp(p->id, asked->id) != 0) continue;
        if (p->kind != PROPERTY_FAULTY) return p;
        g_set_error_literal(error, MAZURKA_ERROR, ERROR_INPUT, p->reason);
        return NULL;
    }
    error_at(error, ERROR_INPUT, asked->property_name, 0, 0, "no property has the id %s", asked->id);
    return NULL;
}

/* An EF is refuted by its formula's being unreachable, an AG proved by its negation's. */
static bool property_wanted(const Asked *asked, FormulaStore *store, Wanted *wanted, GError **error)
{
    g_autoptr(PropertySet) set =
        property_read_bytes(store, asked->property, asked->property_len, asked->property_name, error);
    const Property *found = set ? find_property(set, asked, error) : NULL;
    if (!found) return false;
    const char *odd = NULL;
    if (found->kind == PROPERTY_BOUND)
        wanted->bound = bound_claim(&found->places, false, 0, NULL);
    else if (found->kind == PROPERTY_EXISTS || found->kind == PROPERTY_ALWAYS)
        wanted->goal = found->kind == PROPERTY_EXISTS ? found->formula : formula_not(store, found->formula);
    else
        odd = "property %s is not one about reachability or an upper bound";
    if (asked->bound && found->kind != PROPERTY_BOUND) odd = "--bound: property %s is not one about an upper bound";
    if (odd) error_at(error, ERROR_INPUT, asked->property_name, 0, 0, odd, asked->id);
    return !odd;
}

static bool read_wanted(const Asked *asked, FormulaStore *store, Wanted *wanted, GError **error)
{
    if (asked->goal) return expression_parse(store, asked->goal, "--goal", &wanted->goal, error);
    return asked->deadlock ? deadlock_goal(store, &wanted->goal, error) : property_wanted(asked, store, wanted, error);
}

static AskedAnswer compare_bound(const Asked *asked, const BoundClaim *wanted, const Certificate *c, const Net *net,
                                 char **message)
{
    bool infinite = c->bound.infinite;
    uint64_t value = c->bound.value;
    if (asked->bound && !bound_parse_value(asked->bound + (strcmp(asked->bound, "+inf") == 0), &infinite, &value)) {
        *message = g_strdup_printf("--bound: \"%s\" is neither inf nor a number", asked->bound);
        return ASKED_FAULTY;
    }
    if (c->bound.claimed && bound_same_sum(wanted, &c->bound) && infinite == c->bound.infinite &&
        (infinite || value == c->bound.value))
        return ASKED_SAME;
    g_autofree char *sum = bound_sum_text(wanted, net), *claim = certificate_claim(c, net);
    *message = g_strdup_printf("the certificate is about something else: %s; asked is the largest value of %s%s%s",
                               claim, sum, asked->bound ? ", which shall be " : "", asked->bound ? asked->bound : "");
    return ASKED_OTHER;
}

static AskedAnswer compare_goal(CertificateClaim claim, FormulaId wanted, FormulaStore *store, const Certificate *c,
                                char **message)
{
    g_autoptr(GError) error = NULL;
    FormulaId own;
    if (!c->bound.infinite && !certificate_goal(c, store, &own, &error)) {
        *message = g_strdup(error->message);
        return ASKED_OTHER;
    }
    if (!c->bound.infinite && own == wanted && c->claim == claim) return ASKED_SAME;
    g_autofree char *text = formula_text(store, wanted);
    bool plain = !c->bound.claimed && c->claim == CLAIM_NEVER && claim == CLAIM_NEVER;
    g_autofree char *about = plain ? g_strdup(c->goal) : certificate_claim(c, store->net);
    *message = g_strdup_printf("the certificate is about another goal: %s; asked is %s", about, text);
    return ASKED_OTHER;
}

/* Of claims without a goal. */
static AskedAnswer compare_claim(CertificateClaim claim, const Certificate *c, const Net *net, char **message)
{
    if (c->claim == claim && !c->bound.claimed) return ASKED_SAME;
    g_autofree char *about = certificate_claim(c, net);
    *message = g_strdup_printf("the certificate is about something else: %s; asked is whether the net is %s", about,
                               certificate_claim_word(claim));
    return ASKED_OTHER;
}

AskedAnswer asked_compare(const Asked *asked, const Certificate *c, const Net *net, char **message)
{
    if (!certificate_claim_has_goal(asked->claim)) return compare_claim(asked->claim, c, net, message);
    if (!asked->goal && !asked->deadlock && !asked->property) return ASKED_SAME;
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GError) error = NULL;
    Wanted wanted = {0};
    if (!read_wanted(asked, store, &wanted, &error)) {
        *message = g_strdup(error->message);
        return ASKED_FAULTY;
    }
    AskedAnswer answer = wanted.bound.claimed ? compare_bound(asked, &wanted.bound, c, net, message)
                                              : compare_goal(asked->claim, wanted.goal, store, c, message);
    bound_clear(&wanted.bound);
    return answer;
}
