/* Unpacks what zlib packed (RFC 1950 and 1951), with nothing but the memory of one window: the bytes go to a sink as
 * they come, which may stop. Written here because the checker links no compression library; that the bytes are the
 * right ones need not be believed, since what they mean is checked. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes n bytes; false: enough. */
typedef bool (*InflateSink)(const uint8_t *bytes, size_t n, void *data);

/* False: the bytes are not a whole zlib stream, or the sink stopped. */
bool inflate_zlib(const uint8_t *packed, size_t len, InflateSink sink, void *data);
