#include "base/xml.h"

#include "base/libxml.h"

#include <assert.h>
#include <string.h>

enum {
    OWN_DEPTH = 250,     /* up to here the parser's stricter limits apply */
    MAX_TAG = 256000,    /* bytes: the parser compares all attributes of a tag with each other */
    MAX_HELD = 11000000, /* bytes of a comment or other thing that comes in one piece */
    MAX_NAME = 1000,
    MAX_NAMES = 100000, /* of elements and attributes: the parser's table of them slows down beyond */
    CHUNK = 1 << 14,
};

struct Xml {
    Input *input;
    LibXml lib;
    xmlParserCtxt *parser;
    const XmlHandler *handler;
    void *data;
    int depth, max_depth;
    bool progress; /* a callback came since the last chunk */
    GError *error;
};

XmlPosition xml_here(const Xml *xml)
{
    return (XmlPosition){xml->lib.xmlSAX2GetLineNumber(xml->parser), xml->lib.xmlSAX2GetColumnNumber(xml->parser)};
}

void xml_fail(Xml *xml, XmlPosition at, ErrorCode code, const char *format, ...)
{
    if (xml->error) return;
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    /* The parser is not stopped here: that would free the attributes under the callback. No callback reaches the
     * handler once there is an error, and no further chunk is read. */
    error_at(&xml->error, code, input_name(xml->input), at.line, at.column, "%s", message);
}

bool xml_failed(const Xml *xml)
{
    return xml->error != NULL;
}

bool xml_spent(Xml *xml)
{
    Budget *budget = input_budget(xml->input);
    if (budget && budget_spent(budget)) xml_fail(xml, (XmlPosition){0, 0}, ERROR_SPENT, "%s", budget_text(budget));
    return xml_failed(xml);
}

GError *xml_take_error(Xml *xml)
{
    return g_steal_pointer(&xml->error);
}

const char *xml_intern(Xml *xml, const char *name)
{
    return (const char *)xml->lib.xmlDictLookup(xml->parser->dict, (const xmlChar *)name, -1);
}

XmlText xml_attribute(const XmlTag *tag, int i, const char **name, const char **prefix)
{
    const unsigned char **at = tag->attributes + 5 * i;
    *name = (const char *)at[0];
    *prefix = (const char *)at[1];
    return (XmlText){(const char *)at[3], (size_t)(at[4] - at[3])};
}

static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    Xml *xml = data;
    xml->progress = true;
    if (xml->error) return;
    if (++xml->depth > xml->max_depth)
        xml_fail(xml, xml_here(xml), ERROR_LIMIT, "elements are nested more than %d deep", xml->max_depth);
    else if (strnlen((const char *)name, MAX_NAME + 1) > MAX_NAME)
        xml_fail(xml, xml_here(xml), ERROR_LIMIT, "an element's name is longer than %d bytes", MAX_NAME);
    else
        xml->handler->start(xml->data, &(XmlTag){(const char *)name, (const char *)prefix, (const char *)uri,
                                                 n_attributes, attributes});
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name, (void)prefix, (void)uri;
    Xml *xml = data;
    xml->progress = true;
    if (xml->error) return;
    assert(xml->depth > 0);
    xml->handler->end(xml->data);
    xml->depth--;
}

static void on_text(void *data, const xmlChar *text, int len)
{
    Xml *xml = data;
    xml->progress = true;
    if (!xml->error) xml->handler->text(xml->data, (const char *)text, (size_t)len);
}

static void on_comment(void *data, const xmlChar *text)
{
    (void)text;
    ((Xml *)data)->progress = true;
}

static void on_instruction(void *data, const xmlChar *target, const xmlChar *text)
{
    (void)target, (void)text;
    ((Xml *)data)->progress = true;
}

/* Entities are not kept, so the parser can expand none. */
static void on_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content)
{
    (void)type, (void)public_id, (void)system_id, (void)content;
    Xml *xml = data;
    xml_fail(xml, xml_here(xml), ERROR_UNSUPPORTED, "entity declarations are refused (\"%s\")",
             error_excerpt((const char *)name, SIZE_MAX).text);
}

static void on_attribute(void *data, const xmlChar *element, const xmlChar *name, int type, int def,
                         const xmlChar *value, xmlEnumerationPtr tree)
{
    (void)element, (void)type, (void)def, (void)value;
    Xml *xml = data;
    xml_fail(xml, xml_here(xml), ERROR_UNSUPPORTED, "attribute declarations are refused (\"%s\")",
             error_excerpt((const char *)name, SIZE_MAX).text);
    xml->lib.xmlFreeEnumeration(tree);
}

static void on_error(void *data, xmlErrorPtr problem)
{
    Xml *xml = data;
    /* Undeclared prefixes and the like do not stop anyone from reading. */
    if (problem->domain == XML_FROM_NAMESPACE || problem->level < XML_ERR_ERROR || xml->error) return;
    const char *given = problem->message ? problem->message : "unknown XML error";
    g_autofree char *message = g_utf8_make_valid(given, -1);
    g_strstrip(g_strdelimit(message, "\n", ' '));
    XmlPosition at = {problem->line, problem->int2};
    if (at.line <= 0 && xml->parser) at = xml_here(xml);
    if (at.line <= 0) at = (XmlPosition){1, 1};
    if (strstr(message, "Huge input lookup"))
        xml_fail(xml, at, ERROR_LIMIT, "a tag, attribute or comment is longer than 10 MB");
    else if (problem->code == XML_ERR_DOCUMENT_END && xml->depth)
        xml_fail(xml, at, ERROR_INPUT, "XML: the file ends while %d elements are still open", xml->depth);
    else
        xml_fail(xml, at, ERROR_INPUT, "XML: %s", message);
}

/* Errors of the decoder do not come through the parser's handler and would be printed; both are per thread. */
typedef struct Outlet {
    xmlStructuredErrorFunc handler;
    void *data;
} Outlet;

static Outlet take_errors(Xml *xml)
{
    Outlet before = {*xml->lib.__xmlStructuredError(), *xml->lib.__xmlStructuredErrorContext()};
    xml->lib.xmlSetStructuredErrorFunc(xml, on_error);
    return before;
}

static void restore_errors(Xml *xml, Outlet before)
{
    xml->lib.xmlSetStructuredErrorFunc(before.data, before.handler);
}

Xml *xml_new(Input *input, int max_depth, const XmlHandler *handler, void *data, GError **error)
{
    assert(max_depth > 0 && max_depth <= 2000);
    size_t len;
    if (!input_peek(input, &len, error)) return NULL;
    /* The parser guesses the encoding from the first four bytes. */
    char first[4];
    gssize n = input_read(input, first, sizeof first, error);
    if (n < 0) return NULL;
    xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                         .startElementNs = on_start,
                         .endElementNs = on_end,
                         .characters = on_text,
                         .cdataBlock = on_text,
                         .comment = on_comment,
                         .processingInstruction = on_instruction,
                         .entityDecl = on_entity,
                         .attributeDecl = on_attribute,
                         .serror = on_error};
    Xml *xml = g_new0(Xml, 1);
    *xml = (Xml){.input = input, .handler = handler, .data = data, .max_depth = max_depth};
    if (!libxml_load(&xml->lib)) {
        error_at(error, ERROR_IO, input_name(input), 0, 0, "libxml2, which reads XML files, cannot be loaded");
        g_free(xml);
        return NULL;
    }
    Outlet before = take_errors(xml);
    xml->parser = xml->lib.xmlCreatePushParserCtxt(&sax, xml, first, (int)n, NULL);
    restore_errors(xml, before);
    if (!xml->parser) {
        error_at(error, ERROR_IO, input_name(input), 0, 0, "no memory for an XML parser");
        g_clear_error(&xml->error);
        g_free(xml);
        return NULL;
    }
    /* Without NOENT an attribute's &amp; would arrive as &#38; */
    xml->lib.xmlCtxtUseOptions(xml->parser,
                               XML_PARSE_NONET | XML_PARSE_NOENT | (max_depth > OWN_DEPTH ? XML_PARSE_HUGE : 0));
    return xml;
}

void xml_free(Xml *xml)
{
    if (!xml) return;
    if (xml->parser->myDoc) xml->lib.xmlFreeDoc(xml->parser->myDoc);
    xml->lib.xmlFreeParserCtxt(xml->parser);
    g_clear_error(&xml->error);
    g_free(xml);
}

static void check_limits(Xml *xml, size_t held)
{
    if (held > MAX_HELD)
        xml_fail(xml, xml_here(xml), ERROR_LIMIT, "a tag, attribute or comment is longer than 10 MB");
    else if (held > MAX_TAG && xml->parser->instate == XML_PARSER_START_TAG)
        xml_fail(xml, xml_here(xml), ERROR_LIMIT, "a tag is longer than %d bytes", MAX_TAG);
    if (xml->lib.xmlDictSize(xml->parser->dict) > MAX_NAMES)
        xml_fail(xml, xml_here(xml), ERROR_LIMIT, "elements and attributes have more than %d different names",
                 MAX_NAMES);
}

static void parse_chunks(Xml *xml)
{
    g_autofree char *chunk = g_malloc(CHUNK);
    size_t held = 0;
    gssize n;
    while (!xml->error && (n = input_read(xml->input, chunk, CHUNK, &xml->error)) > 0) {
        xml->progress = false;
        xml->lib.xmlParseChunk(xml->parser, chunk, (int)n, 0);
        held = xml->progress ? 0 : held + (size_t)n;
        check_limits(xml, held);
    }
    if (!xml->error) xml->lib.xmlParseChunk(xml->parser, NULL, 0, 1);
    if (!xml->error && !xml->parser->wellFormed)
        xml_fail(xml, xml_here(xml), ERROR_INPUT, "this is not well-formed XML");
}

bool xml_parse(Xml *xml)
{
    Outlet before = take_errors(xml);
    parse_chunks(xml);
    restore_errors(xml, before);
    return !xml->error;
}
