// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pattern: shows whether I/O is random or sequential, its sizes, seeks and alignment, from small
 * records of the kernel or from a recording.
 */
#include "bpf/shared/pattern.h"
#include "cmd/pattern/pattern_text.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/cli/expr.h"
#include "lib/group/table.h"
#include "lib/session/lookup.h"
#include "lib/session/session.h"

#define TABLE_BYTES (24U << 20)
#define TABLE_FULL  (TABLE_BYTES / sizeof(struct pattern_entry))
#define TABLE_ROWS  (TABLE_FULL < 4096 ? TABLE_FULL : 4096)
#define PLACES	    16384 /* of rows on devices, so more than rows */

enum at { AT_ANY, AT_ISSUE, AT_COMPLETE };

struct pattern_opts {
	u64 by; /* bits 1 << enum key */
	u32 at; /* enum at; AT_ANY: not given */
	u32 streams;
	bool per_device, sizes, seeks, align, all;
};

/* Where the last command of a row on a device ended, for -K. It outlives the interval. */
struct row_place {
	struct group_key key;
	u64 device; /* session_device(); the end of the key */
	struct pattern_place last;
};

struct pattern_state {
	struct group group;
	struct group_table *table;
	struct group_table *places; /* struct row_place; NULL: no seeks are asked for */
	bool places_full;
	struct pattern_devices devices;
	struct pattern_row row;
	u64 interval; /* number of the interval, so that streams begin anew with each */
	struct pattern_cfg cfg;
	u32 tables; /* enum pattern_tables */
	u32 columns; /* of the terminal */
	u8 kind; /* EVENT_SUBMIT or EVENT_IO: which events count */
	bool draw; /* tables behind each line */
};

/* clang-format off */
static const struct opt_word at_words[] = {
	{ "issue", AT_ISSUE, "what was asked for, in the order of submission" },
	{ "complete", AT_COMPLETE, "what was done, in the order of completion" },
	{ NULL },
};

static const struct opt_word by_words[] = {
	PATTERN_KEYS(GROUP_WORD)
	{ NULL },
};

static const struct opt pattern_opts[] = {
	OPT_SET_OF(struct pattern_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST", .def = "dev",
		   .words = by_words, .help = "a row for each combination of these"),
	OPT_FLAG(struct pattern_opts, all, .name = "all", .main = true, .letter = 'a', .help = "add all of these tables"),
	OPT_FLAG(struct pattern_opts, sizes, .name = "sizes", .main = true, .letter = 'S', .help = "add a histogram of sizes"),
	OPT_FLAG(struct pattern_opts, seeks, .name = "seeks", .letter = 'K', .help = "add a histogram of seek distances"),
	OPT_FLAG(struct pattern_opts, align, .name = "align", .letter = 'A',
		 .help = "add alignment, also to the limits of the drive"),
	OPT_FLAG(struct pattern_opts, per_device, .name = "per-device", .letter = 'D', .help = "add dev to --by"),
	OPT_ENUM(struct pattern_opts, at, .name = "at", .arg = "POINT", .words = at_words,
		 .help = "which order counts; issue unless -L or --status is given"),
	OPT_U32(struct pattern_opts, streams, .name = "streams", .rare = true, .arg = "N", .def = "16", .min = 1, .max = STREAMS_MAX,
		.help = "concurrent streams to follow, per device and direction"),
	OPT_DONE
};
/* clang-format on */

/* clang-format off */
static const struct example pattern_examples[] = {
	{ "each second", "nvmetool pattern 1" },
	{ "sizes by process name", "nvmetool pattern -S --by comm 5" },
	{ "all tables, while fio runs", "nvmetool pattern -a -- fio job.fio" },
	{ "from a recording", "nvmetool pattern -i drive.nvt" },
	{ "one drive with the time of day, ten times", "nvmetool pattern -T -d nvme0n1 1 10" },
	{ "only slow commands", "nvmetool pattern --at complete -L 1ms --by opcode 1" },
	{ "one JSON object per device and opcode", "nvmetool pattern -i drive.nvt --json --by dev,opcode" },
	{ NULL },
};
/* clang-format on */

/* Rejects a --fail-if on values that pattern does not know: it could never be true. */
static int check_condition(const struct session *s, const struct pattern_state *state)
{
	const char *text = session_common(s)->run.fail_if;
	const struct expr *e = session_condition(s);

	for (u32 i = 0; i < e->n_terms; i++) {
		if (e->terms[i].name == EXPR_ERRORS && state->kind == EVENT_SUBMIT)
			return fail_missing("errors are known at completion", "add --at complete",
					    "--fail-if '%s'", text);
	}
	return group_check_condition(&state->group);
}

/*
 * Chooses whether commands count at submission or completion; -L, --status and --by during need the
 * completion.
 */
static int choose_point(struct pattern_state *state, const struct pattern_opts *opts,
			const struct selection *sel)
{
	bool late = sel->min_lat_ns || sel->status.n || group_has(&state->group, KEY_DURING);

	if (late && opts->at == AT_ISSUE)
		return fail_usage("they are known only at completion", "use --at complete",
				  "--at issue with --min-lat, --status or --by during");
	state->kind = late || opts->at == AT_COMPLETE ? EVENT_IO : EVENT_SUBMIT;
	return 0;
}

/*
 * The needs of the run. --by ns needs nothing more: the namespace is in the SQE, which is read
 * anyway.
 */
static u32 needs_of(const struct pattern_state *state)
{
	u32 needs = NEED_SQE | (group_needs(&state->group) & ~(u32)NEED_NSID);

	return needs | (state->kind == EVENT_SUBMIT ? NEED_SUBMIT : NEED_IO | NEED_STATUS);
}

static void choose_tables(struct pattern_state *state, const struct pattern_opts *opts,
			  struct out *o)
{
	if (opts->sizes || opts->all)
		state->tables |= PATTERN_SHOW_SIZES;
	if (opts->seeks || opts->all)
		state->tables |= PATTERN_SHOW_SEEKS;
	if (opts->align || opts->all)
		state->tables |= PATTERN_SHOW_ALIGN;
	state->draw = out_opts(o)->format == OUT_TEXT && state->tables;
	state->columns = hist_columns(out_fd(o));
	pattern_columns(o, state->tables);
}

static int pattern_check(struct session *s, struct session_request *ask)
{
	const struct pattern_opts *opts = session_cfg(s);
	struct pattern_state *state = session_state(s);
	int err;

	group_init(&state->group, s, opts->by | (opts->per_device ? 1U << KEY_DEV : 0), "(other)");
	ask->by_host = group_has(&state->group, KEY_HOST);
	ask->none = "command was seen";
	state->interval = 1;
	err = choose_point(state, opts, &session_common(s)->selection);
	if (err)
		return err;
	choose_tables(state, opts, session_out(s));
	return check_condition(s, state);
}

static int pattern_start(struct session *s, struct session_request *ask)
{
	struct pattern_state *state = session_state(s);

	ask->required = needs_of(state);
	group_ask_owners(&state->group, ask);
	ask->fast_path_only = state->kind == EVENT_SUBMIT;
	state->cfg.by = group_kernel_by(&state->group);
	ask->sections[0] =
		(struct session_section){ ".rodata.pattern", &state->cfg, sizeof(state->cfg) };
	state->table = group_table_open(sizeof(struct group_key), sizeof(struct pattern_entry),
					TABLE_ROWS);
	if (state->tables & PATTERN_SHOW_SEEKS)
		state->places = group_table_open(offsetof(struct row_place, last),
						 sizeof(struct row_place), PLACES);
	return state->table && (state->places || !(state->tables & PATTERN_SHOW_SEEKS))
		       ? 0
		       : fail(-ENOMEM, NULL, NULL, "cannot keep patterns");
}

/* Fills in the members of @ev that a record tells. */
static void unpack_record(struct event *ev, const struct pattern_record *r)
{
	ev->ts_ns = r->ts_ns;
	ev->submit_ns = r->ts_ns;
	ev->cdw[0] = (u32)r->lba;
	ev->cdw[1] = (u32)(r->lba >> 32);
	ev->cdw[2] = r->nlb;
	ev->nsid = r->nsid;
	ev->bytes = r->bytes;
	ev->queue = r->queue;
	ev->qid = r->qid;
	ev->status = r->status;
	ev->kind = r->kind;
	ev->flags = r->flags;
	ev->opcode = r->opcode;
	ev->fctype = r->fctype;
}

/* Makes an event of a record of the fast path; queue info gives the members that it lacks. */
static void unpack_fast(struct session *s, struct event *ev, const struct pattern_fast_record *r)
{
	const struct queue_info *queue = session_queue(s, r->queue);
	u32 shift = wire_block_shift(queue->lba_bytes);
	struct pattern_record whole = {
		.ts_ns = r->ts_ns,
		.lba = r->sector >> shift,
		.bytes = r->bytes,
		.nsid = queue->nsid,
		.queue = r->queue,
		.qid = queue->qid,
		.nlb = (u16)((r->bytes / 512 >> shift) - 1),
		.kind = EVENT_SUBMIT,
		.opcode = r->opcode,
	};

	unpack_record(ev, &whole);
}

/* Makes an event of a record of the ring (bpf/shared/pattern.h), whose size tells its type. */
static bool pattern_unpack(struct session *s, struct event *ev, const void *record, size_t size)
{
	const struct pattern_key_record *keyed = record;

	if (size < sizeof(struct pattern_fast_record))
		return false;
	*ev = (struct event){ .kstack_id = -1, .ustack_id = -1 };
	if (size < sizeof(keyed->io)) {
		unpack_fast(s, ev, record);
		return true;
	}
	if (size >= sizeof(*keyed))
		group_event_of(ev, &keyed->key);
	unpack_record(ev, &keyed->io);
	return true;
}

/*
 * Measures the seek from the last command of its row on its device. Between two devices there is no
 * distance. What finds no room has no seek, and is counted as lost.
 */
static void seek_in_row(struct session *s, const struct pattern_entry *entry, u32 queue,
			const struct pattern_io *io, struct pattern_relation *to)
{
	struct pattern_state *state = session_state(s);
	struct row_place key, *place;

	to->seeks = false;
	if (entry->key.other) /* counted as lost already */
		return;
	memset(&key, 0, sizeof(key));
	key.key = entry->key;
	key.device = session_device(s, queue);
	place = group_table_row(state->places, &key);
	if (place->key.other) {
		session_lost(s, STAT_KEYS_FULL, 1);
		state->places_full = true;
	} else {
		pattern_seek(&place->last, io, to);
	}
}

static int pattern_event(struct session *s, const struct view *v)
{
	const struct pattern_opts *opts = session_cfg(s);
	struct pattern_state *state = session_state(s);
	struct pattern_device *device;
	struct pattern_relation to;
	struct pattern_entry *entry;
	struct group_key key;
	struct pattern_io io;
	bool error;

	if (v->ev->kind != state->kind)
		return 0;
	pattern_io_fill(&io, v);
	device = pattern_device_at(&state->devices, session_device(s, v->ev->queue));
	if (!device || pattern_relate(device, &io, opts->streams, state->interval, &to)) {
		session_fail(
			s, fail(-ENOMEM, NULL, NULL, "cannot keep the last commands of a device"));
		return 1;
	}
	group_key_fill(&key, &state->group, v);
	entry = group_table_row(state->table, &key);
	if (entry->key.other)
		session_lost(s, STAT_KEYS_FULL, 1);
	if (state->places && to.placed)
		seek_in_row(s, entry, v->ev->queue, &io, &to);
	pattern_sum_add(&entry->sum, &io, &to);
	error = state->kind == EVENT_IO && event_failed(v->ev);
	entry->sum.errors += error;
	session_account(s, 1, error);
	return 0;
}

static void report(struct session *s, struct pattern_state *state)
{
	u32 n = group_table_sort(state->table, group_compare, &state->group);
	struct pattern_row *row = &state->row;
	struct expr_row values = { 0 };

	for (u32 i = 0; i < n; i++) {
		pattern_row_fill(row, &state->group, group_table_at(state->table, i));
		out_row(session_out(s), &pattern_schema, row);
		if (state->draw)
			pattern_draw(session_out(s), &row->sum, state->tables, state->columns);
		values = (struct expr_row){ .count = row->sum.count,
					    .errors = row->sum.errors,
					    .bytes = row->sum.bytes };
		group_check(&state->group, &row->keys, &values);
	}
	if (!n)
		group_check(&state->group, NULL, &values);
}

static int pattern_tick(struct session *s, const struct tick *t)
{
	struct pattern_state *state = session_state(s);

	group_interval(&state->group, t);
	report(s, state);
	if (t->reset) {
		group_table_reset(state->table);
		state->interval++;
		if (state->places_full) /* of processes that ended long ago, perhaps */
			group_table_reset(state->places);
		state->places_full = false;
	}
	return 0;
}

static void pattern_stop(struct session *s)
{
	struct pattern_state *state = session_state(s);

	pattern_devices_free(&state->devices);
	group_table_close(state->table);
	group_table_close(state->places);
}

static const struct schema *const pattern_schemas[] = { &pattern_schema, NULL };

const struct cmd cmd_pattern = {
	.name = "pattern",
	.summary = "show random or sequential access, sizes, seeks, alignment",
	.about =
		"A read or write is sequential if it starts where one of the last ones of its "
		"device and direction ended. The last N of them are followed (--streams), so "
		"interleaved streams are sequential, not random. The first one of a device is "
		"neither. Backward ones end where a followed one began, strided ones keep the "
		"same gap three times. Both count as random, and each has a count of its own.\n\n"
		"A seek (-K) is the distance from the end of the last read or write of the same row "
		"and device: with --by comm, of the same process name.\n\n"
		"A read or write is unaligned if it begins or ends within a physical block, a "
		"write also within the preferred write granularity. -A shows each limit that the "
		"drive announces: logical and physical block, NPWG, NOWS and the boundary NOIOB; "
		"and `own`, the size of the command itself. A zone append counts as a write "
		"without an address, since the drive chooses it.",
	.examples = pattern_examples,
	.takes = TAKES_TRACING,
	.rows = EXPR_PLACES,
	.opts = pattern_opts,
	.cfg_size = sizeof(struct pattern_opts),
	.schemas = pattern_schemas,
	.bpf = "pattern",
	.state_size = sizeof(struct pattern_state),
	.check = pattern_check,
	.start = pattern_start,
	.unpack = pattern_unpack,
	.event = pattern_event,
	.tick = pattern_tick,
	.stop = pattern_stop,
};
