// SPDX-License-Identifier: GPL-2.0-or-later
/* A subcommand: constant data, defined in its own folder and named once in cmd/list.def. */
#ifndef NVT_CLI_CMD_H
#define NVT_CLI_CMD_H

#include "lib/cli/common.h"
#include "lib/cli/expr.h"
#include "lib/cli/opt.h"
#include "lib/out/out.h"

struct event;
struct pollfd;
struct session;
struct source;
struct session_request;
struct view;
struct tick;

/* Option groups of lib/cli/common.h that a command takes. */
enum takes {
	TAKES_SELECTION = 1 << 0, /* -c -n -d -q -O -p --comm -g --size --lba -L --status */
	TAKES_OUTPUT = 1 << 1, /* -f -j --csv -w --columns ... */
	TAKES_FILE = 1 << 9, /* -w and --quiet of TAKES_OUTPUT, no others */
	TAKES_TIMES = 1 << 10, /* -T --utc */
	TAKES_UTC = 1 << 18, /* --utc of TAKES_TIMES */
	TAKES_UNIT = 1 << 11, /* --unit -m */
	TAKES_RUN = 1 << 2, /* INTERVAL COUNT, -- PROGRAM, --duration --fail-if --strict -i ... */
	TAKES_CHECKS = 1 << 12, /* --fail-if --strict of TAKES_RUN */
	TAKES_INTERNALS = 1 << 3, /* --attach --btf --buffer --self-stats --probe-only */
	TAKES_INPUT = 1 << 17, /* -i of TAKES_RUN; a word that names a file is one, too */
	TRACES_USERS = 1 << 20, /* processes and not the kernel: no -i, --attach and --btf */
	TAKES_TRACING = TAKES_SELECTION | TAKES_OUTPUT | TAKES_TIMES | TAKES_RUN | TAKES_INTERNALS,
	TAKES_OPERANDS = 1 << 4, /* words that are not an interval (completion bash, help trace) */
	TAKES_FILES = 1 << 21, /* its words are recordings, each as if -i stood before it */
	COMPARES = 1 << 13, /* its recordings are two */
	PRINTS_EVENTS = 1 << 6, /* a row per command, not aggregates: counts them one by one */
	NEEDS_STATUS = 1 << 7, /* useless where the status of commands cannot be read */
	COUNTS_IN_KERNEL = 1 << 8, /* live: single commands do not come to user space */
	NEEDS_FILE = 1 << 5, /* output is not for a terminal: -w FILE must be given */
	SHOWS_INFLIGHT = 1 << 22, /* prints sums, and commands in flight: no latency, no status */
	AWAITS_DRIVER = 1 << 23, /* --absent wait unless given */
	WRITES_ITSELF = 1 << 14, /* prints no rows: the command writes its output itself */
};

/* A full command line, and its caption: one line, lower case. */
struct example {
	const char *caption, *line;
};

#define EXAMPLES_MAIN 4 /* so many of the examples are shown by -h */

/* The arguments of a command: options are parsed, the output is not open yet. */
struct invocation {
	const struct cmd *cmd;
	struct common common; /* the shared groups */
	void *cfg; /* the command's own struct, cmd->cfg_size bytes */
	struct opt_rest rest;
	int argc;
	char **argv; /* as typed, for meta.argv */
};

struct cmd {
	const char *name;
	const char *summary; /* one line, lower case */
	const char *about; /* paragraphs for `help NAME` and the man page */
	const char *operands; /* synopsis of operands, NULL: none but INTERVAL COUNT */
	const struct example *examples; /* at least EXAMPLES_MAIN, then {NULL}; tests parse each */
	unsigned takes;
	enum expr_rows rows; /* what --fail-if knows of its rows */
	u64 interval_ns; /* INTERVAL where none is given; 0: none */
	const struct opt *opts;
	size_t cfg_size;
	const struct opt_word *formats; /* of -f beyond text, csv, json; value >= OUT_FORMAT_OWN */
	const struct schema *const *schemas; /* the records it prints, NULL-terminated */

	/*
	 * Commands that do not trace (list, help, completion) do all in run(), and return as main's
	 * helpers do. A command that does so only sometimes has untraced(), which says whether
	 * run() is wanted; its words are then operands.
	 */
	bool (*untraced)(const void *cfg);
	int (*run)(struct invocation *inv);
	/* The records that run() prints; NULL: all of `schemas`. */
	const struct schema *const *(*run_schemas)(const void *cfg);
	/* Called before run(): what its words are refused for. 0 or a usage error. NULL: nothing. */
	int (*check_run)(const struct invocation *inv);

	/* Tracing commands: see lib/session/session.h. Each may be NULL. */
	const char *bpf; /* embedded object */
	const struct source *source; /* of a live run, lib/session/source.h; NULL: `bpf` */
	size_t state_size; /* zeroed memory behind session_state() */
	/*
	 * Live, before the run waits for the NVMe driver (--absent wait): has poll() and idle() serve
	 * meanwhile, before start() was called. NULL: there is nothing to do. 0 or EXIT_AS(...) after
	 * a message. stop() comes in any case.
	 */
	int (*waits)(struct session *s);
	/*
	 * Called before the host or a recording is read: reads the command's own words, chooses the
	 * columns, and sets ask->admin. 0, or EXIT_AS(...) after a message.
	 */
	int (*check)(struct session *s, struct session_request *ask);
	/* Makes what the run needs, and asks the session for it. 0 or EXIT_AS(...) the same way. */
	int (*start)(struct session *s, struct session_request *ask);
	int (*begin)(struct session *s); /* all inputs are open: a file may be replaced now */
	/*
	 * Makes an event of a record of the object's ring; NULL: the ring holds events. False: it
	 * is not one of ours.
	 */
	bool (*unpack)(struct session *s, struct event *ev, const void *record, size_t size);
	/*
	 * Replay, of files that can be read twice: gets each selected command before event() gets
	 * the first. 0 or EXIT_AS(...) after a message.
	 */
	int (*ahead)(struct session *s, const struct view *v);
	/* 0; 1: the command does not show this event, which counts as filtered */
	int (*event)(struct session *s, const struct view *v);
	int (*tick)(struct session *s, const struct tick *t);
	/*
	 * Several times a second, and at once when a descriptor of poll() is ready. Live; with
	 * poll() also in replay, once all events were handed out.
	 */
	int (*idle)(struct session *s, u64 now_ns);
	/*
	 * Fills in at most SESSION_POLL descriptors that wake the run; how many. As long as there
	 * are any, a replay goes on until it is asked to end.
	 */
	u32 (*poll)(struct session *s, struct pollfd *fds);
	void (*stop)(struct session *s);
};

/* Returns the command of that name in @list, which ends with NULL; or NULL. */
const struct cmd *cmd_find(const struct cmd *const *list, const char *name);

/* Returns the records that run() of the command prints, or NULL. */
const struct schema *const *cmd_run_schemas(const struct invocation *inv);

/*
 * For run() of a command: opens the output for its records, has @print fill it, and closes it.
 * print() gets @ctx, and calls out_begin() before its first record. Returns what print() does,
 * or -errno of a failed write, after a message.
 */
int cmd_print(const struct invocation *inv, int (*print)(struct out *o, const void *ctx),
	      const void *ctx);

/* Reports a name that cmd_find() did not find in @list, and suggests one; returns a usage error. */
int cmd_unknown(const struct cmd *const *list, const char *name);

#endif
