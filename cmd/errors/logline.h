// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads statuses in what people paste: values, names, and lines that the kernel and tools print. */
#ifndef NVT_ERRORS_LOGLINE_H
#define NVT_ERRORS_LOGLINE_H

#include "lib/nvme/spec.h"

enum logline_form {
	LOGFORM_STATUS,
	LOGFORM_RESULT,
	LOGFORM_FIXED,
	LOGFORM_FIELD,
	LOGFORM_ENTRY,
	LOGFORM_EITHER,
	LOGFORM_LOGGED,
	LOGFORM_CODES,
	LOGFORM_EVENT,
	LOGFORM_OK,
	LOGFORM_PART,
	LOGFORM_ROW,
	LOGFORM_TABLE,
};

/* A kind of line: a row of logline.def. Strings that do not apply are NULL. */
struct logline_kind {
	enum logline_form form;
	bool fabrics; /* a status of Fabrics commands */
	const char *source; /* who prints it */
	const char *pattern, *name, *meaning, *remedy;
	const char *sample; /* lines of this kind, for tests, with a bar between them */
	u16 value; /* the status in them, or the errno */
};

/* The line of smartctl's JSON that an entry's status follows in the next one. */
#define LOGLINE_OPEN "\"status_field\" : {"

/* Index of a kind, for loglines[]; LOGLINE_NAME is a name alone, which has no row. */
#define LOGLINE(id, ...) LOGLINE_##id,
enum logline_id {
#include "cmd/errors/logline.def"
	LOGLINES,
	LOGLINE_NAME = LOGLINES,
};
#undef LOGLINE

extern const struct logline_kind loglines[LOGLINES];

/* A status that a line may mean; `why` says why, where the line has another reading as well. */
struct logline_reading {
	u16 status;
	const char *why;
};

/* A line, read. */
struct logline {
	enum logline_id id;
	/* The status as it is written, or an errno; lines of one id and value have one meaning. */
	u16 value;
	bool is_errno;
	u32 n; /* readings, the likelier first; 0 for an event and an errno */
	struct logline_reading reading[2];
	bool named; /* the status holds for `set` only */
	enum nvme_set set;
};

/* Bytes of a line that are looked at. */
#define LOGLINE_MAX 4096

/* 0; -EINVAL: no kind is like this; -ERANGE: it is a kind, but its number is no status. */
int logline_read(const char *line, struct logline *l);

/* Reads @l, a line of LOGFORM_LOGGED, as one that a line of LOGLINE_PHASE follows. */
void logline_without_phase(struct logline *l);

/* True if @l is an entry of an error log that is not in use. */
bool logline_is_empty(const struct logline *l);

/* True if @l says something about the line before or behind it alone. */
bool logline_is_part(const struct logline *l);

/* The row of a kind; NULL for LOGLINE_NAME. */
static inline const struct logline_kind *logline_kind(const struct logline *l)
{
	return l->id < LOGLINES ? &loglines[l->id] : NULL;
}

#endif
