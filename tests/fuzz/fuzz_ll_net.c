#include "fuzz.h"
#include "fuzz_net.h"

#include "net/ll_net.h"

static Net *read_ll_net(const char *data, size_t size, GError **error)
{
    return ll_net_read(data, size, "fuzz", error);
}

int fuzz_ll_net(const uint8_t *data, size_t size)
{
    return fuzz_net(data, size, read_ll_net, ll_net_write);
}
