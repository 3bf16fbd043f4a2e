// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Conditions of --fail-if: TERM ((and|or) TERM)*, TERM = [OP.]NAME (< <= > >= == !=) VALUE[unit];
 * `and` binds tighter. NAME: pNN, min, max, avg (VALUE needs a unit of time), count, errors, lost,
 * iops (VALUE may end in k, M, G), bytes_per_s (VALUE is a size: powers of 1024).
 * `inflight` knows count, oldest, left (times) and overdue in their place; a trigger (of `record`)
 * also timeouts, resets, and lat.
 *
 * Where two recordings are compared, NAME is pNN and VALUE a change in percent: 'p99>+10%'. Such a
 * term is true only if the change is surely beyond VALUE.
 *
 * Blanks may stand around the relation, and before the unit. What is written otherwise, capitals
 * and other words for a unit, is refused with what was meant.
 *
 * Times of commands in flight may be in minutes and hours (m, h). A latency may not: in 'p99>2m' the
 * m is a slip for ms, and two minutes would never fail.
 */
#ifndef NVT_CLI_EXPR_H
#define NVT_CLI_EXPR_H

#include "lib/base/types.h"
#include "lib/nvme/spec.h"

#define EXPR_TERMS    32
#define EXPR_ROW_NAME 128

enum expr_name {
	EXPR_PERCENTILE,
	EXPR_MIN,
	EXPR_MAX,
	EXPR_AVG,
	EXPR_BYTES_PER_S,
	EXPR_IOPS,
	EXPR_COUNT, /* every command knows this and those below */
	EXPR_ERRORS,
	EXPR_LOST,
	EXPR_OLDEST, /* those below belong to `inflight` */
	EXPR_LEFT,
	EXPR_OVERDUE,
	EXPR_TIMEOUTS, /* those below belong to triggers */
	EXPR_RESETS,
};

/* A sign comes before one that it begins with. */
enum expr_relation { EXPR_LE, EXPR_GE, EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_GT };

struct expr_term {
	const char *op; /* canonical opcode name, NULL: any row */
	u64 value; /* nanoseconds, bytes or a number */
	double change_pct; /* in place of `value`, with EXPR_CHANGES */
	u32 millionths; /* EXPR_PERCENTILE, see lib/base/hist.h */
	u8 name; /* enum expr_name */
	u8 relation; /* enum expr_relation */
	bool admin; /* with @op: an admin or fabrics command */
	bool lat; /* EXPR_MAX, typed as `lat` */
	bool seen; /* a row had commands of @op */
	bool none; /* expr_none_of() failed for @op */
	double found; /* the number compared when its condition was true first */
};

/* Terms joined by `and`; the expression is true where any condition is. */
struct expr_condition {
	const char *text; /* into the expression as typed */
	u32 text_len;
	u32 first, end; /* of expr.terms */
	/*
	 * Bits 1 << enum expr_name of its terms, where those are all of `max`, `errors`, `timeouts`
	 * or `resets`, with > or >=: then single events make it true. 0: others, too.
	 */
	u32 at_once;
	bool failed; /* was true of a row; members below are those of the first */
	char op[NVME_OPCODE_NAME_MAX], row[EXPR_ROW_NAME]; /* "": none */
	u64 wall_ns;
};

/* Kinds of rows. An expression is about one kind; lib/cli/expr.c lists the names that each has. */
enum expr_rows {
	EXPR_EVENTS, /* count, errors, lost */
	EXPR_LATENCIES, /* these, and all that are about time */
	EXPR_STACKS, /* these without min and max */
	EXPR_PLACES, /* no latency: count, errors, lost and rates */
	EXPR_CHANGES, /* changes of percentiles */
	EXPR_INFLIGHT, /* count, oldest, left, overdue */
	EXPR_TRIGGER, /* every name, and `lat`: the latency of any command, with > or >= */
};

struct expr {
	struct expr_term terms[EXPR_TERMS];
	struct expr_condition conditions[EXPR_TERMS];
	u32 n_terms, n_conditions;
	u8 rows; /* enum expr_rows */
	const char *none; /* "no commands", after expr_none() failed; else NULL */
	u64 none_ns; /* wall-clock time of that, or of expr_none_of() */
	bool some_op; /* a row had it */
};

/* The conditions that are compared with a row. */
enum expr_when {
	EXPR_ALWAYS,
	EXPR_AT_ONCE, /* its interval goes on: those that are at_once, and name what changed */
	EXPR_AT_END, /* the others */
};

/* A row of results that the terms are compared with. */
struct expr_row {
	const char *op; /* name of the row's opcode, NULL: none */
	const char *name; /* the row's other keys as text, NULL: none */
	bool some_op; /* its commands have opcodes that @op does not tell, or others are not shown */
	u8 when; /* enum expr_when */
	u32 changed; /* EXPR_AT_ONCE: bits 1 << enum expr_name of what has just risen */
	u64 wall_ns; /* when the row was compared */
	u64 count, errors, lost, bytes;
	u64 min_ns, max_ns;
	u64 duration_ns; /* while 0, terms on iops and bytes_per_s are false */
	double avg_ns;
	u64 oldest_ns,
		overdue; /* of commands in flight; while count is 0, oldest and left are false */
	s64 left_ns; /* S64_MAX: none has a timeout */
	u64 timeouts, resets; /* with EXPR_TRIGGER */
	u64 (*percentile)(const void *ctx, u32 millionths); /* nanoseconds; NULL: row has none */
	/*
	 * EXPR_CHANGES: the interval, in percent, that surely holds the change. NaN: that side is
	 * not known.
	 */
	void (*change)(const void *ctx, u32 millionths, double *low, double *high);
	const void *ctx;
};

/* Writes which names @rows know, and examples: "'errors>0' or 'errors>5'; it knows count, ...". */
size_t expr_help(enum expr_rows rows, char *buf, size_t size);

/* Writes an expression that @rows know, cut at @size: p99>500us. */
void expr_example(enum expr_rows rows, char *buf, size_t size);

/*
 * Parses @text, which must outlive @e. 0, or a usage error with the position.
 */
int expr_parse(struct expr *e, const char *text, enum expr_rows rows);

/* True when a term asks for @name. */
bool expr_names(const struct expr *e, enum expr_name name);

/* True when a term names an opcode: the rows must then have one. */
bool expr_names_op(const struct expr *e);

/*
 * Checks that the commands which the terms name are selected. 0, or EXIT_AS(EXIT_USAGE) after a
 * message.
 */
int expr_selected(const struct expr *e, bool io, bool admin);

/* Forgets which conditions were true. */
void expr_reset(struct expr *e);

/*
 * Marks the conditions that are true of @row, and keeps the values of the first time. True when one
 * is. Latencies of an empty row are not compared.
 */
bool expr_check(struct expr *e, const struct expr_row *row);

/*
 * As expr_check(), and says on stderr at once which conditions are true for the first time, and
 * when: @utc or local time.
 */
bool expr_check_and_tell(struct expr *e, const struct expr_row *row, bool utc);

/*
 * For the end of a run that saw no matching command: says @none ("no commands") on stderr and
 * fails, since such a run proves nothing. False, without a message: the expression asks for the
 * count, or is about commands in flight, where none is the good result.
 */
bool expr_none(struct expr *e, const char *none, u64 wall_ns);

/*
 * For the end of a run that saw matching commands: says "no read completed" on stderr and fails for
 * each opcode of a term that no row had, unless a term asks for its count, which is then 0. Nothing
 * is said where a row had `some_op`.
 */
bool expr_none_of(struct expr *e, u64 wall_ns, bool utc);
/* Writes what expr_none_of() says of @term. */
void expr_none_text(const struct expr *e, const struct expr_term *term, char *buf, size_t size);

/* Writes the values that made @c true: "read.p99 = 5.77 ms > 2 ms and read.errors = 3 > 0". */
void expr_text(const struct expr *e, const struct expr_condition *c, char *buf, size_t size);

#endif
