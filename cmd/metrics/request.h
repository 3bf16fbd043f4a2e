// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head of an HTTP request (RFC 9112): what is asked for, and in which form (RFC 9110, section
 * 12.5). Nothing in it is trusted.
 */
#ifndef NVT_METRICS_REQUEST_H
#define NVT_METRICS_REQUEST_H

#include "lib/base/types.h"

#define REQUEST_HEAD_MAX 8192 /* bytes of a head, the empty line at its end included */

/* Status codes of HTTP (RFC 9110, section 15). */
enum http_status {
	HTTP_OK = 200,
	HTTP_BAD_REQUEST = 400,
	HTTP_NOT_FOUND = 404,
	HTTP_BAD_METHOD = 405,
	HTTP_HEAD_TOO_LARGE = 431,
	HTTP_NO_MEMORY = 503,
	HTTP_BAD_VERSION = 505,
};

struct request {
	bool head; /* HEAD: no body is wanted */
	bool openmetrics; /* OpenMetrics 1.0 is wanted, else the text format 0.0.4 */
	bool gzip; /* the body may be compressed */
};

/* The length of the head at @data, up to and with the empty line; 0: it is not whole yet. */
size_t request_length(const char *data, size_t size);

/*
 * Parses a whole head of @len bytes: HTTP_OK for GET or HEAD of /metrics, else the status to answer
 * with. @r is filled in as far as the head goes: `head` is valid in any case.
 */
enum http_status request_parse(struct request *r, const char *head, size_t len);

#endif
