#include "net/pnml_label.h"

#include <string.h>

void pnml_label_init(PnmlLabel *label)
{
    *label = (PnmlLabel){g_string_new(NULL), g_string_new(NULL), g_string_new(NULL), 0, false};
}

void pnml_label_clear(PnmlLabel *label)
{
    g_string_free(label->text, TRUE);
    g_string_free(label->first, TRUE);
    g_string_free(label->direct, TRUE);
}

static bool is_blank(const GString *text)
{
    return strspn(text->str, " \t\r\n") == text->len;
}

void pnml_label_open(PnmlLabel *label, XmlText value)
{
    g_string_truncate(label->text, 0);
    g_string_truncate(label->first, 0);
    g_string_truncate(label->direct, 0);
    label->texts = value.data != NULL;
    label->preserve = false;
    if (value.data) g_string_append_len(label->text, value.data, (gssize)value.len);
}

void pnml_label_open_text(PnmlLabel *label, bool preserve)
{
    if (label->texts++ && !is_blank(label->text)) g_string_assign(label->first, label->text->str);
    g_string_truncate(label->text, 0);
    label->preserve = preserve;
}

static bool differ(const char *first, const char *second, GError **error)
{
    g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "a label with two different texts, \"%s\" and \"%s\"",
                error_excerpt(first, SIZE_MAX).text, error_excerpt(second, SIZE_MAX).text);
    return false;
}

bool pnml_label_close_text(PnmlLabel *label, bool strict, GError **error)
{
    if (!label->first->len) return true;
    bool blank = is_blank(label->text);
    g_autofree char *first = g_strstrip(g_strdup(label->first->str)), *second = g_strstrip(g_strdup(label->text->str));
    g_string_assign(label->text, label->first->str);
    return !strict || blank || strcmp(first, second) == 0 || differ(first, second, error);
}

bool pnml_label_close(PnmlLabel *label, bool strict, GError **error)
{
    bool silent = is_blank(label->direct), taken = label->texts != 0;
    g_autofree char *direct = g_strstrip(g_strdup(label->direct->str));
    g_string_truncate(label->direct, 0);
    if (silent) return true;
    if (taken) return !strict || differ(label->text->str, direct, error);
    g_string_assign(label->text, direct);
    label->texts = 1;
    return true;
}
