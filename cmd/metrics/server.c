// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections of scrapers: each reads a head, sends an answer, and waits until the peer closes. */
#include "cmd/metrics/server.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "cmd/metrics/request.h"
#include "lib/base/str.h"

#define ACCEPTS		 64 /* connections taken between two looks at the others */
#define WINDOW_GZIP	 16 /* added to the window of deflateInit2(): gzip's header and trailer */
#define PAUSE_NS	 1000000000ULL /* after a failed accept(): there are no descriptors */
#define DRAIN_BYTES	 4096
#define DRAIN_READS	 64
#define ANSWER_BYTES	 512 /* of a head of ours, or of a whole answer without metrics */

#define TYPE_TEXT	 "text/plain; version=0.0.4; charset=utf-8"
#define TYPE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* The stages of a connection, those that have least to lose first. */
enum stage {
	STAGE_NONE, /* there is no connection */
	STAGE_DRAIN, /* answered: what the peer still sends must not make the kernel reset it */
	STAGE_READ,
	STAGE_SEND,
};

struct conn {
	enum stage stage;
	int fd;
	u64 until_ns; /* when it is ended */
	char *answer;
	size_t got, size, sent; /* bytes of the head; of the answer */
	char head[REQUEST_HEAD_MAX];
};

struct server {
	int listener[SERVER_LISTENERS];
	u32 n_listeners;
	u64 pause_ns; /* no connection is taken until then; 0: they are */
	server_render *render;
	void *ctx;
	struct conn conn[SERVER_CONNS];
};

static const struct {
	enum http_status status;
	const char *reason, *text;
} answers[] = {
	{ HTTP_OK, "OK", "" },
	{ HTTP_BAD_REQUEST, "Bad Request", "This is no HTTP request." },
	{ HTTP_NOT_FOUND, "Not Found", "There is /metrics, and nothing else." },
	{ HTTP_BAD_METHOD, "Method Not Allowed", "GET and HEAD are allowed." },
	{ HTTP_HEAD_TOO_LARGE, "Request Header Fields Too Large", "At most 8 KiB are read." },
	{ HTTP_BAD_VERSION, "HTTP Version Not Supported", "Use HTTP/1.1." },
	{ HTTP_NO_MEMORY, "Service Unavailable", "There is no memory for an answer." },
};

struct server *server_open(const int *fds, u32 n, server_render *render, void *ctx)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	memcpy(s->listener, fds, n * sizeof(*fds));
	s->n_listeners = n;
	s->render = render;
	s->ctx = ctx;
	return s;
}

static void end(struct conn *c)
{
	if (!c->stage)
		return;
	close(c->fd);
	free(c->answer);
	c->answer = NULL;
	c->stage = STAGE_NONE;
}

void server_close(struct server *s)
{
	for (u32 i = 0; s && i < SERVER_CONNS; i++)
		end(&s->conn[i]);
	for (u32 i = 0; s && i < s->n_listeners; i++)
		close(s->listener[i]);
	free(s);
}

u32 server_poll(const struct server *s, struct pollfd *fds)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n_listeners && !s->pause_ns; i++)
		fds[n++] = (struct pollfd){ .fd = s->listener[i], .events = POLLIN };
	for (u32 i = 0; i < SERVER_CONNS; i++) {
		const struct conn *c = &s->conn[i];

		if (c->stage)
			fds[n++] = (struct pollfd){ .fd = c->fd,
						    .events = c->stage == STAGE_SEND ? POLLOUT
										     : POLLIN };
	}
	return n;
}

/* Compresses the text in place. False if there is no memory: the text stays as it is then. */
static bool compress_text(struct expo *e)
{
	z_stream z = { .next_in = (void *)e->data, .avail_in = (uInt)e->len };
	size_t cap;
	char *to;

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + WINDOW_GZIP, MAX_MEM_LEVEL - 1,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	cap = deflateBound(&z, e->len);
	to = malloc(cap);
	z.next_out = (void *)to;
	z.avail_out = (uInt)cap;
	if (!to || deflate(&z, Z_FINISH) != Z_STREAM_END) {
		deflateEnd(&z);
		free(to);
		return false;
	}
	deflateEnd(&z);
	free(e->data);
	*e = (struct expo){ .data = to, .len = z.total_out, .cap = cap };
	return true;
}

/* Makes an answer of @head and, unless the request was HEAD, the @size bytes at @body. */
static void answer(struct conn *c, const char *head, const char *body, size_t size, bool head_only)
{
	size_t len = strlen(head);

	c->size = head_only ? len : len + size;
	c->sent = 0;
	c->answer = malloc(c->size);
	if (!c->answer) {
		end(c);
		return;
	}
	memcpy(c->answer, head, len);
	if (!head_only)
		memcpy(c->answer + len, body, size);
	c->stage = STAGE_SEND;
}

/* Answers without metrics. */
static void refuse(struct conn *c, enum http_status status, bool head_only)
{
	char head[ANSWER_BYTES], body[ANSWER_BYTES];
	u32 i = 0;

	while (answers[i].status != status)
		i++;
	snprintf(body, sizeof(body), "%d %s: %s\n", status, answers[i].reason, answers[i].text);
	snprintf(head, sizeof(head),
		 "HTTP/1.1 %d %s\r\n%sContent-Type: text/plain; charset=utf-8\r\n"
		 "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		 status, answers[i].reason, status == HTTP_BAD_METHOD ? "Allow: GET, HEAD\r\n" : "",
		 strlen(body));
	answer(c, head, body, strlen(body), head_only);
}

static void answer_metrics(struct server *s, struct conn *c, const struct request *r)
{
	struct expo e = { .openmetrics = r->openmetrics };
	char head[ANSWER_BYTES];
	bool gzip;

	s->render(s->ctx, &e);
	if (e.failed) {
		refuse(c, HTTP_NO_MEMORY, r->head);
		expo_free(&e);
		return;
	}
	gzip = r->gzip && compress_text(&e);
	snprintf(head, sizeof(head),
		 "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%sVary: Accept, Accept-Encoding\r\n"
		 "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		 r->openmetrics ? TYPE_OPENMETRICS : TYPE_TEXT,
		 gzip ? "Content-Encoding: gzip\r\n" : "", e.len);
	answer(c, head, e.data, e.len, r->head);
	expo_free(&e);
}

/* True while the call may be tried again later; false: the connection is over. */
static bool waits(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Reads until the head is whole, and then answers. A peer that ends before has asked for nothing. */
static void go_read(struct server *s, struct conn *c)
{
	enum http_status status;
	struct request r = { 0 };
	size_t len;
	ssize_t n = recv(c->fd, c->head + c->got, sizeof(c->head) - c->got, 0);

	if (n <= 0) {
		if (!waits(n))
			end(c);
		return;
	}
	c->got += (size_t)n;
	len = request_length(c->head, c->got);
	if (!len && c->got < sizeof(c->head))
		return;
	status = len ? request_parse(&r, c->head, len) : HTTP_HEAD_TOO_LARGE;
	if (status == HTTP_OK)
		answer_metrics(s, c, &r);
	else
		refuse(c, status, r.head);
}

static void go_send(struct conn *c)
{
	/* SIGPIPE is blocked: see main(). */
	ssize_t n = write(c->fd, c->answer + c->sent, c->size - c->sent);

	if (n < 0) {
		if (!waits(n))
			end(c);
		return;
	}
	c->sent += (size_t)n;
	if (c->sent < c->size)
		return;
	free(c->answer);
	c->answer = NULL;
	shutdown(c->fd, SHUT_WR);
	c->stage = STAGE_DRAIN;
}

static void go_drain(struct conn *c)
{
	char discard[DRAIN_BYTES];
	ssize_t n = 1;

	for (u32 i = 0; n > 0 && i < DRAIN_READS; i++)
		n = recv(c->fd, discard, sizeof(discard), 0);
	if (n <= 0 && !waits(n))
		end(c);
}

/* Goes on with a connection as far as it goes without waiting. */
static void go_on(struct server *s, struct conn *c)
{
	if (c->stage == STAGE_READ)
		go_read(s, c);
	if (c->stage == STAGE_SEND)
		go_send(c);
	if (c->stage == STAGE_DRAIN)
		go_drain(c);
}

/* True if @a has less to lose than @b. */
static bool gives_way(const struct conn *a, const struct conn *b)
{
	return a->stage != b->stage ? a->stage < b->stage : a->until_ns < b->until_ns;
}

/* A free place, or one that is made free. */
static struct conn *place(struct server *s)
{
	struct conn *c = &s->conn[0];

	for (u32 i = 1; i < SERVER_CONNS; i++)
		if (gives_way(&s->conn[i], c))
			c = &s->conn[i];
	end(c);
	return c;
}

/* Takes a connection. False: there is none. */
static bool take(struct server *s, int listener, u64 now_ns)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct conn *c;

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			s->pause_ns = now_ns + PAUSE_NS;
		return false;
	}
	c = place(s);
	c->stage = STAGE_READ;
	c->fd = fd;
	c->until_ns = now_ns + SERVER_LIFE_NS;
	c->got = 0;
	go_on(s, c);
	return true;
}

void server_step(struct server *s, u64 now_ns)
{
	if (now_ns >= s->pause_ns)
		s->pause_ns = 0;
	for (u32 i = 0; i < SERVER_CONNS; i++) {
		go_on(s, &s->conn[i]);
		if (now_ns >= s->conn[i].until_ns)
			end(&s->conn[i]);
	}
	for (u32 i = 0; i < s->n_listeners && !s->pause_ns; i++)
		for (u32 n = 0; n < ACCEPTS && take(s, s->listener[i], now_ns); n++)
			;
}
