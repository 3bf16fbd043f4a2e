// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder of commands and completions: any bytes that a drive or a process may send; and of lines
 * that people paste.
 */
#include <stdlib.h>

#include "lib/base/str.h"
#include "lib/nvme/decode.h"
#include "lib/nvme/kernel_error.h"
#include "cmd/trace/kernel_text.h"
#include "cmd/errors/logline.h"
#include "tests/fuzz/feed.h"

struct bytes {
	u32 cdw[6];
	u32 nsid;
	u8 opcode, flags, fctype, qid;
	u16 status;
	u8 retries;
	u64 result;
};

/*
 * Texts end inside their buffers, whatever their size, and hold nothing that a terminal would obey.
 */
static void check_text(const char *text, size_t size)
{
	if (strnlen(text, size) == size)
		__builtin_trap();
	for (; *text; text++)
		if ((u8)*text < 0x20 || (u8)*text >= 0x7f)
			__builtin_trap();
}

static void decode(const struct nvme_cmd_view *cmd)
{
	struct nvme_field fields[NVME_FIELDS_MAX];
	unsigned int n = nvme_decode(cmd, fields);
	char text[NVME_BRIEF_MAX], name[NVME_OPCODE_NAME_MAX];

	if (n > NVME_FIELDS_MAX)
		__builtin_trap();
	for (unsigned int i = 0; i < n; i++)
		check_text(nvme_field_format(text, sizeof(text), &fields[i]), sizeof(text));
	check_text(nvme_cmd_brief(text, sizeof(text), cmd), sizeof(text));
	check_text(nvme_opcode_format(name, sizeof(name), cmd->set, nvme_cmd_code(cmd)),
		   sizeof(name));
	if (!nvme_cmd_has_lba(cmd) && nvme_cmd_slba(cmd))
		__builtin_trap();
	nvme_cmd_nlb(cmd);
}

static void complete(const struct bytes *b, const struct nvme_cmd_view *cmd)
{
	const struct kernel_text_complete done = {
		.disk = "nvme0n1",
		.result = b->result,
		.qid = b->qid,
		.cid = b->cdw[0],
		.status = b->status,
		.retries = b->retries,
		.flags = b->flags,
	};
	const char *name = nvme_status_name(b->status, cmd->set);
	char text[KERNEL_TEXT_MAX];

	check_text(name ? name : "", 256);
	nvme_status_remedy(b->status, cmd->set);
	kernel_text_complete(text, sizeof(text), &done);
	check_text(text, sizeof(text));
	kernel_text_aen(text, sizeof(text), b->qid, (u32)b->result);
	check_text(text, sizeof(text));
}

/* Reads the bytes as a line of errors --decode: each reading is a status, and two readings differ. */
static void read_line(const u8 *data, size_t size)
{
	char *line = strndup((const char *)data, size);
	struct logline l;

	if (!line)
		__builtin_trap();
	if (!logline_read(line, &l)) {
		if (l.n > 2 || (l.n == 2 && l.reading[0].status == l.reading[1].status))
			__builtin_trap();
		for (u32 i = 0; i < l.n; i++)
			if (l.reading[i].status > NVME_STATUS_MASK)
				__builtin_trap();
		logline_without_phase(&l);
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct bytes b = { 0 };
	struct kernel_text_setup setup = { .disk = "nvme0n1" };
	char text[KERNEL_TEXT_MAX];

	read_line(data, size);
	memcpy(&b, data, size < sizeof(b) ? size : sizeof(b));
	setup.qid = b.qid;
	setup.cmd = (struct nvme_cmd_view){ .nsid = b.nsid,
					    .opcode = b.opcode,
					    .flags = b.flags,
					    .fctype = b.fctype,
					    .set = nvme_set_of(b.qid, b.opcode) };
	memcpy(setup.cmd.cdw, b.cdw, sizeof(b.cdw));
	decode(&setup.cmd);
	complete(&b, &setup.cmd);
	kernel_text_setup(text, sizeof(text), &setup);
	check_text(text, sizeof(text));
	return 0;
}
