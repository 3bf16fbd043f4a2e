// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows made of events: where a trim is. */
#include "lib/event/view.h"
#include "lib/view/trace_row.h"
#include "tests/unit/test.h"

/* The row of a trim of 64 KiB from byte 8 MiB on, of a namespace with blocks of @lba_bytes. */
static struct trace_row row_of_trim(u32 lba_bytes)
{
	static struct event ev;
	static struct queue_info queue;
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = "nvme0", .dev = "nvme0n1" };
	struct trace_row row;

	ev = (struct event){ .kind = EVENT_IO, .opcode = OPCODE_DSM, .qid = 1, .bytes = 16 };
	ev.cdw[1] = 4; /* deallocate */
	event_set_range(&ev, (8 << 20) / 512, 64 << 10);
	queue = (struct queue_info){ .lba_bytes = lba_bytes };
	trace_row_fill(&row, &v, TRACE_IO, 0);
	return row;
}

TEST(range)
{
	struct trace_row row = row_of_trim(512);

	assert_int_equal(row.slba, 16384);
	assert_int_equal(row.nlb, 128);
	row = row_of_trim(4096);
	assert_int_equal(row.slba, 2048);
	assert_int_equal(row.nlb, 16);
	row = row_of_trim(0);
	assert_true(row.slba == ~0ULL && row.nlb == ~0ULL);
}

/* The drive does not see the range in the command, nor do those who print its dwords. */
TEST(dwords)
{
	static const u32 dwords[6] = { [1] = 4 };
	struct trace_row row = row_of_trim(512);

	assert_memory_equal(row.cmd.cdw, dwords, sizeof(dwords));
	assert_int_equal(row.bytes, 16);
}

/* A request does not tell where its ranges are if it has several, or comes from user space. */
TEST(no_range)
{
	struct event ev = { .opcode = OPCODE_DSM };
	u32 driver_out = 35;

	assert_true(event_may_have_range(&ev, REQ_OP_DISCARD));
	assert_false(event_may_have_range(&ev, driver_out));
	ev.cdw[0] = 1;
	assert_false(event_may_have_range(&ev, REQ_OP_DISCARD));
	ev = (struct event){ .opcode = OPCODE_WRITE };
	assert_false(event_may_have_range(&ev, REQ_OP_WRITE));
}
