// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes events as lines of other programs. The text of the tracepoints is in
 * cmd/trace/kernel_text.h; what other tools put around it is here.
 */
#include "cmd/trace/line.h"

#include <inttypes.h>

#include "lib/base/str.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/session.h"

/* NVME_REQ_USERCMD of struct nvme_request, the one flag that an event has. */
#define REQUEST_USERCMD 2

static struct kernel_text_setup setup_of(const struct trace_row *row)
{
	const struct view *v = row->view;

	return (struct kernel_text_setup){
		.cmd = row->cmd,
		.disk = v->queue->disk,
		.ctrl = v->queue->ctrl_id,
		.qid = v->ev->qid,
		.cid = v->ev->cid,
		.meta = v->flags >> REQ_FLAG_INTEGRITY & 1,
	};
}

static struct kernel_text_complete complete_of(const struct trace_row *row)
{
	const struct event *ev = row->view->ev;

	return (struct kernel_text_complete){
		.disk = row->view->queue->disk,
		.result = ev->result,
		.ctrl = row->view->queue->ctrl_id,
		.qid = ev->qid,
		.cid = row->command ? ev->cid : ev->tag,
		.status = ev->status,
		.retries = ev->retries,
		.flags = ev->flags & EVENT_PASSTHROUGH ? REQUEST_USERCMD : 0,
	};
}

/* Writes what follows the time and the name of the tracepoint, and sets *name. */
static void kernel_text(char *buf, size_t size, const struct trace_row *row, const char **name)
{
	const struct view *v = row->view;
	struct kernel_text_setup setup;
	struct kernel_text_complete complete;
	struct kernel_text_sq sq;

	switch (row->type) {
	case TRACE_SUBMIT:
		*name = "nvme_setup_cmd";
		setup = setup_of(row);
		kernel_text_setup(buf, size, &setup);
		break;
	case TRACE_AER:
		*name = "nvme_async_event";
		kernel_text_aen(buf, size, v->queue->ctrl_id, v->ev->result);
		break;
	case TRACE_SQ:
		*name = "nvme_sq";
		sq = (struct kernel_text_sq){ v->queue->disk, v->queue->ctrl_id, v->ev->qid,
					      row->sq_head, row->sq_tail };
		kernel_text_sq(buf, size, &sq);
		break;
	default:
		*name = "nvme_complete_rq";
		complete = complete_of(row);
		kernel_text_complete(buf, size, &complete);
		break;
	}
}

static u32 cpu_of(const struct trace_row *row)
{
	const struct event *ev = row->view->ev;

	return row->type == TRACE_SUBMIT ? ev->submit_cpu : ev->complete_cpu;
}

const char *trace_line_kernel(char *buf, size_t size, const struct trace_row *row)
{
	char text[KERNEL_TEXT_MAX];
	const char *name;

	kernel_text(text, sizeof(text), row, &name);
	snprintf(buf, size, "%16s-%-7u [%03u] ..... %5" PRIu64 ".%06" PRIu64 ": %s: %s",
		 row->comm && row->comm[0] ? row->comm : "<...>", row->comm ? row->tid : 0,
		 cpu_of(row), row->mono_ns / 1000000000, row->mono_ns / 1000 % 1000000, name, text);
	return buf;
}

/* Writes the arguments of the tracepoint with perf's names. */
static void perf_setup(char *buf, size_t size, const struct trace_row *row)
{
	struct kernel_text_setup setup = setup_of(row);
	char text[KERNEL_TEXT_MAX], *cmd;

	kernel_text_setup(text, sizeof(text), &setup);
	cmd = strstr(text, "cmd=(");
	snprintf(buf, size,
		 "disk: \"%s\", ctrl_id: %d, qid: %d, opcode: %u, flags: %u, fctype: %u, cid: %u, "
		 "nsid: %u, metadata: %u, cdw10: %s",
		 setup.disk, setup.ctrl, setup.qid, setup.cmd.opcode, setup.cmd.flags,
		 setup.cmd.fctype, setup.cid, setup.cmd.nsid, setup.meta, cmd ? cmd + 4 : "()");
}

static void perf_arguments(char *buf, size_t size, const struct trace_row *row)
{
	const struct view *v = row->view;
	struct kernel_text_complete c;

	if (row->type == TRACE_SUBMIT) {
		perf_setup(buf, size, row);
	} else if (row->type == TRACE_AER) {
		snprintf(buf, size, "ctrl_id: %d, result: %u", v->queue->ctrl_id,
			 (u32)v->ev->result);
	} else if (row->type == TRACE_SQ) {
		snprintf(buf, size, "ctrl_id: %d, disk: \"%s\", qid: %u, sq_head: %u, sq_tail: %u",
			 v->queue->ctrl_id, v->queue->disk, v->ev->qid, row->sq_head, row->sq_tail);
	} else {
		c = complete_of(row);
		snprintf(buf, size,
			 "disk: \"%s\", ctrl_id: %d, qid: %d, cid: %u, result: %" PRIu64
			 ", retries: %u, flags: %u, status: %u",
			 c.disk, c.ctrl, c.qid, c.cid, c.result, c.retries, c.flags, c.status);
	}
}

const char *trace_line_perf(char *buf, size_t size, const struct trace_row *row)
{
	static const char *const names[] = { "nvme_complete_rq", "nvme_setup_cmd",
					     "nvme_complete_rq", "nvme_async_event", "nvme_sq" };
	char text[KERNEL_TEXT_MAX + 160], who[40] = "";

	perf_arguments(text, sizeof(text), row);
	if (row->comm)
		snprintf(who, sizeof(who), " %s/%u", row->comm, row->tid);
	snprintf(buf, size, "%6" PRIu64 ".%03" PRIu64 "%s nvme:%s(%s)", row->since_ns / 1000000,
		 row->since_ns / 1000 % 1000, who, names[row->type], text);
	return buf;
}
