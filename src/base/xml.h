/* XML, the one way in which this project reads it: libxml2's streaming parser in its callback form, which unlike
 * xmlTextReader knows the exact line and column of every tag and builds no nodes.
 *
 * What every reader may rely on: nothing outside the input is opened; entities and attributes are not declared (an
 * error), so that nothing expands; elements are nested at most as deep as the reader said; tags, names, comments and
 * the number of different names are limited, and the budget of the input holds. After the first failure no handler is
 * called any more. */
#pragma once
#include "base/error.h"
#include "base/input.h"

typedef struct XmlPosition {
    int line, column;
} XmlPosition;

typedef struct XmlText {
    const char *data; /* NULL: there is none */
    size_t len;
} XmlText;

/* Names and prefixes are interned: equal ones are equal pointers, also those of xml_intern(). */
typedef struct XmlTag {
    const char *name, *prefix, *uri; /* the last two NULL without a namespace */
    int n_attributes;
    const unsigned char **attributes; /* as libxml2 gives them: five pointers each */
} XmlTag;

typedef struct XmlHandler {
    void (*start)(void *data, const XmlTag *tag);
    void (*end)(void *data);
    /* White space between elements comes too; one text may come in pieces. */
    void (*text)(void *data, const char *text, size_t len);
} XmlHandler;

typedef struct Xml Xml;

/* At most 2000 deep. The input is borrowed, its first bytes tell the encoding. NULL: the error says why. */
Xml *xml_new(Input *input, int max_depth, const XmlHandler *handler, void *data, GError **error);
void xml_free(Xml *xml);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Xml, xml_free)

const char *xml_intern(Xml *xml, const char *name);
/* The value of an attribute, its entities resolved; its name, and its prefix or NULL. */
XmlText xml_attribute(const XmlTag *tag, int i, const char **name, const char **prefix);

/* Calls the handler for everything in the input. False: xml_take_error() has the reason. */
bool xml_parse(Xml *xml);

/* Where the parser is: after the tag or text that the handler was given. */
XmlPosition xml_here(const Xml *xml);
/* Only the first failure counts. */
void xml_fail(Xml *xml, XmlPosition at, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(4, 5);
bool xml_failed(const Xml *xml);
/* For long work on what was read: has the budget of the input ended? That is a failure, too. */
bool xml_spent(Xml *xml);
/* NULL when nothing failed; the caller's. */
GError *xml_take_error(Xml *xml);
