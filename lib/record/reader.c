// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads blocks from a file that may be cut, damaged or hostile. */
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/err.h"
#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/record/entry.h"
#include "lib/record/file.h"
#include "lib/record/head.h"
#include "lib/record/reader.h"

#define FIRST_BYTES 65536
/*
 * A block has the events of one second, and some that came late. The programs are attached a little
 * before a recording begins.
 */
#define SPAN_NS	 (10 * NSEC_PER_SEC)
#define EARLY_NS NSEC_PER_SEC
#define LAST_NS	 (UINT64_MAX / 2) /* no clock gets there */
/* No recording is without an event for so long, not even one that was made of others. */
#define JUMP_NS (20ULL * 365 * 24 * 3600 * NSEC_PER_SEC)

/* Waits until there is something to read; false when the caller wants no more. */
static bool await(const struct reader *rd)
{
	const struct replay_wait *wait = rd->wait;
	struct pollfd fds[] = { { .fd = rd->fd, .events = POLLIN },
				{ .fd = wait ? wait->fd : -1, .events = POLLIN } };

	while (!fds[0].revents) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return false;
		if (wait && fds[1].revents && wait->stop(wait->arg))
			return false;
	}
	return true;
}

/* Asks whether the run wants no more: this is how a signal ends a replay, whatever reads it. */
static bool is_stopped(struct reader *rd)
{
	if (rd->wait && !rd->stopped)
		rd->stopped = rd->wait->stop(rd->wait->arg);
	return rd->stopped;
}

/* Tries to have @want bytes in the buffer; returns how many there are. */
static u32 fill(struct reader *rd, u32 want)
{
	if (rd->start && rd->start + want > rd->size) {
		memmove(rd->buf, rd->buf + rd->start, rd->end - rd->start);
		rd->end -= rd->start;
		rd->start = 0;
	}
	if (want > rd->size) {
		u8 *buf = realloc(rd->buf, want);

		if (!buf)
			return rd->end - rd->start;
		rd->buf = buf;
		rd->size = want;
	}
	while (!rd->eof && rd->end - rd->start < want) {
		ssize_t n;

		if (rd->wait && streq(rd->file, "-") && !await(rd)) {
			rd->stopped = rd->eof = true;
			break;
		}
		n = read(rd->fd, rd->buf + rd->end, rd->size - rd->end);
		if (n < 0 && (errno == EINTR || (errno == EAGAIN && await(rd))))
			continue;
		if (n < 0)
			note("'%s': %s", rd->file, strerror(errno));
		if (n <= 0)
			rd->eof = true;
		else
			rd->end += n;
	}
	return rd->end - rd->start;
}

static void drop(struct reader *rd, u32 bytes)
{
	rd->start += bytes;
	rd->offset += bytes;
}

static void damaged(struct reader *rd)
{
	if (!rd->damaged)
		rd->damaged_at = rd->offset;
	rd->damaged = true;
	rd->skipped_blocks++;
}

static void cut(struct reader *rd)
{
	rd->cut = !rd->stopped;
	rd->cut_at = rd->offset + rd->end - rd->start;
	drop(rd, rd->end - rd->start);
}

/* Skips to the next place that looks like the start of a block. */
static void resync(struct reader *rd)
{
	struct record_block b;

	damaged(rd);
	do {
		drop(rd, 1);
	} while (fill(rd, RECORD_HEAD_BYTES) >= RECORD_HEAD_BYTES &&
		 !record_unpack_head(rd->buf + rd->start, &b));
}

/*
 * Finds the next sound block; its payload is behind the head at rd->buf + rd->start. False: there
 * is no more.
 */
static bool next_block(struct reader *rd, struct record_block *b)
{
	for (;;) {
		u32 have = fill(rd, RECORD_HEAD_BYTES);
		const u8 *at = rd->buf + rd->start;

		if (have < RECORD_HEAD_BYTES) {
			cut(rd);
			return false;
		}
		if (!record_unpack_head(at, b)) {
			resync(rd);
			continue;
		}
		if (fill(rd, RECORD_HEAD_BYTES + b->size_bytes) <
		    RECORD_HEAD_BYTES + b->size_bytes) {
			cut(rd);
			return false;
		}
		at = rd->buf + rd->start + RECORD_HEAD_BYTES;
		if (record_crc(at, b->size_bytes) == b->crc)
			return true;
		damaged(rd);
		drop(rd, RECORD_HEAD_BYTES + b->size_bytes);
	}
}

static int not_ours(const struct reader *rd, const char *why)
{
	return fail(EXIT_AS(EXIT_NOTHING), why, "name a file written by 'nvmetool record'",
		    "cannot read '%s'", rd->file);
}

/* Reads magic and version. */
static int read_start(struct reader *rd)
{
	u32 have = fill(rd, RECORD_START_BYTES);
	const u8 *at = rd->buf + rd->start;
	char why[96];
	u64 version;

	if (rd->stopped)
		return EXIT_AS(EXIT_OK);
	if (have == 0)
		return not_ours(rd, "it is empty");
	if (memcmp(at, RECORD_MAGIC, have < 8 ? have : 8) != 0)
		return not_ours(rd, "it is not a recording");
	if (have < RECORD_START_BYTES) {
		snprintf(why, sizeof(why), "it is cut at byte %u; no event was read", have);
		return fail(EXIT_AS(EXIT_NOTHING), why, NULL, "%s", rd->file);
	}
	version = record_get(at + 8, 4);
	drop(rd, RECORD_START_BYTES);
	if (version == RECORD_VERSION)
		return 0;
	snprintf(why, sizeof(why),
		 "it has format version %" PRIu64 ", and this nvmetool reads version %d", version,
		 RECORD_VERSION);
	return fail(EXIT_AS(EXIT_NOTHING), why, "use the version of nvmetool that wrote it",
		    "cannot read '%s'", rd->file);
}

/* Says which times are damaged. */
static void tell_times(const struct reader *rd, char *why, size_t size)
{
	const u64 start_ns = rd->start_ns, ns = rd->impossible_ns;

	snprintf(why, size,
		 "it is damaged; events left out because of their time: %" PRIu64
		 ", the first of %" PRIu64 ".%09u s, which is %s %" PRIu64
		 ".%09u s; events read: %" PRIu64,
		 rd->impossible, (u64)(ns / NSEC_PER_SEC), (u32)(ns % NSEC_PER_SEC),
		 ns < start_ns ? "before the recording began, at"
			       : "far from the events around it in a recording that began at",
		 (u64)(start_ns / NSEC_PER_SEC), (u32)(start_ns % NSEC_PER_SEC), rd->events);
}

/* Reports once what is wrong with the file. */
static void tell(struct reader *rd)
{
	char why[320];

	if (rd->names.left_out)
		note("'%s': names that found no room, and are shown as unknown: %" PRIu64
		     " (there is room for %d queues of all recordings and %d cgroups of each)",
		     rd->file, rd->names.left_out, RECORD_QUEUES_MAX - 1, RECORD_CGROUPS_MAX);
	if (rd->impossible && !rd->skipped_blocks)
		tell_times(rd, why, sizeof(why));
	else if (rd->damaged)
		snprintf(why, sizeof(why),
			 "it is damaged at byte %" PRIu64 "%s; events read: %" PRIu64
			 ", blocks skipped: %" PRIu64,
			 rd->damaged_at, rd->cut ? " and cut short" : "", rd->events,
			 rd->skipped_blocks);
	else if (rd->cut)
		snprintf(why, sizeof(why), "it is cut at byte %" PRIu64 "; events read: %" PRIu64,
			 rd->cut_at, rd->events);
	else
		return;
	fail(EXIT_AS(EXIT_NOTHING), why, NULL, "%s", rd->file);
}

static int read_head(struct reader *rd)
{
	struct record_block b;
	int err = -EINVAL;

	if (next_block(rd, &b) && b.kind == RECORD_HEAD && !rd->damaged)
		err = record_head_read(rd, rd->buf + rd->start + RECORD_HEAD_BYTES, b.size_bytes);
	if (err == -ENOMEM)
		return err;
	if (rd->stopped)
		return EXIT_AS(EXIT_OK);
	if (err == 0) {
		drop(rd, RECORD_HEAD_BYTES + b.size_bytes);
		return 0;
	}
	if (!rd->damaged && !rd->cut)
		damaged(rd);
	tell(rd);
	return EXIT_AS(EXIT_NOTHING);
}

int reader_open(struct reader *rd, struct record_queues *all)
{
	int err;

	rd->fd = -1;
	rd->fd = record_file_open(rd->file);
	if (rd->fd < 0)
		return rd->fd;
	rd->buf = malloc(FIRST_BYTES);
	rd->size = FIRST_BYTES;
	if (!rd->buf || unpack_open(&rd->unpack, rd->needs))
		return -ENOMEM;
	err = read_start(rd);
	if (!err)
		err = read_head(rd);
	rd->start_ns = rd->newest_ns = rd->head.start_ns;
	return err ? err : record_names_open(&rd->names, all, rd->head.host);
}

static s32 stack_id(const struct reader *rd, s32 number)
{
	if (!record_names_has_stack(&rd->names, number))
		return -1;
	return (s32)(rd->index * (RECORD_STACKS_MAX * 2) + (u32)number);
}

static int compare_times(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Takes events whose time is not in [@from_ns, @to_ns] out of the batch: it is damaged. */
static void leave_out(struct reader *rd, u64 from_ns, u64 to_ns)
{
	struct event *ev = rd->unpack.ev;
	u32 n = 0;

	for (u32 i = 0; i < rd->batch; i++) {
		if (ev[i].ts_ns >= from_ns && ev[i].ts_ns <= to_ns)
			ev[n++] = ev[i];
		else if (!rd->impossible++)
			rd->impossible_ns = ev[i].ts_ns;
	}
	if (n < rd->batch && !rd->damaged)
		rd->damaged_at = rd->offset;
	rd->damaged |= n < rd->batch;
	rd->batch = n;
}

/*
 * Checks the times of a batch against what a recording can have: none is before its beginning, those
 * of a block are near each other, and no block is decades behind those before it.
 */
static void check_times(struct reader *rd)
{
	u64 from_ns = rd->start_ns > EARLY_NS ? rd->start_ns - EARLY_NS : 0, middle_ns;
	u64 time_ns[UNPACK_BATCH], last_ns = sat_add(rd->newest_ns, JUMP_NS);
	u64 least_ns = UINT64_MAX, most_ns = 0;
	u32 n = 0;

	if (last_ns > LAST_NS)
		last_ns = LAST_NS;
	for (u32 i = 0; i < rd->batch; i++) {
		u64 ns = rd->unpack.ev[i].ts_ns;

		least_ns = ns < least_ns ? ns : least_ns;
		most_ns = ns > most_ns ? ns : most_ns;
		if (ns >= from_ns && ns <= last_ns)
			time_ns[n++] = ns;
	}
	if (n == rd->batch && most_ns - least_ns <= SPAN_NS) {
		rd->newest_ns = most_ns > rd->newest_ns ? most_ns : rd->newest_ns;
		return;
	}
	qsort(time_ns, n, sizeof(*time_ns), compare_times);
	middle_ns = n ? time_ns[n / 2] : UINT64_MAX;
	if (middle_ns - from_ns > SPAN_NS)
		from_ns = middle_ns - SPAN_NS;
	if (last_ns > sat_add(middle_ns, SPAN_NS))
		last_ns = middle_ns + SPAN_NS;
	leave_out(rd, from_ns, last_ns);
	if (rd->batch && middle_ns > rd->newest_ns)
		rd->newest_ns = middle_ns;
}

/*
 * Moves all times of a batch to the clock of the run. Times are the members that are stored by their
 * distance to another one; 0 is none.
 */
static void move_times(struct reader *rd)
{
	for (u32 c = 0; c < RECORD_COLUMNS; c++) {
		const struct record_column *column = &record_columns[c];

		if (column->encoding == RECORD_PLAIN)
			continue;
		for (u32 i = 0; i < rd->batch; i++) {
			u64 *ns = (u64 *)((char *)&rd->unpack.ev[i] + column->at);

			*ns = *ns ? sat_move(*ns, rd->shift_ns) : 0;
		}
	}
}

/*
 * Turns events of the file into events of the run: numbers become ours, and every member is made
 * sound, whatever the file says.
 */
static void finish_batch(struct reader *rd)
{
	for (u32 i = 0; i < rd->batch; i++) {
		struct event *ev = &rd->unpack.ev[i];
		u32 queue = ev->queue < RECORD_QUEUES_MAX ? ev->queue : RECORD_QUEUES_MAX;

		if (ev->submit_ns > ev->ts_ns)
			ev->submit_ns = ev->ts_ns;
		if (ev->queued_ns > ev->submit_ns)
			ev->queued_ns = ev->submit_ns;
		rd->events++;
		record_count(&rd->counted, ev);
		ev->queue = rd->names.queue[queue];
		ev->kstack_id = stack_id(rd, ev->kstack_id);
		ev->ustack_id = stack_id(rd, ev->ustack_id);
		ev->sched = rd->names.sched[ev->sched];
		ev->comm[WIRE_COMM - 1] = '\0';
	}
	move_times(rd);
}

/*
 * Takes the block at hand. -EINVAL: its contents are malformed although its CRC is right; -ENOMEM.
 */
static int take_block(struct reader *rd, const struct record_block *b)
{
	const u8 *payload = rd->buf + rd->start + RECORD_HEAD_BYTES;

	switch (b->kind) {
	case RECORD_QUEUES:
	case RECORD_CGROUPS:
	case RECORD_STACKS:
	case RECORD_SCHEDS:
		return record_names_add(&rd->names, b, payload);
	case RECORD_EVENTS:
		return unpack_begin(&rd->unpack, b, payload, rd->map, rd->n_columns);
	case RECORD_END:
		rd->ended = true;
		rd->told = !rd->damaged;
		if (rd->told)
			record_end_read(&rd->total, payload, b->size_bytes);
		return 0;
	default:
		return 0;
	}
}

static bool out_of_memory(struct reader *rd)
{
	fail(rd->err, NULL, NULL, "cannot read '%s'", rd->file);
	rd->done = true;
	return false;
}

/* Reads on until a block with events; false at the end. */
static bool next_events(struct reader *rd)
{
	struct record_block b;

	while (!rd->done && !is_stopped(rd)) {
		if (rd->ended) {
			if (fill(rd, 1))
				damaged(rd);
			rd->done = true;
		} else if (!next_block(rd, &b)) {
			rd->done = true;
		} else {
			rd->err = take_block(rd, &b);
			if (rd->err == -ENOMEM)
				return out_of_memory(rd);
			if (rd->err)
				damaged(rd);
			rd->err = 0;
			drop(rd, RECORD_HEAD_BYTES + b.size_bytes);
			if (rd->unpack.n)
				return true;
		}
	}
	rd->done = true;
	tell(rd);
	return false;
}

/* True when the run wants events of this kind, as it would have chosen them live. */
static bool wanted(const struct reader *rd, u8 kind)
{
	switch (kind) {
	case EVENT_IO:
	case EVENT_INFLIGHT:
		return true;
	case EVENT_SUBMIT:
		return rd->needs & NEED_SUBMIT;
	case EVENT_COMPLETE:
		return rd->needs & NEED_COMPLETE;
	case EVENT_AER:
		return rd->needs & NEED_AER;
	case EVENT_SQ:
		return rd->needs & NEED_SQ;
	case EVENT_TIMEOUT:
		return rd->needs & NEED_TIMEOUT;
	case EVENT_RESET:
		return rd->needs & NEED_RESET;
	case EVENT_FLUSH:
		return rd->needs & NEED_FLUSHES;
	default:
		return false;
	}
}

bool reader_peek(struct reader *rd)
{
	for (;;) {
		while (rd->at < rd->batch) {
			if (wanted(rd, rd->unpack.ev[rd->at].kind))
				return true;
			rd->at++;
		}
		rd->at = rd->batch = 0;
		if (rd->done)
			return false;
		if (!is_stopped(rd))
			rd->batch = unpack_next(&rd->unpack);
		if (rd->batch) {
			check_times(rd);
			finish_batch(rd);
			continue;
		}
		rd->unpack.n = rd->unpack.at = 0;
		if (!next_events(rd))
			return false;
	}
}

int reader_error(const struct reader *rd)
{
	return rd->err;
}

bool reader_is_damaged(const struct reader *rd)
{
	return rd->damaged || rd->cut;
}

void reader_counters(const struct reader *rd, struct counters *c)
{
	bool unread = rd->stopped && !rd->told;

	*c = rd->told ? rd->total : rd->counted;
	c->events = true;
	c->cut |= unread || reader_is_damaged(rd);
	c->inflight_unknown |= unread;
	c->recursion_known |= !rd->ended;
	c->contradicted = rd->told && (!counters_add_up(c) || c->emitted != rd->counted.emitted);
}

void reader_close(struct reader *rd)
{
	if (rd->fd >= 0)
		close(rd->fd);
	record_names_close(&rd->names);
	unpack_close(&rd->unpack);
	free(rd->buf);
	free(rd->text);
}
