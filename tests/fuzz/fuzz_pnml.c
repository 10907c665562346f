#include "fuzz.h"
#include "fuzz_net.h"

#include "net/pnml.h"
#include "net/reader.h"

#include <string.h>

typedef struct Bytes {
    const char *data;
    size_t left;
} Bytes;

/* In small pieces, so that every token is cut somewhere. */
static gssize fetch(void *source, char *buffer, size_t size)
{
    Bytes *bytes = source;
    size_t n = MIN(MIN(size, 61), bytes->left);
    memcpy(buffer, bytes->data, n);
    bytes->data += n;
    bytes->left -= n;
    return (gssize)n;
}

static Net *read_pnml(const char *data, size_t size, GError **error)
{
    Bytes bytes = {data, size};
    g_autoptr(Input) input = input_from(fetch, &bytes, "fuzz", NULL);
    return pnml_read(input, NULL, error);
}

int fuzz_pnml(const uint8_t *data, size_t size)
{
    return fuzz_net(data, size, read_pnml, pnml_write);
}
