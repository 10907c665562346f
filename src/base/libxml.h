/* libxml2, loaded when the first XML file comes: with ICU and libstdc++, which it brings, that is four fifths of what a
 * start would cost, and most commands on other formats never need it. Where a program is linked with libxml2, as
 * mazurka-verify is, nothing is opened. For xml.c alone. */
#pragma once
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdbool.h>

typedef struct LibXml {
#define LIBXML(name) __typeof__(name) *name;
#include "base/libxml.def"
#undef LIBXML
} LibXml;

/* False: it is not installed. It stays loaded to the end of the process. */
bool libxml_load(LibXml *library);
