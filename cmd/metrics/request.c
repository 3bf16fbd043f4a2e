// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the head of an HTTP request. */
#include "cmd/metrics/request.h"

#include <strings.h>

#include "lib/base/str.h"

#define PATH	 "/metrics"
#define SCHEME	 "http://"
#define FULL	 1000 /* weight 1 in thousandths */
#define TOKEN	 "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NO_SLICE ((struct slice){ "", 0 })

struct slice {
	const char *at;
	size_t len;
};

/* How well a range of Accept names a type: better ones overrule others. */
enum fit { FIT_NONE, FIT_ANY, FIT_KIND, FIT_NAMED };

struct wish {
	enum fit fit;
	u32 weight; /* thousandths; 0: not wanted */
};

struct wishes {
	struct wish openmetrics, text, gzip;
};

size_t request_length(const char *data, size_t size)
{
	const char *end, *at = data;

	while ((end = memchr(at, '\n', size - (size_t)(at - data)))) {
		size_t left = size - (size_t)(end + 1 - data);

		if (left && end[1] == '\n')
			return (size_t)(end + 2 - data);
		if (left > 1 && end[1] == '\r' && end[2] == '\n')
			return (size_t)(end + 3 - data);
		at = end + 1;
	}
	return 0;
}

static bool is(struct slice s, const char *word)
{
	return s.len == strlen(word) && !strncasecmp(s.at, word, s.len);
}

/* The same, where case matters. */
static bool equals(struct slice s, const char *word)
{
	return s.len == strlen(word) && !memcmp(s.at, word, s.len);
}

static bool begins(struct slice s, const char *prefix)
{
	return s.len >= strlen(prefix) && !strncasecmp(s.at, prefix, strlen(prefix));
}

static struct slice skip(struct slice s, size_t n)
{
	return (struct slice){ s.at + n, s.len - n };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct slice trim(struct slice s)
{
	while (s.len && is_blank(*s.at))
		s = skip(s, 1);
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

/* The piece before the next @separator, or all; *rest moves on behind it. */
static struct slice cut(struct slice *rest, char separator)
{
	const char *end = rest->len ? memchr(rest->at, separator, rest->len) : NULL;
	struct slice piece = { rest->at, end ? (size_t)(end - rest->at) : rest->len };

	*rest = end ? skip(*rest, piece.len + 1) : skip(*rest, rest->len);
	return piece;
}

/* The next line, without its end. */
static struct slice next_line(struct slice *rest)
{
	struct slice line = cut(rest, '\n');

	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	return line;
}

/* A weight like 0.5 in thousandths; one that is none counts as not wanted. */
static u32 weight_of(struct slice s)
{
	u32 weight = 0, unit = FULL;

	for (size_t i = 0; i < s.len; i++) {
		if (i == 1 && s.at[i] == '.')
			continue;
		if (s.at[i] < '0' || s.at[i] > '9' || i > 4)
			return 0;
		weight += (u32)(s.at[i] - '0') * unit;
		unit /= 10;
	}
	return weight > FULL ? 0 : weight;
}

/* Takes a range of weight @weight for a wish, unless a better one was there. */
static void wish(struct wish *w, enum fit fit, u32 weight)
{
	if (fit < w->fit || (fit == w->fit && weight <= w->weight))
		return;
	*w = (struct wish){ fit, weight };
}

/* An element of Accept or Accept-Encoding: a name and parameters. */
struct element {
	struct slice name, version;
	u32 weight;
};

static struct slice unquote(struct slice s)
{
	if (s.len >= 2 && s.at[0] == '"' && s.at[s.len - 1] == '"')
		return (struct slice){ s.at + 1, s.len - 2 };
	return s;
}

static bool next_element(struct slice *list, struct element *e)
{
	struct slice item;

	if (!list->len)
		return false;
	item = cut(list, ',');
	*e = (struct element){ trim(cut(&item, ';')), NO_SLICE, FULL };
	while (item.len) {
		struct slice value = cut(&item, ';'), name = trim(cut(&value, '='));

		if (is(name, "q"))
			e->weight = weight_of(trim(value));
		else if (is(name, "version"))
			e->version = unquote(trim(value));
	}
	return true;
}

static bool has_version(const struct element *e, const char *version)
{
	return !e->version.len || is(e->version, version);
}

/* Ranges of other types, and of other versions, say nothing about what there is. */
static void take_accept(struct wishes *w, struct slice list)
{
	struct element e;

	while (next_element(&list, &e)) {
		if (is(e.name, "application/openmetrics-text") && has_version(&e, "1.0.0"))
			wish(&w->openmetrics, FIT_NAMED, e.weight);
		else if (is(e.name, "application/*"))
			wish(&w->openmetrics, FIT_KIND, e.weight);
		else if (is(e.name, "text/plain") && has_version(&e, "0.0.4"))
			wish(&w->text, FIT_NAMED, e.weight);
		else if (is(e.name, "text/*"))
			wish(&w->text, FIT_KIND, e.weight);
		else if (is(e.name, "*/*"))
			wish(&w->text, FIT_ANY, e.weight);
	}
}

static void take_encoding(struct wishes *w, struct slice list)
{
	struct element e;

	while (next_element(&list, &e)) {
		if (is(e.name, "gzip") || is(e.name, "x-gzip"))
			wish(&w->gzip, FIT_NAMED, e.weight);
		else if (is(e.name, "*"))
			wish(&w->gzip, FIT_ANY, e.weight);
	}
}

/* Takes a field; false: it is none. Lines that go on in the next one are none any more. */
static bool take_field(struct wishes *w, struct slice line)
{
	struct slice name = cut(&line, ':');
	size_t i;

	for (i = 0; i < name.len && memchr(TOKEN, name.at[i], sizeof(TOKEN) - 1); i++)
		;
	if (!i || i < name.len || name.at + name.len == line.at)
		return false;
	if (is(name, "accept"))
		take_accept(w, line);
	else if (is(name, "accept-encoding"))
		take_encoding(w, line);
	return true;
}

/* The path of a target; RFC 9112, section 3.2.2 has servers take http://HOST/PATH, too. */
static struct slice path_of(struct slice target)
{
	struct slice path = cut(&target, '?');

	if (!begins(path, SCHEME))
		return path;
	path = skip(path, strlen(SCHEME));
	while (path.len && *path.at != '/')
		path = skip(path, 1);
	return path;
}

static enum http_status parse_line(struct request *r, struct slice line)
{
	struct slice method = cut(&line, ' '), target = cut(&line, ' ');

	r->head = equals(method, "HEAD");
	if (!method.len || !target.len || !begins(line, "HTTP/"))
		return HTTP_BAD_REQUEST;
	if (!equals(line, "HTTP/1.1") && !equals(line, "HTTP/1.0"))
		return HTTP_BAD_VERSION;
	if (!equals(path_of(target), PATH))
		return HTTP_NOT_FOUND;
	return r->head || equals(method, "GET") ? HTTP_OK : HTTP_BAD_METHOD;
}

/* True if @head has bytes that belong into no head. */
static bool is_binary(const char *head, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)head[i];

		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
			return true;
	}
	return false;
}

enum http_status request_parse(struct request *r, const char *head, size_t len)
{
	struct slice rest = { head, len }, line = next_line(&rest);
	struct wishes w = { 0 };
	enum http_status status;

	*r = (struct request){ 0 };
	status = parse_line(r, line);
	if (is_binary(head, len))
		return HTTP_BAD_REQUEST;
	while (rest.len && (line = next_line(&rest)).len)
		if (!take_field(&w, line))
			return HTTP_BAD_REQUEST;
	r->openmetrics = w.openmetrics.weight && w.openmetrics.weight >= w.text.weight;
	r->gzip = w.gzip.weight;
	return status;
}
