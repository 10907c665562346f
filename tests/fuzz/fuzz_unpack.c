#include "fuzz.h"

#include "../pieces.h"
#include "base/input.h"

#include <stdlib.h>
#include <string.h>

static char *read_in_pieces(const uint8_t *data, size_t size, size_t pieces, size_t *len)
{
    enum { MOST = 1 << 20 };
    Pieces source = {(const char *)data, size, pieces};
    g_autoptr(GError) error = NULL;
    g_autoptr(Input) input = input_from(pieces_fetch, &source, "fuzz", NULL);
    char *text = input_read_all(input, MOST, len, &error);
    if (!text == !error) abort();
    return text;
}

/* However the bytes are cut, the same comes out. */
int fuzz_unpack(const uint8_t *data, size_t size)
{
    size_t len, other_len;
    g_autofree char *text = read_in_pieces(data, size, SIZE_MAX, &len);
    g_autofree char *other = read_in_pieces(data, size, 7, &other_len);
    if (!text != !other || (text && (len != other_len || memcmp(text, other, len) != 0))) abort();
    return 0;
}
