// SPDX-License-Identifier: GPL-2.0-or-later
/* info: what recordings hold, without a look at single commands. */
#include "cmd/info/row.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/event/view.h"
#include "lib/nvme/spec.h"
#include "lib/session/meta.h"

/* Kinds of events that are no commands; a replay hands them out when it is asked to. */
#define OTHER_EVENTS (NEED_AER | NEED_SQ | NEED_TIMEOUT | NEED_RESET | NEED_COMPLETE)

static void count_op(struct info_row *row, const struct event *ev)
{
	enum nvme_set set = nvme_set_of(!(ev->flags & EVENT_ADMIN), ev->opcode);
	char name[NVME_OPCODE_NAME_MAX];
	const char *op = nvme_opcode_format(name, sizeof(name), set,
					    set == NVME_SET_FABRICS ? ev->fctype : ev->opcode);
	u32 i = 0;

	while (i < row->n_ops && !streq(row->ops[i].name, op))
		i++;
	if (i == INFO_OPS)
		return; /* its count is missing in `ops` alone */
	if (i == row->n_ops)
		snprintf(row->ops[row->n_ops++].name, sizeof(name), "%s", op);
	row->ops[i].count++;
}

static void count_event(struct info_row *row, const struct view *v)
{
	const struct event *ev = v->ev;

	if (ev->ts_ns > row->end_ns)
		row->end_ns = ev->ts_ns;
	if (ev->kind != EVENT_IO) {
		row->others++;
		return;
	}
	row->commands++;
	row->bytes += ev->bytes;
	row->errors += event_failed(ev);
	count_op(row, ev);
}

static int compare_ops(const void *a, const void *b)
{
	const struct info_op *x = a, *y = b;

	return (y->count > x->count) - (y->count < x->count);
}

/* Reads all events of an open recording. 0 or -errno after a message. */
static int read_events(struct info_row *row, struct replay *r)
{
	struct view v;
	int err;

	row->head = replay_head(r, 0);
	row->version = row->head->version;
	row->host = row->head->host;
	row->kernel = row->head->kernel;
	row->arch = row->head->arch;
	row->start_ns = row->end_ns = row->head->start_ns;
	while ((err = replay_next(r, &v)) > 0)
		count_event(row, &v);
	replay_counters(r, &row->counters);
	row->whole = !replay_damaged(r);
	row->complete = row->whole && counters_complete(&row->counters);
	row->start_wall_ns = row->start_ns + (u64)row->head->wall_offset_ns;
	row->end_wall_ns = row->end_ns + (u64)row->head->wall_offset_ns;
	row->duration_ns = row->end_ns - row->start_ns;
	qsort(row->ops, row->n_ops, sizeof(row->ops[0]), compare_ops);
	return err;
}

static u64 bytes_of(const char *file)
{
	struct stat st;

	return !streq(file, "-") && !stat(file, &st) ? (u64)st.st_size : INFO_UNKNOWN;
}

/* Prints what @file holds. 0; EXIT_AS(EXIT_NOTHING) or -errno after a message. */
static int print_file(struct out *o, const char *file)
{
	const struct opt_list files = { .word = { file }, .n = 1 };
	struct info_row row = { .file = file, .file_bytes = bytes_of(file) };
	struct replay *r = NULL;
	int err = replay_open(&r, &files, NEED_STATUS | OTHER_EVENTS, NULL);

	if (!err)
		err = read_events(&row, r);
	if (!err) {
		info_print(o, &row);
		err = row.whole ? 0 : EXIT_AS(EXIT_NOTHING);
	}
	replay_close(r);
	return err;
}

/* Prints all files, also those behind one that is damaged. */
static int print(const struct invocation *inv, struct out *o)
{
	int err = out_begin(o), failed = 0;

	if (err)
		return err;
	meta_put(o, inv);
	for (u32 i = 0; !out_error(o) && i < inv->rest.n; i++) {
		err = print_file(o, inv->rest.word[i]);
		failed = failed ? failed : err;
	}
	out_ends(o);
	return failed;
}

static int info_run(struct invocation *inv)
{
	if (!inv->rest.n)
		return fail_usage("name the recordings to look at", NULL, "no FILE");
	return cmd_print(inv, info_schemas, print);
}

/* clang-format off */
static const struct example info_examples[] = {
	{ "one recording", "nvmetool info drive.nvt" },
	{ "several, a line each", "nvmetool info --csv db1.nvt db2.nvt" },
	{ "whether anything is missing", "nvmetool info --json drive.nvt" },
	{ "from standard input", "nvmetool info - <drive.nvt" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_info = {
	.name = "info",
	.summary = "say what a recording holds",
	.about =
		"Says where, when and with which selection each FILE was recorded, how much it "
		"holds, what it can be replayed for, what was lost, and whether the file is whole. "
		"The exit status is 5 if a file is cut, damaged or no recording; the others are "
		"shown all the same.",
	.operands = "FILE...",
	.examples = info_examples,
	.takes = TAKES_OUTPUT | TAKES_OPERANDS,
	.schemas = info_schemas,
	.run = info_run,
};
