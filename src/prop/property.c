#include "prop/property.h"

#include "base/exact.h"
#include "base/xml.h"
#include "prop/expression.h"

#include <errno.h>
#include <string.h>

typedef enum {
    E_PROPERTY_SET,
    E_PROPERTY,
    E_ID,
    E_FORMULA,
    E_OTHER,
    E_ALL_PATHS,
    E_EXISTS_PATH,
    E_GLOBALLY,
    E_FINALLY,
    E_INVARIANT,
    E_POSSIBILITY,
    E_IMPOSSIBILITY,
    E_TEMPORAL,
    E_NEGATION,
    E_CONJUNCTION,
    E_DISJUNCTION,
    E_EXCLUSIVE,
    E_IMPLICATION,
    E_EQUIVALENCE,
    E_TRUE,
    E_FALSE,
    E_DEADLOCK,
    E_FIREABLE,
    E_LE,
    E_LT,
    E_GE,
    E_GT,
    E_EQ,
    E_NE,
    E_CONSTANT,
    E_TOKENS,
    E_SUM,
    E_DIFFERENCE,
    E_BOUND,
    E_PLACE,
    E_TRANSITION,
} Element;

static const struct {
    const char *name;
    Element element;
} elements[] = {
    {"property-set", E_PROPERTY_SET},
    {"property", E_PROPERTY},
    {"id", E_ID},
    {"formula", E_FORMULA},
    {"all-paths", E_ALL_PATHS},
    {"exists-path", E_EXISTS_PATH},
    {"globally", E_GLOBALLY},
    {"finally", E_FINALLY},
    {"invariant", E_INVARIANT},
    {"possibility", E_POSSIBILITY},
    {"impossibility", E_IMPOSSIBILITY},
    {"next", E_TEMPORAL},
    {"until", E_TEMPORAL},
    {"before", E_TEMPORAL},
    {"reach", E_TEMPORAL},
    {"is-live", E_TEMPORAL},
    {"negation", E_NEGATION},
    {"conjunction", E_CONJUNCTION},
    {"disjunction", E_DISJUNCTION},
    {"exclusive-disjunction", E_EXCLUSIVE},
    {"implication", E_IMPLICATION},
    {"equivalence", E_EQUIVALENCE},
    {"true", E_TRUE},
    {"false", E_FALSE},
    {"deadlock", E_DEADLOCK},
    {"is-fireable", E_FIREABLE},
    {"integer-le", E_LE},
    {"integer-lt", E_LT},
    {"integer-ge", E_GE},
    {"integer-gt", E_GT},
    {"integer-eq", E_EQ},
    {"integer-ne", E_NE},
    {"integer-constant", E_CONSTANT},
    {"tokens-count", E_TOKENS},
    {"integer-sum", E_SUM},
    {"integer-difference", E_DIFFERENCE},
    {"place-bound", E_BOUND},
    {"place", E_PLACE},
    {"transition", E_TRANSITION},
};

/* A linear expression on the stack: its terms are terms[from ..] up to the next one's. */
typedef struct Linear {
    size_t from;
    Sum constant;
} Linear;

enum { MAX_TEXT = 10000000 }; /* bytes of a name or number */

/* An open element and how high the stacks were when it opened. */
typedef struct Frame {
    Element element;
    int line, column;
    size_t formulas, sums, names;
} Frame;

typedef struct Parser {
    FormulaStore *store;
    PropertySet *set;
    Xml *xml;
    const char *file;
    GHashTable *ids; /* of the properties so far (borrowed) -> their number, from 1 */
    VEC(Frame) frames;
    VecU32 formulas, names;
    VEC(Linear) sums;
    VEC(FormulaTerm) terms;
    GString *text;
    /* the property being read */
    Property current;
    bool quantified; /* its formula is AG or EF of something */
    uint32_t n_ids, n_formulas, n_bounds;
} Parser;

/* Inside a property the fault is its own, the first one counts; elsewhere it is the file's. */
static bool fail_at(Parser *p, int line, int column, const char *format, ...) G_GNUC_PRINTF(4, 5);
static bool fail_at(Parser *p, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    bool in_property = p->frames.len > 1 && p->frames.data[1].element == E_PROPERTY;
    if (!in_property)
        xml_fail(p->xml, (XmlPosition){line, column}, ERROR_INPUT, "%s", message);
    else if (!p->current.fault)
        p->current.fault = g_strdup_printf("%s:%d:%d: %s", p->file, line, column, message);
    return false;
}

#define fail(p, frame, ...) fail_at(p, (frame)->line, (frame)->column, __VA_ARGS__)

static Element element_named(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(elements); i++)
        if (strcmp(elements[i].name, name) == 0) return elements[i].element;
    return E_OTHER;
}

static const char *element_name(Element element)
{
    for (size_t i = 0; i < G_N_ELEMENTS(elements); i++)
        if (elements[i].element == element) return elements[i].name;
    return "element";
}

static const char *stripped_text(Parser *p)
{
    return g_strstrip(p->text->str);
}

/* ---- closing an element: pop its children, push its value ---- */

static bool take_formulas(Parser *p, const Frame *f, size_t least, size_t most)
{
    size_t n = p->formulas.len - f->formulas;
    if (n >= least && n <= most) return true;
    return fail(p, f, "<%s> has %zu formulas inside; %s %zu expected", element_name(f->element), n,
                most == SIZE_MAX ? "at least" : "exactly", least);
}

static bool push_formula(Parser *p, const Frame *f, FormulaId id)
{
    p->formulas.len = f->formulas;
    vec_push(&p->formulas, id);
    return true;
}

static bool close_connective(Parser *p, const Frame *f)
{
    FormulaStore *s = p->store;
    bool any_number = f->element == E_CONJUNCTION || f->element == E_DISJUNCTION;
    size_t least = f->element == E_NEGATION ? 1 : any_number ? 1 : 2;
    if (!take_formulas(p, f, least, any_number ? SIZE_MAX : least)) return false;
    const FormulaId *x = p->formulas.data + f->formulas;
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

static bool too_large(Parser *p, const Frame *f)
{
    return fail(p, f, "a number in this expression does not fit 64 bits");
}

/* Coefficients are 1 or -1: equal places are merged later. */
static void negate(Parser *p, size_t from)
{
    for (size_t i = from; i < p->terms.len; i++) p->terms.data[i].coefficient = -p->terms.data[i].coefficient;
}

/* a op b with both sides linear: a - b compared with a constant. */
static bool close_comparison(Parser *p, const Frame *f)
{
    if (p->sums.len - f->sums != 2)
        return fail(p, f, "<%s> compares exactly two expressions", element_name(f->element));
    Linear left = p->sums.data[f->sums], right = p->sums.data[f->sums + 1];
    negate(p, right.from);
    Sum limit = right.constant;
    int64_t bound, opposite;
    sum_add_sum(&limit, sum_minus(left.constant));
    if (f->element == E_LT || f->element == E_GT) sum_add(&limit, f->element == E_LT ? -1 : 1);
    if (!sum_signed(limit, &bound) || !sum_signed(sum_minus(limit), &opposite)) return too_large(p, f);
    const FormulaTerm *terms = p->terms.data ? p->terms.data + left.from : NULL;
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

static bool close_constant(Parser *p, const Frame *f)
{
    const char *text = stripped_text(p);
    char *end;
    errno = 0;
    int64_t value = g_ascii_strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return fail(p, f, "\"%s\" is not a 64-bit integer", error_excerpt(text, SIZE_MAX).text);
    vec_push(&p->sums, ((Linear){p->terms.len, sum_of(value)}));
    return true;
}

static bool close_tokens(Parser *p, const Frame *f)
{
    if (p->names.len == f->names) return fail(p, f, "<tokens-count> names no place");
    vec_push(&p->sums, ((Linear){p->terms.len, sum_of(0)}));
    for (size_t i = f->names; i < p->names.len; i++) vec_push(&p->terms, ((FormulaTerm){p->names.data[i], 1}));
    p->names.len = f->names;
    return true;
}

static bool close_sum(Parser *p, const Frame *f)
{
    size_t n = p->sums.len - f->sums;
    bool minus = f->element == E_DIFFERENCE;
    if (n < 1 || (minus && n != 2)) return fail(p, f, "<%s> has %zu expressions inside", element_name(f->element), n);
    Linear *sums = p->sums.data + f->sums;
    for (size_t i = 1; i < n; i++)
        sum_add_sum(&sums[0].constant, minus ? sum_minus(sums[i].constant) : sums[i].constant);
    if (minus) negate(p, sums[1].from);
    p->sums.len = f->sums + 1;
    return true;
}

static bool close_name(Parser *p, const Frame *f)
{
    bool place = f->element == E_PLACE;
    const char *name = stripped_text(p);
    const Net *net = p->store->net;
    uint32_t node = place ? net_find_place(net, name) : net_find_transition(net, name);
    if (node == NET_NONE) {
        const char *nearest = expression_nearest(net, name, place);
        return fail(p, f, "there is no %s \"%s\" in the net%s%s%s", place ? "place" : "transition",
                    error_excerpt(name, SIZE_MAX).text, nearest ? "; the nearest is \"" : "",
                    nearest ? error_excerpt(nearest, SIZE_MAX).text : "", nearest ? "\"" : "");
    }
    vec_push(&p->names, node);
    return true;
}

static void unsupported(Parser *p, const char *reason)
{
    if (p->current.kind != PROPERTY_UNSUPPORTED) p->current.reason = reason;
    p->current.kind = PROPERTY_UNSUPPORTED;
}

static const Frame *parent(const Parser *p)
{
    return p->frames.len > 1 ? &p->frames.data[p->frames.len - 2] : NULL;
}

/* Path quantifiers and temporal operators: only A G and E F at the top are within our scope. */
static bool close_quantifier(Parser *p, const Frame *f)
{
    if (!take_formulas(p, f, 1, f->element == E_TEMPORAL ? SIZE_MAX : 1)) return false;
    const Frame *above = parent(p);
    Element outer = above ? above->element : E_OTHER;
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

static bool close_formula(Parser *p, const Frame *f)
{
    size_t n = p->formulas.len - f->formulas + p->n_bounds;
    if (++p->n_formulas > 1) return fail(p, f, "this property has several formulas");
    if (n != 1) return fail(p, f, n ? "several things inside one <formula>" : "this <formula> is empty");
    if (p->n_bounds) return true;
    p->current.formula = p->formulas.data[f->formulas];
    if (!p->quantified) unsupported(p, "only AG and EF of a state formula are supported");
    p->formulas.len = f->formulas;
    return true;
}

static bool close_bound(Parser *p, const Frame *f)
{
    if (p->names.len == f->names) return fail(p, f, "<place-bound> names no place");
    p->n_bounds++;
    p->current.kind = PROPERTY_BOUND;
    vec_clear(&p->current.places);
    vec_append(&p->current.places, p->names.data + f->names, p->names.len - f->names);
    p->names.len = f->names;
    return true;
}

/* What is wrong with an id as part of an answer; NULL: nothing. */
static const char *odd_id(const char *id)
{
    if (!*id) return "this property has no id";
    if (strlen(id) > PROPERTY_MAX_ID) return "this property's id is too long for an answer";
    for (const char *at = id; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (g_unichar_isspace(c)) return "this property's id has white space in it";
        if (g_unichar_iscntrl(c) || !g_unichar_isgraph(c)) return "this property's id has a control character in it";
    }
    return NULL;
}

/* Takes over the fault, which counts when it is the first. */
static void spoil(Property *property, char *fault)
{
    if (property->fault)
        g_free(fault);
    else
        property->fault = fault;
    property->kind = PROPERTY_FAULTY;
    property->reason = property->fault;
    property->formula = 0;
    vec_clear(&property->places);
}

static bool close_id(Parser *p, const Frame *f)
{
    if (++p->n_ids > 1) return fail(p, f, "this property has several ids");
    const char *id = stripped_text(p), *odd = odd_id(id);
    if (odd) return fail(p, f, "%s", odd);
    size_t earlier = GPOINTER_TO_SIZE(g_hash_table_lookup(p->ids, id));
    if (earlier) {
        spoil(&p->set->properties.data[earlier - 1],
              g_strdup_printf("%s:%d:%d: another property has the same id \"%s\"", p->file, f->line, f->column, id));
        return fail(p, f, "another property has the id \"%s\" already", id);
    }
    p->current.id = g_strdup(id);
    return true;
}

static void name_by_position(Parser *p, const Frame *f)
{
    p->current.id = g_strdup_printf("property-%d-%d", f->line, f->column);
    while (g_hash_table_contains(p->ids, p->current.id)) {
        char *longer = g_strconcat(p->current.id, "-", NULL);
        g_free(p->current.id);
        p->current.id = longer;
    }
}

static void close_property(Parser *p, const Frame *f)
{
    Property *property = &p->current;
    if (!property->id) fail(p, f, "this property has no id");
    if (!p->n_formulas) fail(p, f, "this property has no formula");
    if (property->fault) spoil(property, NULL);
    if (!property->id) name_by_position(p, f);
    vec_push(&p->set->properties, *property);
    g_hash_table_insert(p->ids, property->id, GSIZE_TO_POINTER(p->set->properties.len));
    *property = (Property){0};
    p->n_ids = p->n_formulas = p->n_bounds = 0;
    p->formulas.len = p->names.len = p->sums.len = p->terms.len = 0;
}

static bool close_element(Parser *p, const Frame *f)
{
    switch (f->element) {
    case E_ID: return close_id(p, f);
    case E_FORMULA: return close_formula(p, f);
    case E_ALL_PATHS:
    case E_EXISTS_PATH:
    case E_GLOBALLY:
    case E_FINALLY:
    case E_INVARIANT:
    case E_POSSIBILITY:
    case E_IMPOSSIBILITY:
    case E_TEMPORAL: return close_quantifier(p, f);
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
        if (p->names.len == f->names) return fail(p, f, "<is-fireable> names no transition");
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
    case E_OTHER: break;
    }
    return true;
}

/* ---- the stream of nodes ---- */

static bool inside_formula(const Parser *p)
{
    for (size_t i = 0; i < p->frames.len && i < 4; i++)
        if (p->frames.data[i].element == E_FORMULA) return true;
    return false;
}

/* A state formula lies inside a name's parent: <place> below <tokens-count> or <place-bound> only. */
static bool well_placed(Parser *p, const Frame *f)
{
    const Frame *above = parent(p);
    Element outer = above ? above->element : E_OTHER;
    if (f->element == E_PLACE && outer != E_TOKENS && outer != E_BOUND)
        return fail(p, f, "<place> belongs inside <tokens-count> or <place-bound>");
    if (f->element == E_TRANSITION && outer != E_FIREABLE)
        return fail(p, f, "<transition> belongs inside <is-fireable>");
    if (f->element == E_BOUND && outer != E_FORMULA)
        return fail(p, f, "<place-bound> belongs directly inside <formula>");
    bool number =
        f->element == E_CONSTANT || f->element == E_TOKENS || f->element == E_SUM || f->element == E_DIFFERENCE;
    bool number_wanted = (outer >= E_LE && outer <= E_NE) || outer == E_SUM || outer == E_DIFFERENCE;
    if (number && !number_wanted)
        return fail(p, f, "<%s> is a number, a formula is expected here", element_name(f->element));
    if (!number && number_wanted)
        return fail(p, f, "<%s> is no number, one is expected here", element_name(f->element));
    return true;
}

/* Which element it is at this place; what stands elsewhere (descriptions may hold anything) is another. */
static Element placed(const Parser *p, Element element)
{
    if (inside_formula(p)) return element;
    Element outer = p->frames.len ? vec_last(&p->frames).element : E_OTHER;
    bool good = p->frames.len == 0        ? element == E_PROPERTY_SET
                : outer == E_PROPERTY_SET ? element == E_PROPERTY
                : outer == E_PROPERTY     ? element != E_PROPERTY_SET && element < E_OTHER
                                          : false;
    return good ? element : E_OTHER;
}

static void check_place(Parser *p, const Frame *f, bool in_formula, const char *name)
{
    const Frame *above = parent(p);
    Element outer = above ? above->element : E_OTHER;
    if (!above && f->element != E_PROPERTY_SET)
        fail(p, f, "this is no property file: <property-set> is expected, not <%s>",
             error_excerpt(name, SIZE_MAX).text);
    else if (outer == E_PROPERTY && f->element == E_PROPERTY)
        fail(p, f, "a <property> inside a <property>");
    else if (outer == E_ID)
        fail(p, f, "an <%s> inside an <id>", error_excerpt(name, SIZE_MAX).text);
    else if (in_formula && f->element <= E_OTHER)
        fail(p, f, "<%s> is not known inside a formula", error_excerpt(name, SIZE_MAX).text);
    else if (in_formula)
        well_placed(p, f);
}

static void on_start(void *data, const XmlTag *tag)
{
    Parser *p = data;
    XmlPosition here = xml_here(p->xml);
    Frame frame = {
        placed(p, element_named(tag->name)), here.line, here.column, p->formulas.len, p->sums.len, p->names.len};
    bool in_formula = inside_formula(p);
    if (frame.element == E_FORMULA && !in_formula) p->quantified = false;
    vec_push(&p->frames, frame);
    g_string_truncate(p->text, 0);
    if (!p->current.fault) check_place(p, &frame, in_formula, tag->name);
}

static void on_end(void *data)
{
    Parser *p = data;
    Frame frame = vec_last(&p->frames);
    if (frame.element == E_PROPERTY && p->frames.len == 2)
        close_property(p, &frame);
    else if (!p->current.fault)
        close_element(p, &frame);
    p->frames.len--;
    g_string_truncate(p->text, 0);
}

static void on_text(void *data, const char *text, size_t len)
{
    Parser *p = data;
    Element in = p->frames.len ? vec_last(&p->frames).element : E_OTHER;
    if (in != E_ID && in != E_CONSTANT && in != E_PLACE && in != E_TRANSITION) return;
    if (p->text->len + len > MAX_TEXT)
        xml_fail(p->xml, xml_here(p->xml), ERROR_LIMIT, "this text is longer than %d bytes", MAX_TEXT);
    else
        g_string_append_len(p->text, text, (gssize)len);
}

static void parser_clear(Parser *p)
{
    vec_free(&p->frames);
    vec_free(&p->formulas);
    vec_free(&p->names);
    vec_free(&p->sums);
    vec_free(&p->terms);
    g_string_free(p->text, TRUE);
    g_free(p->current.id);
    g_free(p->current.fault);
    vec_free(&p->current.places);
    g_hash_table_unref(p->ids);
}

static PropertySet *read_input(FormulaStore *store, Input *input, GError **error)
{
    static const XmlHandler handler = {on_start, on_end, on_text};
    Parser p = {.store = store, .file = input_name(input)};
    g_autoptr(Xml) xml = xml_new(input, FORMULA_MAX_DEPTH, &handler, &p, error);
    if (!xml) return NULL;
    p.xml = xml;
    p.ids = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(PropertySet) set = p.set = g_new0(PropertySet, 1);
    p.text = g_string_new(NULL);
    bool ok = xml_parse(xml);
    parser_clear(&p);
    if (ok) return g_steal_pointer(&set);
    g_propagate_error(error, xml_take_error(xml));
    return NULL;
}

PropertySet *property_read_bytes(FormulaStore *store, const char *data, size_t len, const char *file, GError **error)
{
    g_autoptr(Input) input = input_bytes(data, len, file, NULL);
    return read_input(store, input, error);
}

PropertySet *property_read_file(FormulaStore *store, const char *path, Budget *budget, GError **error)
{
    g_autoptr(Input) input = input_open(path, budget, error);
    return input ? read_input(store, input, error) : NULL;
}

void property_set_free(PropertySet *set)
{
    if (!set) return;
    for (size_t i = 0; i < set->properties.len; i++) {
        g_free(set->properties.data[i].id);
        g_free(set->properties.data[i].fault);
        vec_free(&set->properties.data[i].places);
    }
    vec_free(&set->properties);
    g_free(set);
}
