// SPDX-License-Identifier: GPL-2.0-or-later
/* The formats of `export`: each is a struct of functions, in a file of its own. */
#ifndef NVT_EXPORT_FORMAT_H
#define NVT_EXPORT_FORMAT_H

#include "lib/group/group.h"
#include "lib/view/trace_row.h"
#include "lib/session/session.h"

/* Gaps: things that a format cannot express. export.c has a word for each. */
enum export_gap {
	GAP_ADMIN, /* admin and fabrics commands */
	GAP_OPCODE, /* I/O commands without a counterpart */
	GAP_RANGES, /* Dataset Management, whose ranges are not known: see event_may_have_range() */
	GAP_FUA, /* writes are there, but not their FUA */
	GAP_SIZE, /* commands whose number of bytes is not known */
	GAP_BEYOND, /* commands longer than --wrap */
	GAP_NAME, /* commands of disks whose name has no room */
	GAP_LONG, /* latencies longer than the format knows */
	GAP_KEYS, /* commands of keys for which there was no room */
	EXPORT_GAPS
};

#define FIO_NAME_MAX 256 /* read_iolog() of fio's iolog.c reads so many characters of a name */

struct export_opts {
	u32 format;
	struct opt_list map; /* DEV=NAME */
	u64 wrap_bytes; /* 0: offsets stay as they are */
	u64 by; /* bits 1 << enum key, for hdr */
};

/* A run of `export`. */
struct export
{
	struct session *s;
	const struct export_opts *opts;
	const struct export_format *format;
	void *state; /* format->state_bytes, zeroed */
	struct group group; /* for hdr */
	struct trace_row row; /* the event at hand */
	u64 gaps[EXPORT_GAPS];
	u64 start_wall_ns; /* of the run, once it has begun */
	bool begun;
	int err; /* reported */
};

struct export_format {
	size_t state_bytes;
	u32 required, quiet; /* bits of enum need, as a session_request has them */
	bool ticks; /* INTERVAL means reports, not the end */
	int (*open)(struct export *e); /* in start(): 0 or -errno, reported. May be NULL */
	void (*begin)(struct export *e); /* before the first event. May be NULL */
	/* An event; e->row is filled in. May be NULL. */
	void (*submit)(struct export *e, const struct view *v);
	void (*complete)(struct export *e, const struct view *v); /* EVENT_IO */
	void (*tick)(struct export *e,
		     const struct tick *t); /* an interval or the run ends; or NULL */
	void (*close)(struct export *e); /* frees what open() and events made. May be NULL */
};

extern const struct export_format export_fio, export_blktrace, export_hdr, export_chrome;

/* Writes @n bytes as they are; a format checks that they are what its readers expect. */
void export_put(struct export *e, const void *data, size_t n);
/* printf-like; at most 1023 bytes. */
__attribute__((format(printf, 2, 3))) void export_text(struct export *e, const char *fmt, ...);

/*
 * Makes room in *array of @n elements of @size bytes for one more, which is zeroed. Returns it;
 * NULL: no memory, which ends the run with a message.
 */
void *export_more(struct export *e, void **array, u32 n, size_t size);

/*
 * Returns the element of the event's device in *array of *n elements of @size bytes, which begin
 * with a u32, its session_device(). If there is none yet it is made by export_more(), and *n is one
 * more. NULL: no memory.
 */
void *export_device(struct export *e, const struct view *v, void **array, u32 *n, size_t size);

#endif
