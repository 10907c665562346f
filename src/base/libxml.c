#include "base/libxml.h"

#include <dlfcn.h>

/* The parser's structures are those of the header, so the library must be that of the header. */
#if LIBXML_VERSION < 21400
#define LIBXML_FILE "libxml2.so.2"
#else
#define LIBXML_FILE "libxml2.so.16"
#endif

/* Its names are sought among its own libraries first, which takes a quarter less. Sanitizers forbid it. */
#ifdef SANITIZED
#define LIBXML_SCOPE 0
#else
#define LIBXML_SCOPE RTLD_DEEPBIND
#endif

bool libxml_load(LibXml *library)
{
    const int mode = RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE;
    void *handle = dlopen(LIBXML_FILE, mode | RTLD_NOLOAD);
    if (!handle) handle = dlopen(LIBXML_FILE, mode | LIBXML_SCOPE);
    if (!handle) return false;
    bool ok = true;
#define LIBXML(name)                                                                                                   \
    *(void **)&library->name = dlsym(handle, #name);                                                                   \
    ok &= library->name != NULL;
#include "base/libxml.def"
#undef LIBXML
    dlclose(handle);
    return ok;
}
