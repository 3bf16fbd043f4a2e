// SPDX-License-Identifier: GPL-2.0-or-later
/* A record of `trace`: an event as named, typed values, and the columns made of them. */
#ifndef NVT_VIEW_TRACE_ROW_H
#define NVT_VIEW_TRACE_ROW_H

#include "lib/nvme/decode.h"
#include "lib/out/out.h"
#include "lib/symbols/frames.h"

struct event;
struct view;

/* The kind of event that a row shows. */
enum trace_type { TRACE_IO, TRACE_SUBMIT, TRACE_COMPLETE, TRACE_AER, TRACE_SQ, TRACE_FLUSH };
#define TRACE_TYPES 6

/* A row. Members that are all ones, or NULL, are not known or not of this type. */
struct trace_row {
	enum trace_type type;
	const struct view *view;
	struct frames *frames;
	struct nvme_cmd_view cmd;
	u64 wall_ns, mono_ns, since_ns; /* since_ns: since attaching */
	u64 slba, nlb, nsid, bytes, result, lat_ns, queue_ns, cgroup_id;
	const char *ctrl, *dev, *path, *op, *sct_sc, *status_name, *comm, *cgroup, *pattern;
	s32 ctrl_id;
	u32 qid, cid, tag, opcode, fctype, status, sct, sc, crd, retries, pid, tid;
	u32 submit_cpu, complete_cpu;
	u8 admin, dnr, more, worker;
	bool command; /* the command is known */
	/* TRACE_AER */
	struct nvme_aen aen;
	u32 aen_type, aen_info, aen_lid;
	/* TRACE_SQ */
	u32 sq_head, sq_tail;
	/* TRACE_FLUSH */
	u32 nvme_flushes, shared;
	u8 with_data, fua;
	char op_text[NVME_OPCODE_NAME_MAX];
	char sct_sc_text[NVME_SCT_SC_MAX];
};

/*
 * Fills @row from @v, as an event of @type; the row points into @v and into itself. A joined event
 * can be made a TRACE_SUBMIT or TRACE_COMPLETE. @start_ns is the time that TIME(s) counts from.
 */
void trace_row_fill(struct trace_row *row, const struct view *v, enum trace_type type,
		    u64 start_ns);

/* By enum trace_type. In text every type is printed with the first. */
extern const struct schema trace_schemas[TRACE_TYPES];

#endif
