// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens listening sockets, or takes them from systemd. */
#include "cmd/metrics/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/env.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define UNIX_PREFIX "unix:"
#define FIRST_FD    3 /* SD_LISTEN_FDS_START of sd_listen_fds(3) */
#define BACKLOG	    1024
#define FORM	    "write 127.0.0.1:9966, [::1]:9966, unix:/run/nvmetool.sock, or fd"

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static int cannot(const char *where)
{
	return fail(-errno, NULL,
		    errno == EADDRINUSE ? "choose another one, or end its owner" : NULL,
		    "cannot listen on %s", where);
}

/* Reads ADDR:PORT into @a; the length of the address, or 0. */
static socklen_t read_address(const char *where, union address *a)
{
	const char *colon = strrchr(where, ':');
	bool six = where[0] == '[';
	char host[INET6_ADDRSTRLEN];
	size_t len = colon ? (size_t)(colon - where) : 0, brackets = six ? 2 : 0;
	u64 port;

	if (len < 3 || len - brackets >= sizeof(host) || units_count(colon + 1, &port) ||
	    port > UINT16_MAX || (six && colon[-1] != ']'))
		return 0;
	snprintf(host, sizeof(host), "%.*s", (int)(len - brackets), where + six);
	*a = (union address){ 0 };
	a->any.sa_family = six ? AF_INET6 : AF_INET;
	if (inet_pton(a->any.sa_family, host, six ? (void *)&a->in6.sin6_addr : &a->in.sin_addr) !=
	    1)
		return 0;
	if (six)
		a->in6.sin6_port = htons((u16)port);
	else
		a->in.sin_port = htons((u16)port);
	return six ? sizeof(a->in6) : sizeof(a->in);
}

/* The address with the port that the kernel chose. */
static void tell_address(int fd)
{
	union address a = { 0 };
	socklen_t len = sizeof(a);
	char host[INET6_ADDRSTRLEN] = "";

	if (getsockname(fd, &a.any, &len))
		return;
	if (a.any.sa_family == AF_INET6 &&
	    inet_ntop(AF_INET6, &a.in6.sin6_addr, host, sizeof(host)))
		note("listening on http://[%s]:%u/metrics", host, ntohs(a.in6.sin6_port));
	else if (a.any.sa_family == AF_INET &&
		 inet_ntop(AF_INET, &a.in.sin_addr, host, sizeof(host)))
		note("listening on http://%s:%u/metrics", host, ntohs(a.in.sin_port));
	else if (a.any.sa_family == AF_UNIX)
		note("listening on unix:%s", a.un.sun_path);
}

static int open_socket(const char *where, const union address *a, socklen_t len)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;

	if (fd < 0)
		return cannot(where);
	if (a->any.sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, &a->any, len) || listen(fd, BACKLOG)) {
		int err = cannot(where);

		close(fd);
		return err;
	}
	tell_address(fd);
	return fd;
}

/* Removes a socket that nobody listens to. */
static void remove_stale(const union address *a, socklen_t len)
{
	struct stat st;
	int fd;

	if (lstat(a->un.sun_path, &st) || !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, &a->any, len) && errno == ECONNREFUSED)
		unlink(a->un.sun_path);
	close(fd);
}

static int open_unix(const char *where)
{
	const char *path = where + strlen(UNIX_PREFIX);
	union address a = { .un.sun_family = AF_UNIX };

	if (!*path || strlen(path) >= sizeof(a.un.sun_path))
		return fail_usage("expected a path of at most 107 bytes", FORM, "--listen '%s'",
				  where);
	snprintf(a.un.sun_path, sizeof(a.un.sun_path), "%s", path);
	remove_stale(&a, sizeof(a.un));
	return open_socket(where, &a, sizeof(a.un));
}

/* The number in an environment variable; 0: there is none. */
static u64 number_of(const char *variable)
{
	const char *text = env_get(variable);
	u64 value;

	return text && !units_count(text, &value) ? value : 0;
}

static bool is_listening(int fd)
{
	socklen_t len = sizeof(int);
	int yes = 0, type = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &len) && yes &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_STREAM;
}

static int none_passed(u64 n)
{
	const char *why = "systemd passed no socket",
		   *remedy = "start it by a .socket unit with Accept=no";

	if (n)
		why = "systemd passed more than 4 sockets";
	if (env_raised()) {
		why = "a binary with capabilities of its own takes no socket from its environment";
		remedy = "give capabilities by AmbientCapabilities= of its unit";
	}
	return fail(EXIT_AS(EXIT_NOTHING), why, remedy, "--listen fd");
}

/* Sockets that systemd passed on, by the protocol of sd_listen_fds(3). */
static int take_passed(int *fds, u32 max)
{
	u64 n = number_of("LISTEN_PID") == (u64)getpid() ? number_of("LISTEN_FDS") : 0;

	if (!n || n > max)
		return none_passed(n);
	for (u32 i = 0; i < n; i++) {
		fds[i] = FIRST_FD + (int)i;
		if (!is_listening(fds[i]))
			return fail(EXIT_AS(EXIT_NOTHING), "it is no listening stream socket",
				    "use ListenStream= and Accept=no", "file descriptor %d",
				    fds[i]);
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
		tell_address(fds[i]);
	}
	return (int)n;
}

int listen_open(const char *where, int *fds, u32 max)
{
	union address a;
	socklen_t len;

	if (streq(where, "fd"))
		return take_passed(fds, max);
	if (has_prefix(where, UNIX_PREFIX)) {
		fds[0] = open_unix(where);
	} else {
		len = read_address(where, &a);
		if (!len)
			return fail_usage("expected an address and a port", FORM, "--listen '%s'",
					  where);
		fds[0] = open_socket(where, &a, len);
	}
	return fds[0] < 0 ? fds[0] : 1;
}
