// SPDX-License-Identifier: GPL-2.0-or-later
/* Heads of HTTP requests: where they end, what they ask for, and what is answered to bad ones. */
#include "cmd/metrics/request.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

#define GET "GET /metrics HTTP/1.1\r\n"

static enum http_status parse(struct request *r, const char *head)
{
	return request_parse(r, head, strlen(head));
}

TEST(length)
{
	static const struct {
		const char *data;
		size_t length;
	} cases[] = {
		{ "", 0 },
		{ "GET / HTTP/1.1\r\n", 0 },
		{ "GET / HTTP/1.1\r\n\r", 0 },
		{ "GET / HTTP/1.1\r\n\r\n", 18 },
		{ "GET / HTTP/1.1\r\n\r\nmore", 18 },
		{ "GET / HTTP/1.0\n\n", 16 },
		{ "GET / HTTP/1.0\n\r\n", 17 },
		{ "GET / HTTP/1.0\nA: b\n\nGET", 21 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(request_length(cases[i].data, strlen(cases[i].data)),
				 cases[i].length);
}

TEST(status)
{
	static const struct {
		const char *head;
		enum http_status status;
	} cases[] = {
		{ GET "\r\n", HTTP_OK },
		{ "HEAD /metrics HTTP/1.0\r\n\r\n", HTTP_OK },
		{ "GET /metrics?name[]=x HTTP/1.1\r\n\r\n", HTTP_OK },
		{ "GET http://host:1/metrics HTTP/1.1\r\n\r\n", HTTP_OK },
		{ "GET / HTTP/1.1\r\n\r\n", HTTP_NOT_FOUND },
		{ "GET /Metrics HTTP/1.1\r\n\r\n", HTTP_NOT_FOUND },
		{ "GET /metrics/ HTTP/1.1\r\n\r\n", HTTP_NOT_FOUND },
		{ "GET http://host HTTP/1.1\r\n\r\n", HTTP_NOT_FOUND },
		{ "POST /metrics HTTP/1.1\r\n\r\n", HTTP_BAD_METHOD },
		{ "get /metrics HTTP/1.1\r\n\r\n", HTTP_BAD_METHOD },
		{ "OPTIONS * HTTP/1.1\r\n\r\n", HTTP_NOT_FOUND },
		{ "GET /metrics HTTP/2.0\r\n\r\n", HTTP_BAD_VERSION },
		{ "GET /metrics HTTP/1.1 \r\n\r\n", HTTP_BAD_VERSION },
		{ "GET /metrics\r\n\r\n", HTTP_BAD_REQUEST },
		{ "GET  /metrics HTTP/1.1\r\n\r\n", HTTP_BAD_REQUEST },
		{ "\r\n", HTTP_BAD_REQUEST },
		{ GET "no colon\r\n\r\n", HTTP_BAD_REQUEST },
		{ GET ": no name\r\n\r\n", HTTP_BAD_REQUEST },
		{ GET "Space : before\r\n\r\n", HTTP_BAD_REQUEST },
		{ GET "A: b\r\n folded\r\n\r\n", HTTP_BAD_REQUEST },
		{ GET "A: \x01\r\n\r\n", HTTP_BAD_REQUEST },
		{ GET "A:\r\nB: \xff\r\n\r\n", HTTP_OK },
	};
	struct request r;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		if (parse(&r, cases[i].head) != cases[i].status)
			print_error("%s", cases[i].head);
		assert_int_equal(parse(&r, cases[i].head), cases[i].status);
		assert_int_equal(r.head, has_prefix(cases[i].head, "HEAD"));
	}
	assert_int_equal(request_parse(&r, GET "A: \0\r\n\r\n", sizeof(GET "A: \0\r\n\r\n") - 1),
			 HTTP_BAD_REQUEST);
}

/* Accept as Prometheus 2.42 sends it, and others. */
TEST(format)
{
	static const struct {
		const char *accept;
		bool openmetrics;
	} cases[] = {
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  true },
		{ "*/*", false },
		{ "", false },
		{ "application/json", false },
		{ "application/openmetrics-text", true },
		{ "Application/OpenMetrics-Text; version=\"1.0.0\"", true },
		{ "application/openmetrics-text;version=0.0.1", false },
		{ "application/openmetrics-text;q=0", false },
		{ "application/openmetrics-text;q=0.5, text/plain;q=0.4", true },
		{ "application/openmetrics-text;q=0.5, text/plain;q=0.501", false },
		{ "text/plain, application/openmetrics-text", true },
		{ "application/openmetrics-text;q=0.5, */*", false },
		{ "application/*;q=0.9, application/openmetrics-text;q=0.1, text/*;q=0.2", false },
		{ "application/*", true },
		{ "application/openmetrics-text;q=2", false },
		{ "application/openmetrics-text;q=x", false },
		{ ",;=,;q,,application/openmetrics-text;;", true },
	};
	char head[512];
	struct request r;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(head, sizeof(head), GET "accept:%s\r\n\r\n", cases[i].accept);
		assert_int_equal(parse(&r, head), HTTP_OK);
		if (r.openmetrics != cases[i].openmetrics)
			print_error("%s", head);
		assert_int_equal(r.openmetrics, cases[i].openmetrics);
	}
	parse(&r, GET "Accept: text/plain;q=0.1\r\nAccept: application/openmetrics-text\r\n\r\n");
	assert_true(r.openmetrics);
}

TEST(gzip)
{
	static const struct {
		const char *encoding;
		bool gzip;
	} cases[] = {
		{ "gzip", true },
		{ "deflate, GZIP;q=0.5, br", true },
		{ "x-gzip", true },
		{ "*", true },
		{ "gzip;q=0, *", false },
		{ "*;q=0", false },
		{ "identity", false },
		{ "gzipped", false },
		{ "", false },
	};
	char head[512];
	struct request r;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(head, sizeof(head), GET "Accept-Encoding: %s\r\n\r\n", cases[i].encoding);
		assert_int_equal(parse(&r, head), HTTP_OK);
		assert_int_equal(r.gzip, cases[i].gzip);
	}
}
