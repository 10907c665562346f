/* What is not supported, by name. This file includes no header that declares those functions: what they take does not
 * matter, as they do not return. */
#include "run/tell.h"

#define PUBLIC __attribute__((visibility("default")))

#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

#define REFUSED(name, why)                                                                                             \
    PUBLIC int name(void);                                                                                             \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        tell_unsupported(#name "() is called: " why);                                                                  \
    }
#include "run/refused.def"
#undef REFUSED

/* Of the priorities, processors and names of threads nothing depends. */
#define IGNORED(name)                                                                                                  \
    PUBLIC int name(void);                                                                                             \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }
IGNORED(pthread_setname_np)
IGNORED(pthread_setschedparam)
IGNORED(pthread_setschedprio)
IGNORED(pthread_setaffinity_np)
IGNORED(pthread_setconcurrency)
IGNORED(pthread_setcancelstate)
IGNORED(pthread_setcanceltype)
IGNORED(pthread_testcancel)
