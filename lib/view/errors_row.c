// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns events into rows of `errors`. trace_row_fill() makes the part that `trace` has as well. */
#include "lib/view/errors_row.h"

#include "lib/base/str.h"
#include "lib/view/trace_row.h"
#include "lib/session/session.h"

static bool is_abort(const struct event *ev)
{
	return ev->flags & EVENT_ADMIN && ev->opcode == nvme_admin_abort_cmd;
}

enum errors_type errors_type_of(const struct view *v, bool retries)
{
	const struct event *ev = v->ev;

	switch (ev->kind) {
	case EVENT_IO:
	case EVENT_COMPLETE: /* its submission was not seen */
		if (event_failed(ev))
			return ERRORS_ERROR;
		if (event_status(ev))
			return ERRORS_NONE;
		return retries && ev->retries && ev->kind == EVENT_IO ? ERRORS_RETRY : ERRORS_NONE;
	case EVENT_SUBMIT:
		return is_abort(ev) ? ERRORS_ABORT : ERRORS_NONE;
	case EVENT_TIMEOUT:
		return ERRORS_TIMEOUT;
	case EVENT_RESET:
		return ERRORS_RESET;
	case EVENT_AER:
		return ERRORS_AER;
	default:
		return ERRORS_NONE;
	}
}

/*
 * Says whether the command ended with this attempt, as row.final does. Live the programs know; a
 * recording does not tell how often its host tries (nvme_core.max_retries).
 */
static u8 final_of(const struct view *v)
{
	const struct event *ev = v->ev;

	if (ev->outcome == OUTCOME_RETRY)
		return 0;
	if (ev->outcome != OUTCOME_UNKNOWN || !ev->status || nvme_dnr(ev->status) ||
	    ev->flags & (EVENT_ADMIN | EVENT_PASSTHROUGH))
		return 1;
	return 0xff;
}

static void fill_completion(struct errors_row *row, const struct view *v,
			    const struct blkstatus *blk)
{
	if (!(v->lacks & NEED_RESULT))
		row->attempt = v->ev->retries + 1U;
	row->final = final_of(v);
	if (blk)
		row->blk = *blk;
}

static enum trace_type trace_type_of(enum errors_type type)
{
	switch (type) {
	case ERRORS_ERROR:
	case ERRORS_RETRY:
		return TRACE_IO;
	case ERRORS_RESET:
	case ERRORS_AER:
		return TRACE_AER;
	default:
		return TRACE_SUBMIT; /* without the columns of a completion, which are not known */
	}
}

void errors_row_fill(struct errors_row *row, const struct view *v, enum errors_type type,
		     const struct blkstatus *blk, u64 start_ns)
{
	trace_row_fill(&row->io, v, trace_type_of(type), start_ns);
	row->type = type;
	row->attempt = UNKNOWN32;
	row->final = 0xff;
	row->blk = (struct blkstatus){ .errno_nr = UNKNOWN32 };
	if (type == ERRORS_ERROR || type == ERRORS_RETRY)
		fill_completion(row, v, blk);
	else if (type == ERRORS_TIMEOUT && row->io.command)
		row->io.lat_ns = event_lat_ns(v->ev);
	else if (type == ERRORS_RESET)
		row->io.op = "reset";
	if (type == ERRORS_RESET || type == ERRORS_AER)
		row->io.type = TRACE_COMPLETE; /* without a command: its columns are empty */
}

const char *errors_type_name(enum errors_type type, u32 aen_result)
{
	struct nvme_aen aen;

	switch (type) {
	case ERRORS_TIMEOUT:
		return "Command Timed Out";
	case ERRORS_RESET:
		return "Controller Reset";
	case ERRORS_AER:
		nvme_aen_decode(aen_result, &aen);
		return aen.text ? aen.text : "Unknown Event";
	default:
		return NULL;
	}
}

void errors_row_name(const struct errors_row *row, char *buf, size_t size)
{
	const struct trace_row *io = &row->io;
	const char *name = errors_type_name(row->type, (u32)io->result);

	if (!name)
		name = io->status_name ? io->status_name : "Unknown Status";
	if (row->type == ERRORS_ABORT) /* NVM Base 2.1, figure 139 */
		snprintf(buf, size, "Abort of CID %u on Queue %u", io->cmd.cdw[0] >> 16,
			 io->cmd.cdw[0] & 0xffff);
	else
		snprintf(buf, size, "%s", name);
}

static void text_name(const struct out *o, const void *p, char *buf, size_t size)
{
	(void)o;
	errors_row_name(p, buf, size);
}

static bool is_bad(const void *p)
{
	const struct errors_row *row = p;

	return row->type != ERRORS_RETRY && row->type != ERRORS_AER;
}

/* Prints how many attempts there were before, and whether the command is tried again. */
static void text_retry(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct errors_row *row = p;

	(void)o;
	if (row->attempt == UNKNOWN32)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%u%s", row->attempt - 1, row->final ? "" : "+");
}

static void text_flags(const struct out *o, const void *p, char *buf, size_t size)
{
	static const char *const delays[] = { "", ",CRD1", ",CRD2", ",CRD3" };
	const struct trace_row *io = p;
	char words[24] = "";

	(void)o;
	if (io->status != UNKNOWN32)
		snprintf(words, sizeof(words), "%s%s%s", io->dnr ? ",DNR" : "",
			 io->more ? ",MORE" : "", delays[io->crd & 3]);
	snprintf(buf, size, "%s", words[0] ? words + 1 : "-");
}

#define ROW(type, m, nm, ...) FIELD_OF(FIELD_##type, struct errors_row, m, nm, __VA_ARGS__)
/* clang-format off */

#define ERRORS_TEXT									\
	TRACE_CALL("name", .head = "NAME", .width = -24, .flags = FIELD_ONLY_TEXT,	\
		   .text = text_name, .bad = is_bad, .least = 16, .rank = 18, .help = "name of the status or event"),		\
	TRACE_CALL("retry", .head = "RETRY", .width = -5, .flags = FIELD_ONLY_TEXT,	\
		   .text = text_retry, .rank = 46, .help = "attempts before this one; + means that it is tried again"), \
	TRACE_CALL("hints", .head = "FLAGS", .width = -5, .flags = FIELD_ONLY_TEXT,	\
		   .text = text_flags, .rank = 48, .help = "DNR: do not retry; MORE: more in the error log; CRD1-3: retry delay")

static const struct field error_fields[] = {
	TRACE_TIME,
	TRACE_WHEN,
	TRACE_COMMAND,
	TRACE_STATUS("SCT/SC"),
	TRACE_RETRIES,
	ERRORS_TEXT,
	ERRORS_BLOCK(struct errors_row)
	TRACE_LATENCY,
	TRACE_SUBMITTER,
	ROW(U32, attempt, "attempt", .flags = FIELD_NO_TEXT | FIELD_NULL_ONES,
	    .help = "number of the attempt, from 1"),
	ROW(BOOL, final, "final", .flags = FIELD_NO_TEXT | FIELD_NULL_ONES,
	    .help = "true: the command is not tried again; null: the recording does not say"),
	FIELD_DONE,
};

static const struct field reset_fields[] = {
	TRACE_WHEN,
	FIELD_DONE,
};

static const struct field aer_fields[] = {
	TRACE_AER_FIELDS,
	FIELD_DONE,
};
/* clang-format on */

const struct schema errors_schemas[ERRORS_TYPES] = {
	{ "error", error_fields, "an attempt of a command that failed" },
	{ "retry", error_fields, "a command that succeeded after a retry (-R)" },
	{ "timeout", error_fields, "a command that timed out; lat_ns is the time until then" },
	{ "abort", error_fields, "an Abort command of the driver, when it is submitted" },
	{ "reset", reset_fields, "the start of a controller reset" },
	{ "aer", aer_fields, "an asynchronous event" },
};
