// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings that are sound as files: the input says which blocks there are and what is in them (names,
 * numbers, times, counters), so each mutation is one of the contents and none is stopped by a checksum.
 * Every command that reads recordings gets them; the first byte chooses a line of the table.
 *
 * build/fuzz/fuzz_replay -command=NAME: the lines of this command alone.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "cmd/commands.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/record/entry.h"
#include "lib/record/format.h"
#include "tests/fuzz/feed.h"

#define WORDS	 10
#define BLOCKS	 32
#define EVENTS	 200
#define FILE_MAX (8U << 20)
#define START_NS ((u64)(4 * NSEC_PER_SEC))
#define WALL_NS	 1700000000000000000L
#define YEAR_NS	 (365ULL * 24 * 3600 * NSEC_PER_SEC)
#define ANOTHER	 "@" /* stands for a second recording */

/* clang-format off */
static const char *const lines[][WORDS] = {
	{ "trace", "--json", "--show", "both", "-k", "-u" }, { "trace", "-W", "-T", "-P", "-Q" }, { "trace", "--csv", "--show", "complete" },
	{ "trace", "-f", "kernel", "--show", "both" }, { "trace", "-f", "perf", "--show", "both" },
	{ "trace", "-d", "nvme0n1p1" }, { "trace", "--lba", "8-4096", "--flushes", "--sq" },
	{ "latency", "-A", "-b", "ctrl,ns,dev,qid,cpu,opcode,size", "--json" },
	{ "latency", "-b", "comm,cgroup,owner,sched,during,status,flags,pid,host", "--csv" },
	{ "latency", "--table", "-e", "1" }, { "latency", "-H", "heat", "100ms" }, { "latency", "-f", "svg" },
	{ "latency", "-H", "rows", "--csv", "3600" }, { "latency", "-Q", "--max-inflight", "3" },
	{ "pattern", "-a" }, { "pattern", "-a", "--json", "-b", "comm,cgroup,dev", "1" },
	{ "stacks", "-k", "-u", "--json", "--hist" }, { "stacks", "-f", "folded", "-u" }, { "stacks", "-k", "-f", "svg", "--weight", "lat" },
	{ "errors", "-R", "--block", "-k", "--json" }, { "errors", "-s", "-a", "1" }, { "errors", "-s", "-a", "--by", "host,dev,size,comm,status", "--csv" },
	{ "errors", "-f", "kernel" },
	{ "top", "-b", "1" }, { "top", "--view", "cgroup", "--json" }, { "top", "--view", "queue", "--csv", "2" },
	{ "top", "--by", "comm,size,status,during", "1" },
	{ "inflight", "--at", "1" }, { "inflight", "--at", "10ms", "--json" },
	{ "export", "-f", "fio" }, { "export", "-f", "blktrace" }, { "export", "-f", "hdr", "1" }, { "export", "-f", "chrome" },
	{ "metrics", "-A", "-Q", "--by", "ctrl,dev,opcode,cgroup" },
	{ "report" }, { "report", "-i", ANOTHER },
	{ "diff", ANOTHER }, { "diff", "--by", "comm", "--json", ANOTHER },
	{ "info" }, { "info", "--json" },
	{ "record" }, { "record", "-i", ANOTHER, "--status", "error" },
};
/* clang-format on */

/* The rest of the input; it reads as 0 behind its end. */
struct input {
	const u8 *at, *end;
};

static u64 take(struct input *in, u32 bytes)
{
	u64 value = 0;

	for (u32 i = 0; i < bytes && in->at < in->end; i++)
		value |= (u64)*in->at++ << 8 * i;
	return value;
}

/* A number: small, one at the edge of a type, or any. */
static u64 take_number(struct input *in)
{
	static const u64 edges[] = { 0,		 1,	     127,	 128,	     255,
				     4095,	 4096,	     UINT16_MAX, INT32_MAX,  0x80000000,
				     UINT32_MAX, 1ULL << 32, INT64_MAX,	 1ULL << 63, UINT64_MAX };
	u8 how = (u8)take(in, 1);

	if (how < 160)
		return how % 40;
	if (how < 240)
		return edges[how % ARRAY_SIZE(edges)];
	return take(in, 8);
}

/* A step between two times: mostly short, now and then of years, back, or to an edge. */
static u64 take_step(struct input *in)
{
	static const u64 steps[] = { 0,
				     1,
				     NSEC_PER_MSEC,
				     NSEC_PER_SEC,
				     60 * NSEC_PER_SEC,
				     86400 * NSEC_PER_SEC,
				     YEAR_NS,
				     100 * YEAR_NS,
				     -NSEC_PER_SEC,
				     -YEAR_NS };
	u8 how = (u8)take(in, 1);

	if (how < 200)
		return how * 1000ULL;
	return how < 250 ? steps[how % ARRAY_SIZE(steps)] : take(in, 8);
}

/* The file that is made; what is too much for it is left out. */
struct file {
	u8 *bytes;
	size_t size;
	u64 time_ns;
};

static void put(struct file *f, const void *bytes, size_t size)
{
	if (size > FILE_MAX - f->size)
		return;
	memcpy(f->bytes + f->size, bytes, size);
	f->size += size;
}

static void put_block(struct file *f, u32 kind, u32 count, const void *payload, u32 size)
{
	const struct record_block b = { kind, size, count, record_crc(payload, size) };
	u8 head[RECORD_HEAD_BYTES];

	record_pack_head(head, &b);
	put(f, head, sizeof(head));
	put(f, payload, size);
}

static void put_head(struct file *f, struct input *in)
{
	static const char needs[] =
		"io,pid,comm,cgroup,status,result,sqe,cmd_flags,cpu,complete,queued,kstack,"
		"ustack,owner,sched,during,aer,sq,timeouts,resets,flushes";
	u8 start[RECORD_START_BYTES] = RECORD_MAGIC, how = (u8)take(in, 1);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	for (u32 i = 0; i < RECORD_COLUMNS; i++)
		fprintf(out, "column=%s,%u\n", record_columns[i].name, record_columns[i].bytes);
	fprintf(out, "version=0.1.0\nhost=%s\nneeds=%.*s\n", how & 1 ? "a" : "", how & 8 ? 20 : 200,
		needs);
	fprintf(out, "start_ns=%" PRIu64 "\n", how & 2 ? take_number(in) : START_NS);
	fprintf(out, "wall_offset_ns=%" PRId64 "\n", how & 4 ? (s64)take_number(in) : (s64)WALL_NS);
	fprintf(out, "partitions=nvme0n1p1 259:1 0 1 %" PRIu64, take_number(in));
	fprintf(out, "-%" PRIu64 "\n", take_number(in));
	fclose(out);
	record_put(start + 8, RECORD_VERSION, 4);
	put(f, start, sizeof(start));
	put_block(f, RECORD_HEAD, 0, text, (u32)size);
	free(text);
	f->time_ns = START_NS;
}

/* A string of few, some of which a terminal, XML or a path would obey; or of any bytes. */
static void put_name(struct record_entries *e, struct input *in)
{
	static const char *const names[] = {
		"nvme0", "nvme0n1", "nvme0c1n1", "",	  "<&\"'>",
		"../x",	 "a b,c;d", "\x1b[31m",	 "nvme1", "nvme99999n1"
	};
	u8 how = (u8)take(in, 1);
	char any[17] = "";

	for (u32 i = 0; how >= 230 && i < sizeof(any) - 1; i++)
		any[i] = (char)take(in, 1);
	entry_put_text(e, how >= 230 ? any : names[how % ARRAY_SIZE(names)], 4000);
}

static void put_queue(struct record_entries *e, struct input *in)
{
	for (u32 i = 0; i < 7; i++)
		entry_put(e, take_number(in), 4);
	for (u32 i = 0; i < 4; i++)
		put_name(e, in);
	for (u32 i = 0; i < 4; i++)
		entry_put(e, take_number(in), 4);
	put_name(e, in);
}

static void put_stack(struct record_entries *e, struct input *in)
{
	u32 frames = (u32)take(in, 1) % 6;

	entry_put(e, take_number(in), 4);
	entry_put(e, take(in, 1) < 250 ? frames : take_number(in), 4);
	for (u32 i = 0; i < frames; i++) {
		entry_put(e, take_number(in), 8);
		put_name(e, in);
	}
}

/* A block of entries of a dictionary. */
static void put_names(struct file *f, struct input *in, u32 kind)
{
	static u8 bytes[1 << 18], packed[(1 << 18) + 1024];
	struct record_entries e = { .bytes = bytes };
	uLongf size = sizeof(packed) - 4;

	for (u32 n = 1 + (u32)take(in, 1) % 24; n && e.size_bytes < sizeof(bytes) / 2; n--) {
		u32 start = entry_begin(&e);

		if (kind == RECORD_QUEUES)
			put_queue(&e, in);
		else if (kind == RECORD_STACKS)
			put_stack(&e, in);
		else
			entry_put(&e, take_number(in), kind == RECORD_CGROUPS ? 8 : 4);
		if (kind == RECORD_CGROUPS || kind == RECORD_SCHEDS)
			put_name(&e, in);
		entry_end(&e, start);
	}
	record_put(packed, e.size_bytes, 4);
	compress2(packed + 4, &size, bytes, e.size_bytes, 1);
	put_block(f, kind, take(in, 1) < 240 ? e.count : (u32)take_number(in), packed,
		  (u32)size + 4);
}

/* One column: the same value everywhere, or one for each event. */
static u32 put_column(struct file *f, struct input *in, u32 column, u32 n, u8 *head, u8 *at)
{
	bool time = column < 3, each = time || take(in, 1) & 1;

	memset(head, 0, RECORD_COLUMN_BYTES);
	head[0] = RECORD_PLAIN;
	if (!each) {
		record_put(head + 8, take_number(in), 8);
		return 0;
	}
	for (u32 i = 0; i < n; i++) {
		u64 value = time ? f->time_ns : take_number(in);

		if (column == 0)
			value = f->time_ns += take_step(in);
		else if (time)
			value -= take_step(in);
		record_put(at + 8UL * i, value, 8);
	}
	head[1] = 8;
	record_put(head + 4, 8UL * n, 4);
	return 8 * n;
}

static void put_events(struct file *f, struct input *in)
{
	static u8
		payload[RECORD_EVENTS_BYTES + RECORD_COLUMNS * (RECORD_COLUMN_BYTES + 8 * EVENTS)];
	u8 *head = payload + RECORD_EVENTS_BYTES,
	   *at = head + (size_t)RECORD_COLUMNS * RECORD_COLUMN_BYTES;
	u32 n = 1 + (u32)take(in, 1) % EVENTS;

	record_put(payload, take(in, 1) < 240 ? WALL_NS : take_number(in), 8);
	record_put(payload + 8, RECORD_COLUMNS, 4);
	record_put(payload + 12, 0, 4);
	for (u32 i = 0; i < RECORD_COLUMNS; i++, head += RECORD_COLUMN_BYTES)
		at += put_column(f, in, i, n, head, at);
	put_block(f, RECORD_EVENTS, take(in, 1) < 240 ? n : (u32)take_number(in), payload,
		  (u32)(at - payload));
}

static void put_end(struct file *f, struct input *in)
{
	char text[4096];
	int len = snprintf(text, sizeof(text), "recursion_known=1\nevents=%u\n", (u32)take(in, 1));

	for (u32 i = 0; record_counters[i].name && len < (int)sizeof(text) - 100; i++)
		if (take(in, 1) & 1)
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%s=%" PRIu64 "\n",
					record_counters[i].name, take_number(in));
	put_block(f, RECORD_END, 0, text, (u32)len);
}

static void make_file(struct file *f, struct input *in)
{
	f->size = 0;
	put_head(f, in);
	for (u32 i = 0; i < BLOCKS && in->at < in->end; i++) {
		static const u8 kinds[] = { RECORD_QUEUES, RECORD_CGROUPS, RECORD_STACKS,
					    RECORD_SCHEDS };
		u8 kind = (u8)take(in, 1);

		if (kind < 120)
			put_names(f, in, kinds[kind % ARRAY_SIZE(kinds)]);
		else
			put_events(f, in);
	}
	put_end(f, in);
}

static const char *command; /* -command=NAME; NULL: all */

/* libFuzzer calls it before all else. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	for (int i = 1; i < *argc; i++)
		if (has_prefix((*argv)[i], "-command="))
			command = strchr((*argv)[i], '=') + 1;
	return 0;
}

static const char *const *choose(u8 number)
{
	const char *only = command;
	u32 n = 0, seen = 0;

	for (u32 i = 0; i < ARRAY_SIZE(lines); i++)
		n += !only || streq(lines[i][0], only);
	for (u32 i = 0; n && i < ARRAY_SIZE(lines); i++)
		if ((!only || streq(lines[i][0], only)) && seen++ == number % n)
			return lines[i];
	abort();
}

/* A file of a directory that is there until the process ends; metrics renames a new one to it. */
static const char *output(void)
{
	static char dir[] = "/tmp/fuzz-replay-XXXXXX", path[64];

	if (!path[0]) {
		if (!mkdtemp(dir))
			abort();
		snprintf(path, sizeof(path), "%s/out.html", dir);
	}
	return path;
}

static void replay(const char *const *line, const char *path, const char *another)
{
	bool positional = streq(line[0], "info") || streq(line[0], "diff");
	const char *argv[WORDS + 5];
	int argc = 0;

	for (u32 i = 0; i < WORDS && line[i]; i++)
		argv[argc++] = streq(line[i], ANOTHER) ? another : line[i];
	if (!positional)
		argv[argc++] = "-i";
	argv[argc++] = path;
	argv[argc++] = "-w";
	argv[argc++] = output();
	argv[argc] = NULL;
	unlink(output());
	feed_command(cmd_find(commands, line[0]), argc, (char **)argv, true);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 bytes[FILE_MAX];
	struct input in = { data, data + size };
	struct file f = { .bytes = bytes };
	char path[FEED_PATH], another[FEED_PATH];
	int fd[2];
	const char *const *line = choose((u8)take(&in, 1));

	make_file(&f, &in);
	fd[0] = feed_file(f.bytes, f.size, path);
	make_file(&f, &in); /* of what is left: mostly nothing */
	fd[1] = feed_file(f.bytes, f.size, another);
	replay(line, path, another);
	close(fd[0]);
	close(fd[1]);
	return 0;
}
