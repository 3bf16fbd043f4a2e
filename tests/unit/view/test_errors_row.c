// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/view/errors_row.c: which events are shown, what becomes of the command, what is said. */
#include "lib/view/errors_row.h"
#include "lib/event/view.h"
#include "lib/session/session.h"
#include "tests/unit/test.h"

#define DNR 0x4000

static const struct queue_info queue = { .ctrl_id = 3, .disk = "nvme3n1" };

static struct view view_of(const struct event *ev)
{
	return (struct view){ .ev = ev, .queue = &queue, .ctrl = "nvme3", .dev = "nvme3n1" };
}

static enum errors_type type_of(struct event ev, bool retries)
{
	struct view v = view_of(&ev);

	return errors_type_of(&v, retries);
}

TEST(types)
{
	assert_int_equal(type_of((struct event){ .kind = EVENT_IO, .status = 0x281 }, false),
			 ERRORS_ERROR);
	assert_int_equal(type_of((struct event){ .kind = EVENT_IO }, true), ERRORS_NONE);
	assert_int_equal(type_of((struct event){ .kind = EVENT_IO, .retries = 1 }, false),
			 ERRORS_NONE);
	assert_int_equal(type_of((struct event){ .kind = EVENT_IO, .retries = 1 }, true),
			 ERRORS_RETRY);
	assert_int_equal(
		type_of((struct event){ .kind = EVENT_IO, .status = 1, .flags = EVENT_NO_STATUS },
			true),
		ERRORS_NONE);
	assert_int_equal(
		type_of((struct event){ .kind = EVENT_SUBMIT, .opcode = 8, .flags = EVENT_ADMIN },
			false),
		ERRORS_ABORT);
	assert_int_equal(
		type_of((struct event){ .kind = EVENT_SUBMIT, .opcode = 8, .qid = 1 }, false),
		ERRORS_NONE); /* write zeroes */
	assert_int_equal(type_of((struct event){ .kind = EVENT_TIMEOUT }, false), ERRORS_TIMEOUT);
	assert_int_equal(type_of((struct event){ .kind = EVENT_RESET }, false), ERRORS_RESET);
	assert_int_equal(type_of((struct event){ .kind = EVENT_AER }, false), ERRORS_AER);
	assert_int_equal(type_of((struct event){ .kind = EVENT_SQ }, false), ERRORS_NONE);
}

static u8 final_of(u16 status, u8 retries, u8 outcome, u8 flags)
{
	struct event ev = { .kind = EVENT_IO,
			    .qid = !(flags & EVENT_ADMIN),
			    .opcode = 2,
			    .status = status,
			    .retries = retries,
			    .outcome = outcome,
			    .flags = flags };
	struct view v = view_of(&ev);
	struct errors_row row = { 0 };

	errors_row_fill(&row, &v, ERRORS_ERROR, NULL, 0);
	assert_int_equal(row.attempt, retries + 1);
	return row.final;
}

TEST(final)
{
	assert_int_equal(final_of(0x281, 5, OUTCOME_RETRY, 0), 0);
	assert_int_equal(final_of(0x281, 0, OUTCOME_FINAL, 0), 1);
	assert_int_equal(final_of(0x281, 0, OUTCOME_BLOCK, 0), 1);
	/* A recording tells only what is certain. */
	assert_int_equal(final_of(0x281, 0, OUTCOME_UNKNOWN, 0), 0xff);
	assert_int_equal(final_of(0x281, 5, OUTCOME_UNKNOWN, 0), 0xff);
	assert_int_equal(final_of(0x281 | DNR, 0, OUTCOME_UNKNOWN, 0), 1);
	assert_int_equal(final_of(0x002, 0, OUTCOME_UNKNOWN, EVENT_ADMIN), 1);
}

static void check_name(struct event ev, enum errors_type type, const char *want)
{
	struct view v = view_of(&ev);
	struct errors_row row = { 0 };
	char text[64];

	errors_row_fill(&row, &v, type, NULL, 0);
	errors_row_name(&row, text, sizeof(text));
	assert_string_equal(text, want);
}

TEST(names)
{
	check_name((struct event){ .kind = EVENT_IO, .qid = 1, .status = 0x4080 }, ERRORS_ERROR,
		   "LBA Out of Range");
	check_name((struct event){ .kind = EVENT_IO, .qid = 1, .status = 0x0d0 }, ERRORS_ERROR,
		   "Vendor Specific");
	check_name((struct event){ .kind = EVENT_IO, .opcode = 0x7f, .status = 0x180 },
		   ERRORS_ERROR, "Incompatible Format");
	check_name((struct event){ .kind = EVENT_SUBMIT,
				   .flags = EVENT_ADMIN,
				   .opcode = 8,
				   .cdw = { 0x10070002 } },
		   ERRORS_ABORT, "Abort of CID 4103 on Queue 2");
	check_name((struct event){ .kind = EVENT_AER, .result = 0x20101 }, ERRORS_AER,
		   "Temperature Threshold");
	check_name((struct event){ .kind = EVENT_AER, .result = 0x25500 }, ERRORS_AER,
		   "Unknown Event");
	check_name((struct event){ .kind = EVENT_RESET }, ERRORS_RESET, "Controller Reset");
}

/* A timeout has no completion: the latency is what had passed. */
TEST(timeout)
{
	struct event ev = {
		.kind = EVENT_TIMEOUT, .ts_ns = 3000, .submit_ns = 1000, .qid = 2, .opcode = 2
	};
	struct view v = view_of(&ev);
	struct errors_row row = { 0 };

	errors_row_fill(&row, &v, ERRORS_TIMEOUT, NULL, 0);
	assert_int_equal(row.io.lat_ns, 2000);
	assert_int_equal(row.io.status, 0xffffffff);
	ev.flags = EVENT_NO_SUBMIT;
	errors_row_fill(&row, &v, ERRORS_TIMEOUT, NULL, 0);
	assert_true(row.io.lat_ns == ~0ULL);
	assert_null(row.io.comm);
}
