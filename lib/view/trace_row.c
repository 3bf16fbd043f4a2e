// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes rows of `trace` from events, and prints the values that are more than numbers. */
#include "lib/view/trace_row.h"

#include <inttypes.h>
#include <endian.h>

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/host/cgroup.h"
#include "lib/host/sysfs.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/session.h"

#define CDW_TEXT 54UL /* six words of eight digits, a blank or the end behind each */

/* The parts that every type has. */
static void fill_common(struct trace_row *row, const struct view *v)
{
	const struct event *ev = v->ev;

	row->wall_ns = v->wall_ns;
	row->mono_ns = ev->ts_ns;
	row->ctrl_id = v->queue->ctrl_id;
	row->ctrl = v->ctrl[0] ? v->ctrl : NULL;
	row->dev = v->dev[0] ? v->dev : NULL;
	row->path = v->path;
	row->qid = ev->qid;
	row->tag = ev->tag;
	row->admin = (ev->flags & EVENT_ADMIN) != 0;
}

/* The blocks of a trim; its dwords are 0 again, as the drive has them. */
static void fill_range(struct trace_row *row, const struct view *v)
{
	const u32 *cdw = v->ev->cdw;
	u32 shift = wire_block_shift(v->queue->lba_bytes);

	memset(&row->cmd.cdw[2], 0, 3 * sizeof(u32));
	if (!v->queue->lba_bytes)
		return;
	row->slba = (cdw[2] | (u64)cdw[3] << 32) >> shift;
	row->nlb = cdw[4] / v->queue->lba_bytes;
}

#define FILL(type, m, need)                                                                        \
	if (!(v->lacks & (need)))                                                                  \
		row->m = ev->m;

static void fill_command(struct trace_row *row, const struct view *v)
{
	const struct event *ev = v->ev;
	struct nvme_cmd_view *cmd = &row->cmd;

	cmd->opcode = ev->opcode;
	cmd->flags = ev->sqe_flags;
	cmd->fctype = ev->fctype;
	cmd->nsid = ev->nsid;
	cmd->set = nvme_set_of(ev->qid, ev->opcode);
	memcpy(cmd->cdw, ev->cdw, sizeof(cmd->cdw));
	row->cid = ev->cid;
	row->opcode = ev->opcode;
	row->op = nvme_opcode_name(cmd->set, nvme_cmd_code(cmd));
	if (!row->op)
		row->op = nvme_opcode_format(row->op_text, sizeof(row->op_text), cmd->set,
					     nvme_cmd_code(cmd));
	if (cmd->set == NVME_SET_FABRICS)
		row->fctype = ev->fctype;
	else
		row->nsid = ev->nsid;
	if (nvme_cmd_has_lba(cmd)) {
		row->slba = nvme_cmd_slba(cmd);
		row->nlb = nvme_cmd_nlb(cmd);
		if (!row->nlb)
			row->nlb = UNKNOWN64;
	}
	if (ev->flags & EVENT_RANGE)
		fill_range(row, v);
	if (ev->queued_ns)
		row->queue_ns = ev->submit_ns - ev->queued_ns;
	TRACE_COPIED(FILL)
}

void trace_row_fill_file(struct trace_row *row, const struct view *v)
{
	if (!v->ev->ino_dev)
		return;
	row->ino = v->ev->ino ? v->ev->ino : UNKNOWN64;
	row->ino_gen = v->ev->ino_gen ? v->ev->ino_gen : UNKNOWN64;
	row->ino_dev = session_dev_number(v->ev->ino_dev, row->ino_dev_text);
	row->file = v->file_path;
}

static void fill_submitter(struct trace_row *row, const struct view *v)
{
	const struct event *ev = v->ev;

	if (!(v->lacks & NEED_PID)) {
		row->pid = ev->pid;
		row->tid = ev->tid;
	}
	row->comm = v->lacks & NEED_COMM ? NULL : ev->comm;
	row->worker = (ev->flags & EVENT_WORKER) != 0;
	if (ev->cgroup_id)
		row->cgroup_id = ev->cgroup_id;
	row->cgroup = v->cgroup;
	trace_row_fill_file(row, v);
	if (ev->syncer_pid) {
		row->syncer_pid = ev->syncer_pid;
		row->syncers = ev->syncers;
		row->syncer = ev->syncer_comm;
	}
}

static void fill_completion(struct trace_row *row, const struct view *v)
{
	const struct event *ev = v->ev;

	if (!(v->lacks & NEED_CPU))
		row->complete_cpu = ev->complete_cpu;
	if (row->command)
		row->lat_ns = event_lat_ns(ev);
	if (event_status(ev) == WIRE_UNKNOWN_STATUS)
		return;
	row->status = ev->status;
	row->sct = nvme_sct(ev->status);
	row->sc = nvme_sc(ev->status);
	row->sct_sc = nvme_sct_sc(row->sct_sc_text, ev->status);
	row->crd = nvme_crd(ev->status);
	row->dnr = nvme_dnr(ev->status);
	row->more = nvme_more(ev->status);
	row->status_name = nvme_status_name(ev->status, nvme_set_of(ev->qid, ev->opcode));
	if (v->lacks & NEED_RESULT)
		return;
	row->result = ev->result;
	row->retries = ev->retries;
}

#define CLEAR(type, m, need) .m = (type)UNKNOWN64,

/* Marks everything as not known. Commands, of which there are millions, set most of it again. */
static void clear(struct trace_row *row)
{
	*row = (struct trace_row){ .slba = UNKNOWN64,
				   .nlb = UNKNOWN64,
				   .nsid = UNKNOWN64,
				   .result = UNKNOWN64,
				   .lat_ns = UNKNOWN64,
				   .queue_ns = UNKNOWN64,
				   .cgroup_id = UNKNOWN64,
				   .ino = UNKNOWN64,
				   .ino_gen = UNKNOWN64,
				   .syncer_pid = UNKNOWN64,
				   .syncers = UNKNOWN64,
				   .ctrl_id = -1,
				   .qid = UNKNOWN32,
				   .cid = UNKNOWN32,
				   .tag = UNKNOWN32,
				   .opcode = UNKNOWN32,
				   .fctype = UNKNOWN32,
				   .status = UNKNOWN32,
				   .sct = UNKNOWN32,
				   .sc = UNKNOWN32,
				   .crd = UNKNOWN32,
				   .retries = UNKNOWN32,
				   .pid = UNKNOWN32,
				   .tid = UNKNOWN32,
				   .complete_cpu = UNKNOWN32,
				   .dnr = UNKNOWN8,
				   .more = UNKNOWN8,
				   .worker = UNKNOWN8,
				   TRACE_COPIED(CLEAR) };
}

static void fill_aer(struct trace_row *row, const struct event *ev)
{
	nvme_aen_decode(ev->result, &row->aen);
	row->result = ev->result;
	row->op = "aer";
	row->aen_type = row->aen.type;
	row->aen_info = row->aen.info;
	row->aen_lid = row->aen.lid;
	row->qid = 0;
	row->tag = UNKNOWN32;
}

/* A flush of a device above namespaces: it has no controller, no queue and no status. */
static void fill_flush(struct trace_row *row, const struct view *v)
{
	const struct event *ev = v->ev;

	row->op = "flush";
	row->bytes = ev->bytes;
	row->lat_ns = event_lat_ns(ev);
	row->nvme_flushes = ev->cdw[0];
	row->shared = ev->cdw[1];
	row->with_data = ev->bytes != 0;
	row->fua = UNKNOWN8;
	if (!(v->lacks & NEED_CMD_FLAGS))
		row->fua = v->flags >> REQ_FLAG_FUA & 1;
	row->ctrl = NULL;
	row->qid = row->tag = UNKNOWN32;
	fill_submitter(row, v);
}

void trace_row_fill(struct trace_row *row, const struct view *v, enum trace_type type, u64 start_ns)
{
	const struct event *ev = v->ev;
	struct frames *frames = row->frames;

	clear(row);
	row->frames = frames;
	row->type = type;
	row->view = v;
	fill_common(row, v);
	if (type == TRACE_AER) {
		fill_aer(row, ev);
	} else if (type == TRACE_SQ) {
		row->op = "sq";
		row->sq_head = ev->cdw[0];
		row->sq_tail = ev->cdw[1];
		row->tag = UNKNOWN32;
	} else if (type == TRACE_FLUSH) {
		fill_flush(row, v);
	} else {
		row->command = !(ev->flags & (EVENT_NO_SUBMIT | EVENT_UNSENT));
		if (row->command) {
			fill_command(row, v);
			fill_submitter(row, v);
		}
		if (type != TRACE_SUBMIT)
			fill_completion(row, v);
	}
	if (type == TRACE_SUBMIT && ev->kind == EVENT_IO) {
		row->wall_ns += ev->submit_ns - ev->ts_ns;
		row->mono_ns = ev->submit_ns;
	}
	row->since_ns = row->mono_ns > start_ns ? row->mono_ns - start_ns : 0;
}

void trace_row_text_time(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	(void)o;
	if (size > FMT_FIXED_MAX)
		*fmt_fixed(buf, row->since_ns, 1000000000, 6) = '\0';
}

static void text_event(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	(void)o;
	snprintf(buf, size, "%s", trace_schemas[row->type].type);
}

/*
 * Writes the first block of a command, or without one its most telling field; for an asynchronous
 * event the log page to read, for a flush of a device above how many commands it became.
 */
void trace_row_text_slba(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	(void)o;
	if (row->type == TRACE_AER)
		snprintf(buf, size, "lid=%02x", row->aen_lid);
	else if (row->type == TRACE_SQ)
		snprintf(buf, size, "%u/%u", row->sq_head, row->sq_tail);
	else if (row->type == TRACE_FLUSH && row->nvme_flushes != UNKNOWN32)
		snprintf(buf, size, "nvme=%u", row->nvme_flushes);
	else if (!row->command)
		snprintf(buf, size, "-");
	else if (row->slba != UNKNOWN64)
		*fmt_u64(buf, row->slba) = '\0';
	else
		nvme_cmd_brief(buf, size, &row->cmd);
}

/* Copies a short text without snprintf() or memcpy(): this is done millions of times. */
static void put_text(char *buf, size_t size, const char *s)
{
	size_t i = 0;

	for (; i + 1 < size && s[i]; i++)
		buf[i] = s[i];
	buf[i] = '\0';
}

/*
 * Writes the task that submitted. Nobody submits an asynchronous event: its text is written
 * instead, since this last column has the room.
 */
void trace_row_text_comm(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	(void)o;
	if (row->type == TRACE_AER)
		snprintf(buf, size, "%s", row->aen.text ? row->aen.text : "unknown event");
	else if (row->comm)
		put_text(buf, size, row->comm);
}

void trace_row_text_file(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;
	const struct file_id file = event_file(row->view->ev);

	(void)o;
	if (row->file)
		snprintf(buf, size, "%s", row->file);
	else if (row->ino_dev)
		session_file_number(&file, buf, size);
}

void trace_row_text_cgroup(const struct out *o, const void *p, char *buf, size_t size)
{
	(void)o;
	cgroup_text(((const struct trace_row *)p)->cgroup, buf, size);
}

bool trace_row_bad(const void *p)
{
	const struct trace_row *row = p;

	return row->status && row->status != UNKNOWN32;
}

void trace_row_text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	(void)o;
	if (row->status == UNKNOWN32)
		put_text(buf, size, "-");
	else if (row->status == NVME_SC_SUCCESS)
		put_text(buf, size, "ok");
	else
		nvme_status_format(buf, size, row->status);
}

/*
 * Writes six words of eight digits, each word at once: a digit in each byte of a u64, '0' to '9' or
 * 'a' to 'f'.
 */
static void cdw_text(const struct trace_row *row, char *buf)
{
	for (u32 i = 0; i < 6; i++) {
		u64 w = row->cmd.cdw[i];

		w = (w | w << 16) & 0x0000ffff0000ffff;
		w = (w | w << 8) & 0x00ff00ff00ff00ff;
		w = (w | w << 4) & 0x0f0f0f0f0f0f0f0f;
		w += 0x3030303030303030 + ((w + 0x0606060606060606) >> 4 & 0x0101010101010101) * 39;
		w = htobe64(w);
		memcpy(buf, &w, sizeof(w));
		buf[8] = i < 5 ? ' ' : '\0';
		buf += 9;
	}
}

void trace_row_text_cdw(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	(void)o;
	if (row->command && size >= CDW_TEXT)
		cdw_text(row, buf);
	else
		snprintf(buf, size, "-");
}

void trace_row_csv_cdw(const void *p, char *buf, size_t size)
{
	const struct trace_row *row = p;

	if (row->command && size >= CDW_TEXT)
		cdw_text(row, buf);
}

void trace_row_emit_cdw(struct json *j, const void *p)
{
	const struct trace_row *row = p;
	char text[CDW_TEXT];

	if (row->command)
		cdw_text(row, text);
	json_str(j, "cdw10_15", row->command ? text : NULL);
}

void trace_row_emit_flags(struct json *j, const void *p)
{
	const struct trace_row *row = p;

	if (!row->command || row->view->lacks & NEED_CMD_FLAGS) {
		json_null(j, "flags");
		return;
	}
	json_array(j, "flags");
	for (u32 i = 0; i < REQ_FLAG_MAX; i++)
		if (row->view->flags >> i & 1)
			json_str(j, NULL, reqflags_name(i));
	json_end(j);
}

/*
 * Writes the fields of a read or write. Two differ from command to command, the others hardly ever.
 */
static void emit_block_fields(struct json *j, const struct trace_row *row)
{
	const struct nvme_cmd_view *cmd = &row->cmd;
	u32 key[] = { cmd->opcode, cmd->cdw[2] >> 16, cmd->cdw[3], cmd->cdw[4], cmd->cdw[5] };
	struct nvme_field fields[NVME_FIELDS_MAX];
	unsigned int n;

	_Static_assert(sizeof(key) == JSON_KEPT_KEY, "not the size of a key");
	json_u64(j, "slba", row->slba);
	json_u64(j, "nlb", row->nlb);
	if (json_put_kept(j, cmd->opcode, key))
		return;
	n = nvme_decode(cmd, fields);
	json_keep_from(j);
	for (unsigned int i = 2; i < n; i++)
		json_u64(j, fields[i].name, fields[i].value);
	json_keep(j, cmd->opcode, key);
}

void trace_row_emit_fields(struct json *j, const void *p)
{
	const struct trace_row *row = p;
	struct nvme_field fields[NVME_FIELDS_MAX];
	unsigned int n;

	if (!row->command) {
		json_null(j, "fields");
		return;
	}
	json_object(j, "fields");
	if (row->cmd.set == NVME_SET_IO &&
	    (row->opcode == nvme_cmd_read || row->opcode == nvme_cmd_write)) {
		emit_block_fields(j, row);
	} else {
		n = nvme_decode(&row->cmd, fields);
		for (unsigned int i = 0; i < n; i++)
			json_u64(j, fields[i].name, fields[i].value);
	}
	json_end(j);
}

static void emit_stack(struct json *j, const struct trace_row *row, bool user)
{
	u32 len = user ? row->view->ustack_len : row->view->kstack_len;

	json_array(j, user ? "ustack" : "kstack");
	for (u32 i = 0; i < len; i++)
		json_str(j, NULL, frames_text(row->frames, row->view, user, i));
	json_end(j);
}

void trace_row_emit_kstack(struct json *j, const void *row)
{
	emit_stack(j, row, false);
}

void trace_row_emit_ustack(struct json *j, const void *row)
{
	emit_stack(j, row, true);
}

void trace_row_emit_members(struct json *j, const void *p)
{
	const struct trace_row *row = p;
	const char *name = row->view->members ? row->view->members : "";
	char text[SYSFS_NAME];

	json_array(j, "members");
	while (str_word(&name, ' ', text, sizeof(text)))
		json_str(j, NULL, text);
	json_end(j);
}

/* clang-format off */

static const struct field io_fields[] = {
	TRACE_TIME,
	TRACE_CALL("event", .with = "E", .width = -8, .flags = FIELD_ONLY_TEXT | FIELD_HIDDEN, .text = text_event,
	     .help = "kind of event: submit, complete, aer, sq or flush; with --show, --aer and --sq"),
	TRACE_WHEN,
	TRACE_COMMAND,
	TRACE_STATUS("STATUS"),
	TRACE_RETRIES,
	TRACE_LATENCY,
	TRACE_ROW(STR, pattern, .with = "P", .head = "PAT", .width = -3, .flags = FIELD_ABSENT,
	    .help = "S sequential, R random; with -P"),
	TRACE_FILE,
	TRACE_SYNCER,
	TRACE_SUBMITTER,
	FIELD_DONE,
};

static const struct field aer_fields[] = {
	TRACE_AER_FIELDS,
	FIELD_DONE,
};

static const struct field sq_fields[] = {
	TRACE_WHEN,
	TRACE_ROW(STR, dev, .help = "namespace (the multipath head, if any), or the controller"),
	TRACE_ROW(U32, qid, .help = "queue"),
	TRACE_ROW(U32, sq_head, .help = "submission queue head that the drive reported"),
	TRACE_ROW(U32, sq_tail, .help = "submission queue tail of the driver"),
	FIELD_DONE,
};

static const struct field flush_fields[] = {
	TRACE_TS,
	TRACE_ROW(STR, dev, .help = "device above namespaces: md0, dm-3"),
	TRACE_ROW(U32, pid, .flags = FIELD_NULL_ONES, .help = "process that asked for the flush"),
	TRACE_ROW(U32, tid, .flags = FIELD_NULL_ONES, .help = "thread that asked"),
	TRACE_ROW(STR, comm, .help = "name of the process"),
	TRACE_ROW(U64, cgroup_id, .flags = FIELD_NULL_ONES, .help = "ID of its cgroup (v2)"),
	TRACE_ROW(STR, cgroup, .help = "path of its cgroup"),
	TRACE_ROW(U64, lat_ns, .help = "from the entry into the device to the end; with data, its write included"),
	TRACE_ROW(BOOL, with_data, .help = "true: data are written after the flush"),
	TRACE_ROW(BOOL, fua, .help = "true: it asks that these are on the medium as well (FUA)"),
	TRACE_CALL("members", .emit = trace_row_emit_members, .json = JSON_STRINGS,
	     .help = "namespaces below the device"),
	TRACE_ROW(U32, nvme_flushes, .flags = FIELD_NULL_ONES,
	    .help = "flush commands of namespaces that it became; 0: they have no volatile cache; null: not known"),
	TRACE_ROW(U32, shared, .flags = FIELD_NULL_ONES,
	    .help = "flush requests that one of these commands served, the most of them; null: not known, as of md before Linux 6.12"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema trace_schemas[TRACE_TYPES] = {
	{ "io", io_fields, "a whole command: submission and completion" },
	{ "submit", io_fields, "a submission (--show); fields of the completion are null" },
	{ "complete", io_fields, "a completion (--show)" },
	{ "aer", aer_fields, "an asynchronous event (--aer)" },
	{ "sq", sq_fields, "a submission queue update (--sq)" },
	{ "flush", flush_fields, "a flush request of a device above namespaces (--flushes)" },
};
