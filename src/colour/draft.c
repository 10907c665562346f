#include "colour/draft.h"

const char *draft_element_name(ElementKind kind)
{
    static const char *const names[] = {
#define ELEMENT(constant, name, first, second) name,
#include "colour/elements.def"
#undef ELEMENT
    };
    return names[kind];
}

void draft_fail(Draft *draft, XmlPosition at, ErrorCode code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    xml_fail(draft->xml, at, code, "%s", message);
}
