// SPDX-License-Identifier: GPL-2.0-or-later
/* record: writes every event to a file, for -i, or keeps the last ones until something happens. */
#include <inttypes.h>

#include "cmd/record/recorder.h"
#include "lib/base/err.h"
#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/group/fields.h"
#include "lib/record/format.h"
#include "lib/record/record.h"
#include "lib/session/recording.h"
#include "lib/session/session.h"
#include "lib/session/unpack.h"
#include "lib/symbols/frames.h"

#define FRAMES 128 /* frames of a stack that get a name */

/* Events that the kernel may not let us see, and I/O schedulers: nothing of it costs a command. */
#define SELDOM (NEED_AER | NEED_TIMEOUT | NEED_RESET | NEED_SCHED)

/* Data that costs next to nothing to record; NEED_SUBMIT is derived in replay. */
#define ALWAYS                                                                                     \
	(NEED_IO | NEED_COMPLETE | NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS |              \
	 NEED_RESULT | NEED_SQE | NEED_CMD_FLAGS | NEED_CPU | SELDOM)

/* Data that not every recording has. Of those that are replayed all is kept. */
#define EXTRAS                                                                                     \
	(NEED_QUEUED | NEED_PHASES | NEED_KSTACK | NEED_USTACK | NEED_SQ | NEED_FLUSHES |          \
	 NEED_OWNER | NEED_DURING | NEED_FILE | NEED_SYNCER | SELDOM)

struct record_cfg {
	u64 keys; /* bits 1 << enum key */
	bool queued, phases, kernel_stack, user_stack, aer, sq, timeouts, flushes;
	struct ring_opts ring;
};

struct record_state {
	struct record_writer *w;
	struct ring *ring; /* NULL: every event is written at once */
	bool ring_begun;
	struct frames *frames;
	u32 needs;
	int err; /* of the first failed write */
	struct {
		u64 ns, events; /* when a line was last shown, and the events until then */
	} shown;
	char text[2][FRAMES][VIEW_FRAME]; /* kernel, user */
	const char *names[2][FRAMES];
};

/* clang-format off */
/* Keys of --by that cost something at each command, and sched; the others are always recorded. */
static const struct opt_word key_words[] = {
	GROUP_WORD(OWNER) GROUP_WORD(SCHED) GROUP_WORD(DURING) GROUP_WORD(FILE)
	GROUP_WORD(SYNCER)
	{ NULL },
};

static const struct opt record_opts[] = {
	OPT_FLAG(struct record_cfg, queued, .name = "queued", .letter = 'Q',
		 .help = "add the time of the entry into the block layer"),
	OPT_FLAG(struct record_cfg, phases, .name = "phases",
		 .help = "add the times that latency --phases shows; implies -Q"),
	OPT_FLAG(struct record_cfg, kernel_stack, .name = "kernel-stack", .main = true, .letter = 'k',
		 .help = "add the kernel stack of each submission"),
	OPT_FLAG(struct record_cfg, user_stack, .name = "user-stack", .letter = 'u',
		 .help = "add the user stack of each submission"),
	OPT_SET_OF(struct record_cfg, keys, .name = "keys", .main = true, .arg = "LIST", .words = key_words,
		   .brief = "record also these keys of --by", .help = "add these keys of --by; sched is recorded anyway"),
	OPT_FLAG(struct record_cfg, aer, .name = "aer",
		 .help = "recorded anyway: asynchronous events; with -i it must have them"),
	OPT_FLAG(struct record_cfg, sq, .name = "sq", .help = "add submission queue updates"),
	OPT_FLAG(struct record_cfg, timeouts, .name = "timeouts",
		 .help = "recorded anyway: timeouts and controller resets; with -i it must have them"),
	OPT_FLAG(struct record_cfg, flushes, .name = "flushes",
		 .help = "add flush requests of devices above namespaces: md, LVM, dm-crypt"),
	OPT_SIZE(struct record_cfg, ring.bytes, .name = "ring", .main = true, .arg = "SIZE",
		 .min = RECORD_RING_LEAST, .max = 1ULL << 36,
		 .brief = "keep the last events in memory, until a trigger", .help = "keep the last events in SIZE of memory, and write them at a trigger"),
	OPT_STR(struct record_cfg, ring.trigger, .name = "trigger", .main = true, .arg = "EXPR",
		.brief = "write when it is true: 'errors>0 or lat>100ms'", .help = "write when EXPR is true: 'errors>0 or lat>100ms' at once, others each second"),
	OPT_TIME(struct record_cfg, ring.before_ns, .name = "before", .arg = "TIME", .def = "0ns",
		 .help = "write at least what happened in the TIME before the trigger, in whole blocks; 0: all that is kept"),
	OPT_TIME(struct record_cfg, ring.after_ns, .name = "after", .arg = "TIME", .def = "1s",
		 .min = 100 * NSEC_PER_MSEC, .max = 86400 * NSEC_PER_SEC,
		 .help = "and what happens until TIME after it, further triggers included"),
	OPT_U32(struct record_cfg, ring.max_files, .name = "max-files", .arg = "N", .def = "10",
		.min = 1, .max = 10000,
		.help = "write no more while there are N files of this run: move or remove one"),
	OPT_DONE,
};
/* clang-format on */

static int record_check(struct session *s, struct session_request *ask)
{
	const struct record_cfg *cfg = session_cfg(s);
	const struct common *c = session_common(s);

	ask->admin = true;
	ask->by_host = true; /* the host is written with each queue, not in names */
	ask->makes_files = cfg->ring.bytes > 0;
	ask->one_report = true;
	ask->inflight_end = true;
	return ring_check(&cfg->ring, c->output.file, &c->run.input);
}

/* Opens what the events go to. */
static int open_output(struct session *s, struct session_request *ask)
{
	const struct record_cfg *cfg = session_cfg(s);
	struct record_state *r = session_state(s);
	int err;

	if (cfg->ring.bytes)
		return ring_open(&r->ring, &cfg->ring, s, ask, &r->w);
	err = record_create(&r->w, session_common(s)->output.file);
	if (!err)
		record_patient(r->w, session_is_replay(s), session_wake_fd(s));
	return err;
}

static int record_start(struct session *s, struct session_request *ask)
{
	const struct record_cfg *cfg = session_cfg(s);
	struct record_state *r = session_state(s);
	int err = 0;

	ask->required = (cfg->queued ? NEED_QUEUED : 0) | (cfg->kernel_stack ? NEED_KSTACK : 0) |
			(cfg->phases ? NEED_QUEUED | NEED_PHASES : 0) |
			(cfg->user_stack ? NEED_USTACK : 0) | (cfg->aer ? NEED_AER : 0) |
			(cfg->timeouts ? NEED_TIMEOUT | NEED_RESET : 0) | (cfg->sq ? NEED_SQ : 0) |
			(cfg->flushes ? NEED_FLUSHES : 0) | group_needs_of(cfg->keys) | NEED_IO;
	ask->fast_path_only = true;
	ask->quiet = ALWAYS | (session_is_replay(s) ? EXTRAS : 0);
	if (!session_is_replay(s) && (cfg->kernel_stack || cfg->user_stack))
		err = frames_open(&r->frames, cfg->kernel_stack, cfg->user_stack);
	if (!err)
		err = open_output(s, ask);
	r->needs = ask->required | ask->quiet;
	return err;
}

/* Copies the trigger of the recording that is replayed to the new head. */
static void copy_trigger(struct session *s, struct record_head *head)
{
	struct counters counters;
	const struct record_head *from = session_recording(s, 0, &counters);

	head->trigger = from->trigger;
	head->trigger_ns = from->trigger_ns;
}

/* Says which extras are in some of the recordings and not in all: a file holds one set of columns. */
static void tell_left_out(struct session *s)
{
	struct counters counters;
	u32 lacks = session_lacks(s), some = 0;
	char text[128] = "";
	size_t len = 0;

	for (u32 i = 0; i < session_common(s)->run.input.n; i++)
		some |= session_recording(s, i, &counters)->needs;
	for (u32 i = 0; record_needs[i].name && len < sizeof(text); i++)
		if (some & lacks & EXTRAS & record_needs[i].value)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
						len ? ", " : "", record_needs[i].name);
	if (len)
		note("not in all of the recordings, so left out: %s", text);
}

static int record_begins(struct session *s)
{
	struct record_state *r = session_state(s);

	if (session_is_replay(s))
		tell_left_out(s);
	return r->ring ? ring_ready(r->ring) : record_replace(r->w);
}

/* Writes the head, once the run has begun. */
static int begin(struct session *s, s64 wall_offset_ns)
{
	struct record_state *r = session_state(s);
	struct record_head head = {
		.version = NVT_VERSION,
		.wall_offset_ns = wall_offset_ns,
		.needs = r->needs & ~session_lacks(s),
	};

	session_describe(s, &head);
	if (session_recordings(s) == 1)
		copy_trigger(s, &head);
	if (!r->ring)
		return record_begin(r->w, &head);
	if (r->ring_begun)
		return 0;
	r->ring_begun = true;
	return ring_begin(r->ring, &head);
}

/* Ends the run when the reader has gone, which is no error, or the disk is full, which is one. */
static int check(struct session *s, int err)
{
	struct record_state *r = session_state(s);

	if (!err)
		return 0;
	session_end(s);
	if (err != -EPIPE)
		r->err = err;
	return r->err;
}

/* Returns the frames of a stack as text. */
static const char *const *name_frames(struct record_state *r, const struct view *v, bool user)
{
	u32 len = user ? v->ustack_len : v->kstack_len;

	for (u32 i = 0; i < len && i < FRAMES; i++) {
		snprintf(r->text[user][i], VIEW_FRAME, "%s", frames_text(r->frames, v, user, i));
		r->names[user][i] = r->text[user][i];
	}
	return r->names[user];
}

static int record_event(struct session *s, const struct view *v)
{
	struct record_state *r = session_state(s);
	struct view named = *v;
	int err;

	if (r->err)
		return r->err;
	if (record_full(r->w)) {
		session_unread(s, v->ev->kind == EVENT_IO, v->ev->kind != EVENT_IO);
		return 0;
	}
	if (v->kstack_len && record_wants_kstack(r->w, v))
		named.ktext = name_frames(r, v, false);
	if (v->ustack_len && record_wants_ustack(r->w, v))
		named.utext = name_frames(r, v, true);
	err = begin(s, (s64)(v->wall_ns - v->ev->ts_ns));
	if (!err)
		err = r->ring ? ring_event(r->ring, &named) : record_add(r->w, &named);
	return check(s, err);
}

/*
 * Writes the end. Live, what the reader has not taken by then is lost; a replay waits until it has
 * taken all.
 */
static int finish(struct session *s)
{
	struct record_state *r = session_state(s);
	u64 events;
	int err;

	if (session_ending(s))
		record_patient(r->w, false, -1);
	err = record_finish(r->w, session_counters(s));
	session_unread(s, record_unread(r->w), 0);
	events = record_events(r->w) - record_unread(r->w);
	if (!err)
		note("recorded %" PRIu64 " event%s (%" PRIu64 " bytes) in '%s'", events,
		     plural(events), record_bytes(r->w), session_common(s)->output.file);
	return err;
}

static int record_tick(struct session *s, const struct tick *tick)
{
	struct record_state *r = session_state(s);
	int err = r->err;

	if (!err)
		err = begin(s, (s64)(tick->wall_ns - tick->end_ns));
	if (!err)
		err = record_flush(r->w, tick->end_ns);
	if (!err && r->ring && !tick->last && tick->reset)
		ring_signal(r->ring, tick->end_ns);
	if (!err && tick->last)
		err = r->ring ? ring_end(r->ring) : finish(s);
	return check(s, err);
}

/* Shows rate, size and losses on a terminal each second; a program may write there itself. */
static void show_progress(struct session *s, u64 now_ns)
{
	struct record_state *r = session_state(s);
	u64 events = record_events(r->w), since_ns = now_ns - r->shown.ns;
	char size[UNITS_TEXT];

	if (since_ns < NSEC_PER_SEC || session_common(s)->run.program)
		return;
	if (r->shown.ns && r->ring)
		progress("kept: %s, %" PRIu64 " events/s, %" PRIu64
			 " lost; files written: %" PRIu64,
			 units_size_brief(record_kept_bytes(r->w), size),
			 (u64)((events - r->shown.events) * NSEC_PER_SEC / since_ns),
			 counters_lost(session_counters(s)), ring_files(r->ring));
	else if (r->shown.ns)
		progress("recording: %" PRIu64 " events/s, %" PRIu64 " in all, %s, %" PRIu64
			 " lost",
			 (u64)((events - r->shown.events) * NSEC_PER_SEC / since_ns), events,
			 units_size_brief(record_bytes(r->w), size),
			 counters_lost(session_counters(s)));
	r->shown.ns = now_ns;
	r->shown.events = events;
}

/* Writes at least one block a second, whether events come or not. */
static int record_idle(struct session *s, u64 now_ns)
{
	struct record_state *r = session_state(s);

	int err = r->err ? r->err : record_flush(r->w, now_ns);

	show_progress(s, now_ns);
	if (!err && r->ring && !(err = begin(s, (s64)(clock_ns(CLOCK_REALTIME) - now_ns))))
		ring_until(r->ring, session_handed_ns(s));
	return check(s, err ? err : record_push(r->w));
}

static void record_stop(struct session *s)
{
	struct record_state *r = session_state(s);

	ring_close(r->ring);
	record_close(r->w);
	frames_close(r->frames);
}

/* clang-format off */
static const struct example record_examples[] = {
	{ "all of ten s", "nvmetool record -w drive.nvt --duration 10" },
	{ "all of a job", "nvmetool record -w drive.nvt -k -- fio job.fio" },
	{ "the slow ones", "nvmetool record -w slow.nvt -i drive.nvt -L 10ms" },
	{ "at an error", "nvmetool record --ring 64M --trigger 'errors>0' -w '%t.nvt'" },
	{ "two recordings as one", "nvmetool record -w all.nvt -i a.nvt -i b.nvt" },
	{ "also the cgroup that caused each", "nvmetool record -w drive.nvt --keys owner" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_record = {
	.name = "record",
	.summary = "write every event to a file, to be replayed with -i",
	.about =
		"Writes all that the other commands need to FILE, compressed. Each of them reads it with "
		"-i FILE: on any host, without root, any number of times. Timeouts, controller resets and "
		"asynchronous events are recorded where the kernel lets them be seen, and the I/O scheduler of each command: "
		"none of it costs a command anything, but for the scheduler where there is one. Stacks (-k, -u), queue times "
		"(-Q), --phases, --keys owner, during, file and syncer, --flushes and --sq must be asked for here to be there later: -Q and a key cost a "
		"command about a third more (on Linux 6.1 some 1250 instructions, not 962), stacks ten times as much. Of --phases, commands that fail have no completion and total on 5.10. With -i, record selects "
		"from a recording or merges several, and keeps all that is not selected away: stacks, times and "
		"keys, if all of the recordings have them. What is still in flight when the run ends is recorded, too, the 1024 oldest "
		"commands: `inflight -i FILE --at TIME` shows it.\n\n"
		"With --ring it is a flight recorder: the last events stay in SIZE of memory, and each "
		"time that --trigger EXPR comes true, or SIGUSR1 comes, a file is written with those of "
		"--before and --after. EXPR is as for --fail-if, over the commands of a second; `lat` is "
		"the latency of a command. What single events make true, as errors>0, timeouts>0, resets>0 and "
		"lat>100ms, is found when they happen, the rest when the second ends. %t in the name of FILE becomes "
		"the time in UTC. A trigger that comes while a file is being written begins no second one. The first files stay: "
		"once --max-files are there, the next is written when one is moved away or removed. A file "
		"that cannot be written, as on a full disk, is told, and the recorder goes on. It begins in "
		"the middle of a run: its counters are those of its own commands, and what was in flight "
		"at its end is not known. Write to another drive than the one that is watched: a "
		"recorder that waits for it loses events.",
	.examples = record_examples,
	.takes = TAKES_SELECTION | TAKES_FILE | TAKES_RUN | TAKES_INTERNALS | PRINTS_EVENTS |
		 NEEDS_FILE,
	.rows = EXPR_EVENTS,
	.opts = record_opts,
	.cfg_size = sizeof(struct record_cfg),
	.bpf = "trace",
	.state_size = sizeof(struct record_state),
	.check = record_check,
	.start = record_start,
	.begin = record_begins,
	.idle = record_idle,
	.unpack = trace_unpack,
	.event = record_event,
	.tick = record_tick,
	.stop = record_stop,
};
