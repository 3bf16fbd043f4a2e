// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings: the input is a file, replayed through the session by one of the commands below, which
 * the last byte chooses. CRCs are mended first, else nothing but the checks of them would be
 * tested; a second byte from the end leaves them as they are.
 */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "cmd/commands.h"
#include "lib/base/str.h"
#include "lib/record/format.h"
#include "lib/record/record.h"
#include "tests/fuzz/feed.h"

#define WORDS 12

static const char *const lines[][WORDS] = {
	{ "trace" },
	{ "trace", "--csv" },
	{ "trace", "--json" },
	{ "trace", "-f", "kernel" },
	{ "trace", "-f", "perf", "--show", "both" },
	{ "trace", "--json", "--show", "both" },
	{ "trace", "-W", "-T", "-P", "-R" },
	{ "trace", "-k", "-u", "--json" },
	{ "trace", "-O", "read,admin:identify", "--size", "4k-", "--comm", "f*" },
	{ "trace", "-c", "0", "-n", "1", "--status", "error" },
	{ "latency" },
	{ "latency", "--json", "-A", "-b", "ctrl,ns,dev,qid,cpu,opcode,size" },
	{ "latency", "-b", "comm,cgroup,flags,status,pid", "--csv" },
	{ "latency", "--table", "--hist-bits", "6", "-e", "3600" },
	{ "latency", "-Q", "--fail-if", "p99>1ms or read.errors>3" },
	{ "errors", "-a", "--json" },
	{ "errors", "-s" },
	{ "errors", "-R", "--block", "--csv" },
	{ "errors", "-f", "kernel" },
	{ "pattern", "-a" },
	{ "pattern", "--json", "-a", "-b", "comm,cgroup" },
	{ "pattern", "-S", "-K", "-A", "3600" },
	{ "stacks" },
	{ "stacks", "-u", "-k", "--json", "--hist" },
	{ "stacks", "-f", "folded", "-b", "comm,dev" },
	{ "record", "--max-events", "1000" },
};

/*
 * Entries are a zlib stream behind 4 bytes. Gives one that is a single stored block, which a mutation
 * reaches, the checksum it should have: header of 2 bytes, block of 5 and the data, 4 of Adler-32.
 */
static void mend_entries(u8 *payload, u32 size)
{
	uLong sum;

	if (size < 4 + 11 || payload[4] != 0x78 || payload[6] != 1)
		return;
	sum = adler32(adler32(0, NULL, 0), payload + 4 + 7, size - 4 - 11);
	for (u32 i = 0; i < 4; i++)
		payload[size - 1 - i] = (u8)(sum >> 8 * i);
}

/* Gives each block that lies whole in the file, and its head, the CRCs they should have. */
static void mend(u8 *data, size_t size)
{
	size_t at = RECORD_START_BYTES;

	while (at + RECORD_HEAD_BYTES <= size) {
		struct record_block b = {
			.kind = (u32)record_get(data + at + 4, 4),
			.size_bytes = (u32)record_get(data + at + 8, 4),
			.count = (u32)record_get(data + at + 12, 4),
		};
		size_t left = size - at - RECORD_HEAD_BYTES;

		if (b.size_bytes > left)
			b.size_bytes = (u32)left;
		mend_entries(data + at + RECORD_HEAD_BYTES, b.size_bytes);
		b.crc = record_crc(data + at + RECORD_HEAD_BYTES, b.size_bytes);
		record_pack_head(data + at, &b);
		at += RECORD_HEAD_BYTES + b.size_bytes;
	}
}

static void replay(const char *const *line, const char *path)
{
	const char *argv[WORDS + 5];
	int argc = 0;

	while (argc < WORDS && line[argc]) {
		argv[argc] = line[argc];
		argc++;
	}
	argv[argc++] = "-i";
	argv[argc++] = path;
	argv[argc++] = "-w";
	argv[argc++] = "/dev/null";
	argv[argc] = NULL;
	feed_command(cmd_find(commands, line[0]), argc, (char **)argv, true);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char path[FEED_PATH];
	u8 *file;
	int fd;

	if (size < RECORD_START_BYTES)
		return 0;
	file = malloc(size);
	if (!file)
		abort();
	memcpy(file, data, size);
	if (data[size - 2] & 7)
		mend(file, size - 2);
	fd = feed_file(file, size, path);
	replay(lines[data[size - 1] % ARRAY_SIZE(lines)], path);
	close(fd);
	free(file);
	return 0;
}
