// SPDX-License-Identifier: GPL-2.0-or-later
/* Each kind of line that people paste: its sample is read as this kind, and says what the table says. */
#include <errno.h>

#include "lib/base/str.h"
#include "cmd/errors/logline.h"
#include "tests/unit/test.h"

static void check_sample(u32 id, const char *sample)
{
	const struct logline_kind *kind = &loglines[id];
	struct logline l;

	if (logline_read(sample, &l) || l.id != id)
		fail_msg("'%s' is not of kind '%s'", sample, kind->pattern);
	if (kind->form == LOGFORM_EVENT || kind->form == LOGFORM_PART) {
		assert_int_equal(l.n, 0);
		return;
	}
	if (l.is_errno) {
		assert_int_equal(kind->form, LOGFORM_RESULT);
		assert_int_equal(l.n, 0);
		assert_int_equal(l.value, kind->value);
		return;
	}
	assert_in_range(l.n, 1, 2);
	if (l.reading[0].status != kind->value)
		fail_msg("'%s' is read as 0x%x", sample, l.reading[0].status);
	assert_int_equal(l.named, kind->fabrics);
}

TEST(sample_of_each_kind)
{
	char samples[1024], *sample, *rest;

	for (u32 i = 0; i < LOGLINES; i++) {
		snprintf(samples, sizeof(samples), "%s", loglines[i].sample);
		for (sample = strtok_r(samples, "|", &rest); sample;
		     sample = strtok_r(NULL, "|", &rest))
			check_sample(i, sample);
	}
}

/* Each kind is described whole: an event has a name and a remedy, a line has a source and a meaning. */
TEST(each_kind_is_told)
{
	for (u32 i = 0; i < LOGLINES; i++) {
		const struct logline_kind *kind = &loglines[i];

		if (kind->form == LOGFORM_PART)
			continue;
		assert_int_equal(!kind->source, !kind->meaning);
		if (kind->form == LOGFORM_EVENT)
			assert_true(kind->name && kind->remedy);
	}
}

struct reading_case {
	const char *line;
	int err;
	u16 status[2]; /* the second is 0 where there is one reading */
};

static const struct reading_case cases[] = {
	/* Two readings have both a name, or the second is left out. */
	{ "0x4281", 0, { 0x4281 } },
	{ "0x4004", 0, { 0x4004, 0x2002 } },
	{ "0x2002", 0, { 0x2002, 0x1001 } },
	{ "0xc502", 0, { 0x6281 } },
	{ "0x0", 0, { 0 } },
	{ "16386", 0, { 0x4002 } },
	{ "0x8000", -ERANGE, { 0 } },
	{ "0x10000", -ERANGE, { 0 } },
	{ "32768", -ERANGE, { 0 } },
	{ "18446744073709551617", -ERANGE, { 0 } },
	{ "99999", -ERANGE, { 0 } },
	/* The name beside it decides; without one, versions that print none have the phase bit. */
	{ "status_field	: 0x2002(Invalid Field in Command: A reserved", 0, { 0x2002, 0x1001 } },
	{ "status_field : 0x4004(INVALID_FIELD: A reserved coded value)", 0, { 0x2002, 0x4004 } },
	{ "status_field : 0x4004", 0, { 0x2002, 0x4004 } },
	{ "status_field : 0xc004(INVALID_FIELD: A reserved coded value)", 0, { 0x6002 } },
	{ "status_field : 0", 0, { 0 } },
	{ "status_field : 0x10000", -ERANGE, { 0 } },
	/* Results of the driver: the bit of DNR, which an errno may lack, and errnos in hexadecimal. */
	{ "Property Set error: -4, offset 0x14", 0, { 0 } },
	{ "Connect command failed, error wo/DNR bit: -16388", 0, { 0 } },
	{ "Connect command failed, error wo/DNR bit: 16770", 0, { 0x4182 } },
	{ "Connect command failed, error wo/DNR bit: 32768", -ERANGE, { 0 } },
	{ "Connect command failed, error wo/DNR bit: -20480", -ERANGE, { 0 } },
	{ "Connect command failed, error wo/DNR bit: 4294967296", -ERANGE, { 0 } },
	{ "Identify NS List failed (status=0xfffffffb)", 0, { 0 } },
	/* CSTS: ready is no reason for a reset. */
	{ "controller is down; will reset: CSTS=0x1, PCI_STATUS=0x10", -EINVAL, { 0 } },
	/* Of another driver. */
	{ "wg0: Reconnecting in 5 seconds...", -EINVAL, { 0 } },
	{ "snd 0000:00:1f.3: Unable to change power state from D3cold to D0", -EINVAL, { 0 } },
	{ "nvme nvme0: clearing duplicate IDs for nsid 1", -EINVAL, { 0 } },
	/* No-break spaces, as web pages have them. */
	{ "\u00a0\u00a00\u00a05 0 0x0018\u202f0x4004 - 0 0 - x", 0, { 0x2002 } },
	{ "\u00a00x2002\u00a0", 0, { 0x2002, 0x1001 } },
	/* FreeBSD's order, and a delay of retries. */
	{ "nvme0: INVALID FIELD (00/02) crd:2 m:0 dnr:1 p:1 sqid:4 cid:1 cdw0:0", 0, { 0x5002 } },
	{ "nvme0: READ (02/81) crd:0 m:1 dnr:0 sqid:4 cid:1 cdw0:0", 0, { 0x2281 } },
	/* Old and new forms of one tool. */
	{ "\"status_field\":16388,", 0, { 0x2002, 0x4004 } },
	{ "{\"status_field\":8194,\"phase_tag\":1}", 0, { 0x2002 } },
	{ "NVMe Status:INVALID_OPCODE(1)", 0, { 1 } },
	{ "NVMe status: Command Abort Requested (host)(0x4007)", 0, { 0x4007 } },
	{ "  1   12 - - 0xc502 0x028 0 1 -", 0, { 0x6281 } },
	{ "READ (02/81) sqid:1 cid:3 cdw0:0 sqhd:0001 p:1 m:1 dnr:0", 0, { 0x2281 } },
	{ "[ 1.5] nvme0n1: x (sct 0x2 / sc 0x81) DNR cdw10=0x1", 0, { 0x4281 } },
	{ "(sct 0x8 / sc 0x1)", -ERANGE, { 0 } },
	{ "(sct 0x2)", -EINVAL, { 0 } },
	{ "(02/181) qid:1 cid:1", -ERANGE, { 0 } },
	/* Rows of our own: words, not parts of words; flags behind the attempts. */
	{ "0.1 nvme0 nvme0n1 2 - - - - 3/71 Command Aborted By Host 0 - - - -", 0, { 0x371 } },
	{ "0.1 nvme0 nvme0n1 1 9 read 8 8 2/81 Unrecovered Read Error 1+ DNR,MORE,CRD2 8.0 1 x",
	  0,
	  { 0x7281 } },
	{ "0.1 nvme0n1 1 9 read 8 8 2/81 9.0 4411 DNR", 0, { 0x281 } },
	{ "nvme nvme0: 8/0/0 default/read/poll queues", -EINVAL, { 0 } },
	{ "nvme nvme0: missing or invalid SUBNQN field.", -EINVAL, { 0 } },
	{ "x,1,2,3,0/01,", -EINVAL, { 0 } },
	{ "", -EINVAL, { 0 } },
};

TEST(readings)
{
	struct logline l;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct reading_case *c = &cases[i];
		int err = logline_read(c->line, &l);

		if (err != c->err)
			fail_msg("'%s': %d", c->line, err);
		if (err)
			continue;
		if (l.is_errno && !c->status[0])
			continue;
		if (l.n != 1U + !!c->status[1] || l.reading[0].status != c->status[0])
			fail_msg("'%s': %u readings, the first 0x%x", c->line, l.n,
				 l.reading[0].status);
		if (l.n == 2) {
			assert_int_equal(l.reading[1].status, c->status[1]);
			assert_true(l.reading[0].why && l.reading[1].why);
		}
	}
}

/* An errno is what the driver returned, whatever it was printed as. */
TEST(errnos)
{
	static const struct {
		const char *line;
		u16 value;
	} rows[] = {
		{ "Property Set error: -4, offset 0x14", 4 },
		{ "Connect command failed, error wo/DNR bit: -16388", 4 },
		{ "Identify NS List failed (status=0xfffffffb)", 5 },
		{ "nvme nvme0: failed to connect socket: -111", 111 },
	};
	struct logline l;

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(logline_read(rows[i].line, &l), 0);
		assert_true(l.is_errno);
		assert_int_equal(l.n, 0);
		assert_int_equal(l.value, rows[i].value);
	}
}
