#include "prop/property.h"

#include "prop/property_parser.h"

#include <string.h>

enum { MAX_TEXT = 10000000 }; /* bytes of a name or number */

bool property_fail(PropertyParser *p, const PropertyFrame *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    bool in_property = p->frames.len > 1 && p->frames.data[1].element == E_PROPERTY;
    if (!in_property)
        xml_fail(p->xml, (XmlPosition){at->line, at->column}, ERROR_INPUT, "%s", message);
    else if (!p->current.fault)
        p->current.fault = g_strdup_printf("%s:%d:%d: %s", p->file, at->line, at->column, message);
    return false;
}

static const char *const elements[] = {
#define ELEMENT(constant, name) name,
#include "prop/property_elements.def"
#undef ELEMENT
};

static PropertyElement element_named(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(elements); i++)
        if (strcmp(elements[i], name) == 0) return (PropertyElement)i;
    return E_OTHER;
}

const char *property_element_name(PropertyElement element)
{
    return elements[element];
}

PropertyElement property_outer(const PropertyParser *p)
{
    return p->frames.len > 1 ? p->frames.data[p->frames.len - 2].element : E_OTHER;
}

const char *property_text(PropertyParser *p)
{
    return g_strstrip(p->text->str);
}

/* ---- ids and properties ---- */

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

static bool close_id(PropertyParser *p, const PropertyFrame *f)
{
    if (++p->n_ids > 1) return property_fail(p, f, "this property has several ids");
    const char *id = property_text(p), *odd = odd_id(id);
    if (odd) return property_fail(p, f, "%s", odd);
    size_t earlier = GPOINTER_TO_SIZE(g_hash_table_lookup(p->ids, id));
    if (earlier) {
        spoil(&p->set->properties.data[earlier - 1],
              g_strdup_printf("%s:%d:%d: another property has the same id \"%s\"", p->file, f->line, f->column, id));
        return property_fail(p, f, "another property has the id \"%s\" already", id);
    }
    p->current.id = g_strdup(id);
    return true;
}

static void name_by_position(PropertyParser *p, const PropertyFrame *f)
{
    p->current.id = g_strdup_printf("property-%d-%d", f->line, f->column);
    while (g_hash_table_contains(p->ids, p->current.id)) {
        char *longer = g_strconcat(p->current.id, "-", NULL);
        g_free(p->current.id);
        p->current.id = longer;
    }
}

static void close_property(PropertyParser *p, const PropertyFrame *f)
{
    Property *property = &p->current;
    if (!property->id) property_fail(p, f, "this property has no id");
    if (!p->n_formulas) property_fail(p, f, "this property has no formula");
    if (property->fault) spoil(property, NULL);
    if (!property->id) name_by_position(p, f);
    vec_push(&p->set->properties, *property);
    g_hash_table_insert(p->ids, property->id, GSIZE_TO_POINTER(p->set->properties.len));
    *property = (Property){0};
    p->n_ids = p->n_formulas = p->n_bounds = 0;
    p->formulas.len = p->names.len = p->sums.len = p->terms.len = 0;
}

/* ---- the stream of elements ---- */

static bool inside_formula(const PropertyParser *p)
{
    for (size_t i = 0; i < p->frames.len && i < 4; i++)
        if (p->frames.data[i].element == E_FORMULA) return true;
    return false;
}

/* Which element it is at this place; what stands elsewhere (descriptions may hold anything) is another. */
static PropertyElement placed(const PropertyParser *p, PropertyElement element)
{
    if (inside_formula(p)) return element;
    PropertyElement outer = p->frames.len ? vec_last(&p->frames).element : E_OTHER;
    bool good = p->frames.len == 0        ? element == E_PROPERTY_SET
                : outer == E_PROPERTY_SET ? element == E_PROPERTY
                : outer == E_PROPERTY     ? element != E_PROPERTY_SET && element < E_OTHER
                                          : false;
    return good ? element : E_OTHER;
}

static void check_place(PropertyParser *p, const PropertyFrame *f, bool in_formula, const char *name)
{
    PropertyElement outer = property_outer(p);
    if (p->frames.len == 1 && f->element != E_PROPERTY_SET)
        property_fail(p, f, "this is no property file: <property-set> is expected, not <%s>",
                      error_excerpt(name, SIZE_MAX).text);
    else if (p->frames.len > 2 && p->frames.data[1].element != E_PROPERTY && element_named(name) == E_PROPERTY)
        property_fail(p, f, "a <property> that does not stand in <property-set>: nobody would answer it");
    else if (outer == E_PROPERTY && f->element == E_PROPERTY)
        property_fail(p, f, "a <property> inside a <property>");
    else if (outer == E_ID)
        property_fail(p, f, "an <%s> inside an <id>", error_excerpt(name, SIZE_MAX).text);
    else if (in_formula && f->element <= E_OTHER)
        property_fail(p, f, "<%s> is not known inside a formula", error_excerpt(name, SIZE_MAX).text);
    else if (in_formula)
        property_check_formula(p, f);
}

static void on_start(void *data, const XmlTag *tag)
{
    PropertyParser *p = data;
    XmlPosition here = xml_here(p->xml);
    PropertyFrame frame = {placed(p, element_named(tag->name)),
                           here.line,
                           here.column,
                           p->formulas.len,
                           p->sums.len,
                           p->names.len,
                           p->named};
    bool in_formula = inside_formula(p);
    if (frame.element == E_FORMULA && !in_formula) p->quantified = false;
    vec_push(&p->frames, frame);
    g_string_truncate(p->text, 0);
    if (!p->current.fault) check_place(p, &frame, in_formula, tag->name);
}

static void on_end(void *data)
{
    PropertyParser *p = data;
    PropertyFrame frame = vec_last(&p->frames);
    if (frame.element == E_PROPERTY && p->frames.len == 2)
        close_property(p, &frame);
    else if (!p->current.fault && frame.element == E_ID)
        close_id(p, &frame);
    else if (!p->current.fault)
        property_close_formula(p, &frame);
    p->frames.len--;
    g_string_truncate(p->text, 0);
}

static bool takes_text(PropertyElement element)
{
    return element == E_ID || element == E_CONSTANT || element == E_PLACE || element == E_TRANSITION;
}

static bool is_blank(const char *text, size_t len)
{
    while (len && g_ascii_isspace(*text)) text++, len--;
    return !len;
}

static void on_text(void *data, const char *text, size_t len)
{
    PropertyParser *p = data;
    const PropertyFrame *in = p->frames.len ? &vec_last(&p->frames) : NULL;
    if (!in || !takes_text(in->element)) {
        if (in && inside_formula(p) && !is_blank(text, len))
            property_fail(p, in, "text inside <%s>, which holds elements only", property_element_name(in->element));
        return;
    }
    if (p->text->len + len > MAX_TEXT)
        xml_fail(p->xml, xml_here(p->xml), ERROR_LIMIT, "this text is longer than %d bytes", MAX_TEXT);
    else
        g_string_append_len(p->text, text, (gssize)len);
}

static void parser_clear(PropertyParser *p)
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
    PropertyParser p = {.store = store, .file = input_name(input)};
    g_autoptr(Xml) xml = xml_new(input, FORMULA_MAX_DEPTH, &handler, &p, error);
    if (!xml) return NULL;
    p.xml = xml;
    p.ids = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(PropertySet) set = p.set = g_new0(PropertySet, 1);
    p.text = g_string_new(NULL);
    bool ok = xml_parse(xml);
    parser_clear(&p);
    if (ok && set->properties.len) return g_steal_pointer(&set);
    if (ok)
        error_at(error, ERROR_INPUT, p.file, xml_here(xml).line, xml_here(xml).column, "there is no property in it");
    else
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
