// SPDX-License-Identifier: GPL-2.0-or-later
/* info: what recordings hold, without a look at single commands. */
#include "cmd/info/info_row.h"

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

/* Commands by set and code. */
struct op_counts {
	u64 count[INFO_SETS][256];
};

static void count_op(struct op_counts *ops, const struct event *ev)
{
	enum nvme_set set = nvme_set_of(!(ev->flags & EVENT_ADMIN), ev->opcode);

	ops->count[set][nvme_code_of(set, ev->opcode, ev->fctype)]++;
}

static void count_event(struct info_row *row, struct op_counts *ops, const struct view *v)
{
	const struct event *ev = v->ev;

	if (ev->kind == EVENT_INFLIGHT) {
		row->inflight_kept++;
		return;
	}
	if (ev->ts_ns > row->end_ns)
		row->end_ns = ev->ts_ns;
	if (ev->kind != EVENT_IO) {
		row->others++;
		return;
	}
	row->commands++;
	row->bytes += ev->bytes;
	row->errors += event_failed(ev);
	count_op(ops, ev);
}

/* Orders operations: the most frequent first, then by set and code. */
static int compare_ops(const void *a, const void *b)
{
	const struct info_op *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->set != y->set ? (int)x->set - (int)y->set : x->code - y->code;
}

static void list_ops(struct info_row *row, const struct op_counts *ops)
{
	for (u32 set = 0; set < INFO_SETS; set++)
		for (u32 code = 0; code < 256; code++)
			if (ops->count[set][code])
				row->ops[row->n_ops++] =
					(struct info_op){ ops->count[set][code], set, (u8)code };
	qsort(row->ops, row->n_ops, sizeof(row->ops[0]), compare_ops);
}

/* Fills in what follows from the head and the time of the last event. */
static void fill_times(struct info_row *row)
{
	row->start_wall_ns = row->head.start_ns + (u64)row->head.wall_offset_ns;
	row->end_wall_ns = row->end_ns + (u64)row->head.wall_offset_ns;
	if (row->head.trigger)
		row->trigger_wall_ns = row->head.trigger_ns + (u64)row->head.wall_offset_ns;
	row->duration_ns = row->end_ns - row->head.start_ns;
}

/* Says which of the counters are wrong, if they contradict each other or the events. */
static void tell_contradiction(struct info_row *row, u64 commands)
{
	const struct counters *c = &row->counters;
	char *text = row->contradiction_text;
	size_t size = sizeof(row->contradiction_text);

	if (!c->contradicted)
		return;
	row->contradiction = text;
	if (c->emitted != commands)
		snprintf(text, size, "%llu commands are counted, %llu are there",
			 (unsigned long long)c->emitted, (unsigned long long)commands);
	else
		snprintf(text, size,
			 "submitted %llu, completed %llu, paired %llu, emitted %llu, "
			 "filtered %llu, in flight at the end %llu do not add up",
			 (unsigned long long)c->submitted, (unsigned long long)c->completed,
			 (unsigned long long)c->paired, (unsigned long long)c->emitted,
			 (unsigned long long)c->filtered, (unsigned long long)c->inflight_at_exit);
}

/* Reads all events of an open recording. 0 or -errno after a message. */
static int read_events(struct info_row *row, struct replay *r)
{
	struct op_counts ops = { 0 };
	struct view v;
	int err;

	row->head = *replay_head(r, 0);
	row->end_ns = row->head.start_ns;
	while ((err = replay_next(r, &v)) > 0)
		count_event(row, &ops, &v);
	list_ops(row, &ops);
	replay_counters(r, &row->counters);
	row->inflight_at_exit =
		row->counters.inflight_unknown ? INFO_UNKNOWN : row->counters.inflight_at_exit;
	row->whole = !replay_damaged(r);
	tell_contradiction(row, replay_commands(r, 0));
	row->complete = row->whole && counters_complete(&row->counters);
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
		fill_times(&row);
		info_print(o, &row);
		err = row.whole ? 0 : EXIT_AS(EXIT_NOTHING);
	}
	replay_close(r);
	return err;
}

/* Prints all files, also those behind one that is damaged. */
static int print(struct out *o, const void *ctx)
{
	const struct invocation *inv = ctx;
	const struct opt_list *files = &inv->common.run.input;
	int err = out_begin(o), failed = 0;

	if (err)
		return err;
	meta_put(o, inv, NULL);
	for (u32 i = 0; !out_error(o) && i < files->n; i++) {
		err = print_file(o, files->word[i]);
		failed = failed ? failed : err;
	}
	out_ends(o);
	return failed;
}

static int info_check(const struct invocation *inv)
{
	if (!inv->common.run.input.n)
		return fail_missing("name the recordings to look at", NULL, "no FILE");
	return 0;
}

static int info_run(struct invocation *inv)
{
	return cmd_print(inv, print, inv);
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
	.takes = TAKES_OUTPUT | TAKES_FILES,
	.schemas = info_schemas,
	.check_run = info_check,
	.run = info_run,
};
