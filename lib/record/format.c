// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of the recording format, and the heads of its blocks. */
#include <inttypes.h>
#include <zlib.h>

#include "lib/base/str.h"
#include "lib/record/format.h"

/* clang-format off */
#define STORED(type, m, encoding, needs, absent) \
	{ #m, offsetof(struct event, m), sizeof(type), RECORD_##encoding, needs, absent },
#define SPLIT(type, m, n)
#define PASSED(type, m)
#define PART(name, m, skip, bytes, needs) \
	{ name, offsetof(struct event, m) + (skip), bytes, RECORD_PLAIN, needs, 0 }

const struct record_column record_columns[RECORD_COLUMNS] = {
#include "bpf/shared/event.def"
	PART("cdw10", cdw, 0, 4, NEED_SQE | NEED_SQ | NEED_FLUSHES),
	PART("cdw11", cdw, 4, 4, NEED_SQE | NEED_SQ | NEED_FLUSHES),
	PART("cdw12", cdw, 8, 4, NEED_SQE),
	PART("cdw13", cdw, 12, 4, NEED_SQE),
	PART("cdw14", cdw, 16, 4, NEED_SQE),
	PART("cdw15", cdw, 20, 4, NEED_SQE),
	PART("comm_lo", comm, 0, 8, NEED_COMM),
	PART("comm_hi", comm, 8, 8, NEED_COMM),
	PART("syncer_comm_lo", syncer_comm, 0, 8, NEED_SYNCER),
	PART("syncer_comm_hi", syncer_comm, 8, 8, NEED_SYNCER),
};
#undef STORED
#undef SPLIT
#undef PASSED

const struct record_name record_needs[] = {
	{ "pid", NEED_PID },		 { "comm", NEED_COMM },
	{ "cgroup", NEED_CGROUP },	 { "queued", NEED_QUEUED },
	{ "status", NEED_STATUS },	 { "result", NEED_RESULT },
	{ "sqe", NEED_SQE },		 { "kstack", NEED_KSTACK },
	{ "ustack", NEED_USTACK },	 { "cmd_flags", NEED_CMD_FLAGS },
	{ "aer", NEED_AER },		 { "sq", NEED_SQ },
	{ "submit", NEED_SUBMIT },	 { "complete", NEED_COMPLETE },
	{ "phase_times", NEED_PHASES },	 { "inflight", NEED_INFLIGHT },
	{ "io", NEED_IO },		 { "cpu", NEED_CPU },
	{ "flushes", NEED_FLUSHES },	 { "timeouts", NEED_TIMEOUT },
	{ "resets", NEED_RESET },
	{ "owner", NEED_OWNER },	 { "sched", NEED_SCHED },
	{ "during", NEED_DURING },	 { "file", NEED_FILE },
	{ "syncer", NEED_SYNCER },
	{ NULL, 0 },
};

#define COUNTER(m) { #m, offsetof(struct counters, m) }
#define LOST(name, ...) COUNTER(lost.name),
const struct record_name record_counters[] = {
	COUNTER(submitted),		 COUNTER(completed),
	COUNTER(paired),		 COUNTER(emitted),
	COUNTER(filtered),		 COUNTER(errors),
	COUNTER(before_attach),		 COUNTER(unsent),
	COUNTER(requeued),		 COUNTER(inflight_at_exit),
	COUNTER(oldest_ns),		 COUNTER(failed_setup),
#include "lib/event/lost.def"
	{ NULL, 0 },
};
#undef LOST
/* clang-format on */

size_t record_file_id(const struct file_id *id, char buf[RECORD_FILE_ID])
{
	char gen[16] = "";

	if (id->ino_gen)
		snprintf(gen, sizeof(gen), ".%u", id->ino_gen);
	return (size_t)snprintf(buf, RECORD_FILE_ID, "%u %" PRIu64 "%s ", id->ino_dev, id->ino,
				gen);
}

u32 record_crc(const void *data, size_t size)
{
	return crc32(crc32(0, NULL, 0), data, size);
}

void record_pack_head(u8 *at, const struct record_block *b)
{
	record_put(at, RECORD_BLOCK_MAGIC, 4);
	record_put(at + 4, b->kind, 4);
	record_put(at + 8, b->size_bytes, 4);
	record_put(at + 12, b->count, 4);
	record_put(at + 16, b->crc, 4);
	record_put(at + 20, record_crc(at, 20), 4);
}

bool record_unpack_head(const u8 *at, struct record_block *b)
{
	if (record_get(at, 4) != RECORD_BLOCK_MAGIC || record_get(at + 20, 4) != record_crc(at, 20))
		return false;
	b->kind = record_get(at + 4, 4);
	b->size_bytes = record_get(at + 8, 4);
	b->count = record_get(at + 12, 4);
	b->crc = record_get(at + 16, 4);
	return b->size_bytes <= RECORD_PAYLOAD_MAX;
}

void record_count(struct counters *c, const struct event *ev)
{
	if (ev->kind == EVENT_IO) {
		c->submitted++;
		c->completed++;
		c->paired++;
		c->emitted++;
		c->errors += event_failed(ev);
	} else if (ev->kind == EVENT_COMPLETE) {
		c->completed++;
		c->errors += event_failed(ev);
		if (ev->flags & EVENT_NO_SUBMIT)
			c->before_attach++;
		else if (ev->flags & EVENT_UNSENT)
			c->unsent++;
		else
			c->lost.unmatched++;
	}
}

void record_counters_add(struct counters *to, const struct counters *more)
{
	for (u32 i = 0; record_counters[i].name; i++) {
		size_t at = record_counters[i].value;

		*(u64 *)((char *)to + at) += *(const u64 *)((const char *)more + at);
	}
}

void record_counters_take(struct counters *from, const struct counters *less)
{
	for (u32 i = 0; record_counters[i].name; i++) {
		size_t at = record_counters[i].value;
		u64 *n = (u64 *)((char *)from + at), gone = *(const u64 *)((const char *)less + at);

		*n -= *n < gone ? *n : gone; /* the counters of a file may be damaged */
	}
}
