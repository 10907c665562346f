/* Reads bytes as a net; if they are one, writes it with `write`, reads that again and aborts on a difference. */
#pragma once
#include "net/net.h"

#include <stdio.h>

int fuzz_net(const uint8_t *data, size_t size, Net *(*read)(const char *, size_t, GError **),
             bool (*write)(const Net *, FILE *, GError **));
