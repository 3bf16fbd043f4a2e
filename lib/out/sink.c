// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffered, bounded, non-blocking writing to a file, pipe, socket or terminal. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/out/sink.h"

#define SINK_FIRST (256U << 10)

/*
 * A blocking descriptor takes this much without waiting once poll() says that it is writable: the
 * page size of a pipe.
 */
#define SINK_SAFE_WRITE 4096

/*
 * Opens a descriptor of our own for the pipe or terminal behind stdout. O_NONBLOCK belongs to the
 * open file, which stdout shares with the shell and others. If that fails, stdout itself is used.
 */
static void reopen_stdout(struct sink *s, mode_t mode)
{
	int fd;

	if (!S_ISFIFO(mode) && !S_ISCHR(mode))
		return;
	fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	s->fd = fd;
	s->owned = true;
	s->nonblocking = true;
}

static int open_stdout(struct sink *s)
{
	struct stat st;

	s->fd = STDOUT_FILENO;
	if (fstat(s->fd, &st))
		return fail(-errno, "standard output is closed", "redirect it, or use -w FILE",
			    "cannot write output");
	s->regular = S_ISREG(st.st_mode);
	reopen_stdout(s, st.st_mode);
	return 0;
}

/*
 * Opens a FIFO. Waits for a reader if there is none; a signal then ends the program, since nothing
 * has begun.
 */
static int open_fifo(const char *file, int flags)
{
	sigset_t ends, blocked;
	int fd;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &ends, &blocked);
	fd = open(file, flags);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return fd;
}

static int cannot_write(const char *file, const char *why, const char *remedy)
{
	return fail(-errno, why, remedy, "cannot write '%s'", file);
}

/* The mode of a new file, which the umask narrows. */
static mode_t mode_of(const struct sink *s)
{
	return s->for_owner ? 0600 : 0666;
}

/* Opens a new file or an existing one, for which it sets *old. */
static int open_named(struct sink *s, const char *file, bool *old)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;

	*old = false;
	s->nonblocking = true;
	s->fd = open(file, flags | O_CREAT | O_EXCL | O_NONBLOCK, mode_of(s));
	if (s->fd >= 0)
		return 0;
	if (errno == EEXIST) {
		*old = true;
		s->fd = open(file, flags | O_NONBLOCK);
	}
	if (s->fd < 0 && errno == ENXIO) {
		s->nonblocking = false;
		s->fd = open_fifo(file, flags);
	}
	if (s->fd >= 0)
		return 0;
	return cannot_write(file, NULL,
			    errno == ELOOP ? "name the file itself: symbolic links are not followed"
					   : "name a file that can be written");
}

/*
 * Refuses an existing file that would be destroyed or read by others: a disk, whose contents we
 * would overwrite; a file or pipe of another user, who could read our output; a file with a second
 * name, under which it may be needed.
 */
static int check_old(const char *file, const struct stat *st)
{
	bool regular = S_ISREG(st->st_mode);

	errno = EPERM;
	if (S_ISBLK(st->st_mode))
		return cannot_write(file, "it is a block device", "name a regular file");
	if ((regular || S_ISFIFO(st->st_mode)) && st->st_uid != geteuid())
		return cannot_write(file, "it belongs to another user",
				    "remove it, or name another file");
	if (regular && st->st_nlink > 1)
		return cannot_write(file, "it has more than one name (hard links)",
				    "remove it, or name another file");
	return 0;
}

/*
 * Locks a file as long as it is open, so that no other nvmetool writes to it: each would replace or
 * mix what the other has written. Where a file system has no locks there is none.
 */
static int lock(const struct sink *s, const char *file)
{
	if (!s->regular || !flock(s->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return cannot_write(file, "another program is writing to it",
			    "wait for its end, or name another file");
}

static int open_file(struct sink *s, const char *file, bool fresh)
{
	struct stat st;
	bool old;
	int err = open_named(s, file, &old);

	if (err)
		return err;
	s->owned = true;
	if (fstat(s->fd, &st))
		return cannot_write(file, NULL, NULL);
	if (old && fresh && S_ISREG(st.st_mode)) {
		errno = EEXIST;
		return cannot_write(file, NULL, "move it away: it is not replaced");
	}
	err = old ? check_old(file, &st) : 0;
	s->created = !old;
	s->regular = s->replaces = S_ISREG(st.st_mode);
	s->file = file;
	return err ? err : lock(s, file);
}

/* True if the umask lets others read what is new. */
static bool others_read(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return (mask & 077) != 077;
}

int sink_replace(struct sink *s)
{
	/* An old file for its owner may be readable by others. */
	if (s->replaces && ((s->for_owner && fchmod(s->fd, 0600)) || ftruncate(s->fd, 0)))
		return fail(-errno, NULL, NULL, "cannot replace '%s'", s->file);
	s->tells |= s->replaces && s->for_owner && others_read();
	s->replaces = false;
	return 0;
}

static int open_either(struct sink *s, const char *file, bool for_owner, bool fresh)
{
	int err;

	*s = (struct sink){ .fd = -1, .wake_fd = -1, .for_owner = for_owner };
	s->cap = SINK_FIRST;
	s->buf = malloc(s->cap);
	if (!s->buf)
		return fail(-ENOMEM, NULL, NULL, "cannot write output");
	err = !file || streq(file, "-") ? open_stdout(s) : open_file(s, file, fresh);
	if (err) {
		s->abandoned = true;
		sink_close(s);
	}
	return err;
}

int sink_open(struct sink *s, const char *file, bool for_owner)
{
	return open_either(s, file, for_owner, false);
}

int sink_open_new(struct sink *s, const char *file)
{
	return open_either(s, file, true, true);
}

/* The time in milliseconds, of a clock that nobody sets. */
static u64 now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / NSEC_PER_MSEC;
}

/* The timeout for poll() until patience ends. */
static int patience_ms(const struct sink *s)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC), left_ms;

	if (!s->until_ns)
		return -1;
	left_ms = s->until_ns > now_ns ? (s->until_ns - now_ns) / NSEC_PER_MSEC + 1 : 0;
	return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

/*
 * True when the descriptor takes data. Waits for up to @timeout_ms, or until wake_fd becomes
 * readable.
 */
static bool writable(const struct sink *s, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = s->fd, .events = POLLOUT },
				{ .fd = s->wake_fd, .events = POLLIN } };
	int n;

	do
		n = poll(fds, timeout_ms ? 2 : 1, timeout_ms < 0 ? patience_ms(s) : timeout_ms);
	while (n < 0 && errno == EINTR && timeout_ms < 0);
	return n > 0 && fds[0].revents;
}

/* Makes one write. True while more can be written without waiting. */
static bool write_some(struct sink *s)
{
	size_t n = s->end - s->start;
	ssize_t done;

	if (!s->nonblocking && !s->regular) {
		if (!writable(s, 0))
			return false;
		if (n > SINK_SAFE_WRITE)
			n = SINK_SAFE_WRITE;
	}
	done = write(s->fd, s->buf + s->start, n);
	if (done < 0) {
		if (errno == EINTR)
			return true;
		if (errno != EAGAIN)
			s->err = -errno;
		return false;
	}
	s->start += (size_t)done;
	s->gone += (u64)done;
	return s->start < s->end;
}

static void write_now(struct sink *s)
{
	while (!s->err && s->start < s->end && write_some(s))
		;
	if (s->start == s->end)
		s->start = s->end = 0;
}

/* Writes until at most @left bytes are buffered. False at the time limit, or when woken up. */
static bool write_down_to(struct sink *s, size_t left, int timeout_ms)
{
	u64 until = now_ms() + (u64)(timeout_ms < 0 ? 0 : timeout_ms), now;
	int wait = timeout_ms;

	for (;;) {
		write_now(s);
		if (s->err || s->end - s->start <= left)
			return true;
		if (timeout_ms >= 0) {
			now = now_ms();
			if (now >= until)
				return false;
			wait = (int)(until - now);
		}
		if (!writable(s, wait) && timeout_ms < 0)
			return false;
	}
}

int sink_push(struct sink *s)
{
	if (s->abandoned)
		return s->err;
	if (s->patient)
		write_down_to(s, 0, -1);
	else
		write_now(s);
	return s->err;
}

bool sink_line(struct sink *s, size_t extra)
{
	size_t backlog = s->end - s->start;

	if (backlog >= SINK_PUSH && !s->abandoned && !s->err) {
		if (s->patient)
			write_down_to(s, SINK_PUSH, -1);
		else
			write_now(s);
		backlog = s->end - s->start;
	}
	if (backlog < SINK_BOUND + extra && !s->abandoned && !s->err)
		return true;
	s->dropped++;
	return false;
}

char *sink_reserve(struct sink *s, size_t n)
{
	size_t need, cap;
	char *buf;

	n += SINK_SLACK;
	if (s->cap - s->end >= n)
		return s->buf + s->end;
	if (s->start) {
		memmove(s->buf, s->buf + s->start, s->end - s->start);
		s->end -= s->start;
		s->start = 0;
	}
	need = s->end + n;
	if (need <= s->cap)
		return s->buf + s->end;
	for (cap = s->cap; cap < need;)
		cap *= 2;
	buf = realloc(s->buf, cap);
	if (!buf)
		return NULL;
	s->buf = buf;
	s->cap = cap;
	return s->buf + s->end;
}

/* Makes room for a mark; removes those that have been reached first. */
static bool reserve_mark(struct sink *s)
{
	if (sink_marks_pending(s) < s->marks_room / 2) {
		memmove(s->mark, s->mark + s->first_mark,
			(s->n_marks - s->first_mark) * sizeof(*s->mark));
		s->n_marks -= s->first_mark;
		s->first_mark = 0;
	}
	return array_grow((void **)&s->mark, s->n_marks, &s->marks_room, sizeof(*s->mark));
}

void sink_mark(struct sink *s)
{
	if (s->n_marks < s->marks_room || reserve_mark(s))
		s->mark[s->n_marks++] = s->gone + (s->end - s->start);
}

u64 sink_marks_pending(struct sink *s)
{
	while (s->first_mark < s->n_marks && s->mark[s->first_mark] <= s->gone)
		s->first_mark++;
	return s->n_marks - s->first_mark;
}

/* Discards the backlog; a line that is cut in the middle counts as dropped. */
static void abandon(struct sink *s)
{
	size_t i;

	for (i = s->start; i < s->end; i++)
		s->dropped += s->buf[i] == '\n';
	s->start = s->end = 0;
	s->abandoned = true;
}

int sink_drain(struct sink *s, int timeout_ms)
{
	if (s->abandoned)
		return s->err;
	if (!write_down_to(s, 0, timeout_ms)) {
		abandon(s);
		return -ETIMEDOUT;
	}
	if (s->err)
		abandon(s);
	return s->err;
}

/*
 * Removes the file that we created if nothing was written to it. A file of that name which is not
 * ours stays.
 */
static void remove_created(const struct sink *s)
{
	struct stat ours, there;

	if (s->created && s->replaces && !fstat(s->fd, &ours) && !lstat(s->file, &there) &&
	    ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
		unlink(s->file);
}

int sink_close(struct sink *s)
{
	int err = sink_drain(s, -1);

	remove_created(s);
	if (s->tells && s->gone && !err)
		note("only its owner may read '%s' (mode 0600): it tells of all processes",
		     s->file);

	/* Network file systems report a full disk here. */
	if (s->owned && s->fd >= 0 && close(s->fd) && !err)
		err = -errno;
	free(s->buf);
	free(s->mark);
	s->buf = NULL;
	s->mark = NULL;
	s->fd = -1;
	return err == -ETIMEDOUT ? s->err : err;
}
