#include "net/colours.h"
#include "prop/expression.h"
#include "prop/property_parser.h"

#include <errno.h>
#include <string.h>

/* Unknown names that get a proposal, which costs a look at every node. */
enum { SHOWN_NEAREST = 20 };

/* Numbers stand in comparisons and sums, names in what counts or fires them, formulas in what holds formulas. */
static bool may_hold(PropertyElement outer, PropertyElement inner)
{
    if (inner == E_PLACE) return outer == E_TOKENS || outer == E_BOUND;
    if (inner == E_TRANSITION) return outer == E_FIREABLE;
    if (inner == E_BOUND) return outer == E_FORMULA;
    if (inner >= E_CONSTANT && inner <= E_DIFFERENCE)
        return (outer >= E_LE && outer <= E_NE) || outer == E_SUM || outer == E_DIFFERENCE;
    return outer == E_FORMULA || (outer >= E_ALL_PATHS && outer <= E_EQUIVALENCE);
}

void property_check_formula(PropertyParser *p, const PropertyFrame *f)
{
    PropertyElement outer = property_outer(p);
    if (!may_hold(outer, f->element))
        property_fail(p, f, "<%s> does not belong inside <%s>", property_element_name(f->element),
                      property_element_name(outer));
}

/* ---- closing an element: pop its children, push its value ---- */

static bool take_formulas(PropertyParser *p, const PropertyFrame *f, size_t least, size_t most)
{
    size_t n = p->formulas.len - f->formulas;
    if (n >= least && n <= most) return true;
    return property_fail(p, f, "<%s> has %zu formulas inside; %s %zu expected", property_element_name(f->element), n,
                         most == SIZE_MAX ? "at least" : "exactly", least);
}

static bool push_formula(PropertyParser *p, const PropertyFrame *f, FormulaId id)
{
    p->formulas.len = f->formulas;
    vec_push(&p->formulas, id);
    return true;
}

static bool close_connective(PropertyParser *p, const PropertyFrame *f)
{
    FormulaStore *s = p->store;
    bool any_number = f->element == E_CONJUNCTION || f->element == E_DISJUNCTION;
    size_t least = f->element == E_NEGATION ? 1 : any_number ? 1 : 2;
    if (!take_formulas(p, f, least, any_number ? SIZE_MAX : least)) return false;
    const FormulaId *x = vec_from(&p->formulas, f->formulas);
    size_t n = p->formulas.len - f->formulas;
    FormulaId a = x[0], b = x[n - 1];
    switch (f->element) {
    case E_NEGATION: return push_formula(p, f, formula_not(s, a));
    case E_CONJUNCTION: return push_formula(p, f, formula_and(s, x, n));
    case E_DISJUNCTION: return push_formula(p, f, formula_or(s, x, n));
    case E_IMPLICATION: return push_formula(p, f, formula_or(s, (FormulaId[]){formula_not(s, a), b}, 2));
    default: {
        FormulaId same =
            formula_or(s,
                       (FormulaId[]){formula_and(s, (FormulaId[]){a, b}, 2),
                                     formula_and(s, (FormulaId[]){formula_not(s, a), formula_not(s, b)}, 2)},
                       2);
        return push_formula(p, f, f->element == E_EQUIVALENCE ? same : formula_not(s, same));
    }
    }
}

static bool too_large(PropertyParser *p, const PropertyFrame *f)
{
    return property_fail(p, f, "a number in this expression does not fit 64 bits");
}

/* Coefficients are 1 or -1: equal places are merged later. */
static void negate(PropertyParser *p, size_t from)
{
    for (size_t i = from; i < p->terms.len; i++) p->terms.data[i].coefficient = -p->terms.data[i].coefficient;
}

/* a op b with both sides linear: a - b compared with a constant. */
static bool close_comparison(PropertyParser *p, const PropertyFrame *f)
{
    if (p->sums.len - f->sums != 2)
        return property_fail(p, f, "<%s> compares exactly two expressions", property_element_name(f->element));
    PropertyLinear left = p->sums.data[f->sums], right = p->sums.data[f->sums + 1];
    negate(p, right.from);
    Sum limit = right.constant;
    int64_t bound, opposite;
    exact_add_sum(&limit, exact_minus(left.constant));
    if (f->element == E_LT || f->element == E_GT) exact_add(&limit, f->element == E_LT ? -1 : 1);
    if (!exact_signed(limit, &bound) || !exact_signed(exact_minus(limit), &opposite)) return too_large(p, f);
    const FormulaTerm *terms = vec_from(&p->terms, left.from);
    size_t n = p->terms.len - left.from;
    bool at_least = f->element == E_GE || f->element == E_GT, at_most = f->element == E_LE || f->element == E_LT;
    FormulaId low = FORMULA_ID_FALSE, high = FORMULA_ID_FALSE;
    if (!at_least && !formula_at_most(p->store, terms, n, bound, &low, NULL)) return too_large(p, f);
    negate(p, left.from);
    if (!at_most && !formula_at_most(p->store, terms, n, opposite, &high, NULL)) return too_large(p, f);
    p->terms.len = left.from;
    p->sums.len = f->sums;
    switch (f->element) {
    case E_LE:
    case E_LT: return push_formula(p, f, low);
    case E_GE:
    case E_GT: return push_formula(p, f, high);
    default: {
        FormulaId equal = formula_and(p->store, (FormulaId[]){low, high}, 2);
        return push_formula(p, f, f->element == E_EQ ? equal : formula_not(p->store, equal));
    }
    }
}

static bool close_constant(PropertyParser *p, const PropertyFrame *f)
{
    const char *text = property_text(p);
    char *end;
    errno = 0;
    int64_t value = g_ascii_strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return property_fail(p, f, "\"%s\" is not a 64-bit integer", error_excerpt(text, SIZE_MAX).text);
    vec_push(&p->sums, ((PropertyLinear){p->terms.len, exact_of(value)}));
    return true;
}

static bool close_tokens(PropertyParser *p, const PropertyFrame *f)
{
    if (p->named == f->named) return property_fail(p, f, "<tokens-count> names no place");
    vec_push(&p->sums, ((PropertyLinear){p->terms.len, exact_of(0)}));
    for (size_t i = f->names; i < p->names.len; i++) vec_push(&p->terms, ((FormulaTerm){p->names.data[i], 1}));
    p->names.len = f->names;
    return true;
}

static bool close_sum(PropertyParser *p, const PropertyFrame *f)
{
    size_t n = p->sums.len - f->sums;
    bool minus = f->element == E_DIFFERENCE;
    if (n < 1 || (minus && n != 2))
        return property_fail(p, f, "<%s> has %zu expressions inside", property_element_name(f->element), n);
    PropertyLinear *sums = vec_from(&p->sums, f->sums);
    for (size_t i = 1; i < n; i++)
        exact_add_sum(&sums[0].constant, minus ? exact_minus(sums[i].constant) : sums[i].constant);
    if (minus) negate(p, sums[1].from);
    p->sums.len = f->sums + 1;
    return true;
}

static bool close_name(PropertyParser *p, const PropertyFrame *f)
{
    bool place = f->element == E_PLACE;
    const char *name = property_text(p);
    const Net *net = p->store->net;
    NetRange range = {0};
    if (!(place ? net_colours_named_places : net_colours_named_transitions)(net, name, &range)) {
        const char *nearest = p->n_unknown++ < SHOWN_NEAREST ? expression_nearest(net, name, place) : NULL;
        return property_fail(p, f, "there is no %s \"%s\" in the net%s%s%s", place ? "place" : "transition",
                             error_excerpt(name, SIZE_MAX).text, nearest ? "; the nearest is \"" : "",
                             nearest ? error_excerpt(nearest, SIZE_MAX).text : "", nearest ? "\"" : "");
    }
    for (uint32_t i = range.from; i < range.to; i++) vec_push(&p->names, i);
    p->named++;
    return true;
}

static void unsupported(PropertyParser *p, const char *reason)
{
    if (p->current.kind != PROPERTY_UNSUPPORTED) p->current.reason = reason;
    p->current.kind = PROPERTY_UNSUPPORTED;
}

/* Path quantifiers and temporal operators: only A G and E F at the top are within our scope. */
static bool close_quantifier(PropertyParser *p, const PropertyFrame *f)
{
    if (!take_formulas(p, f, 1, f->element >= E_NEXT ? SIZE_MAX : 1)) return false;
    PropertyElement outer = property_outer(p);
    switch (f->element) {
    case E_GLOBALLY:
    case E_FINALLY: {
        bool fits = outer == (f->element == E_GLOBALLY ? E_ALL_PATHS : E_EXISTS_PATH);
        if (!fits) unsupported(p, "only AG and EF of a state formula are supported");
        if (p->current.kind != PROPERTY_UNSUPPORTED)
            p->current.kind = f->element == E_GLOBALLY ? PROPERTY_ALWAYS : PROPERTY_EXISTS;
        p->quantified = fits;
        break;
    }
    case E_ALL_PATHS:
    case E_EXISTS_PATH:
        if (outer != E_FORMULA || !p->quantified)
            unsupported(p, "nested path quantifiers (CTL, LTL) are not supported");
        break;
    case E_INVARIANT:
    case E_POSSIBILITY:
    case E_IMPOSSIBILITY:
        if (outer != E_FORMULA) unsupported(p, "nested path quantifiers (CTL, LTL) are not supported");
        if (p->current.kind != PROPERTY_UNSUPPORTED)
            p->current.kind = f->element == E_POSSIBILITY ? PROPERTY_EXISTS : PROPERTY_ALWAYS;
        if (f->element == E_IMPOSSIBILITY)
            p->formulas.data[f->formulas] = formula_not(p->store, p->formulas.data[f->formulas]);
        p->quantified = true;
        break;
    default: unsupported(p, "the temporal operators next and until are not supported"); break;
    }
    return push_formula(p, f, p->formulas.data[f->formulas]);
}

static bool close_formula(PropertyParser *p, const PropertyFrame *f)
{
    size_t n = p->formulas.len - f->formulas + p->n_bounds;
    if (++p->n_formulas > 1) return property_fail(p, f, "this property has several formulas");
    if (n != 1) return property_fail(p, f, n ? "several things inside one <formula>" : "this <formula> is empty");
    if (p->n_bounds) return true;
    p->current.formula = p->formulas.data[f->formulas];
    if (!p->quantified) unsupported(p, "only AG and EF of a state formula are supported");
    p->formulas.len = f->formulas;
    return true;
}

static bool close_bound(PropertyParser *p, const PropertyFrame *f)
{
    if (p->named == f->named) return property_fail(p, f, "<place-bound> names no place");
    p->n_bounds++;
    p->current.kind = PROPERTY_BOUND;
    vec_clear(&p->current.places);
    vec_append(&p->current.places, p->names.data + f->names, p->names.len - f->names);
    p->names.len = f->names;
    return true;
}

bool property_close_formula(PropertyParser *p, const PropertyFrame *f)
{
    switch (f->element) {
    case E_FORMULA: return close_formula(p, f);
    case E_ALL_PATHS:
    case E_EXISTS_PATH:
    case E_GLOBALLY:
    case E_FINALLY:
    case E_INVARIANT:
    case E_POSSIBILITY:
    case E_IMPOSSIBILITY:
    case E_NEXT:
    case E_UNTIL:
    case E_BEFORE:
    case E_REACH:
    case E_LIVE: return close_quantifier(p, f);
    case E_NEGATION:
    case E_CONJUNCTION:
    case E_DISJUNCTION:
    case E_EXCLUSIVE:
    case E_IMPLICATION:
    case E_EQUIVALENCE: return close_connective(p, f);
    case E_TRUE: return push_formula(p, f, FORMULA_ID_TRUE);
    case E_FALSE: return push_formula(p, f, FORMULA_ID_FALSE);
    case E_DEADLOCK: return push_formula(p, f, formula_deadlock(p->store));
    case E_FIREABLE:
        if (p->named == f->named) return property_fail(p, f, "<is-fireable> names no transition");
        push_formula(p, f, formula_fireable(p->store, p->names.data + f->names, p->names.len - f->names));
        p->names.len = f->names;
        return true;
    case E_LE:
    case E_LT:
    case E_GE:
    case E_GT:
    case E_EQ:
    case E_NE: return close_comparison(p, f);
    case E_CONSTANT: return close_constant(p, f);
    case E_TOKENS: return close_tokens(p, f);
    case E_SUM:
    case E_DIFFERENCE: return close_sum(p, f);
    case E_BOUND: return close_bound(p, f);
    case E_PLACE:
    case E_TRANSITION: return close_name(p, f);
    case E_PROPERTY_SET:
    case E_PROPERTY:
    case E_ID:
    case E_OTHER: break;
    }
    return true;
}
